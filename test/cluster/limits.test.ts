import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { problem } from '../support/lplate.ts';
import { startPostgres } from '../support/postgres.ts';
import { allSay, count, emptyDatabase, type NodeAnswer, Nodes, shared } from './support/nodes.ts';
import { startRedis } from './support/redis.ts';
import { shareServer } from './support/servers.ts';

const postgres = await shareServer(startPostgres);
const redis = await shareServer(startRedis);

/** Nodes with the limits of the defaults, behind a proxy that tells whose call it is. */
async function started(t: TestContext, environment: Record<string, string> = {}, nodes = 3): Promise<Nodes> {
  const given = { REDIS_URL: redis.url, RATE_LIMIT_PER_MINUTE: '60', TRUST_PROXY: '1', ...environment };
  const ready = await Nodes.start(t, await emptyDatabase(postgres), given, nodes);
  await allSay(ready, shared);
  return ready;
}

let addresses = 0;
/** An address that nobody has called from. */
const newAddress = () => `198.51.100.${++addresses}`;

const from = (address: string) => ({ 'X-Forwarded-For': address });
const options = (nodes: Nodes, address: string) => nodes.call('GET', '/coverage-options', { headers: from(address) });
const ping = (nodes: Nodes, address: string) => nodes.call('GET', '/limited/ping', { headers: from(address) });
const all = (many: number, call: () => Promise<NodeAnswer>) => Promise.all(Array.from({ length: many }, call));
async function inTurn(many: number, call: () => Promise<NodeAnswer>): Promise<NodeAnswer[]> {
  const answers: NodeAnswer[] = [];
  while (answers.length < many) answers.push(await call());
  return answers;
}

const header = ({ headers }: NodeAnswer, name: string) => Number(headers.get(name) ?? Number.NaN);
const left = (answer: NodeAnswer) => header(answer, 'ratelimit-remaining');
const reset = (answer: NodeAnswer) => header(answer, 'ratelimit-reset');
const from59 = Array.from({ length: 60 }, (_, at) => 59 - at);

function assertRefused(answer: NodeAnswer, limit: number): void {
  assert.deepEqual(problem(answer), [429, 'rate-limit-exceeded']);
  assert.deepEqual([header(answer, 'ratelimit-limit'), left(answer)], [limit, 0]);
  assert.equal(header(answer, 'retry-after'), reset(answer));
  assert.ok(reset(answer) >= 1 && reset(answer) <= 60, `${reset(answer)} seconds to wait`);
  assert.equal(answer.headers.get('ratelimit-policy'), `${limit};w=60`);
}

/** Makes the calls of an address that Redis has counted so much older: waiting would do the same. */
async function age(address: string, milliseconds: number): Promise<void> {
  const client = new Redis(redis.url);
  try {
    const keys = await client.keys(`lplate:*:${address}`);
    assert.ok(keys.length > 0, `Redis knows nothing of ${address}`);
    for (const key of keys) {
      const calls = await client.zrange(key, '0', '-1');
      for (const call of calls) await client.zincrby(key, -1000 * milliseconds, call);
    }
  } finally {
    client.disconnect();
  }
}

test('The program, more than one node: rate limits are shared through Redis', { concurrency: 2 }, async (t) => {
  const nodes = await started(t);

  await t.test(
    'Limits, general rate: through three nodes in turn, 60 calls a minute are answered; each node tells what is left to all',
    async () => {
      const address = newAddress();
      const answers = await inTurn(60, () => options(nodes, address));
      assert.deepEqual(
        answers.map((answer) => [answer.status, left(answer)]),
        from59.map((remaining) => [200, remaining]),
      );
      assert.equal(new Set(answers.map(({ node }) => node)).size, 3);
      for (const answer of answers) {
        assert.equal(answer.headers.get('ratelimit-policy'), '60;w=60');
        assert.ok(reset(answer) > 40 && reset(answer) <= 60, 'the first call is to leave the window next');
      }
      for (const answer of await inTurn(3, () => options(nodes, address))) assertRefused(answer, 60);
      assert.equal((await options(nodes, newAddress())).status, 200);
    },
  );

  await t.test('Limits, general rate: of 200 calls through three nodes at once, 60 are answered', async () => {
    const address = newAddress();
    const answers = await all(200, () => options(nodes, address));
    assert.deepEqual(count(answers), { 200: 60, 429: 140 });
    const answered = answers.filter(({ status }) => status === 200);
    assert.deepEqual(
      answered.map(left).sort((a, b) => b - a),
      from59,
      'no two were told the same rest',
    );
    for (const answer of answers) if (answer.status === 429) assertRefused(answer, 60);
  });

  await t.test(
    'Limits, probe rate: 5 probes a minute are answered through three nodes, in turn or at once',
    async () => {
      const patient = newAddress();
      const answers = await inTurn(6, () => ping(nodes, patient));
      assert.deepEqual(
        answers.slice(0, 5).map(({ json }) => json),
        [4, 3, 2, 1, 0].map((remaining) => ({ pong: true, remaining })),
      );
      assertRefused(answers[5] as NodeAnswer, 5);
      const hasty = newAddress();
      assert.deepEqual(count(await all(30, () => ping(nodes, hasty))), { 200: 5, 429: 25 });
      // The probe and the general limit do not count each other.
      assert.equal(left(await options(nodes, hasty)), 59);
    },
  );

  await t.test('Limits: each interface has its own 60, whichever node is called', async () => {
    const headers = from(newAddress());
    // Without a token: a 401 is an answer, too.
    const interfaces = ['/policies', '/vehicle-registry/v2/vehicles/XX-1234', '/claims/v1/claims'];
    for (const path of interfaces) {
      const answers = await all(63, () => nodes.call('GET', path, { headers }));
      assert.equal(count(answers)[429], 3, path);
    }
  });

  // These two wait for the window: at the same time.
  const slides = t.test(
    'Limits: the window of all nodes slides: each call is forgotten a minute after it was made, none before',
    async () => {
      const address = newAddress();
      await inTurn(3, () => ping(nodes, address));
      await age(address, 30_000);
      await inTurn(2, () => ping(nodes, address));
      await age(address, 27_500);
      const [refused, ...others] = await inTurn(3, () => ping(nodes, address));
      for (const answer of [refused, ...others]) {
        assertRefused(answer as NodeAnswer, 5);
        assert.ok(reset(answer as NodeAnswer) <= 3, `${reset(answer as NodeAnswer)} seconds`);
      }
      await pause(header(refused as NodeAnswer, 'retry-after') * 1000);
      // The three of the beginning are forgotten; the two are half a minute old.
      const answers = await inTurn(4, () => ping(nodes, address));
      assert.deepEqual(count(answers), { 200: 3, 429: 1 });
      assertRefused(answers[3] as NodeAnswer, 5);
      assert.ok(reset(answers[3] as NodeAnswer) > 20, `${reset(answers[3] as NodeAnswer)} seconds`);
    },
  );

  const refusals = t.test('Limits: refused calls do not count, through whichever node they come', async () => {
    const address = newAddress();
    await inTurn(5, () => ping(nodes, address));
    await age(address, 57_000);
    const refused = await all(60, () => ping(nodes, address));
    assert.deepEqual(count(refused), { 429: 60 });
    // The five calls of the beginning may have taken a second.
    await pause((Math.max(...refused.map(reset)) + 1) * 1000);
    assert.deepEqual(count(await all(20, () => ping(nodes, address))), { 200: 5, 429: 15 });
  });
  await Promise.all([slides, refusals]);

  await t.test('Limits: Redis keeps nothing of a caller for longer than the window', async (t) => {
    const client = new Redis(redis.url);
    t.after(() => client.disconnect());
    const keys = await client.keys('*');
    assert.ok(keys.length > 5, `${keys.length} keys`);
    for (const key of keys) {
      const left = await client.pttl(key);
      assert.ok(left !== -1 && left <= 60_000, `${key} is kept for ${left} ms`);
    }
  });
});

test('The program, more than one node: RATE_LIMIT_KEY=client counts a client over all nodes, and who has no token by address', async (t) => {
  const nodes = await started(t, { RATE_LIMIT_KEY: 'client' }, 2);
  const classroom = newAddress();
  const [one, other] = [await nodes.client(), await nodes.client()];
  const list = (token: string) => nodes.call('GET', '/policies', { token, headers: from(classroom) });
  assert.deepEqual(count(await all(90, () => list(one.token))), { 200: 60, 429: 30 });
  const answers = await inTurn(61, () => list(other.token));
  assert.deepEqual(answers.map(left), [...from59, 0]);
  assertRefused(answers[60] as NodeAnswer, 60);
  assert.deepEqual(count(await all(66, () => options(nodes, classroom))), { 200: 60, 429: 6 });
  const probes = await all(9, () => nodes.call('GET', '/limited/ping', { token: one.token, headers: from(classroom) }));
  assert.deepEqual(count(probes), { 200: 5, 429: 4 });
});

test('Limits, demo clients a day: counted over all nodes by the hour, and given back when nothing is created', async (t) => {
  const settings = { DEMO_CLIENTS_PER_DAY: '6', DEMO_CLIENTS_TOTAL: '3', RATE_LIMIT_PER_MINUTE: '1000' };
  const nodes = await started(t, settings);
  const create = (address: string) => nodes.call('POST', '/demo-clients', { headers: from(address) });
  const [hasty, other] = [newAddress(), newAddress()];
  // Two through each node, which takes three in all: none knows of the others' yet.
  const answers = await inTurn(20, () => create(hasty));
  assert.deepEqual(count(answers), { 201: 6, 429: 14 });
  const refused = answers.find(({ status }) => status === 429) as NodeAnswer;
  assert.deepEqual(problem(refused), [429, 'rate-limit-exceeded']);
  assert.equal(refused.headers.get('ratelimit-policy'), '6;w=86400');
  assert.equal(header(refused, 'retry-after'), reset(refused));
  assert.ok(reset(refused) > 24 * 3600 - 60 && reset(refused) <= 25 * 3600, `${reset(refused)} seconds`);

  const client = new Redis(redis.url);
  t.after(() => client.disconnect());
  const key = `lplate:demo-clients:${hasty}`;
  const sum = async (of: string) => (await client.hvals(of)).reduce((all, each) => all + Number(each), 0);
  assert.equal(await sum(key), 6);
  const left = await client.pttl(key);
  assert.ok(left > 0 && left <= 25 * 3_600_000, `kept for ${left} ms`);
  // Those that are refused for the bound on all give their place back.
  assert.deepEqual(count(await inTurn(30, () => create(other))), { 201: 3, 503: 27 });
  await pause(200);
  assert.equal(await sum(`lplate:demo-clients:${other}`), 3);

  // A day and an hour older, they are forgotten; so are those from before the clock of Redis was set back.
  for (const hours of [-26, 1000]) {
    const [[step]] = Object.entries(await client.hgetall(key)) as [[string, string]];
    await client.del(key);
    await client.hset(key, String(Number(step) + hours), '6');
    const answer = await create(hasty);
    assert.notEqual(answer.status, 429, `${hours} hours`);
    await client.del(key);
    await client.hset(key, step, '6');
  }
  assert.equal((await create(hasty)).status, 429);
});

test('Decisions, time: a clock of Redis that was set back keeps nobody waiting until it has come there again', async (t) => {
  const nodes = await started(t, {}, 2);
  const address = newAddress();
  await inTurn(5, () => ping(nodes, address));
  await age(address, -365 * 86_400_000);
  assert.deepEqual(count(await inTurn(6, () => ping(nodes, address))), { 200: 5, 429: 1 });
});
