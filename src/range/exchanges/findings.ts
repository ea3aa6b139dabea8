import { BoundedCache } from '../../bounded-cache.ts';
import { isThere } from '../../clients/clients.ts';
import type { Database, Sql } from '../../database/database.ts';
import { eachInTurn } from '../../database/each-in-turn.ts';
import { statement } from '../../database/statement.ts';
import { type Clock, instant } from '../../time/clock.ts';

/*
 * What is found out about how a client is used, besides its calls: whether the clocks are right where it is used, whether
 * another client is used from the same address, and whether calls from there count for nobody. It is found in memory, by
 * each node of what it sees itself, and kept with the client where it changed.
 */

/** Milliseconds for which a client counts as being at an address, and for which a finding holds. */
export const findingHolds = 15 * 60 * 1000;

/** Clients at one address that may be of one learner. More are a class behind one address. */
const mostOfOne = 3;

/** Clients and addresses that are remembered. */
const maxRemembered = 10_000;

/** Milliseconds in which what was found is not kept again. */
const keptEvery = 60_000;

/** Seconds from which on a clock is wrong: by less a slow network can be taken for it. */
const clockIsOff = 120;

/** Seconds that a clock may differ more or less before it is kept again. */
const clockGrain = 60;

/** Where a clock is: in the browser with the console, or where a program of the client runs. */
export type ClockPlace = 'console' | 'program';

/** Tells whether seconds by which a clock is ahead, or behind where they are negative, are too many. */
export const isClockOff = (seconds: number | null): seconds is number =>
  seconds !== null && Math.abs(seconds) >= clockIsOff;

/** What was kept last of a client, by this node. */
interface Kept {
  readonly clocks: Partial<Record<ClockPlace, number>>;
  /** On the clock's elapsed scale. */
  other?: { readonly clientId: string | null; readonly at: number };
  unattributedAt?: number;
}

/** Keeps one finding. Returns how many rows that changed. */
type Keep = (sql: Sql) => Promise<number>;

export class Findings {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #isLearner: (clientId: string) => boolean;
  /** The clients that were seen at each address and when, the latest last: one more than may be of one learner. */
  readonly #seen = new BoundedCache<string, Map<string, number>>(maxRemembered);
  readonly #kept = new BoundedCache<string, Kept>(maxRemembered);
  /** What is to be kept. */
  readonly #found = new Map<string, { readonly clientId: string; readonly keep: Keep }>();

  constructor(database: Database, clock: Clock, isLearner: (clientId: string) => boolean) {
    this.#database = database;
    this.#clock = clock;
    this.#isLearner = isLearner;
  }

  /** A token of the client was sent from the address, or given out there. */
  see(address: string, clientId: string): void {
    if (!this.#isLearner(clientId)) return;
    const clients = this.#seen.get(address) ?? new Map<string, number>();
    clients.delete(clientId);
    clients.set(clientId, this.#clock.elapsed());
    const [oldest = ''] = clients.keys();
    if (clients.size > mostOfOne + 1) clients.delete(oldest);
    this.#seen.set(address, clients);
    const all = this.#at(address);
    const other = all.at(-2);
    if (other === undefined) return;
    const isOne = all.length <= mostOfOne;
    this.#findOther(clientId, isOne ? other : null);
    if (isOne) this.#findOther(other, clientId);
  }

  /** A call from the address counts for nobody. `at`: when it came, in milliseconds since 1970. */
  loseCall(address: string, at: number): void {
    const now = this.#clock.elapsed();
    const all = this.#at(address);
    if (all.length > mostOfOne) return;
    const unattributedAt = instant(at);
    for (const clientId of all) {
      const kept = this.#keptOf(clientId);
      if (kept.unattributedAt !== undefined && now - kept.unattributedAt < keptEvery) continue;
      kept.unattributedAt = now;
      this.#find('unattributed', clientId, (sql) => setUnattributed(sql, { clientId, unattributedAt }));
    }
  }

  /** A clock where the client is used is ahead by so many milliseconds, or behind where they are negative. */
  compareClock(clientId: string, place: ClockPlace, milliseconds: number): void {
    // Where time stands still every other clock differs.
    if (this.#clock.stands || !Number.isFinite(milliseconds) || !this.#isLearner(clientId)) return;
    const seconds = Math.round(milliseconds / 1000);
    const { clocks } = this.#keptOf(clientId);
    const before = clocks[place];
    const isSame = before !== undefined && isClockOff(before) === isClockOff(seconds);
    if (isSame && Math.abs(before - seconds) < clockGrain) return;
    clocks[place] = seconds;
    const set = place === 'console' ? setConsoleClock : setProgramClock;
    this.#find(place, clientId, (sql) => set(sql, { clientId, seconds }));
  }

  /** Keeps what was found. */
  async write(): Promise<void> {
    if (this.#found.size === 0) return;
    const found = [...this.#found.values()];
    this.#found.clear();
    await eachInTurn(this.#database, found, async ({ clientId, keep }) => {
      // What it called first may not be written yet: then it is found again.
      if ((await this.#database.write(keep)) === 0) this.#kept.delete(clientId);
    });
  }

  /** Forgets what is known of some clients. */
  forget(whose: (clientId: string) => boolean): void {
    for (const clientId of [...this.#kept.keys()]) if (whose(clientId)) this.#kept.delete(clientId);
    for (const [key, { clientId }] of [...this.#found]) if (whose(clientId)) this.#found.delete(key);
    for (const clients of this.#seen.values()) {
      for (const clientId of [...clients.keys()]) if (whose(clientId)) clients.delete(clientId);
    }
  }

  /** The clients that were seen there in the last minutes, the latest last. */
  #at(address: string): string[] {
    const since = this.#clock.elapsed() - findingHolds;
    return [...(this.#seen.get(address) ?? [])].filter(([, at]) => at >= since).map(([clientId]) => clientId);
  }

  #findOther(clientId: string, other: string | null): void {
    const now = this.#clock.elapsed();
    const kept = this.#keptOf(clientId);
    const before = kept.other;
    if ((before?.clientId ?? null) === other && (other === null || now - (before?.at ?? 0) < keptEvery)) return;
    kept.other = { clientId: other, at: now };
    const at = instant(this.#clock.now());
    this.#find('other', clientId, async (sql) => {
      // Without a lock, which could be in the way of a reset that waits for what is changed here.
      const named = other !== null && (await isThere(sql, other)) ? other : null;
      return setOther(sql, { clientId, otherClient: named, otherClientAt: named && at });
    });
  }

  #keptOf(clientId: string): Kept {
    let kept = this.#kept.get(clientId);
    if (!kept) {
      kept = { clocks: {} };
      this.#kept.set(clientId, kept);
    }
    return kept;
  }

  #find(what: string, clientId: string, keep: Keep): void {
    this.#found.set(`${clientId} ${what}`, { clientId, keep });
  }
}

/** No other client is used beside one that is removed. */
export function forgetOther(sql: Sql, clientId: string): Promise<number> {
  return clearOther(sql, { clientId });
}

const setOther = statement.run`
  update learners set other_client = ${'otherClient'}, other_client_at = ${'otherClientAt'}
  where client_id = ${'clientId'}`;

const clearOther = statement.run`
  update learners set other_client = null, other_client_at = null where other_client = ${'clientId'}`;

const setUnattributed = statement.run`
  update learners set unattributed_at = ${'unattributedAt'} where client_id = ${'clientId'}`;

const setConsoleClock = statement.run`
  update learners set console_clock_off = ${'seconds'} where client_id = ${'clientId'}`;

const setProgramClock = statement.run`
  update learners set program_clock_off = ${'seconds'} where client_id = ${'clientId'}`;
