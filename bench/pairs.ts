import type { Load } from './load.ts';
import { type Measured, measure } from './measure.ts';
import type { Target } from './servers.ts';

export interface Effort {
  /** Pairs of stretches. */
  pairs: number;
  /** Seconds of one stretch. */
  seconds: number;
  /** Seconds of load before the first stretch counts, for each server. */
  warmUp: number;
}

export interface Compared {
  /** Medians of all stretches. */
  a: Measured;
  b: Measured;
  /** Median over the pairs of A's requests per second by B's. */
  ratio: number;
}

/** One side of a comparison: a server and what is sent to it. */
export type Side = readonly [Target, Load];

/** Measures two servers in turn. */
export function compare(a: Side, b: Side, effort: Effort): Promise<Compared> {
  return inPairs(
    (seconds) => measure(...a, seconds),
    (seconds) => measure(...b, seconds),
    effort,
  );
}

type Measurement = (seconds: number) => Promise<Measured>;

/** Measures A B A B …, so that whatever else the machine does falls on both. */
export async function inPairs(a: Measurement, b: Measurement, { pairs, seconds, warmUp }: Effort): Promise<Compared> {
  for (const each of [a, b]) await each(warmUp);
  const runs: { a: Measured; b: Measured }[] = [];
  for (let pair = 0; pair < pairs; pair += 1) {
    runs.push({ a: await a(seconds), b: await b(seconds) });
  }
  return {
    a: middle(runs.map((run) => run.a)),
    b: middle(runs.map((run) => run.b)),
    ratio: median(runs.map((run) => run.a.perSecond / run.b.perSecond)),
  };
}

function middle(runs: Measured[]): Measured {
  const of = (name: keyof Measured) => median(runs.map((run) => run[name]));
  return { perSecond: of('perSecond'), p50: of('p50'), p99: of('p99'), cpu: of('cpu') };
}

export function median(values: number[]): number {
  const sorted = values.toSorted((x, y) => x - y);
  const half = sorted.length / 2;
  return ((sorted[Math.ceil(half) - 1] as number) + (sorted[Math.floor(half)] as number)) / 2;
}
