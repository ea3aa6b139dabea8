import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { autocannon } from './autocannon.ts';
import type { Target } from './servers.ts';
import { wrk } from './wrk.ts';

/** Requests to send over and over: the paths in turn, each with the same method, headers and body. */
export interface Load {
  method: 'GET' | 'POST';
  paths: string[];
  headers: Record<string, string>;
  /** Headers that are added in turn, such as those of several clients. */
  turns?: Record<string, string>[];
  /** Where it holds `mark`, each request has ten digits that no other request of this run has. */
  body?: string;
}

/** What one stretch of load showed. */
export interface Measured {
  perSecond: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  /** Microseconds of processor time the server took for a request. */
  cpu: number;
}

/** Sends `load` to an origin for some seconds. Every `number` from `first` on is free for `mark`. */
export type Generator = (origin: string, load: Load, seconds: number, first: number) => Promise<Sent>;

export interface Sent {
  requests: number;
  seconds: number;
  p50: number;
  p99: number;
  /** Answers of 400 and above, and connections that broke. */
  failures: number;
}

export const connections = 64;

export const mark = '0000000000';

/** A walk through all numbers of ten digits below 2³¹ in no order, each once: registration numbers are not sorted. */
export const scatter = { factor: 48271, modulus: 2147483647 } as const;

export function scattered(number: number): string {
  return String((number * scatter.factor) % scatter.modulus).padStart(10, '0');
}

/** The requests in the order in which they are sent, over and over. */
export function inTurn({ paths, headers, turns = [{}] }: Load): { path: string; headers: Record<string, string> }[] {
  return paths.flatMap((path) => turns.map((turn) => ({ path, headers: { ...headers, ...turn } })));
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
