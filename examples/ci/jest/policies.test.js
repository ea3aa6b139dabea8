const { start } = require('l-plate');

// CommonJS, as Jest reads it: npm install --save-dev l-plate jest; npx jest

/** @type {import('l-plate').LPlate} */
let lplate;
beforeAll(async () => {
  lplate = await start({ rateLimitPerMinute: 'off' });
}, 30_000);
beforeEach(() => lplate.reset());
afterAll(() => lplate.close());

test('a vehicle can’t be insured twice', async () => {
  const client = await lplate.client();
  const headers = { Authorization: `Bearer ${await client.token()}`, 'Content-Type': 'application/json' };
  const body = JSON.stringify({ regNumber: client.plate() });
  const insure = () => fetch(`${lplate.url}/insurer/v1/policies`, { method: 'POST', headers, body });
  expect((await insure()).status).toBe(201);
  expect((await insure()).status).toBe(409);
  expect(await client.exchanges({ status: 409 })).toHaveLength(1);
});
