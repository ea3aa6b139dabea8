import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** A call that takes the same time however much there is already. */
export interface TimedCall {
  readonly kind: string;
  readonly path: string;
  readonly init: { readonly method?: string; readonly headers?: Record<string, string>; readonly body?: string };
  readonly status: number;
}

export interface Timing {
  /** Of the program. */
  readonly url: string;
  readonly calls: readonly TimedCall[];
  readonly end: number;
}

export interface Measured {
  readonly timed: {
    readonly kind: string;
    /** From the start. */
    readonly second: number;
    readonly ms: number;
  }[];
  /** At the start of each minute and at the end: the program's processor time so far, and the calls it answered and made. */
  readonly work: { readonly seconds: number; readonly calls: number }[];
}

/** How long calls of each kind took, in milliseconds, and the processor time for each call the program answered or made. */
interface Minute {
  readonly p50: ReadonlyMap<string, number>;
  readonly p99: ReadonlyMap<string, number>;
  readonly work: number;
}

/**
 * How many times as much time the last minute may take for a call as the second one, unless their processor time has not
 * grown as much: then it is the machine that is slower, not the program. On one that became four times as busy, calls took
 * nine times as long while their processor time varied by no more than a quarter.
 */
const maxGrowth = 1.5;

/** A minute is looked at in windows, of which the middle one counts: a moment's noise is in one or two of them. */
const windowSeconds = 10;

const all = 'all of these';

/** How long calls of the program took, minute by minute. */
export class CallTimes {
  readonly #minutes: readonly Minute[];

  private constructor({ timed, work }: Measured) {
    this.#minutes = work.slice(1).map(({ seconds, calls }, minute) => {
      const before = work[minute] ?? { seconds: 0, calls: 0 };
      const windows = Map.groupBy(
        timed.filter(({ second }) => Math.floor(second / 60) === minute),
        ({ second }) => Math.floor(second / windowSeconds),
      );
      const middle = (share: number) => (kind: string) => {
        const each = [...windows.values()].map((window) =>
          quantile(
            window.filter((call) => call.kind === kind || kind === all).map(({ ms }) => ms),
            share,
          ),
        );
        return [kind, quantile(each, 0.5)] as const;
      };
      const kinds = [...new Set(timed.map(({ kind }) => kind)), all];
      return {
        p50: new Map(kinds.map(middle(0.5))),
        p99: new Map(kinds.map(middle(0.99))),
        work: (1000 * (seconds - before.seconds)) / (calls - before.calls),
      };
    });
  }

  /** Makes the calls until the end. */
  static async take(timing: Timing): Promise<CallTimes> {
    const timer = new Worker(new URL('./timer.ts', import.meta.url), { workerData: timing });
    const [measured] = await once(timer, 'message');
    return new CallTimes(measured);
  }

  /** From the second minute to the last neither p50 of each kind nor p99 of all has grown too much. */
  assertSteady(): void {
    const [, second, ...later] = this.#minutes;
    const last = later.at(-1);
    if (!second || !last || later.length < 2) return;
    const busier = last.work / second.work > maxGrowth;
    const grew = (['p50', 'p99'] as const).flatMap((share) => {
      const growth = (kind: string) => (last[share].get(kind) ?? 0) / (second[share].get(kind) ?? 1);
      const kinds = share === 'p50' ? [...last.p50.keys()] : [all];
      return kinds.filter((kind) => growth(kind) > maxGrowth).map((kind) => `${share} of ${kind}`);
    });
    assert.ok(
      grew.length === 0 || !busier,
      `calls take longer and longer: ${grew.join(', ')}: ${this.report().join('\n')}`,
    );
  }

  report(): string[] {
    const kinds = [...(this.#minutes[0]?.p50.keys() ?? [])];
    const line = (kind: string) =>
      this.#minutes.map(({ p50, p99 }) => `${p50.get(kind)?.toFixed(1)}/${p99.get(kind)?.toFixed(0)}`).join(' ');
    return [
      ...kinds.map((kind) => `ms by minute, p50/p99, ${kind}: ${line(kind)}`),
      `ms of work for a call, by minute: ${this.#minutes.map(({ work }) => work.toFixed(2)).join(' ')}`,
    ];
  }
}

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? 0;
}
