import { deepEqual, equal } from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { start } from 'l-plate';

// Node.js 24 or newer: npm install --save-dev l-plate; node --test policies.test.mjs

/** @type {import('l-plate').LPlate} */
let lplate;
before(async () => {
  lplate = await start({ seed: 47, now: '2026-03-01T09:00Z', rateLimitPerMinute: 'off' });
});
beforeEach(() => lplate.reset());
after(() => lplate.close());

/**
 * @param {string} path
 * @param {string} token
 * @param {object} [json]
 */
async function call(path, token, json) {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const answer = await fetch(
    lplate.url + path,
    json ? { method: 'POST', headers, body: JSON.stringify(json) } : { headers },
  );
  return answer.json();
}

for (const time of ['first', 'second']) {
  test(`a policy begins today, and is the same in each run: the ${time} time`, async () => {
    const client = await lplate.client();
    const policy = await call('/insurer/v1/policies', await client.token(), { regNumber: client.plate() });
    equal(policy.id, 'pol-019ca8a0-3e80-704c-acb3-fc0cb5a0e988');
    deepEqual([policy.regNumber, policy.startDate], ['TEST-0001', '2026-03-01']);
  });
}

test('a claim moves when time does', async () => {
  const client = await lplate.client();
  const token = await client.token();
  const { id: policyNumber } = await call('/insurer/v1/policies', token, { regNumber: client.plate() });
  const { claimId, status } = await call('/claims/v1/claims', token, { policyNumber });
  equal(status, 'REGISTERED');
  await lplate.advance('PT10S');
  equal((await call(`/claims/v1/claims/${claimId}`, token)).status, 'UNDER_REVIEW');
});
