import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { onSqlite } from '../support/engines.ts';
import { send } from '../support/http1.ts';
import { tellingKept } from '../support/kept.ts';
import type { TestClient } from '../support/lplate.ts';
import { startProgram } from '../support/program.ts';
import { Learner } from './soak/learner.ts';
import { MemorySamples } from './soak/memory.ts';

/*
 * Twenty learners, each at an address of its own, and one address that floods with a hundred clients: for a while, then not,
 * in turn, so that what the machine does meets both. It takes a minute, or as long as SOAK_SECONDS says; how quick the answers
 * are is judged only then, on a machine that does nothing else.
 */

const seconds = Number(process.env.SOAK_SECONDS ?? 60);
const isQuiet = process.env.SOAK_SECONDS !== undefined;

/** Of a time with the flood, and of one without. */
const phaseMs = Math.min(15_000, (seconds * 1000) / 4);

const learners = 20;
const floodClients = 100;

/** How many times as long a call of a learner may take at p99; what is less than so many milliseconds more, nobody notices. */
const maxSlower = 2;
const unnoticedMs = 10;

onSqlite((engine) => {
  test('Decisions, shares: with a flooding address among twenty learners nothing of theirs is lost, memory is flat, and on a quiet machine none is twice as slow', {
    timeout: (seconds + 300) * 1000,
  }, async (t) => {
    const program = await startProgram(t, await engine.location(), {
      command: tellingKept,
      environment: { TRUST_PROXY: '1', RATE_LIMIT_KEY: 'client', LOG_LEVEL: 'error' },
    });
    const { url } = program;
    const post = (path: string, from: string, json?: object) =>
      send(url + path, {
        method: 'POST',
        headers: { 'X-Forwarded-For': from, 'Content-Type': 'application/json' },
        body: JSON.stringify(json ?? {}),
      });
    async function client(from: string): Promise<TestClient> {
      const { client_id: id, client_secret: secret } = (await post('/insurer/v1/demo-clients', from)).json;
      const { json } = await post('/insurer/v1/auth/token', from, { client_id: id, client_secret: secret });
      return { id, secret, token: json.access_token };
    }
    const clients = await Promise.all(Array.from({ length: learners }, (_, at) => client(`198.51.100.${at}`)));
    const party = await Promise.all(clients.map((each, at) => Learner.open(t, url, `198.51.100.${at}`, each)));
    const flooders: TestClient[] = [];
    for (let at = 0; at < floodClients; at += 1) flooders.push(await client(`203.0.113.${at}`));
    const flood = new Worker(new URL('./soak/flood.ts', import.meta.url), {
      workerData: { url, address: '192.0.2.66', clients: flooders, victims: clients.map(({ id }) => id) },
    });
    t.after(() => flood.terminate());
    const memory = new MemorySamples(program);

    const begun = Date.now();
    const end = begun + seconds * 1000;
    const running = () => Date.now() < end;
    const phaseOf = (at: number) => Math.floor((at - begun) / phaseMs);
    let answers: Record<string, number> = {};
    async function floodInTurn(): Promise<void> {
      for (let phase = 0; running(); phase += 1) {
        const isFlooded = phase % 2 === 1;
        if (isFlooded) flood.postMessage(true);
        await pause(Math.min(end, begun + (phase + 1) * phaseMs) - Date.now());
        if (!isFlooded) continue;
        flood.postMessage(false);
        [answers] = await once(flood, 'message');
      }
    }
    await Promise.all([floodInTurn(), memory.take(running), ...party.map((each) => each.work(running))]);

    for (const each of party) await each.assertNothingLost();
    const timed = party.flatMap((each) => each.timed);
    const phases = Map.groupBy(timed, ({ at }) => phaseOf(at));
    const p99 = (flooded: boolean) =>
      median(
        [...phases]
          .filter(([phase]) => (phase % 2 === 1) === flooded)
          .map(([, calls]) =>
            quantile(
              calls.map(({ ms }) => ms),
              0.99,
            ),
          ),
      );
    const [quiet, flooded] = [p99(false), p99(true)];
    t.diagnostic(`p99 of ${timed.length} calls of learners: ${quiet.toFixed(1)} ms, flooded ${flooded.toFixed(1)} ms`);
    t.diagnostic(`the flood was answered ${JSON.stringify(answers)}`);
    t.diagnostic(memory.report());
    const metrics = await (await fetch(`${url}/metrics`)).text();
    t.diagnostic(
      metrics
        .split('\n')
        .filter((line) => /^lplate_(pool|range_exchanges|range_stored)/.test(line))
        .join(', '),
    );
    assert.ok(
      !isQuiet || flooded <= Math.max(maxSlower * quiet, quiet + unnoticedMs),
      `p99 with the flood is ${flooded} ms, without ${quiet} ms`,
    );
    memory.assertFlat();
    assert.ok((answers['429'] ?? 0) > 0, 'most of the flood is refused');
    assert.equal((await program.stop()).code, 0);
  });
});

const quantile = (values: readonly number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? 0;

const median = (values: readonly number[]) => quantile(values, 0.5);
