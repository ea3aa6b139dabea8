import { setTimeout as pause } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import type { Measured, Timing } from './call-times.ts';

/*
 * Times calls one after the other, in a thread of its own: what the load makes and collects is not in its way. Once a minute
 * it asks the program how long it has worked, for how many calls.
 */

const { url, calls, end } = workerData as Timing;

/** Milliseconds between two rounds. */
const gapMs = 200;

const measured: Measured = { timed: [], work: [] };
const begun = Date.now();
for (; Date.now() < end; await pause(gapMs)) {
  if (Date.now() - begun >= measured.work.length * 60_000) measured.work.push(await workSoFar());
  for (const { kind, path, init, status } of calls) {
    const at = performance.now();
    const answer = await fetch(url + path, init);
    const text = await answer.text();
    measured.timed.push({ kind, second: (Date.now() - begun) / 1000, ms: performance.now() - at });
    if (answer.status !== status) throw new Error(`${kind}: ${answer.status} ${text}`);
  }
}
measured.work.push(await workSoFar());
parentPort?.postMessage(measured);

async function workSoFar(): Promise<Measured['work'][number]> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  const sum = (name: string) =>
    [...metrics.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, 'gm'))].reduce((all, [, n]) => all + Number(n), 0);
  return {
    seconds: sum('process_cpu_seconds_total'),
    calls: sum('lplate_http_request_duration_seconds_count') + sum('lplate_webhook_attempts_total'),
  };
}
