import { ProblemError } from '../http/problems/problem.ts';
import { type IdForm, idAdvice, shownId } from '../http/requests/id-advice.ts';
import { excerpt } from '../text/excerpt.ts';
import { isSubscriptionId } from './delivery.ts';

const subscriptionIds: IdForm = {
  prefix: 'sub-',
  others: [
    [/^whsec_/, 'It is the secret of a subscription, not its id. The id begins with sub-.'],
    [/^(?:pol-|CLM-|demo-)/, 'It is the id of something else. The id of a subscription begins with sub-.'],
  ],
};

export function subscriptionNotFound(id: string): never {
  const advice = isSubscriptionId(id) ? '' : idAdvice(id, subscriptionIds);
  const detail = `You have no subscription with the id ${shownId(id)}.${advice} GET /subscriptions lists your subscriptions.`;
  throw new ProblemError('subscription-not-found', detail);
}

export function deliveryNotFound(number: number | string): never {
  const detail = `The subscription has no delivery ${excerpt(String(number))}. GET …/deliveries lists its deliveries.`;
  throw new ProblemError('delivery-not-found', detail);
}
