import { curlOwnClock } from '../events/problems.ts';
import { retentionDays } from '../events/retention.ts';
import { curlBearer as bearer, curlJson as json, type ProblemEntry } from '../http/problems/problem-entry.ts';

const base = '/claims/v1';

export const problems = {
  'subscription-not-found': {
    status: 404,
    title: 'No such subscription',
    meaning: 'You have no subscription with this id. For a subscription of another client, the answer is the same.',
    cause: 'The id is wrong, the subscription was deleted, or the token belongs to another client.',
    remedy: 'Take the id from the answer that created the subscription, or from `GET /subscriptions`.',
    example: `curl -i "$BASE/subscriptions/sub-none" ${bearer}`,
    base,
  },
  'delivery-not-found': {
    status: 404,
    title: 'No such delivery',
    meaning: 'The subscription has no delivery with this number.',
    cause: `The number is wrong, or the record of the delivery was removed after ${retentionDays} days.`,
    remedy: 'Take the number from `GET /subscriptions/{subscriptionId}/deliveries`.',
    // 192.0.2.1 is for documentation and refused; a public address that need not answer will do.
    example: `SUBSCRIPTION=$(curl -s "$BASE/subscriptions" ${bearer} \\
  ${json} -d '{"url":"http://1.1.1.1/webhooks"}' |
  sed 's/.*"id":"\\([^"]*\\)".*/\\1/')
curl -i -X POST "$BASE/subscriptions/$SUBSCRIPTION/deliveries/7/redeliver" ${bearer}`,
    base,
  },
  'subscription-disabled': {
    status: 409,
    title: 'The subscription is disabled',
    meaning: 'Nothing is delivered to this subscription until you enable it again.',
    cause:
      'Every call to your receiver failed for a day, or it answered 410. In the example, the clock of its client is moved.',
    remedy: 'Make your receiver answer with 2xx, then send `POST /subscriptions/{subscriptionId}/enable`.',
    example: `${curlOwnClock}SUBSCRIPTION=$(curl -s "$BASE/subscriptions" -H "$(bearer)" ${json} \\
  -d '{"url":"http://127.0.0.1:9/"}' | sed 's/.*"id":"\\(sub-[^"]*\\)".*/\\1/')
test() { curl -i -X POST "$BASE/subscriptions/$SUBSCRIPTION/test" -H "$(bearer)"; }
test
sleep 1
later PT12H
sleep 1
later PT12H
sleep 1
test`,
    base: '/claims/v1',
  },
  // Of every cap; here, since the example reaches that of subscriptions.
  'quota-exceeded': {
    status: 429,
    title: 'A cap of this client is reached',
    meaning:
      'One client can have only so many of these, or so many stored bytes, and yours has them. The `detail` has the number.',
    cause: 'A load test, or a loop that never ends. The example reaches the smallest of the caps, 10 subscriptions.',
    remedy:
      'Make room as the `detail` says, or create a new client with `POST /demo-clients`. There is no `Retry-After`: no time is known after which there is room.',
    // A public address that need not answer.
    example: `for call in 1 2 3 4 5 6 7 8 9 10 11; do
  curl -i "$BASE/subscriptions" ${bearer} \\
    ${json} -d '{"url":"http://1.1.1.1/webhooks"}'
done`,
    base,
  },
} as const satisfies Record<string, ProblemEntry>;

declare module '../http/problems/problem-table.ts' {
  interface Problems extends OwnProblems {}
}

type OwnProblems = typeof problems;
