import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { startPostgres } from '../support/postgres.ts';
import { until } from '../support/until.ts';
import { allSay, count, emptyDatabase, type NodeAnswer, Nodes, shared } from './support/nodes.ts';
import { startRedis } from './support/redis.ts';
import { shareServer } from './support/servers.ts';

const postgres = await shareServer(startPostgres);
const redis = await shareServer(startRedis);

/** Nodes with the general limit of the defaults, behind a proxy that tells whose call it is. */
async function started(t: TestContext, nodes = 3): Promise<Nodes> {
  const given = { REDIS_URL: redis.url, RATE_LIMIT_PER_MINUTE: '60', TRUST_PROXY: '1' };
  return Nodes.start(t, await emptyDatabase(postgres), given, nodes);
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

/** Of 200 calls at once from one address through all nodes: how many get an answer, and how many a 429. */
const admitted = async (nodes: Nodes, address = newAddress()) => count(await crowd(200, () => ask(nodes, address)));

const perNode = { status: 'ready', rateLimits: 'per node: Redis is not available' };

/** What the log of a node has of Redis. */
function told(nodes: Nodes, node: number): string[] {
  return nodes
    .log(node)
    .map(({ msg = '' }) => msg)
    .filter((message) => /redis/i.test(message));
}

const away = 'Redis is not available: until it is back, each node counts calls by itself';
const back = 'Redis is back: rate limits are shared among all nodes again';

/** Ends the nodes, which then have written all: what they told of Redis in the whole of their lives. */
async function toldInAll(nodes: Nodes, messages: string[]): Promise<void> {
  for (let node = 0; node < nodes.count; node += 1) {
    assert.deepEqual(await nodes.program(node).stop(), { code: 0, signal: null });
    assert.deepEqual(told(nodes, node), messages, `node ${node}`);
  }
}

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
    assert.ok(answers.length > 100, `${answers.length} calls`);
  };
}

test('The program, more than one node: while Redis is away each node counts for itself, at once, and shares its counts afterwards', async (t) => {
  const nodes = await started(t);
  await allSay(nodes, shared);
  const client = new Redis(redis.url);
  client.on('error', () => {});
  t.after(() => client.disconnect());

  const outages: { how: string; down: () => Promise<unknown>; up: () => Promise<unknown> }[] = [
    { how: 'is stopped and started again', down: () => redis.shutDown(), up: () => redis.start() },
    { how: 'hangs', down: async () => redis.suspend(), up: async () => redis.resume() },
    // As after a failover: it answers, and takes no writes.
    { how: 'is read-only', down: () => client.replicaof('127.0.0.1', 1), up: () => client.replicaof('NO', 'ONE') },
  ];
  for (const { how, down, up } of outages) {
    await t.test(`Redis ${how}`, async (t) => {
      const caller = newAddress();
      assert.deepEqual(await admitted(nodes, caller), { 200: 60, 429: 140 });
      const stop = traffic(t, nodes);
      await down();
      // Nobody waits for Redis: the call that finds it away is answered like any other.
      await allSay(nodes, perNode);
      for (const node of [0, 1, 2]) {
        assert.deepEqual(count(await crowd(70, () => ask(nodes, caller, node))), { 200: 60, 429: 10 });
      }
      // Longer than from one look for Redis to the next.
      await pause(1200);
      await allSay(nodes, perNode);
      await up();
      await allSay(nodes, shared);
      assert.deepEqual(await admitted(nodes), { 200: 60, 429: 140 });
      await stop();
    });
  }

  await t.test('a node that stood still itself does not take Redis for away', async (t) => {
    const { child } = nodes.program(0);
    const address = newAddress();
    const answers: NodeAnswer[] = [];
    let going = true;
    t.after(() => (going = false));
    // So many that some are always waiting for Redis.
    const callers = crowd(20, async () => {
      let answer = await ask(nodes, address, 0);
      for (; going; answer = await ask(nodes, address, 0)) answers.push(answer);
      answers.push(answer);
      return answer;
    });
    for (let time = 0; time < 5; time += 1) {
      await pause(60);
      child.kill('SIGSTOP');
      await pause(400);
      child.kill('SIGCONT');
    }
    await until(() => answers.length > 200, 'it is at work again');
    going = false;
    await callers;
    assert.equal(count(answers)[200], 60);
    await allSay(nodes, shared);
  });

  await toldInAll(
    nodes,
    outages.flatMap(() => [away, back]),
  );
});

test('The program, more than one node: nodes start although Redis is dead or hangs, and share their counts as soon as they can', async (t) => {
  await redis.kill();
  const nodes = await started(t, 2);
  await allSay(nodes, perNode);
  await redis.start();
  redis.suspend();
  // Else the next test would meet it so.
  t.after(() => redis.resume());
  await nodes.kill(1);
  await nodes.restart(1);
  await allSay(nodes, perNode);
  for (const node of [0, 1]) assert.equal((await ask(nodes, newAddress(), node)).status, 200);
  redis.resume();
  await allSay(nodes, shared);
  assert.deepEqual(await admitted(nodes), { 200: 60, 429: 140 });
  // Also those that nobody calls know when it goes.
  await redis.kill();
  await allSay(nodes, perNode);
  await toldInAll(nodes, [away, back, away]);
});
