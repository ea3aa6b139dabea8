import { ByWeight } from '../../by-weight.ts';
import type { Attributed } from './attribution.ts';
import type { Call } from './call.ts';
import type { Tally } from './learners.ts';
import { maxPerClient, maxWithoutToken } from './log.ts';

/**
 * Calls of one client from which on they are a flood, until none of them waits any more. Of a flood one call in so many
 * milliseconds is kept, of several at once as many fewer: as many as are written.
 */
const flood = maxPerClient;
const floodIntervalMs = 10;

/** Bytes that make no difference: about those of one call. */
const grain = 4096;

/** Calls of all clients from which on a client is taken for a flood that has so many of them. */
const crowd = { all: 2000, each: 50 };

/** Refusals of one client that are kept while its address has so many calls that wait. */
const fewRefusals = 10;

/** The part of a call that is counted, also of one that is not kept. */
type Counted = Pick<Call, 'at' | 'outcome' | 'problem' | 'delivery' | 'fromElsewhere'>;

/** Calls of one client that were not written yet, oldest first: those without its token too. */
export interface Bundle {
  readonly owner: string;
  /** Where the first of them came from. */
  readonly address: string;
  readonly calls: Call[];
  readonly tally: Tally;
  /** Calls since none waited. */
  streak: number;
}

export const dropReasons = ['client', 'memory', 'error', 'removed'] as const;

/** Why a call was not written: its client has more of them, all take too much memory, writing failed, or its client is gone. */
export type DropReason = (typeof dropReasons)[number];

/** Whose calls are taken: those of an owner; else of a flood, or of whatever is none. */
export interface Source {
  readonly owner?: string;
  readonly ofFlood?: boolean;
}

/** Those without a token wait apart, so that they push out no others. */
interface Waiting extends Bundle {
  readonly withoutToken: boolean;
  /** Bytes. */
  weight: number;
}

/** The key of those of an owner. */
const keyOf = (owner: string, withoutToken: boolean) => (withoutToken ? `${owner} without token` : owner);

/** The clients of one address of which calls wait. */
interface Address {
  readonly name: string;
  readonly bundles: ByWeight<Waiting>;
  /** In the order of their first call. */
  readonly inOrder: Set<Waiting>;
  /** Bytes. */
  weight: number;
  calls: number;
  /** When the last refusal of a flood was kept. */
  keptAt: number;
}

/**
 * The calls that wait to be written, by client. Bounded by the number of a client's and by the bytes of all. Room is made
 * where most waits: of the address with most, of its client with most, the oldest. So whoever has little that waits loses
 * nothing, however many clients somebody else floods with.
 */
export class PendingCalls {
  readonly #maxBytes: number;
  readonly #dropped: (reason: DropReason) => void;
  readonly #bundles = new Map<string, Waiting>();
  /** Those whose turn was last come last. */
  readonly #addresses = new Map<string, Address>();
  readonly #byWeight = new ByWeight<Address>(grain);
  #bytes = 0;
  #count = 0;

  constructor(maxBytes: number, dropped: (reason: DropReason) => void) {
    this.#maxBytes = maxBytes;
    this.#dropped = dropped;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Tells whether a call is to be kept. To keep each one of a flood would slow all down. */
  keeps(owner: string, address: string, { at, outcome: { status } }: Counted): boolean {
    const bundle = this.#bundles.get(owner);
    if (!bundle) return true;
    const last = bundle.calls.at(-1);
    if (last && this.#isFlood(bundle) && Math.abs(at - last.at) < floodIntervalMs * this.#bundles.size) return false;
    const from = this.#addresses.get(address);
    if (!from || status < 400 || from.calls < crowd.all || bundle.calls.length < fewRefusals) return true;
    if (Math.abs(at - from.keptAt) < floodIntervalMs) return false;
    from.keptAt = at;
    return true;
  }

  /** Counts a call that is not kept, of a client that has calls here. */
  pass(owner: string, call: Counted): void {
    const bundle = this.#bundles.get(owner);
    if (bundle) count(bundle, call);
    this.#dropped('client');
  }

  add(
    owner: string,
    address: string,
    call: Call,
    { withoutToken, fromElsewhere }: Omit<Attributed, 'owner'> = { withoutToken: false, fromElsewhere: false },
  ): void {
    call.address = address;
    call.withoutToken = withoutToken;
    call.fromElsewhere = fromElsewhere;
    const bundle =
      this.#bundles.get(keyOf(owner, withoutToken)) ??
      this.#put({
        owner,
        address,
        withoutToken,
        calls: [],
        tally: newTally(call.at),
        streak: 0,
        weight: 0,
      });
    count(bundle, call);
    bundle.calls.push(call);
    // Weighed at once with the one that goes for it: the two are of about one size, so little changes place by its weight.
    const gone = bundle.calls.length > mostOf(bundle) ? bundle.calls.shift() : undefined;
    this.#weigh(bundle, call.size - (gone?.size ?? 0), gone ? 0 : 1);
    if (gone) this.#dropped('client');
    this.#makeRoom();
  }

  /**
   * Takes out at most `limit` calls of the address whose turn it is, of its client that waits longest and is no flood, or of a
   * flood with `ofFlood`, or of the given owner. What is kept of a flood is soon pushed out by what comes after, so little of it is worth writing.
   */
  take(limit: number, from: Source = {}): Bundle | undefined {
    const first = from.owner === undefined ? this.#next(from.ofFlood ?? false) : this.#firstOf(from.owner);
    if (!first) return undefined;
    const { owner, address } = first;
    const other = this.#bundles.get(keyOf(owner, !first.withoutToken));
    const both =
      other && (from.owner !== undefined || this.#isFlood(other) === this.#isFlood(first)) ? [first, other] : [first];
    for (const each of both) this.#remove(each);
    const calls = both
      .flatMap((each) => each.calls)
      .sort((a, b) => a.number - b.number)
      .slice(0, limit);
    const taken = new Set(calls);
    // What is left waits behind the others; its tally goes with what is taken.
    for (const each of both) {
      const left = each.calls.filter((call) => !taken.has(call));
      if (left[0]) this.#put({ ...each, calls: left, tally: newTally(left[0].at), weight: sizeOf(left) });
    }
    const tally = both.map((each) => each.tally).reduce(sum);
    return { owner, address, calls, tally, streak: Math.max(...both.map(({ streak }) => streak)) };
  }

  /** Forgets what waits of some owners. */
  forget(whose: (owner: string) => boolean): void {
    for (const bundle of [...this.#bundles.values()]) if (whose(bundle.owner)) this.#remove(bundle);
  }

  /** Puts back what could not be written. */
  putBack({ owner, address, calls: taken, tally, streak }: Bundle): void {
    let counted = tally;
    for (const withoutToken of [false, true]) {
      const back = taken.filter((call) => (call.withoutToken ?? false) === withoutToken);
      if (back.length === 0) continue;
      const since = this.#bundles.get(keyOf(owner, withoutToken));
      if (since) this.#remove(since);
      const calls = [...back, ...(since?.calls ?? [])];
      const joined = this.#put({
        owner,
        address: since?.address ?? back[0]?.address ?? address,
        withoutToken,
        calls,
        tally: since ? sum(counted, since.tally) : counted,
        streak: Math.max(streak, since?.streak ?? 0),
        weight: sizeOf(calls),
      });
      // Once is enough.
      counted = newTally(tally.firstAt);
      while (joined.calls.length > mostOf(joined)) this.#drop(joined, 'client');
    }
    this.#makeRoom();
  }

  #firstOf(owner: string): Waiting | undefined {
    return this.#bundles.get(owner) ?? this.#bundles.get(keyOf(owner, true));
  }

  #isFlood({ streak, calls }: Bundle): boolean {
    return streak >= flood || (this.#count > crowd.all && calls.length >= crowd.each);
  }

  #next(ofFlood: boolean): Waiting | undefined {
    for (const [name, from] of this.#addresses) {
      const first = from.inOrder.values().find((bundle) => this.#isFlood(bundle) === ofFlood);
      if (!first) continue;
      this.#addresses.delete(name);
      this.#addresses.set(name, from);
      return first;
    }
    return undefined;
  }

  #makeRoom(): void {
    while (this.#bytes > this.#maxBytes) {
      const heaviest = this.#byWeight.heaviest()?.bundles.heaviest();
      if (!heaviest) return;
      this.#drop(heaviest, 'memory');
      // Its tally goes with its last call: a flood of clients must not fill the memory with tallies.
      if (heaviest.calls.length === 0) this.#remove(heaviest);
    }
  }

  #drop(bundle: Waiting, reason: DropReason): void {
    const call = bundle.calls.shift();
    if (!call) return;
    this.#weigh(bundle, -call.size, -1);
    this.#dropped(reason);
  }

  #put(bundle: Waiting): Waiting {
    this.#bundles.set(keyOf(bundle.owner, bundle.withoutToken), bundle);
    let from = this.#addresses.get(bundle.address);
    if (!from) {
      from = { name: bundle.address, bundles: new ByWeight(grain), inOrder: new Set(), weight: 0, calls: 0, keptAt: 0 };
      this.#addresses.set(from.name, from);
      this.#byWeight.add(from);
    }
    from.bundles.add(bundle);
    from.inOrder.add(bundle);
    this.#count += bundle.calls.length;
    this.#weighAddress(from, bundle.weight, bundle.calls.length);
    return bundle;
  }

  #remove(bundle: Waiting): void {
    const from = this.#addresses.get(bundle.address) as Address;
    this.#bundles.delete(keyOf(bundle.owner, bundle.withoutToken));
    from.bundles.delete(bundle);
    from.inOrder.delete(bundle);
    this.#count -= bundle.calls.length;
    this.#weighAddress(from, -bundle.weight, -bundle.calls.length);
    if (from.bundles.size > 0) return;
    this.#addresses.delete(from.name);
    this.#byWeight.delete(from);
  }

  /** Notes that calls came to a bundle, or went from it. */
  #weigh(bundle: Waiting, bytes: number, calls: number): void {
    const from = this.#addresses.get(bundle.address) as Address;
    from.bundles.change(bundle, bytes);
    this.#count += calls;
    this.#weighAddress(from, bytes, calls);
  }

  #weighAddress(from: Address, bytes: number, calls: number): void {
    this.#byWeight.change(from, bytes);
    from.calls += calls;
    this.#bytes += bytes;
  }
}

function mostOf({ withoutToken }: Waiting): number {
  return withoutToken ? maxWithoutToken : maxPerClient;
}

function sizeOf(calls: readonly Call[]): number {
  return calls.reduce((bytes, { size }) => bytes + size, 0);
}

function newTally(at: number): Tally {
  return {
    calls: 0,
    refusals: 0,
    callsWithoutToken: 0,
    refusalsWithoutToken: 0,
    firstAt: at,
    lastAt: 0,
    lastProblem: undefined,
  };
}

function count(bundle: Waiting, { at, outcome, problem, delivery, fromElsewhere }: Counted): void {
  const { tally } = bundle;
  bundle.streak += 1;
  // That is a call to the client, not one of it.
  if (delivery) return;
  // What anybody may have sent does not show that the client is there.
  if (!fromElsewhere) tally.lastAt = Math.max(tally.lastAt, at);
  // It is counted when it ends.
  if (outcome.end === 'open') return;
  tally[bundle.withoutToken ? 'callsWithoutToken' : 'calls'] += 1;
  if (outcome.status >= 400) tally[bundle.withoutToken ? 'refusalsWithoutToken' : 'refusals'] += 1;
  if (!fromElsewhere) tally.lastProblem = problem ?? tally.lastProblem;
}

function sum(a: Tally, b: Tally): Tally {
  return {
    calls: a.calls + b.calls,
    refusals: a.refusals + b.refusals,
    callsWithoutToken: a.callsWithoutToken + b.callsWithoutToken,
    refusalsWithoutToken: a.refusalsWithoutToken + b.refusalsWithoutToken,
    firstAt: Math.min(a.firstAt, b.firstAt),
    lastAt: Math.max(a.lastAt, b.lastAt),
    lastProblem: b.lastProblem ?? a.lastProblem,
  };
}
