import { equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import type { Delivery } from '../../console/api/types.ts';
import { type Waiting, whyWaiting } from '../../console/pages/webhooks/waiting.ts';

const now = Date.parse('2026-03-02T10:15:30.000Z');

const delivery = (number: number, status: string, more: Partial<Delivery> = {}) =>
  ({ number, claimId: 'CLM-2026-000001', status, nextAttemptAt: null, ...more }) as Delivery;

const due = (seconds: number) => ({ nextAttemptAt: new Date(now + seconds * 1000).toISOString() });

const why = (one: Delivery, more: Partial<Waiting> = {}) =>
  whyWaiting(one, { deliveries: [], status: 'active', drills: [], now, ...more });

test('Console, webhooks: a delivery behind an earlier one of its claim names it', () => {
  const deliveries = [
    delivery(4, 'pending', { claimId: 'CLM-2026-000002' }),
    delivery(5, 'waiting'),
    delivery(3, 'pending'),
    delivery(2, 'delivered'),
  ];
  equal(
    why(delivery(5, 'waiting'), { deliveries }),
    'It waits for delivery 3, an earlier delivery of the same claim. Redeliver that one to go on at once.',
  );
  equal(why(delivery(5, 'waiting')), 'It waits for an earlier delivery of the same claim.');
  // An old one that is sent again is not before it.
  equal(why(delivery(2, 'waiting'), { deliveries }), 'It waits for an earlier delivery of the same claim.');
  equal(why(delivery(5, 'waiting', { claimId: 'CLM-2026-000000' })), 'It waits for an earlier test event.');
});

test('Console, webhooks: a delivery that is due says what holds it; one with a time to come, or that is over, nothing', () => {
  equal(why(delivery(1, 'pending', due(5))), undefined);
  equal(why(delivery(1, 'pending', due(-1))), undefined);
  match(
    why(delivery(1, 'pending', due(-12))) ?? '',
    /^It has been due for 12 s\. Calls to one host and for one client/,
  );
  const drills = [{ name: 'stop-events' }];
  equal(why(delivery(1, 'pending', due(-1)), { drills }), 'The drill stop-events holds it back.');
  equal(why(delivery(1, 'pending', due(5)), { drills }), undefined);
  for (const status of ['delivered', 'failed'])
    equal(why(delivery(1, status), { status: 'disabled', drills }), undefined);
  for (const status of ['waiting', 'pending'])
    equal(why(delivery(1, status, due(5)), { status: 'disabled' }), 'It waits until you enable the subscription.');
});
