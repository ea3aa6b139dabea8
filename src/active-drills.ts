import { createHash } from 'node:crypto';
import { BoundedCache } from './bounded-cache.ts';
import type { Chance, DrillName, DrillParameters, OfCalls, Turn } from './drill-parameters.ts';
import type { Clock } from './time/clock.ts';

/*
 * The drills that are on: faults that clients asked for. The range starts and ends them (range/drills/); each part of the
 * program that has such a fault asks here whether it is on for a client. While none is on, that is one comparison.
 */

export type { CallDrillParameters, DrillName, DrillParameters, Turn } from './drill-parameters.ts';

type ByChance = { [Name in DrillName]: DrillParameters[Name] extends Chance ? Name : never }[DrillName];

/** One start of a drill. Times in milliseconds since 1970, of the server's clock. */
export interface Drill<Name extends DrillName = DrillName> {
  /** Of this start: a drill that is started again has another one. */
  readonly id: string;
  /** `everybody` for a drill of all clients. */
  readonly clientId: string;
  readonly name: Name;
  readonly parameters: DrillParameters[Name];
  readonly startedAt: number;
  readonly endsAt: number;
}

/** A drill that hits a call. */
export interface Hit<Name extends DrillName> {
  readonly parameters: DrillParameters[Name];
  /** 0 to 1, for what else is left to chance. */
  readonly chance: number;
}

/**
 * Takes the next turn of a client in the sequence of a drill. Resolves with its number, from 1; undefined if the sequence,
 * or the drill, is over.
 */
export type Turns = (clientId: string, drill: Drill, length: number) => Promise<number | undefined>;

/** Stands for all clients. */
export const everybody = '';

/** Milliseconds by which the clocks of two nodes may differ. What is later than that is from before the clock was set back. */
export const skew = 60 * 1000;

/** Whether a drill is on at `now`. */
export function isOn({ startedAt, endsAt }: Pick<Drill, 'startedAt' | 'endsAt'>, now: number): boolean {
  return endsAt > now && startedAt <= now + skew;
}

export class ActiveDrills {
  readonly #clock: Clock;
  /** Clients that have no drills, also not those of all. */
  readonly #exempt: ReadonlySet<string>;
  #byClient = new Map<string, Map<DrillName, Drill>>();
  /** The names of those that are on for somebody. */
  #names = new Set<DrillName>();
  /** How many calls each drill has had of each client. */
  readonly #calls = new BoundedCache<string, number>(20_000);
  /** The sequences that are over, so that they are not asked for again. */
  readonly #over = new BoundedCache<string, true>(20_000);
  #turns: Turns = async () => undefined;
  readonly #listeners = new Set<(clientId: string) => void>();

  constructor(clock: Clock, exempt: Iterable<string>) {
    this.#clock = clock;
    this.#exempt = new Set(exempt);
  }

  /** Whether nobody has a drill. */
  get none(): boolean {
    return this.#byClient.size === 0;
  }

  /** How many are on, those of all clients counted once. */
  get count(): number {
    let count = 0;
    for (const drills of this.#byClient.values()) count += drills.size;
    return count;
  }

  /** Whether it is on for anybody: to ask before it takes work to find out whose call it is. */
  isUsed(name: DrillName): boolean {
    return this.#names.has(name);
  }

  isExempt(clientId: string): boolean {
    return this.#exempt.has(clientId);
  }

  /** Whether a client has any. */
  has(clientId: string): boolean {
    if (this.none) return false;
    return this.#byClient.has(clientId) || (this.#byClient.has(everybody) && !this.#exempt.has(clientId));
  }

  /** The drill, if it is on for the client: its own, or else that of all. */
  of<Name extends DrillName>(clientId: string, name: Name): Drill<Name> | undefined {
    if (!this.has(clientId)) return undefined;
    const now = this.#clock.now();
    const own = this.#byClient.get(clientId)?.get(name);
    if (own && isOn(own, now)) return own as Drill<Name>;
    const common = this.#exempt.has(clientId) ? undefined : this.#byClient.get(everybody)?.get(name);
    return common && isOn(common, now) ? (common as Drill<Name>) : undefined;
  }

  /** Those that are on for a client, those of all included. */
  on(clientId: string): Drill[] {
    return [...this.#names].flatMap((name) => this.of(clientId, name) ?? []);
  }

  /** Where the turns of sequences are counted. */
  takeTurnsBy(turns: Turns): void {
    this.#turns = turns;
  }

  /**
   * Counts a call of the client for the drill. Undefined if the drill is not on, does not concern it or passes it over.
   *
   * @param call as the descriptions write it; none for a delivery
   */
  async hit<Name extends ByChance>(clientId: string, name: Name, call?: string): Promise<Hit<Name> | undefined> {
    const drill = this.of(clientId, name);
    if (!drill) return undefined;
    const { share = 1, seed, sequence, sequenceThen, calls }: OfCalls = drill.parameters;
    if (calls && !calls.some((each) => each === call)) return undefined;
    const key = `${drill.id} ${clientId}`;
    const number = (this.#calls.get(key) ?? 0) + 1;
    this.#calls.set(key, number);
    const [first, second] = chances(`${seed} ${name} ${number}`);
    const isHit = sequence ? (await this.#turn(clientId, drill, sequence, sequenceThen)) === 'hit' : first < share;
    return isHit ? { parameters: drill.parameters, chance: second } : undefined;
  }

  async #turn(clientId: string, drill: Drill, sequence: readonly Turn[], then: Turn = 'pass'): Promise<Turn> {
    const key = `${drill.id} ${clientId}`;
    const number = this.#over.has(key) ? undefined : await this.#turns(clientId, drill, sequence.length);
    if (number === undefined) this.#over.set(key, true);
    return sequence[(number ?? 0) - 1] ?? then;
  }

  /** Puts these in place of those before, and tells the listeners whose drills are others now. */
  replace(drills: readonly Drill[]): void {
    const now = this.#clock.now();
    const before = this.#byClient;
    const after = new Map<string, Map<DrillName, Drill>>();
    for (const drill of drills) {
      if (!isOn(drill, now)) continue;
      const others = after.get(drill.clientId);
      if (others) others.set(drill.name, drill);
      else after.set(drill.clientId, new Map([[drill.name, drill]]));
    }
    this.#byClient = after;
    this.#names = new Set([...after.values()].flatMap((each) => [...each.keys()]));
    for (const clientId of new Set([...before.keys(), ...after.keys()])) {
      if (ids(before.get(clientId)) === ids(after.get(clientId))) continue;
      for (const listener of this.#listeners) listener(clientId);
    }
  }

  /** No drill has had calls. */
  forgetCalls(): void {
    this.#calls.clear();
    this.#over.clear();
  }

  /** Calls `listener` when the drills of a client, or of `everybody`, have changed. An end is told up to a second late. */
  onChange(listener: (clientId: string) => void): void {
    this.#listeners.add(listener);
  }
}

function ids(drills: ReadonlyMap<DrillName, Drill> = new Map()): string {
  return [...drills.values()]
    .map(({ id }) => id)
    .sort()
    .join(' ');
}

/** Two numbers from 0 to 1, 1 excluded, that follow from a text. */
function chances(text: string): [number, number] {
  const hash = createHash('sha256').update(text).digest();
  return [hash.readUInt32BE(0) / 2 ** 32, hash.readUInt32BE(4) / 2 ** 32];
}
