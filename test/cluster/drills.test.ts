import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { problem } from '../support/lplate.ts';
import { startPostgres } from '../support/postgres.ts';
import { emptyDatabase, Nodes } from './support/nodes.ts';
import { startRedis } from './support/redis.ts';
import { shareServer } from './support/servers.ts';

const postgres = await shareServer(startPostgres);
const redis = await shareServer(startRedis);

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

  await t.test(
    'calls to all nodes at once meet exactly the hits of a sequence, also when a node dies meanwhile',
    async () => {
      const sequence = ['hit', 'hit', 'pass', 'hit', 'pass', 'pass', 'hit', 'hit', 'hit', 'pass', 'hit', 'pass'];
      const drill = { name: 'unavailable', parameters: { sequence, calls: ['GET /insurer/v1/policies'] } };
      const left = async () => (await nodes.call('GET', '/range/v1/me/drills/unavailable', client)).json.left;
      const atOnce = async (calls: number) => {
        const answers = await Promise.all(Array.from({ length: calls }, () => nodes.call('GET', '/policies', client)));
        return answers.filter(({ status }) => status === 503).length;
      };
      await start(drill);
      await pause(known);
      equal(await atOnce(5), 3);
      deepEqual(await left(), sequence.slice(5));
      await nodes.kill(2);
      await nodes.restart(2);
      // One after the other, each to the next node.
      deepEqual(await statuses(client, 3), [200, 503, 503]);
      equal(await atOnce(30), 2);
      deepEqual(await left(), []);
      await start(drill);
      await pause(known);
      equal(await atOnce(60), 7);
      await nodes.call('DELETE', '/range/v1/me/drills/unavailable', client);
      await pause(known);
    },
  );

  await t.test('a small limit counts the calls to all nodes', async () => {
    await start({ name: 'small-rate-limit', parameters: { limit: 4 } });
    await pause(known);
    deepEqual(await statuses(client, 6), [200, 200, 200, 200, 429, 429]);
    deepEqual(problem(await nodes.call('GET', '/policies', client)), [429, 'rate-limit-exceeded']);
    deepEqual(await statuses(other, 3), Array(3).fill(200));
  });
});
