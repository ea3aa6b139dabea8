import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { emptyDatabase, Nodes } from '../cluster/support/nodes.ts';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';
import { startBalancer } from './support/balancer.ts';
import { closeBrowser, visit } from './support/browser.ts';

let server: PostgresServer | undefined;
before(async () => {
  server = await startPostgres();
});
after(async () => {
  await closeBrowser();
  await server?.stop();
});

test('Console, more than one node: it shows what any node was called, and goes on when one is killed', async (t) => {
  assert.ok(server, 'no PostgreSQL');
  const nodes = await Nodes.start(t, await emptyDatabase(server), {}, 2);
  const alive = new Set([0, 1]);
  const url = await startBalancer(t, () => [...alive].map((node) => nodes.program(node).url));
  const client = await nodes.client();
  const { page } = await visit(t, url, { client, path: '/traffic' });
  const main = page.getByRole('main');
  await page.getByRole('heading', { level: 1, name: 'Traffic' }).waitFor();

  for (const node of [0, 1]) {
    await nodes.call('GET', `/policies/pol-of-node-${node}`, { token: client.token, node });
    await main.getByText(`pol-of-node-${node}`).first().waitFor();
  }
  alive.delete(1);
  await nodes.kill(1);
  await nodes.call('GET', '/policies/pol-of-the-last', { token: client.token, node: 0 });
  await main.getByText('pol-of-the-last').first().waitFor({ timeout: 30_000 });

  await nodes.restart(1);
  alive.add(1);
  await nodes.call('GET', '/coverage-options', { token: client.token, node: 1 });
  await page.goto(`${url}/#/lessons`);
  await page
    .getByText(/solved/i)
    .first()
    .waitFor();
});
