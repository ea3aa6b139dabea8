import { deepEqual, equal, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { start } from 'l-plate';
import CircuitBreaker from 'opossum';

// A circuit breaker against a drill: npm install --save-dev l-plate opossum; node --test circuit-breaker.test.mjs

test('after three failures nobody calls, until a try succeeds', async () => {
  await using lplate = await start({ rateLimitPerMinute: 'off' });
  const client = await lplate.client();
  const headers = { Authorization: `Bearer ${await client.token()}` };
  const breaker = new CircuitBreaker(
    async () => {
      const answer = await fetch(`${lplate.url}/insurer/v1/policies`, { headers });
      if (!answer.ok) throw new Error(`${answer.status}`);
      return answer.status;
    },
    { volumeThreshold: 3, errorThresholdPercentage: 50, resetTimeout: 500 },
  );
  const statuses = async () => (await client.exchanges({ path: '/insurer/v1/policies' })).map(({ status }) => status);

  const drill = await client.drill('unavailable');
  for (let call = 0; call < 3; call += 1) await rejects(breaker.fire(), { message: '503' });
  equal(breaker.opened, true);
  for (let call = 0; call < 5; call += 1) await rejects(breaker.fire(), { code: 'EOPENBREAKER' });
  deepEqual(await statuses(), [503, 503, 503], 'L-Plate saw three of eight calls');

  await drill.end();
  await pause(600);
  equal(await breaker.fire(), 200);
  equal(breaker.closed, true);
  deepEqual(await statuses(), [503, 503, 503, 200]);
  breaker.shutdown();
});
