import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';
import { count, emptyDatabase, type NodeAnswer, Nodes, until } from './support/nodes.ts';
import { type RedisServer, startRedis } from './support/redis.ts';

let postgres: PostgresServer;
let redis: RedisServer;
before(async () => {
  postgres = (await startPostgres()) as PostgresServer;
  redis = await startRedis();
});
after(async () => {
  await postgres?.stop();
  await redis?.stop();
});

async function started(t: TestContext): Promise<Nodes> {
  return Nodes.start(t, await emptyDatabase(postgres), {
    REDIS_URL: redis.url,
    RATE_LIMIT_PER_MINUTE: '60',
    TRUST_PROXY: '1',
  });
}

let addresses = 0;
/** An address that nobody has called from. */
function newAddress(): string {
  addresses += 1;
  return `10.1.${addresses >> 8}.${addresses & 255}`;
}

const ask = (nodes: Nodes, address: string, node?: number) =>
  nodes.call('GET', '/coverage-options', {
    headers: { 'X-Forwarded-For': address },
    ...(node !== undefined && { node }),
  });
const crowd = (many: number, call: () => Promise<NodeAnswer>) => Promise.all(Array.from({ length: many }, call));

/** Of many calls at once through all nodes: how many get an answer, and how many a 429. */
const admitted = async (nodes: Nodes) => {
  const address = newAddress();
  return count(await crowd(200, () => ask(nodes, address)));
};

const shared = { status: 'ready', rateLimits: 'shared' };
const perNode = { status: 'ready', rateLimits: 'per node: Redis is away' };

async function allSay(nodes: Nodes, body: object): Promise<void> {
  for (let node = 0; node < nodes.count; node += 1) {
    await until(`/readyz of node ${node} is ${JSON.stringify(body)}`, async () => {
      const { status, json } = await nodes.call('GET', '/readyz', { node });
      assert.equal(status, 200, 'a node without Redis is able to serve');
      return JSON.stringify(json) === JSON.stringify(body);
    });
  }
}

/** What the logs have of Redis, node by node, as soon as it is as expected. */
async function logged(nodes: Nodes, ...expected: RegExp[]): Promise<void> {
  const about = (node: number) =>
    nodes
      .log(node)
      .map(({ msg = '' }) => msg)
      .filter((message) => /redis/i.test(message));
  for (let node = 0; node < nodes.count; node += 1) {
    await until(`the log of node ${node} tells it`, () => about(node).length >= expected.length);
    const messages = about(node);
    assert.equal(messages.length, expected.length, messages.join('\n'));
    for (const [at, pattern] of expected.entries()) assert.match(messages[at] ?? '', pattern);
  }
}

const away = /^Redis is away/;
const back = /^Redis is back/;

/** Callers who go on calling, each time as somebody else, until they are told to stop. */
function traffic(t: TestContext, nodes: Nodes): () => Promise<void> {
  let going = true;
  const answers: NodeAnswer[] = [];
  const callers = Array.from({ length: 6 }, async () => {
    for (; going; await pause(5)) answers.push(await ask(nodes, newAddress()));
  });
  const over = Promise.all(callers);
  // Whoever waits for it is told; a test that failed before does not.
  over.catch(() => {});
  t.after(() => (going = false));
  return async () => {
    going = false;
    await over;
    assert.deepEqual(Object.keys(count(answers)), ['200'], 'no call fails because of Redis');
    const slowest = Math.max(...answers.map(({ ms }) => ms));
    assert.ok(slowest < 1000, `a call took ${slowest} ms`);
    assert.ok(answers.length > 100, `${answers.length} calls`);
  };
}

const outages = [
  { how: 'is killed', down: () => redis.kill(), up: () => redis.start() },
  { how: 'hangs', down: async () => redis.suspend(), up: async () => redis.resume() },
];

test('The program, more than one node: while Redis is dead or hangs each node counts for itself, at once, and shares its counts afterwards', async (t) => {
  const nodes = await started(t);
  await allSay(nodes, shared);
  assert.deepEqual(await admitted(nodes), { 200: 60, 429: 140 });
  const stop = traffic(t, nodes);
  for (const { down, up } of outages) {
    await pause(200);
    await down();
    await allSay(nodes, perNode);
    const address = newAddress();
    for (const node of [0, 1, 2]) {
      assert.deepEqual(count(await crowd(70, () => ask(nodes, address, node))), { 200: 60, 429: 10 });
    }
    await pause(1500);
    await up();
    await allSay(nodes, shared);
    assert.deepEqual(await admitted(nodes), { 200: 60, 429: 140 });
  }
  await stop();
  await logged(nodes, away, back, away, back);
});

for (const { how, down, up } of outages) {
  test(`The program, more than one node: nodes start although Redis ${how}, and share their counts as soon as they can`, async (t) => {
    await down();
    const nodes = await started(t);
    await allSay(nodes, perNode);
    assert.equal((await ask(nodes, newAddress())).status, 200);
    await up();
    await allSay(nodes, shared);
    assert.deepEqual(await admitted(nodes), { 200: 60, 429: 140 });
    await logged(nodes, away, back);
  });
}

test('The program, more than one node: a Redis that answers and takes no writes is as good as away', async (t) => {
  const nodes = await started(t);
  const client = new Redis(redis.url);
  t.after(() => client.disconnect());
  const stop = traffic(t, nodes);
  // As after a failover.
  await client.replicaof('127.0.0.1', 1);
  await allSay(nodes, perNode);
  const address = newAddress();
  assert.deepEqual(count(await crowd(66, () => ask(nodes, address, 1))), { 200: 60, 429: 6 });
  await client.replicaof('NO', 'ONE');
  await allSay(nodes, shared);
  await stop();
  await logged(nodes, away, back);
});

test('The program, more than one node: a node that stood still itself does not take Redis for away', async (t) => {
  const nodes = await started(t);
  const { child } = nodes.program(0);
  const address = newAddress();
  const answers: NodeAnswer[] = [];
  for (let round = 0; round < 5; round += 1) {
    const calls = crowd(20, () => ask(nodes, address, 0));
    await pause(round);
    child.kill('SIGSTOP');
    await pause(600);
    child.kill('SIGCONT');
    answers.push(...(await calls));
  }
  assert.deepEqual(count(answers), { 200: 60, 429: 40 });
  await allSay(nodes, shared);
  await pause(1200);
  await logged(nodes);
});
