import type { OwnedRows } from '../clients/owned-rows.ts';
import type { Database } from '../database/database.ts';
import { lockRows } from '../database/lock-order.ts';
import { statement } from '../database/statement.ts';
import type { Randomness } from '../randomness.ts';
import { type Clock, instant } from '../time/clock.ts';
import { PeriodicJob } from '../time/periodic-job.ts';
import { second } from '../time/units.ts';
import { relayCalls, relays } from './tables.ts';

/*
 * Calls that a program on the learner's machine makes in place of this service. It holds a stream open, is handed each
 * call whole and signed, makes it, and sends the answer back.
 *
 * The node that delivers writes a call into a row. The node that has the stream takes it from there, once. Whichever
 * node gets the answer writes it beside the call, and the first one reads it. The row goes when the answer was read, or
 * did not come in time. A stream that ends answers what it has taken: its calls are made again as after any failure.
 * Of several streams of one client the newest serves, and the others end.
 */

/** The channels on which the nodes hear that there are calls, and answers. */
export const callsToRelay = 'relay-calls';
const relayAnswers = 'relay-answers';

/** Calls of one client that wait for its relay at the same time. */
const maxWaiting = 16;

/** Milliseconds between signs of life of a stream, and after the last one of them until its node is taken for gone. */
export const relayHeartbeat = 15 * second;
const goneAfter = 3 * relayHeartbeat;

/** Milliseconds between two looks for an answer, should a signal be lost. */
const lookAgainMs = 1000;

/** What a relay is to send. */
export interface RelayRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** In base64. */
  readonly body: string;
}

/** What went wrong on the machine of the relay. */
export const relayErrors = ['refused', 'timeout', 'closed', 'http', 'tls', 'handshake', 'name', 'other'] as const;
export type RelayError = (typeof relayErrors)[number];

/** What came back. `gone`: the stream ended before it did. */
export type RelayAnswer =
  | { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: string }
  | { readonly error: RelayError; readonly detail?: string }
  | { readonly gone: true };

/** A call as it is handed out. */
export interface RelayCall extends RelayRequest {
  readonly id: string;
}

interface Options {
  readonly database: Database;
  readonly clock: Clock;
  readonly randomness: Randomness;
}

/** The relays of all clients. */
export class Relays {
  readonly #options: Options;
  /** The calls of this node that wait for an answer, and how many a client has. */
  readonly #asked = new Map<string, (answer: RelayAnswer) => void>();
  readonly #waiting = new Map<string, number>();
  readonly #looking = new PeriodicJob(
    () => this.#look(),
    () => {},
  );
  /** Runs while a call waits. */
  #timer: NodeJS.Timeout | undefined;

  constructor(options: Options) {
    this.#options = options;
    options.database.onSignal(relayAnswers, () => void this.#looking.run());
  }

  /** How many calls of this node wait. */
  get waiting(): number {
    return this.#asked.size;
  }

  /** Whether a client has as many calls waiting as it may. */
  isFull(clientId: string): boolean {
    return (this.#waiting.get(clientId) ?? 0) >= maxWaiting;
  }

  /**
   * Has the client's relay make a call. Undefined when it does not answer in time, or the signal says to stop;
   * `no-relay` when there is none.
   */
  async call(
    clientId: string,
    request: RelayRequest,
    { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
  ): Promise<RelayAnswer | 'no-relay' | undefined> {
    const { database, clock, randomness } = this.#options;
    const now = clock.now();
    const id = randomness.uuidV7('relay call', now);
    const { promise, resolve } = Promise.withResolvers<RelayAnswer | undefined>();
    const stop = () => resolve(undefined);
    const timer = setTimeout(stop, timeoutMs);
    signal.addEventListener('abort', stop);
    this.#asked.set(id, resolve);
    this.#timer ??= setInterval(() => void this.#looking.run(), lookAgainMs);
    this.#count(clientId, 1);
    let isWritten = false;
    try {
      isWritten = await database.write(async (sql) => {
        if (!isAlive(await lock(sql, { clientId }), now)) return false;
        // What a node left that was killed.
        await removeOld(sql, { clientId, before: instant(now - 2 * timeoutMs) });
        await insert(sql, { id, clientId, createdAt: instant(now), request: JSON.stringify(request) });
        return true;
      });
      if (!isWritten) return 'no-relay';
      database.signal(callsToRelay, clientId);
      return await promise;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      this.#asked.delete(id);
      if (this.#asked.size === 0) {
        clearInterval(this.#timer);
        this.#timer = undefined;
      }
      this.#count(clientId, -1);
      if (isWritten) await database.write((sql) => remove(sql, { id }));
    }
  }

  #count(clientId: string, by: number): void {
    const count = (this.#waiting.get(clientId) ?? 0) + by;
    if (count === 0) this.#waiting.delete(clientId);
    else this.#waiting.set(clientId, count);
  }

  async #look(): Promise<void> {
    if (this.#asked.size === 0) return;
    for (const { id, answer } of await findAnswered(this.#options.database.sql)) {
      if (answer !== null) this.#asked.get(id)?.(JSON.parse(answer));
    }
  }

  /** When the stream began that serves a client; null when none does. */
  async connectedAt(clientId: string): Promise<string | null> {
    const { database, clock } = this.#options;
    const row = await findRelay(database.sql, { clientId });
    return row && isAlive(row, clock.now()) ? row.connectedAt : null;
  }

  /** A stream of the client that gets its calls from now on. */
  async connect(clientId: string): Promise<RelayStream> {
    const { database, clock, randomness } = this.#options;
    const stream = randomness.uuid('relay');
    const now = instant(clock.now());
    await database.write(async (sql) => {
      const before = await findRelay(sql, { clientId });
      await serve(sql, { clientId, stream, connectedAt: now, seenAt: now });
      if (before) await fail(sql, { clientId, stream: before.stream, answer: gone });
    });
    database.signal(callsToRelay, clientId);
    database.signal(relayAnswers);
    return {
      take: () => this.#take(clientId, stream),
      leave: async () => {
        await database.write(async (sql) => {
          await disconnect(sql, { clientId, stream });
          await fail(sql, { clientId, stream, answer: gone });
        });
        database.signal(relayAnswers);
      },
    };
  }

  async #take(clientId: string, stream: string): Promise<readonly RelayCall[] | 'replaced'> {
    const { database, clock } = this.#options;
    const found = await findRelay(database.sql, { clientId });
    if (found?.stream !== stream) return 'replaced';
    const now = clock.now();
    const isStale = found.seenAt < instant(now - relayHeartbeat / 2);
    const open = await findOpen(database.sql, { clientId });
    if (open.length === 0 && !isStale) return [];
    const taken: RelayCall[] = [];
    await database.write(async (sql) => {
      taken.length = 0;
      if ((await see(sql, { clientId, stream, seenAt: instant(now) })) === 0) return;
      for (const { id, request } of open) {
        if ((await take(sql, { id, stream })) > 0) taken.push({ id, ...JSON.parse(request) });
      }
    });
    return taken;
  }

  /** Takes the answer to a call of the client; false when none waits for it. */
  async answer(clientId: string, id: string, answer: RelayAnswer): Promise<boolean> {
    const { database } = this.#options;
    const text = JSON.stringify(answer);
    const answered = await database.write((sql) => saveAnswer(sql, { id, clientId, answer: text }));
    if (answered > 0) database.signal(relayAnswers);
    return answered > 0;
  }
}

/** What a stream does with the calls of its client. */
export interface RelayStream {
  /** Those that nobody has taken; `replaced` when another stream serves. */
  take(): Promise<readonly RelayCall[] | 'replaced'>;
  /** It has ended. */
  leave(): Promise<void>;
}

/** Whether the node of a stream has given a sign of life. */
function isAlive(row: { readonly seenAt: string } | undefined, now: number): boolean {
  return row !== undefined && row.seenAt >= instant(now - goneAfter);
}

const gone = JSON.stringify({ gone: true } satisfies RelayAnswer);

/** What there is of the relay of a client. It stays connected when the client is reset. */
export const ownedRelay: OwnedRows = {
  name: 'relay',
  stop: (sql, clientId) => lock(sql, { clientId }),
  remove: async (sql, clientId) => (await removeCalls(sql, { clientId })) + (await removeRelays(sql, { clientId })),
  reset: async () => 0,
};

const findRelay = statement.get`select ${relays} from relays where client_id = ${'clientId'}`;

const lock = statement.get`select ${relays.pick('seenAt')} from relays where client_id = ${'clientId'} ${lockRows}`;

const serve = statement.run`
  insert into relays ${relays.values} on conflict (client_id) do update
  set stream = excluded.stream, connected_at = excluded.connected_at, seen_at = excluded.seen_at`;

const disconnect = statement.run`delete from relays where client_id = ${'clientId'} and stream = ${'stream'}`;

const removeRelays = statement.run`delete from relays where client_id = ${'clientId'}`;

const removeCalls = statement.run`delete from relay_calls where client_id = ${'clientId'}`;

const see = statement.run`
  update relays set seen_at = ${'seenAt'} where client_id = ${'clientId'} and stream = ${'stream'}`;

const insert = statement.run`insert into relay_calls ${relayCalls.omit('takenBy', 'answer').values}`;

const remove = statement.run`delete from relay_calls where id = ${'id'}`;

const removeOld = statement.run`
  delete from relay_calls where client_id = ${'clientId'} and created_at < ${'before'}`;

const findOpen = statement.all`
  select ${relayCalls.pick('id', 'request')} from relay_calls
  where client_id = ${'clientId'} and taken_by is null and answer is null order by id`;

const findAnswered = statement.all`
  select ${relayCalls.pick('id', 'answer')} from relay_calls where answer is not null`;

const take = statement.run`
  update relay_calls set taken_by = ${'stream'} where id = ${'id'} and taken_by is null`;

const fail = statement.run`
  update relay_calls set answer = ${'answer'} where client_id = ${'clientId'} and taken_by = ${'stream'} and answer is null`;

const saveAnswer = statement.run`
  update relay_calls set answer = ${'answer'}
  where id = ${'id'} and client_id = ${'clientId'} and taken_by is not null and answer is null`;
