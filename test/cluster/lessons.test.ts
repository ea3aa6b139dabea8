import { deepEqual, equal, ok } from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';
import { emptyDatabase, Nodes, until } from './support/nodes.ts';

let postgres: PostgresServer;
before(async () => {
  postgres = (await startPostgres()) as PostgresServer;
});
after(() => postgres?.stop());

/** In an order of its own: three calls, which come on any node. */
const own = {
  id: 'in-order',
  title: 'In order',
  goal: 'Create, read, list.',
  why: 'A test.',
  calls: [
    { method: 'POST', path: '/insurer/v1/policies', status: 201 },
    { method: 'GET', path: '/insurer/v1/policies/*', status: 200 },
    { method: 'GET', path: '/insurer/v1/policies', status: 200 },
  ],
};

test('Lessons: calls that solve one together can come on different nodes, and a node that is killed loses none', async (t: TestContext) => {
  const folder = await mkdtemp(join(tmpdir(), 'l-plate-lessons-'));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, 'lessons.json');
  await writeFile(file, JSON.stringify({ own: [own] }));
  const nodes = await Nodes.start(t, await emptyDatabase(postgres), { LESSONS: file }, 2);
  const state = async (token: string, node: number) => {
    const { json } = await nodes.call('GET', `/range/v1/me/lessons/${own.id}`, { token, node });
    return json.state;
  };

  for (let round = 0; round < 4; round += 1) {
    const { token } = await nodes.client();
    const [a, b] = [round % 2, 1 - (round % 2)];
    const created = await nodes.call('POST', '/policies', { token, node: a, json: { regNumber: `LN-${round}` } });
    equal(created.status, 201);
    await nodes.call('GET', `/policies/${created.json.id}`, { token, node: b });
    await nodes.call('GET', '/policies', { token, node: a });
    // Each node writes once a second, in whatever order.
    await until(`round ${round}`, async () => (await state(token, b)) === 'solved');
  }

  const { token } = await nodes.client();
  const created = await nodes.call('POST', '/policies', { token, node: 0, json: { regNumber: 'LN-K' } });
  await nodes.call('GET', `/policies/${created.json.id}`, { token, node: 0 });
  equal(await state(token, 0), 'open');
  await nodes.kill(0);
  await nodes.call('GET', '/policies', { token, node: 1 });
  equal(await state(token, 1), 'solved');
  await nodes.restart(0);
  equal(await state(token, 0), 'solved');
  const { json } = await nodes.call('GET', '/range/v1/me/lessons/credentials', { token, node: 0 });
  deepEqual([json.state, json.proof.status], ['solved', 201]);
  for (const node of [0, 1]) ok(nodes.warnings(node).length === 0, nodes.warnings(node).join('\n'));
});
