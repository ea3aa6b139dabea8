import { deepEqual, equal, ok } from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import ky from 'ky';
import { start } from 'l-plate';

// A library that calls again, against a drill: npm install --save-dev l-plate ky; node --test retry.test.mjs

/** @type {import('l-plate').LPlate} */
let lplate;
before(async () => {
  lplate = await start({ rateLimitPerMinute: 'off' });
});
beforeEach(() => lplate.reset());
after(() => lplate.close());

test('a read that is refused with 503 is repeated, not sooner than Retry-After says', async () => {
  const client = await lplate.client();
  const api = ky.create({
    prefix: `${lplate.url}/insurer/v1`,
    headers: { Authorization: `Bearer ${await client.token()}` },
  });
  await client.drill('unavailable', { sequence: ['hit', 'pass'], retryAfter: 1 });

  equal((await api.get('policies')).status, 200);

  const attempts = await client.exchanges({ path: '/insurer/v1/policies' });
  deepEqual(
    attempts.map(({ status, drills }) => [status, ...drills]),
    [[503, 'unavailable'], [200]],
  );
  const [first = 0, second = 0] = attempts.map(({ startedAt }) => Date.parse(startedAt));
  ok(second - first >= 1000, `${second - first} ms`);
});

test('a write without an Idempotency-Key is not repeated', async () => {
  const client = await lplate.client();
  const headers = { Authorization: `Bearer ${await client.token()}` };
  await client.drill('unavailable');
  const write = () => ky.post(`${lplate.url}/insurer/v1/policies`, { headers, json: { regNumber: client.plate() } });

  equal(await write().then(String, ({ response }) => response.status), 503);

  equal((await client.exchanges({ path: '/insurer/v1/policies' })).length, 1);
});
