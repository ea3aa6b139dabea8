import type { Clock } from './clock.ts';

/*
 * The clock of one client. It is the real one until the client moves it ahead (the range); then it is so much later,
 * for good. Nobody else notices.
 *
 * In the database, what an interface shows of a client is in the client's time: when a policy was created, its days of
 * cover, when a claim changed. What only the program looks at is in real time, so that one query finds it for all
 * clients: when a claim moves next, when a webhook is called again, when an event was published. Two rules connect
 * them. What is still to come is made earlier by each move, in its transaction (`OwnedRows.move`). How old something
 * is, is asked by `since`, which knows the time that was skipped.
 */

/** One move: when it was made, and by how much. Both in milliseconds, the first since 1970, in real time. */
export interface ClockMove {
  readonly at: number;
  readonly by: number;
}

/** How far the clock of a client is ahead, in milliseconds, and its latest moves, oldest first. */
export interface ClientOffset {
  readonly offset: number;
  readonly moves: readonly ClockMove[];
}

/** The signal channel for clocks that were moved. */
export const clocksMoved = 'clocks';

/** How many moves are remembered. Of more, what was before the first looks younger than it is, and is kept longer. */
export const keptMoves = 100;

/** Stands for all clients. */
export const everyClient = '';

/** Milliseconds by which a last move may lie ahead without the clock of the machine having been set back since. */
const tolerance = 60 * 1000;

/**
 * A real time after the last of these moves, and `now` where that is later. Where time stands still all moves are of one
 * instant, and in real time two things can be: what was written before a move must look older than what comes after it.
 */
export function afterMove(now: number, moves: readonly ClockMove[]): number {
  const last = moves.at(-1)?.at ?? Number.NEGATIVE_INFINITY;
  return last >= now && last - now < tolerance ? last + 1 : now;
}

const unmoved: ClientOffset = { offset: 0, moves: [] };

/** The clocks of all clients, as far as this process knows them: a moment late where another one moved them. */
export class ClientClocks {
  readonly #clock: Clock;
  /** Of clients that moved theirs. */
  readonly #offsets = new Map<string, ClientOffset>();
  readonly #listeners: ((clientId: string, by: number) => void)[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Milliseconds since 1970 for this client; in real time for nobody. */
  now(clientId: string | undefined): number {
    return this.#clock.now() + this.offset(clientId);
  }

  /** Milliseconds by which its clock is ahead. */
  offset(clientId: string | undefined): number {
    return clientId === undefined ? 0 : (this.#offsets.get(clientId)?.offset ?? 0);
  }

  /** By how many it was ahead at a real time, in milliseconds since 1970, as far as its moves are remembered. */
  offsetAt(clientId: string, time: number): number {
    // Where time stands still, the times don't tell: what is asked about came after the last move.
    if (this.#clock.stands) return this.offset(clientId);
    const { offset, moves } = this.#offsets.get(clientId) ?? unmoved;
    return moves.reduce((left, { at, by }) => (at > time ? left - by : left), offset);
  }

  /** The real time that is written with what has an age for the client: later than that of its last move. */
  present(clientId: string | undefined): number {
    return afterMove(this.#clock.now(), this.#movesOf(clientId));
  }

  /**
   * The real time, in milliseconds since 1970, of what has this age for the client. What is older than `age`
   * milliseconds to the client was written (`present`) before it or at it.
   */
  since(clientId: string | undefined, age: number): number {
    const moves = this.#movesOf(clientId);
    let left = age;
    let until = afterMove(this.#clock.now(), moves);
    for (const { at, by } of moves.toReversed()) {
      // If the system's clock was set back, the move may lie ahead.
      const passed = Math.max(0, until - at);
      if (left <= passed) break;
      until -= passed;
      left -= passed;
      // What has this age lies in the time that was skipped. What was written before the move is as old, or older.
      if (left <= by) return until;
      left -= by;
    }
    return until - left;
  }

  /** Called when a clock was moved, with milliseconds; that of all for `everyClient`. */
  onMoved(listener: (clientId: string, by: number) => void): void {
    this.#listeners.push(listener);
  }

  /** To be told how far ahead a client is. What is behind what is known is ignored: a clock never goes back. */
  set(clientId: string, known: ClientOffset): void {
    const by = known.offset - this.offset(clientId);
    if (by <= 0) return;
    this.#offsets.set(clientId, known);
    for (const listener of this.#listeners) listener(clientId, by);
  }

  /** To be told that real time itself was moved, by so many milliseconds. */
  allMoved(by: number): void {
    for (const listener of this.#listeners) listener(everyClient, by);
  }

  /** Of a client that is gone. */
  forget(clientId: string): void {
    this.#offsets.delete(clientId);
  }

  /** Of all clients: none is there any more. */
  forgetAll(): void {
    this.#offsets.clear();
  }

  #movesOf(clientId: string | undefined): readonly ClockMove[] {
    return (clientId === undefined ? undefined : this.#offsets.get(clientId))?.moves ?? [];
  }

  /** Whether the clock of any client is ahead. */
  get areMoved(): boolean {
    return this.#offsets.size > 0;
  }

  /** The clients whose clocks are ahead. */
  get moved(): IterableIterator<string> {
    return this.#offsets.keys();
  }
}
