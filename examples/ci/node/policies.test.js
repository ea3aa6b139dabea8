import { deepEqual, equal } from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { startLPlate } from './l-plate.js';

// Node.js 20 or newer: node --test examples/ci/node/policies.test.js

/** @type {Awaited<ReturnType<typeof startLPlate>>} */
let insurer;
before(async () => {
  insurer = await startLPlate();
});
beforeEach(() => insurer.reset());
after(() => insurer.stop());

/** @param {string} token */
async function insure(token) {
  const { status, body } = await insurer.call('POST', '/insurer/v1/policies', {
    token,
    json: { regNumber: 'CI-0001' },
  });
  equal(status, 201);
  return body;
}

for (const time of ['first', 'second']) {
  test(`a policy begins today, and is the same in each run: the ${time} time`, async () => {
    const policy = await insure(await insurer.token());
    equal(policy.id, 'pol-019ca8a0-3e80-704c-acb3-fc0cb5a0e988');
    deepEqual([policy.startDate, policy.createdAt], ['2026-03-01', '2026-03-01T09:00:00.000Z']);
  });
}

test('a claim moves when time does', async () => {
  const token = await insurer.token();
  const { id: policyNumber } = await insure(token);
  const { body: claim } = await insurer.call('POST', '/claims/v1/claims', { token, json: { policyNumber } });
  const status = async () => (await insurer.call('GET', `/claims/v1/claims/${claim.claimId}`, { token })).body.status;
  equal(await status(), 'REGISTERED');
  await insurer.advance('PT10S');
  equal(await status(), 'UNDER_REVIEW');
});
