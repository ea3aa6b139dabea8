import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { autocannon } from './autocannon.ts';
import type { Generator, Load } from './load.ts';
import type { Target } from './servers.ts';
import { wrk } from './wrk.ts';

/** What one stretch of load showed. */
export interface Measured {
  perSecond: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  /** Microseconds of processor time the server took for a request. */
  cpu: number;
}

const generator: { name: string; send: Generator } = installed('wrk')
  ? { name: 'wrk', send: wrk }
  : { name: 'autocannon', send: autocannon };

export const generatorName = generator.name;

// The policies that are there beforehand have the numbers below this.
let first = 10_000_000;

/** @throws when any request fails: what a refusing server reaches is no measurement */
export async function measure(target: Target, load: Load, seconds: number): Promise<Measured> {
  const from = first;
  first += 10_000_000;
  const cpuBefore = await target.cpu();
  const sent = await generator.send(target.url, load, seconds, from);
  const cpu = (await target.cpu()) - cpuBefore;
  if (sent.failures > 0 || sent.requests === 0) {
    throw new Error(`${load.method} ${load.paths[0]}: ${sent.failures} of ${sent.requests} requests failed`);
  }
  const { requests, p50, p99 } = sent;
  return { perSecond: requests / sent.seconds, p50, p99, cpu: (cpu * 1e6) / requests };
}

export function installed(program: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((directory) => {
    try {
      accessSync(join(directory, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
