import { deepEqual, equal } from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { problem } from '../support/lplate.ts';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';
import { emptyDatabase, Nodes } from './support/nodes.ts';
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

/** Milliseconds within which every node knows of a change, also when a signal was lost. */
const known = 1500;

test('Decisions, drills: three nodes hit the calls of one client alike, and share its small limit', async (t) => {
  const nodes = await Nodes.start(t, await emptyDatabase(postgres), { REDIS_URL: redis.url });
  const [client, other] = [await nodes.client(), await nodes.client()];
  const start = (json: object) => nodes.call('POST', '/range/v1/me/drills', { token: client.token, json });
  const statuses = async ({ token }: { token: string }, calls: number) => {
    const found: number[] = [];
    while (found.length < calls) found.push((await nodes.call('GET', '/policies', { token })).status);
    return found;
  };

  await t.test('one that is started on a node is on everywhere, and for nobody else', async () => {
    equal((await start({ name: 'unavailable' })).status, 201);
    await pause(known);
    deepEqual(await statuses(client, 6), Array(6).fill(503));
    deepEqual(await statuses(other, 3), Array(3).fill(200));
  });

  await t.test('one that is ended on a node is off everywhere', async () => {
    equal((await nodes.call('DELETE', '/range/v1/me/drills/unavailable', client)).status, 204);
    await pause(known);
    deepEqual(await statuses(client, 6), Array(6).fill(200));
  });

  await t.test('a node that is started again has those that are on', async () => {
    await start({ name: 'unavailable' });
    await nodes.kill(1);
    await nodes.restart(1);
    equal((await nodes.call('GET', '/policies', { ...client, node: 1 })).status, 503);
    await nodes.call('DELETE', '/range/v1/me/drills/unavailable', client);
    await pause(known);
  });

  await t.test('a small limit counts the calls to all nodes', async () => {
    await start({ name: 'small-rate-limit', parameters: { limit: 4 } });
    await pause(known);
    deepEqual(await statuses(client, 6), [200, 200, 200, 200, 429, 429]);
    deepEqual(problem(await nodes.call('GET', '/policies', client)), [429, 'rate-limit-exceeded']);
    deepEqual(await statuses(other, 3), Array(3).fill(200));
  });
});
