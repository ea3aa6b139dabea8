import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { startPostgres } from '../support/postgres.ts';
import { emptyDatabase, Nodes } from './support/nodes.ts';
import { shareServer } from './support/servers.ts';

const postgres = await shareServer(startPostgres);

test('Capstones: a run that one node began is conducted by whichever is there, and its drills are on all', async (t) => {
  const nodes = await Nodes.start(t, await emptyDatabase(postgres));
  const { token } = await nodes.client();
  const runs = '/range/v1/me/capstones/month-end/runs';
  const { status, json: run, text } = await nodes.call('POST', runs, { token, node: 0 });
  equal(status, 201, text);

  const read = async (node: number) => (await nodes.call('GET', `${runs}/${run.number}`, { token, node })).json;
  const stepsDone = async (node: number) =>
    (await read(node)).schedule.filter(({ done }: { done: boolean }) => done).length;
  equal(await stepsDone(1), 2);
  await pause(1000);
  for (const node of [0, 1, 2]) {
    const { json } = await nodes.call('GET', '/range/v1/me/drills', { token, node });
    deepEqual(json.items.map(({ name }: { name: string }) => name).sort(), ['cut-connections', 'unavailable']);
  }

  // Whoever has the role dies: it is one of these two, or else the third goes on as before.
  for (const until = Date.now() + 20_000; (await stepsDone(2)) < 3 && Date.now() < until; ) await pause(100);
  await Promise.all([nodes.kill(0), nodes.kill(1)]);
  for (const until = Date.now() + 20_000; (await stepsDone(2)) < 5 && Date.now() < until; ) await pause(100);
  equal(await stepsDone(2), 5);

  const answer = { lesson: 'month-end', answer: { updated: [] } };
  const reported = await nodes.call('POST', '/range/v1/me/answers', { token, json: answer, node: 2 });
  const kinds = new Set(reported.json.run.faults.map(({ kind }: { kind: string }) => kind));
  deepEqual([...kinds], ['missing']);
  const falcons = async () => {
    const { json } = await nodes.call('GET', '/policies?pageSize=500', { token, node: 2 });
    return json.items.filter(({ holder }: { holder: string | null }) => holder?.startsWith('Falcon')).length;
  };
  equal(await falcons(), 3);
  ok(reported.json.run.score < 100);
});
