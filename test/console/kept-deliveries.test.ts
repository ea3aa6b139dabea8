import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mayHaveLost } from '../../console/pages/webhooks/retained-deliveries.ts';
import { retention } from '../../src/events/retention.ts';

test('Console, webhooks: no delivery is not “none yet” once there may have been some that were removed', () => {
  const createdAt = '2026-03-02T10:15:30.000Z';
  const lost = (later: number) => mayHaveLost({ createdAt }, Date.parse(createdAt) + later);
  assert.deepEqual([0, retention - 1, retention, 2 * retention].map(lost), [false, false, true, true]);
});
