import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { administer, onPostgres } from '../support/engines.ts';
import { freePort } from '../support/lplate.ts';
import { metric } from '../support/metric.ts';
import { type Program, startProgram } from '../support/program.ts';

const args = ['--workers', '2'];

/** A call on a connection of its own: the workers take turns. */
const get = ({ url }: Program, path: string, signal?: AbortSignal) =>
  fetch(url + path, { headers: { Connection: 'close' }, ...(signal && { signal }) });

onPostgres((engine) => {
  test('Workers: whichever is asked for /metrics tells for all of them', async (t) => {
    const program = await startProgram(t, await engine.location(), { args });
    for (let call = 0; call < 11; call += 1) await (await get(program, '/insurer/v1/coverage-options')).text();
    const labels = 'method="GET",route="/insurer/v1/coverage-options",status="200"';
    for (let call = 0; call < 4; call += 1) {
      assert.equal(await metric(program, `lplate_http_request_duration_seconds_count{${labels}}`), 11);
    }
  });

  test('Workers: /metrics is up to two seconds old, and new after that', async (t) => {
    const program = await startProgram(t, await engine.location(), { args });
    const name = 'lplate_http_request_duration_seconds_count{method="GET",route="/healthz",status="200"}';
    for (let round = 1; round <= 2; round += 1) {
      await (await get(program, '/healthz')).text();
      for (const start = Date.now(); (await metric(program, name)) !== round; await pause(100)) {
        assert.ok(Date.now() - start < 20_000, 'it does not get new');
      }
    }
  });

  test('Workers: what they share, such as how far the relay is behind, is not added up', async (t) => {
    const where = await engine.location();
    assert.ok('url' in where);
    const environment = { KAFKA_BROKERS: `127.0.0.1:${await freePort()}` };
    const program = await startProgram(t, where, { args, environment });
    const published = async () => {
      const [head] = await administer<{ seq: string }>('select seq from event_head', where.url);
      return Number(head?.seq);
    };
    await administer('update event_head set seq = seq + 7', where.url);
    assert.equal(await metric(program, 'lplate_kafka_relay_lag'), await published());
  });

  test('Workers: while one does not tell its metrics, the answer is 503 and not a part of them', async (t) => {
    const program = await startProgram(t, await engine.location(), { args });
    const list = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
    const [worker] = list
      .map((line) => line.trim().split(/\s+/).map(Number))
      .filter(([, parent]) => parent === program.child.pid)
      .map(([pid]) => pid as number);
    assert.ok(worker);
    process.kill(worker, 'SIGSTOP');
    try {
      // One of these may be given to the one that stands still.
      const answer = await Promise.any([1, 2].map(() => get(program, '/metrics', AbortSignal.timeout(20_000))));
      assert.equal(answer.status, 503);
      assert.match(await answer.text(), /\/problems\/unavailable"/);
    } finally {
      process.kill(worker, 'SIGCONT');
    }
    while ((await get(program, '/metrics')).status !== 200) await pause(100);
  });
});
