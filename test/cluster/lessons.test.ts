import { deepEqual, equal, ok } from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { sign, type TestClient, testSecrets } from '../support/lplate.ts';
import { startPostgres } from '../support/postgres.ts';
import { until } from '../support/until.ts';
import { emptyDatabase, type NodeAnswer, Nodes } from './support/nodes.ts';
import { shareServer } from './support/servers.ts';

const postgres = await shareServer(startPostgres);

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

/** Nodes with this lesson, and how far a client is with it by one of them, which has judged what it was called before. */
async function startNodes(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'l-plate-lessons-'));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, 'lessons.json');
  await writeFile(file, JSON.stringify({ own: [own] }));
  const nodes = await Nodes.start(t, await emptyDatabase(postgres), { LESSONS: file }, 2);
  const state = async (token: string, node: number) => {
    const { json } = await nodes.call('GET', `/range/v1/me/lessons/${own.id}`, { token, node });
    return json.state;
  };
  return { nodes, state };
}

test('Lessons: calls that solve one together can come on different nodes, and a node that is killed loses none', async (t: TestContext) => {
  const { nodes, state } = await startNodes(t);
  for (let round = 0; round < 4; round += 1) {
    const { token } = await nodes.client();
    const [a, b] = [round % 2, 1 - (round % 2)];
    const created = await nodes.call('POST', '/policies', { token, node: a, json: { regNumber: `LN-${round}` } });
    equal(created.status, 201);
    await nodes.call('GET', `/policies/${created.json.id}`, { token, node: b });
    await nodes.call('GET', '/policies', { token, node: a });
    // Each node writes once a second, in whatever order.
    await until(async () => (await state(token, b)) === 'solved', `round ${round}`);
  }

  const { token } = await nodes.client();
  const created = await nodes.call('POST', '/policies', { token, node: 0, json: { regNumber: 'LN-K' } });
  await nodes.call('GET', `/policies/${created.json.id}`, { token, node: 0 });
  equal(await state(token, 0), 'started');
  await nodes.kill(0);
  await nodes.call('GET', '/policies', { token, node: 1 });
  equal(await state(token, 1), 'solved');
  await nodes.restart(0);
  equal(await state(token, 0), 'solved');
  const { json } = await nodes.call('GET', '/range/v1/me/lessons/credentials', { token, node: 0 });
  deepEqual([json.state, json.proof.status], ['solved', 201]);
  for (const node of [0, 1]) ok(nodes.warnings(node).length === 0, nodes.warnings(node).join('\n'));
});

test('Lessons: a signature is known again on another node, and a made-up one is none', async (t: TestContext) => {
  const { nodes } = await startNodes(t);
  const { token } = await nodes.client();
  const check = (node: number, body: string, signature: string) => {
    const headers = { 'Content-Type': 'application/json', 'X-Signature': signature };
    return nodes.call('POST', '/signed/policy-check', { token, node, body, headers });
  };
  const changedByte = async () => {
    const { json } = await nodes.call('GET', '/range/v1/me/lessons/changed-byte', { token, node: 1 });
    return [json.state, json.lastMiss?.split(' was ')[0]];
  };
  const [body, changed] = ['{"regNumber":"LN-S1"}', '{"regNumber":"LN-S2"}'];
  const lessonId = 'changed-byte';
  equal((await nodes.call('PUT', '/range/v1/me/open-lesson', { token, node: 0, json: { lessonId } })).status, 200);
  equal((await check(0, body, sign(body))).status, 200);
  // Each node writes once a second, in whatever order.
  await nodes.call('GET', '/range/v1/me/exchanges', { token, node: 0 });
  equal((await check(1, changed, 'a'.repeat(64))).status, 401);
  deepEqual(await changedByte(), ['started', 'No call with this signature']);
  equal((await check(1, changed, sign(body))).status, 401);
  deepEqual(await changedByte(), ['solved', undefined]);
});

test('Lessons: after a reset on one node, the other one judges nothing by what came before it', async (t: TestContext) => {
  const { nodes, state } = await startNodes(t);
  const resets: Record<string, (client: TestClient) => Promise<NodeAnswer>> = {
    'by the client': ({ token }) => nodes.call('POST', '/range/v1/me/reset', { token, node: 1 }),
    'of one, by the trainer': ({ id }) =>
      nodes.call('POST', `/range/v1/trainer/learners/${id}/reset`, { token: testSecrets.trainerToken, node: 1 }),
    'of all, by the trainer': () =>
      nodes.call('POST', '/range/v1/trainer/reset', { token: testSecrets.trainerToken, node: 1 }),
  };
  const create = (token: string) => nodes.call('POST', '/policies', { token, node: 0, json: { regNumber: 'LN-R' } });
  const read = (token: string, { json }: NodeAnswer) => nodes.call('GET', `/policies/${json.id}`, { token, node: 0 });
  for (const [which, reset] of Object.entries(resets)) {
    const client = await nodes.client();
    const { id, secret } = client;
    const got = await nodes.call('POST', '/auth/token', { json: { client_id: id, client_secret: secret }, node: 0 });
    const token = got.json.access_token;
    await read(token, await create(token));
    equal(await state(token, 0), 'started', which);
    ok((await reset(client)).status < 300, which);

    const json = { lesson: 'token-decoded', answer: id };
    const answered = await nodes.call('POST', '/range/v1/me/answers', { token, json, node: 0 });
    deepEqual([answered.json.correct, /no token/.test(answered.json.advice)], [false, true], which);
    await nodes.call('GET', '/policies', { token, node: 0 });
    equal(await state(token, 0), 'open', which);
    // What comes after it counts.
    await read(token, await create(token));
    await nodes.call('GET', '/policies', { token, node: 0 });
    equal(await state(token, 0), 'solved', which);
    await nodes.call('POST', '/range/v1/me/reset', { token, node: 0 });
  }
});
