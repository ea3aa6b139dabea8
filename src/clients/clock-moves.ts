import { alias, integer, table } from '../database/columns.ts';
import type { Database, Sql } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import {
  afterMove,
  type ClientClocks,
  type ClientOffset,
  type ClockMove,
  clocksMoved,
  keptMoves,
} from '../time/client-clocks.ts';
import { type Clock, StandingClock } from '../time/clock.ts';
import { PeriodicJob } from '../time/periodic-job.ts';
import { clients } from './clients.ts';
import type { OwnedRows } from './owned-rows.ts';

/*
 * The moves of clients' clocks, in the database. A move changes the row of its client, and makes what is due for that client
 * due earlier, in one transaction. Then this process knows it, and the others are told by a signal; they look by themselves
 * once a second, should it be lost. A removed client is forgotten at the next reading of all.
 */

/** Milliseconds by which a move changes the clock of a client whose time (milliseconds since 1970) is `now`. */
export type By = (now: number) => number;

/** Why a clock was not moved. */
export type MoveRefusal = 'gone' | 'preset' | 'too-far';

/** Years by which a clock may be ahead. Later dates are of no use, and in the end they are none. */
export const maxYearsAhead = 10;

/** The same in milliseconds: ten years have three leap days at the most. */
export const furthest = (maxYearsAhead * 365 + 3) * 24 * 60 * 60 * 1000;

/** Milliseconds between two looks for moves of other processes. */
const lookEveryMs = 1000;

/** Milliseconds after which all clocks are read again. */
const readAllEvery = 10 * 60 * 1000;

/** Clients whose clocks one transaction moves at the most. */
const batch = 20;

const clockHead = table('clock_head', { moves: integer });

export class ClockMoves {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #clocks: ClientClocks;
  readonly #time: StandingClock | undefined;
  readonly #rows: readonly OwnedRows[];
  readonly #reading = new PeriodicJob(
    () => this.#read(),
    () => {},
  );
  /** The last move that is known here. */
  #seen = 0;
  /** When all were read, on the clock's elapsed scale. */
  #allReadAt = Number.NEGATIVE_INFINITY;
  readonly #stopListening: () => void;

  private constructor(database: Database, clock: Clock, clocks: ClientClocks, rows: readonly OwnedRows[]) {
    this.#rows = rows;
    this.#database = database;
    this.#clock = clock;
    this.#clocks = clocks;
    this.#time = clock instanceof StandingClock ? clock : undefined;
    this.#stopListening = database.onSignal(clocksMoved, () => void this.#reading.run());
  }

  /** `rows`: what clients own. More may be added to the list until requests come. */
  static async open(
    database: Database,
    clock: Clock,
    clocks: ClientClocks,
    rows: readonly OwnedRows[],
  ): Promise<ClockMoves> {
    const clockMoves = new ClockMoves(database, clock, clocks, rows);
    await clockMoves.#read();
    clockMoves.#reading.every(lookEveryMs);
    return clockMoves;
  }

  /** Moves the clock of one client. Resolves when that is durable. */
  async advance(clientId: string, by: By): Promise<MoveRefusal | undefined> {
    const moved = await this.#database.write((sql) => this.#advance(sql, clientId, by));
    if (typeof moved === 'string') return moved;
    this.#clocks.set(clientId, moved);
    this.#database.signal(clocksMoved);
    return undefined;
  }

  /**
   * Moves the clocks of all demo clients by so many milliseconds, some in each transaction. Returns how many were moved
   * and were not. Where time stands still it is moved instead, for all and for those to come.
   */
  async advanceAll(by: number): Promise<{ moved: number; unmoved: number }> {
    if (this.#time) return this.#advanceTime(this.#time, by);
    const counts = { moved: 0, unmoved: 0 };
    for (let after = ''; ; ) {
      const page = await findPage(this.#database.sql, { after, batch });
      const last = page.at(-1);
      if (!last) return counts;
      after = last.id;
      const moves = await this.#database.write(async (sql) => {
        const moves: [string, ClientOffset | MoveRefusal][] = [];
        for (const { id } of page) moves.push([id, await this.#advance(sql, id, () => by)]);
        return moves;
      });
      for (const [id, moved] of moves) {
        if (typeof moved === 'string') counts.unmoved += 1;
        else this.#clocks.set(id, moved);
      }
      counts.moved += moves.filter(([, moved]) => typeof moved === 'object').length;
      this.#database.signal(clocksMoved);
    }
  }

  /** The database was emptied. */
  forget(): void {
    this.#seen = 0;
    this.#clocks.forgetAll();
  }

  async close(): Promise<void> {
    this.#stopListening();
    await this.#reading.stop();
  }

  async #advanceTime(time: StandingClock, by: number): Promise<{ moved: number; unmoved: number }> {
    time.advance(by);
    this.#clocks.allMoved(by);
    this.#database.signal(clocksMoved);
    return { moved: (await countAll(this.#database.sql))?.count ?? 0, unmoved: 0 };
  }

  async #advance(sql: Sql, clientId: string, by: By): Promise<ClientOffset | MoveRefusal> {
    const row = await lock(sql, { id: clientId });
    if (!row) return 'gone';
    if (row.preset === 1) return 'preset';
    const now = this.#clock.now();
    const before = read(row.clockMoves);
    const move: ClockMove = { at: afterMove(now, before), by: by(now + row.clockOffset) };
    const offset = row.clockOffset + move.by;
    if (offset > furthest) return 'too-far';
    const moves = [...before, move].slice(-keptMoves);
    for (const rows of this.#rows) await rows.move?.(sql, clientId, move.by);
    const head = await nextNumber(sql);
    await save(sql, {
      id: clientId,
      clockOffset: offset,
      clockMoves: JSON.stringify(moves.map(({ at, by }) => [at, by])),
      clockNumber: head?.moves ?? 0,
    });
    return { offset, moves };
  }

  async #read(): Promise<void> {
    const now = this.#clock.elapsed();
    const all = now - this.#allReadAt >= readAllEvery;
    const known = all ? [...this.#clocks.moved] : [];
    const rows = await findMoved(this.#database.sql, { seen: all ? 0 : this.#seen });
    for (const { id, clockOffset: offset, clockMoves } of rows)
      this.#clocks.set(id, { offset, moves: read(clockMoves) });
    this.#seen = rows.at(-1)?.clockNumber ?? this.#seen;
    if (!all) return;
    this.#allReadAt = now;
    const there = new Set(rows.map(({ id }) => id));
    for (const id of known) if (!there.has(id)) this.#clocks.forget(id);
  }
}

function read(text: string): ClockMove[] {
  return (JSON.parse(text) as [number, number][]).map(([at, by]) => ({ at, by }));
}

const offsets = clients.pick('id', 'clockOffset', 'clockMoves');

const lock = statement.get`
  update clients set clock_offset = clock_offset where id = ${'id'} and removed_at is null
  returning ${offsets}, ${clients.pick('preset')}`;

const save = statement.run`
  update clients set clock_offset = ${'clockOffset'}, clock_moves = ${'clockMoves'}, clock_number = ${'clockNumber'}
  where id = ${'id'}`;

const nextNumber = statement.get`update clock_head set moves = moves + 1 where id = 1 returning ${clockHead}`;

const findMoved = statement.all`
  select ${offsets}, ${clients.pick('clockNumber')} from clients
  where clock_number > ${'seen'} and removed_at is null order by clock_number`;

const countAll = statement.get`
  select count(*) as ${alias('count', integer)} from clients where preset = 0 and removed_at is null`;

const findPage = statement.all`
  select ${clients.pick('id')} from clients
  where preset = 0 and removed_at is null and id > ${'after'} order by id limit ${'batch'}`;
