import { alias, integer, type RowOf } from '../database/columns.ts';
import type { Database, Sql } from '../database/database.ts';
import { lockRows } from '../database/lock-order.ts';
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
import { day } from '../time/units.ts';
import { ClassMoves, classMoves, type MovedClients } from './class-moves.ts';
import { clients } from './clients.ts';
import { nextMove } from './move-number.ts';
import type { OwnedRows } from './owned-rows.ts';

/*
 * The moves of clients' clocks, in the database. A move changes the row of its client, and makes what is due for that client
 * due earlier, in one transaction. Then this process knows it, and the others are told by a signal; they look by themselves
 * once a second, should it be lost. A removed client is forgotten at the next reading of all.
 */

/** Milliseconds by which a move changes the clock of a client whose time (milliseconds since 1970) is `now`. */
export type By = (now: number) => number;

const exactly =
  (milliseconds: number): By =>
  () =>
    milliseconds;

/** Why a clock was not moved. */
export type MoveRefusal = 'gone' | 'preset' | 'too-far';

/** Years by which a clock may be ahead. Later dates are of no use, and in the end they are none. */
export const maxYearsAhead = 10;

/** The same in milliseconds: ten years have three leap days at the most. */
export const furthest = (maxYearsAhead * 365 + 3) * day;

/** Milliseconds between two looks for moves of other processes. */
const lookEveryMs = 1000;

/** Milliseconds after which all clocks are read again. */
const readAllEvery = 10 * 60 * 1000;

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
  /** Those of all clients. */
  readonly ofClass: ClassMoves;
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
    this.ofClass = new ClassMoves(database, clock, (clientId, number) => this.#takePart(clientId, number));
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
    return this.#tell(clientId, moved);
  }

  /**
   * Moves the clocks of all demo clients by so many milliseconds. Where time stands still it is moved instead, for all and
   * for those to come.
   */
  async advanceAll(by: number): Promise<MovedClients> {
    if (!this.#time) return this.ofClass.advanceAll(by);
    this.#time.advance(by);
    this.#clocks.allMoved(by);
    this.#database.signal(clocksMoved);
    return { moved: (await countAll(this.#database.sql))?.count ?? 0, unmoved: 0 };
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

  /** Has a client take part in the moves of all up to this one. False when that would bring it too far ahead. */
  async #takePart(clientId: string, number: number): Promise<boolean> {
    const moved = await this.#database.write(async (sql) => {
      const row = await lock(sql, { id: clientId });
      if (!row || row.classMove >= number) return undefined;
      const missed = await findMissed(sql, { ...row, number });
      const each = missed.map(({ byMs }) => exactly(byMs));
      return this.#move(sql, { ...row, classMove: number }, each);
    });
    return this.#tell(clientId, moved) !== 'too-far';
  }

  /** Tells this process and the others of a move. Returns why there was none. */
  #tell(clientId: string, moved: ClientOffset | MoveRefusal | undefined): MoveRefusal | undefined {
    if (typeof moved === 'string' || moved === undefined) return moved;
    this.#clocks.set(clientId, moved);
    this.#database.signal(clocksMoved);
    return undefined;
  }

  async #advance(sql: Sql, clientId: string, by: By): Promise<ClientOffset | MoveRefusal> {
    const row = await lock(sql, { id: clientId });
    if (!row) return 'gone';
    return row.preset === 1 ? 'preset' : this.#move(sql, row, [by]);
  }

  /** Moves the clock of a client whose row is locked, as far as it may be ahead. */
  async #move(sql: Sql, row: LockedClock, each: readonly By[]): Promise<ClientOffset | 'too-far'> {
    const now = this.#clock.now();
    const before = offsetOf(row);
    let after = before;
    let isTooFar = false;
    for (const by of each) {
      const move: ClockMove = { at: afterMove(now, after.moves), by: by(now + after.offset) };
      const offset = after.offset + move.by;
      isTooFar = offset > furthest;
      if (!isTooFar) after = { offset, moves: [...after.moves, move].slice(-keptMoves) };
    }
    const isMoved = after !== before;
    if (isMoved) for (const rows of this.#rows) await rows.move?.(sql, row.id, after.offset - before.offset);
    await save(sql, {
      id: row.id,
      classMove: row.classMove,
      clockOffset: after.offset,
      clockMoves: JSON.stringify(after.moves.map(({ at, by }) => [at, by])),
      // The last lock.
      clockNumber: isMoved ? await nextMove(sql) : row.clockNumber,
    });
    return isTooFar ? 'too-far' : after;
  }

  async #read(): Promise<void> {
    const now = this.#clock.elapsed();
    const all = now - this.#allReadAt >= readAllEvery;
    const known = all ? [...this.#clocks.moved] : [];
    const rows = await findMoved(this.#database.sql, { seen: all ? 0 : this.#seen });
    for (const row of rows) this.#clocks.set(row.id, offsetOf(row));
    this.#seen = rows.at(-1)?.clockNumber ?? this.#seen;
    if (!all) return;
    this.#allReadAt = now;
    const there = new Set(rows.map(({ id }) => id));
    for (const id of known) if (!there.has(id)) this.#clocks.forget(id);
  }
}

function offsetOf({ clockOffset, clockMoves }: RowOf<typeof offsets>): ClientOffset {
  const moves = (JSON.parse(clockMoves) as [number, number][]).map(([at, by]) => ({ at, by }));
  return { offset: clockOffset, moves };
}

const offsets = clients.pick('id', 'clockOffset', 'clockMoves');
const locked = clients.pick('id', 'clockOffset', 'clockMoves', 'clockNumber', 'classMove', 'preset', 'createdAt');
type LockedClock = RowOf<typeof locked>;

const lock = statement.get`
  select ${locked} from clients where id = ${'id'} and removed_at is null ${lockRows}`;

const save = statement.run`
  update clients set clock_offset = ${'clockOffset'}, clock_moves = ${'clockMoves'}, clock_number = ${'clockNumber'},
    class_move = ${'classMove'}
  where id = ${'id'}`;

const findMissed = statement.all`
  select ${classMoves.pick('byMs')} from class_moves
  where number > ${'classMove'} and number <= ${'number'} and begun_at >= ${'createdAt'} order by number`;

const findMoved = statement.all`
  select ${offsets}, ${clients.pick('clockNumber')} from clients
  where clock_number > ${'seen'} and removed_at is null order by clock_number`;

const countAll = statement.get`
  select count(*) as ${alias('count', integer)} from clients where preset = 0 and removed_at is null`;
