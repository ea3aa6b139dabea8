import assert from 'node:assert/strict';
import { test } from 'node:test';
import { administer } from '../support/engines.ts';
import type { TestClient } from '../support/lplate.ts';
import { startPostgres } from '../support/postgres.ts';
import { count, emptyDatabase, type NodeAnswer, Nodes } from './support/nodes.ts';
import { shareServer } from './support/servers.ts';

const crowd = 64;
const rounds = 20;

const postgres = await shareServer(startPostgres);

/** What is the same in each answer to one request. */
const facts = ({ status, text, headers }: NodeAnswer) => [status, text, headers.get('location'), headers.get('etag')];

const replayed = ({ headers }: NodeAnswer) => headers.get('idempotency-replayed');

test('Decisions, idempotency: over three nodes a request is carried out once, and so is one change of a version', async (t) => {
  const url = await emptyDatabase(postgres);
  const nodes = await Nodes.start(t, url);
  const { token, id: clientId }: TestClient = await nodes.client();
  const rows = async (table: string) => {
    const [row] = await administer<{ count: string }>(
      `select count(*) as count from ${table} where client_id = '${clientId}'`,
      url,
    );
    return Number(row?.count);
  };

  const create = (path: string, key: string, json: object) =>
    nodes.call('POST', path, { token, json, headers: { 'Idempotency-Key': key } });

  /** Sends equal requests at once. Returns the answer of the one that was carried out. */
  async function carriedOutOnce(path: string, key: string, json: object, on: Set<number>): Promise<NodeAnswer> {
    const answers = await Promise.all(Array.from({ length: crowd }, () => create(path, key, json)));
    const { 201: made = 0, 409: waiting = 0 } = count(answers);
    assert.equal(made + waiting, crowd, JSON.stringify(count(answers)));
    for (const { status, json: problem } of answers)
      if (status === 409) assert.match(problem.type, /\/request-in-progress$/);
    const successes = answers.filter(({ status }) => status === 201);
    assert.equal(new Set(successes.map((each) => JSON.stringify(facts(each)))).size, 1);
    const [first, ...others] = successes.filter((each) => replayed(each) === null) as [NodeAnswer, ...NodeAnswer[]];
    assert.deepEqual(others, [], 'carried out more than once');
    on.add(first.node);
    for (let node = 0; node < nodes.count; node += 1) {
      const again = await nodes.call('POST', path, { token, json, node, headers: { 'Idempotency-Key': key } });
      assert.deepEqual([facts(again), replayed(again)], [facts(first), 'true']);
    }
    return first;
  }

  let policyId = '';
  await t.test('64 equal requests at once make one policy or claim', async () => {
    const on = new Set<number>();
    for (let round = 0; round < rounds; round += 1) {
      const policy = await carriedOutOnce('/policies', `round-${round}`, { regNumber: `SR-${round}` }, on);
      policyId = policy.json.id;
      const claim = { policyNumber: policyId, paceSeconds: 3600 };
      await carriedOutOnce('/claims/v1/claims', `round-${round}`, claim, on);
      for (const table of ['policies', 'claims']) assert.equal(await rows(table), round + 1);
    }
    assert.equal(await rows('kept_answers'), 2 * rounds);
    assert.equal(on.size, nodes.count, 'every node has carried one out');
  });

  await t.test('of two bodies with one key at once one is carried out, and the other refused', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const before = await rows('policies');
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, at) =>
          create('/policies', `two-${round}`, { regNumber: `SB-${round}-${at % 2}` }),
        ),
      );
      const { 201: made = 0, 409: waiting = 0, 422: reused = 0 } = count(answers);
      assert.equal(made + waiting + reused, 12, JSON.stringify(count(answers)));
      assert.equal(await rows('policies'), before + 1);
    }
  });

  await t.test('of changes through all nodes at once with the same If-Match one is made', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const { headers } = await nodes.call('GET', `/policies/${policyId}`, { token });
      const ifMatch = { 'If-Match': headers.get('etag') ?? '' };
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, at) =>
          nodes.call('PUT', `/policies/${policyId}`, { token, headers: ifMatch, json: { holder: `${round} ${at}` } }),
        ),
      );
      assert.deepEqual(count(answers), { 200: 1, 412: 11 });
      const made = answers.find(({ status }) => status === 200) as NodeAnswer;
      assert.deepEqual((await nodes.call('GET', `/policies/${policyId}`, { token })).json, made.json);
    }
  });
});
