/*
 * Which rows a transaction locks, and in which order. PostgreSQL holds the lock of a row that a transaction changed until
 * that transaction ends. Two transactions that take two rows in two orders wait for each other: a deadlock, which one of
 * them pays for by beginning anew. So all of them take what they need in one order, and none waits in a circle:
 *
 * 1. By table, in the order of `lockOrder`. A table that was taken may be taken again: its rows are locked then.
 * 2. Several rows of one table by their keys. One statement that changes several rows takes them in no certain order, so
 *    they are locked before, with `lockRows` behind an `order by` their keys.
 * 3. Rows of a table in `guardedBy` are changed only while their owner's row is locked, or alone in a transaction: so
 *    their own order is of no consequence.
 * 4. A new row has no lock that anybody could wait for, but where an index allows it once: of the policies in force for a
 *    vehicle. A transaction takes vehicles in the order of their keys, and one that takes several changes no policy of others.
 * 5. The counters of all (claims of a year, moves of clocks, events, stored bytes) come last, since everybody waits for them.
 * 6. Housekeeping that may leave a row for its next round takes what is free, with `freeRows`, and waits for nobody.
 * 7. A role is no lock of a transaction: it is that of a connection which does nothing else, and is tried for, not waited for.
 *
 * What concerns many clients is done client by client, each in a transaction of its own, in the order of their ids.
 * `transaction.ts` holds every transaction of both engines to 1 and 3; `test/database/lock-order.test.ts` looks at 2.
 */
import type { Fragment } from './columns.ts';
import type { Texts } from './database.ts';

/** The tables whose rows are locked, first to last. */
export const lockOrder = [
  'resets',
  'class_moves',
  'clients',
  'subscriptions',
  'relays',
  'policy_imports',
  'statements',
  'learners',
  'exchanges',
  'claims',
  'policies',
  'claim_numbers',
  'clock_head',
  'event_head',
  'events',
  'exchange_bytes',
] as const;

/** Tables whose rows are changed while a row of one of these is locked, or alone in a transaction. */
export const guardedBy = {
  transfers: ['clients'],
  kept_answers: ['clients'],
  drills: ['clients'],
  drill_turns: ['clients'],
  met_plates: ['clients'],
  people: ['clients'],
  redirect_uris: ['clients'],
  consents: ['clients'],
  capstone_runs: ['clients'],
  capstone_records: ['clients'],
  claim_counts: ['clients'],
  claim_documents: ['clients'],
  examinations: ['clients'],
  lesson_progress: ['clients', 'learners'],
  policy_import_rows: ['clients', 'policy_imports'],
  statement_files: ['statements'],
  erasures: ['clients'],
  deliveries: ['subscriptions'],
  relay_calls: ['relays'],
  kafka_relay: [],
  signing_keys: [],
  announcements: [],
  class_ends: [],
  migrations: [],
} as const satisfies Record<string, readonly (typeof lockOrder)[number][]>;

/** Ends a `select`: its rows are locked until the transaction ends, in their order. The embedded engine has one writer. */
export const lockRows: Fragment<unknown, unknown> = { texts: ['/* lock rows */'], parameters: [], output: [] };

/** The same of those that nobody else has locked: the others are not in the result. */
export const freeRows: Fragment<unknown, unknown> = { texts: ['/* free rows */'], parameters: [], output: [] };

/** For rows that are locked one by one. */
export const byId = ({ id: one }: { id: string }, { id: other }: { id: string }) => (one < other ? -1 : 1);

/** A text of a statement as PostgreSQL takes it. */
export function withLockClauses(text: string): string {
  return text
    .replaceAll('/* lock rows */', 'for no key update')
    .replaceAll('/* free rows */', 'for no key update skip locked');
}

/** What a statement locks, as sets of tables. */
interface Lock {
  readonly table: string;
  /** Of a table with a place in the order; 0 of a guarded one. */
  readonly bit: number;
  /** The tables that come later. */
  readonly later: number;
  /** Those of which a row must be locked, unless nothing is; undefined for a table with a place in the order. */
  readonly guards: number | undefined;
}

type Ordered = (typeof lockOrder)[number];

// Guarded tables have no bits: all together are more than a number has.
const bitsOf = (tables: readonly Ordered[]) =>
  tables.reduce((bits, table) => bits | (1 << lockOrder.indexOf(table)), 0);

const guards = new Map<string, readonly Ordered[]>(Object.entries(guardedBy));

/** The table of which a statement locks rows; undefined if it locks none. */
export function lockedTable(text: string): string | undefined {
  const [, verb, table] = /\b(insert into|update(?! set\b)|delete from)\s+(\w+)/.exec(text) ?? [];
  if (verb !== undefined) return verb === 'insert into' && !text.includes('on conflict') ? undefined : table;
  return /\/\* (?:lock|free) rows \*\//.test(text) ? /\bfrom\s+(\w+)/.exec(text)?.[1] : undefined;
}

/** Undefined for a table of nobody but a test. */
function lockOn(table: string): Lock | undefined {
  const own = guards.get(table);
  if (own) return { table, bit: 0, later: 0, guards: bitsOf(own) };
  const place = (lockOrder as readonly string[]).indexOf(table);
  if (place < 0) return undefined;
  return { table, bit: 1 << place, later: bitsOf(lockOrder.slice(place + 1)), guards: undefined };
}

const locks = new WeakMap<Texts, Lock>();

/** Notes what a statement locks, to be found by `lockOf`. */
export function noteLock(texts: Texts): void {
  const table = lockedTable(texts.join('?'));
  const lock = table === undefined ? undefined : lockOn(table);
  if (lock) locks.set(texts, lock);
}

export const lockOf = (texts: Texts): Lock | undefined => locks.get(texts);

/** The locks of one transaction. */
export class TakenLocks {
  #taken = 0;
  /** What was taken without the row that guards it, which is allowed alone. */
  #alone: string | undefined;

  /** @throws {LockedOutOfOrder} when the transaction takes it too late: another one may have them in the right order */
  take({ table, bit, later, guards }: Lock): void {
    if ((this.#taken & bit) !== 0 || this.#alone === table) return;
    if (this.#alone !== undefined) throw outOfOrder(table, `rows of ${this.#alone}, which are changed alone`);
    if ((this.#taken & later) !== 0) throw outOfOrder(table, 'rows of a table that comes later');
    if (guards !== undefined && (this.#taken & guards) === 0) {
      if (this.#taken !== 0) throw outOfOrder(table, 'others, and not the row that guards them');
      this.#alone = table;
    }
    this.#taken |= bit;
  }
}

/** A mistake of the program. */
export class LockedOutOfOrder extends Error {}

function outOfOrder(table: string, before: string): LockedOutOfOrder {
  return new LockedOutOfOrder(`A transaction locks rows of ${table} when it has locked ${before} (lock-order.ts)`);
}
