import type { Call } from './call.ts';
import type { Tally } from './learners.ts';
import { maxPerClient } from './log.ts';

/**
 * Calls of one client from which on they are a flood, until none of them waits any more. Of a flood one call in so many
 * milliseconds is kept, of several at once as many fewer: as many as are written.
 */
const flood = maxPerClient;
const floodIntervalMs = 10;

/** Calls of all clients from which on a client is taken for a flood that has so many of them. */
const crowd = { all: 2000, each: 50 };

/** The part of a call that is counted, also of one that is not kept. */
type Counted = Pick<Call, 'at' | 'outcome' | 'problem' | 'delivery'>;

/** Calls of one client that were not written yet, oldest first. */
export interface Bundle {
  readonly owner: string;
  readonly calls: Call[];
  readonly tally: Tally;
  /** Calls since none waited. */
  streak: number;
}

export const dropReasons = ['client', 'memory', 'error', 'removed'] as const;

/** Why a call was not written: its client has more of them, all take too much memory, writing failed, or its client is gone. */
export type DropReason = (typeof dropReasons)[number];

/**
 * The calls that wait to be written, by client. Bounded by the number of a client's and by the bytes of all; what is
 * over is dropped, the oldest first.
 */
export class PendingCalls {
  readonly #maxBytes: number;
  readonly #dropped: (reason: DropReason) => void;
  /** In the order of their first call. */
  readonly #bundles = new Map<string, Bundle>();
  #bytes = 0;
  #count = 0;

  constructor(maxBytes: number, dropped: (reason: DropReason) => void) {
    this.#maxBytes = maxBytes;
    this.#dropped = dropped;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Tells whether a call of the client that came at `at` is to be kept. To keep each one of a flood would slow all down. */
  keeps(owner: string, at: number): boolean {
    const bundle = this.#bundles.get(owner);
    if (!bundle || !this.#isFlood(bundle)) return true;
    const last = bundle.calls.at(-1);
    return last === undefined || Math.abs(at - last.at) >= floodIntervalMs * this.#bundles.size;
  }

  /** Tells whether more comes than is worth writing: what is kept of it is soon pushed out by what comes after. */
  get flooded(): boolean {
    const [first] = this.#bundles.values();
    return first !== undefined && this.#isFlood(first);
  }

  /** Counts a call that is not kept, of a client that has calls here. */
  pass(owner: string, call: Counted): void {
    const bundle = this.#bundles.get(owner);
    if (bundle) count(bundle, call);
    this.#dropped('client');
  }

  add(owner: string, call: Call): void {
    let bundle = this.#bundles.get(owner);
    if (!bundle) {
      bundle = { owner, calls: [], tally: newTally(call.at), streak: 0 };
      this.#bundles.set(owner, bundle);
    }
    count(bundle, call);
    bundle.calls.push(call);
    this.#bytes += call.size;
    this.#count += 1;
    if (bundle.calls.length > maxPerClient) this.#drop(bundle, 'client');
    this.#makeRoom();
  }

  /** Takes out at most `limit` calls of the client that waits longest, or of the given one. */
  take(limit: number, owner = this.#bundles.keys().next().value): Bundle | undefined {
    const bundle = owner === undefined ? undefined : this.#bundles.get(owner);
    if (!bundle) return undefined;
    this.#bundles.delete(bundle.owner);
    const calls = bundle.calls.splice(0, limit);
    for (const call of calls) this.#bytes -= call.size;
    this.#count -= calls.length;
    // What is left waits behind the others; its tally goes with what is taken.
    if (bundle.calls.length > 0) {
      const [first] = bundle.calls as [Call];
      this.#bundles.set(bundle.owner, { ...bundle, tally: newTally(first.at) });
    }
    return { ...bundle, calls };
  }

  /** Forgets what waits of some owners. */
  forget(whose: (owner: string) => boolean): void {
    for (const { owner, calls } of [...this.#bundles.values()]) {
      if (!whose(owner)) continue;
      this.#bundles.delete(owner);
      for (const { size } of calls) this.#bytes -= size;
      this.#count -= calls.length;
    }
  }

  /** Puts back what could not be written. */
  putBack({ owner, calls, tally, streak }: Bundle): void {
    const since = this.#bundles.get(owner);
    const joined = {
      owner,
      calls: [...calls, ...(since?.calls ?? [])],
      tally: since ? sum(tally, since.tally) : tally,
      streak: Math.max(streak, since?.streak ?? 0),
    };
    for (const call of calls) this.#bytes += call.size;
    this.#count += calls.length;
    this.#bundles.set(owner, joined);
    while (joined.calls.length > maxPerClient) this.#drop(joined, 'client');
    this.#makeRoom();
  }

  #isFlood({ streak, calls }: Bundle): boolean {
    return streak >= flood || (this.#count > crowd.all && calls.length >= crowd.each);
  }

  #makeRoom(): void {
    while (this.#bytes > this.#maxBytes) {
      const [oldest] = this.#bundles.values();
      if (!oldest) return;
      // Its tally goes with its last call: a flood of clients must not fill the memory with tallies.
      if (oldest.calls.length === 0) this.#bundles.delete(oldest.owner);
      else this.#drop(oldest, 'memory');
    }
  }

  #drop({ calls }: Bundle, reason: DropReason): void {
    const call = calls.shift();
    if (!call) return;
    this.#bytes -= call.size;
    this.#count -= 1;
    this.#dropped(reason);
  }
}

function newTally(at: number): Tally {
  return { calls: 0, refusals: 0, firstAt: at, lastAt: 0, lastProblem: undefined };
}

function count(bundle: Bundle, { at, outcome, problem, delivery }: Counted): void {
  const { tally } = bundle;
  bundle.streak += 1;
  // That is a call to the client, not one of it.
  if (delivery) return;
  tally.lastAt = Math.max(tally.lastAt, at);
  // It is counted when it ends.
  if (outcome.end === 'open') return;
  tally.calls += 1;
  if (outcome.status >= 400) tally.refusals += 1;
  tally.lastProblem = problem ?? tally.lastProblem;
}

function sum(a: Tally, b: Tally): Tally {
  return {
    calls: a.calls + b.calls,
    refusals: a.refusals + b.refusals,
    firstAt: Math.min(a.firstAt, b.firstAt),
    lastAt: Math.max(a.lastAt, b.lastAt),
    lastProblem: b.lastProblem ?? a.lastProblem,
  };
}
