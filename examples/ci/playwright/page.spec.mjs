import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { test as base, expect } from '@playwright/test';
import { start } from 'l-plate';

// npm install --save-dev l-plate @playwright/test; npx playwright install chromium; npx playwright test

/** Each worker has an L-Plate and a server with the page. */
const test = base.extend({
  lplate: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright wants it so
    async ({}, use) => {
      await using lplate = await start({ seed: 47, now: '2026-03-01T09:00Z', rateLimitPerMinute: 'off' });
      await use(lplate);
    },
    { scope: 'worker' },
  ],
  site: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright wants it so
    async ({}, use) => {
      const html = await readFile(new URL('page.html', import.meta.url));
      const server = createServer((_, answer) => answer.setHeader('Content-Type', 'text/html').end(html));
      await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
      await use(`http://127.0.0.1:${server.address().port}`);
      server.closeAllConnections();
      server.close();
    },
    { scope: 'worker' },
  ],
  /** A client of the test's own, and the page in its hands. */
  client: async ({ lplate, site, page }, use) => {
    await lplate.reset();
    const client = await lplate.client();
    await page.goto(`${site}/?${new URLSearchParams({ api: lplate.url, token: await client.token() })}`);
    await use(client);
  },
});

test('insures a vehicle', async ({ client, page }) => {
  await page.getByLabel('Registration number').fill(client.plate());
  await page.getByRole('button').click();
  await expect(page.getByRole('status')).toHaveText('Insured until 2027-02-28');
  expect((await client.exchanges({ path: '/insurer/v1/policies' })).map(({ status }) => status)).toContain(201);
});

test('says when to try again', async ({ client, page }) => {
  await client.drill('unavailable', { retryAfter: 7 });
  await page.getByLabel('Registration number').fill(client.plate());
  await page.getByRole('button').click();
  await expect(page.getByRole('status')).toHaveText('Please try again in 7 seconds');
});
