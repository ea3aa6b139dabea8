import { excerpt, ProblemError } from '../http/problem.ts';

export function subscriptionNotFound(id: string): never {
  const detail = `You have no subscription with the id ${excerpt(id)}. GET /subscriptions lists your subscriptions.`;
  throw new ProblemError('subscription-not-found', detail);
}

export function deliveryNotFound(number: number | string): never {
  const detail = `The subscription has no delivery ${excerpt(String(number))}. GET …/deliveries lists its deliveries.`;
  throw new ProblemError('delivery-not-found', detail);
}
