import { start } from 'l-plate';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

// npm install --save-dev l-plate vitest; npx vitest run

/** @type {import('l-plate').LPlate} */
let lplate;
beforeAll(async () => {
  lplate = await start({ seed: 47, now: '2026-03-01T09:00Z', rateLimitPerMinute: 'off' });
}, 30_000);
beforeEach(() => lplate.reset());
afterAll(() => lplate.close());

test('a token is valid for an hour', async () => {
  const client = await lplate.client();
  const headers = { Authorization: `Bearer ${await client.token()}` };
  const status = async () => (await fetch(`${lplate.url}/insurer/v1/policies`, { headers })).status;
  expect(await status()).toBe(200);
  await client.advance('PT61M');
  expect(await status()).toBe(401);
});

test('an error of the helper has the problem', async () => {
  const client = await lplate.client();
  await expect(client.token('policies:all')).rejects.toMatchObject({ name: 'LPlateError', problem: { status: 400 } });
});
