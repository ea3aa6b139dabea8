import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { testSecrets } from '../support/lplate.ts';
import { startPostgres } from '../support/postgres.ts';
import { emptyDatabase, Nodes } from './support/nodes.ts';
import { shareServer } from './support/servers.ts';

const postgres = await shareServer(startPostgres);

/** Milliseconds within which every node knows. */
const knownWithin = 1500;

test('Decisions, the range: a clock that one node moves is moved on every node, and one client moved by all at once goes as far as they say', async (t) => {
  const nodes = await Nodes.start(t, await emptyDatabase(postgres));
  const client = await nodes.client();
  const other = await nodes.client();
  const clockOn = async (node: number, { token }: { token: string }) =>
    (await nodes.call('GET', '/range/v1/me/clock', { token, node })).json.aheadSeconds;

  async function everywhere(seconds: number): Promise<void> {
    const until = Date.now() + knownWithin;
    const seen = () => Promise.all([0, 1, 2].map((node) => clockOn(node, client)));
    let known = await seen();
    while (known.some((each) => each !== seconds) && Date.now() < until) {
      await pause(5);
      known = await seen();
    }
    deepEqual(known, [seconds, seconds, seconds]);
  }

  const move = (node: number, advance: string) =>
    nodes.call('POST', '/range/v1/me/clock', { token: client.token, json: { advance }, node });

  let ahead = 0;
  for (const node of [0, 1, 2]) {
    equal((await move(node, 'PT10M')).status, 200);
    ahead += 600;
    await everywhere(ahead);
  }
  await Promise.all(Array.from({ length: 30 }, (_, at) => move(at % 3, 'PT10S')));
  ahead += 300;
  await everywhere(ahead);

  // The desk is on one of them: claims move at the time at which they were due, whichever it is.
  const policy = await nodes.call('POST', '/policies', { token: client.token, json: { regNumber: 'NODES-1' } });
  const json = { policyNumber: policy.json.id, paceSeconds: 300 };
  const claim = await nodes.call('POST', '/claims/v1/claims', { token: client.token, json });
  const registered = Date.parse(claim.json.registeredAt);
  equal((await move(1, 'PT15M')).status, 200);
  const read = async () => (await nodes.call('GET', `/claims/v1/claims/${claim.json.claimId}`, client)).json;
  for (const until = Date.now() + 5000; (await read()).status !== 'CLOSED' && Date.now() < until; ) await pause(20);
  const { status, updatedAt } = await read();
  deepEqual([status, Date.parse(updatedAt) - registered], ['CLOSED', 900_000]);

  const { trainerToken: token } = testSecrets;
  const all = await nodes.call('POST', '/range/v1/trainer/clock', { token, json: { advance: 'PT1M' }, node: 2 });
  equal(all.json.moved, 2);
  await everywhere(ahead + 960);
  equal(await clockOn(0, other), 60);

  await nodes.kill(0);
  await nodes.restart(0);
  equal(await clockOn(0, client), ahead + 960);
});
