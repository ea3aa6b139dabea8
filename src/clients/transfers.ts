import { table, text } from '../database/columns.ts';
import { type Database, DatabaseBusy, type Sql } from '../database/database.ts';
import { eachInTurn } from '../database/each-in-turn.ts';
import { statement } from '../database/statement.ts';
import { ProblemError } from '../http/problems/problem.ts';
import type { Randomness } from '../randomness.ts';
import { codeLength, plainCode } from '../text/transfer-code.ts';
import { type Clock, instant } from '../time/clock.ts';
import { PeriodicJob } from '../time/periodic-job.ts';
import { newSecret, secretHash } from './client.ts';
import { holdClient, setSecret } from './clients.ts';
import { HeldCodes, hashOf } from './held-codes.ts';

/*
 * Codes by which a client goes on in another browser. A code is for one client, holds once and for a time, and only its hash
 * is kept: who uses it gets a new secret of the client, and the old one ends. A new code of a client takes the place of the
 * one before. Its 50 bits can't be guessed in that time; `wrong-tries.ts` counts those who try.
 */

const transfers = table('transfers', {
  /** SHA-256 of the ten characters, in hexadecimal. */
  codeHash: text,
  clientId: text,
  expiresAt: text,
});

/** Crockford's base32: no I, L, O or U, which are misread. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** The channel on which other nodes hear of new codes. */
const codesOpened = 'codes';

/** Milliseconds between two readings of those that hold, should a signal be lost. */
const readEveryMs = 60_000;

export interface TransferCode {
  /** `XXXXX-XXXXX`. */
  readonly code: string;
  readonly expiresAt: string;
}

export interface ClientCode extends TransferCode {
  readonly clientId: string;
}

export class Transfers {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #randomness: Randomness;

  /** Those that hold, of all nodes. */
  readonly held: HeldCodes;
  readonly #reading: PeriodicJob;
  readonly #stopListening: () => void;

  private constructor(database: Database, clock: Clock, randomness: Randomness) {
    this.#database = database;
    this.#clock = clock;
    this.#randomness = randomness;
    this.held = new HeldCodes(clock);
    this.#reading = new PeriodicJob(
      () => this.#read(),
      () => {},
    ).every(readEveryMs);
    this.#stopListening = database.onSignal(codesOpened, () => void this.#reading.run());
  }

  static async open(database: Database, clock: Clock, randomness: Randomness): Promise<Transfers> {
    const transfers = new Transfers(database, clock, randomness);
    await transfers.#read();
    return transfers;
  }

  async close(): Promise<void> {
    this.#stopListening();
    await this.#reading.stop();
  }

  async #read(): Promise<void> {
    this.held.removeEnded();
    for (const each of await findHeld(this.#database.sql, { now: instant(this.#clock.now()) })) this.held.add(each);
  }

  /**
   * A code for a client, which holds for so many milliseconds.
   *
   * @throws {ProblemError} `gone()` when the client is gone
   */
  async open(clientId: string, lifetime: number, gone: () => ProblemError): Promise<TransferCode> {
    const code = await this.#open(clientId, lifetime);
    if (!code) throw gone();
    this.#database.signal(codesOpened);
    return code;
  }

  /** One for each of some clients, but for those that are gone, and those for which the database had no time. */
  async openAll(clientIds: readonly string[], lifetime: number): Promise<ClientCode[]> {
    const codes = await eachInTurn(this.#database, clientIds.toSorted(), async (clientId) => {
      const code = await this.#open(clientId, lifetime).catch((error) => {
        if (!(error instanceof DatabaseBusy)) throw error;
      });
      return code ? [{ clientId, ...code }] : [];
    });
    this.#database.signal(codesOpened);
    return codes.flat();
  }

  async #open(clientId: string, lifetime: number): Promise<TransferCode | undefined> {
    const expiresAt = instant(this.#clock.now() + lifetime);
    const plain = this.#draw();
    const row = { codeHash: hashOf(plain), clientId, expiresAt };
    const isOpen = await this.#database.write(async (sql) => {
      if (!(await holdClient(sql, clientId))) return false;
      await removeOf(sql, { clientId });
      await insert(sql, row);
      return true;
    });
    if (!isOpen) return undefined;
    this.held.add(row);
    return { code: `${plain.slice(0, 5)}-${plain.slice(5)}`, expiresAt };
  }

  #draw(): string {
    return [...this.#randomness.bytes('transfer', codeLength)].map((byte) => alphabet[byte % 32]).join('');
  }

  /** The client of a code, with a new secret; undefined if there is no such code. */
  async use(code: string): Promise<{ clientId: string; secret: string } | undefined> {
    const secret = newSecret(this.#randomness);
    const now = instant(this.#clock.now());
    const clientId = await this.#database.write(async (sql) => {
      const codeHash = hashOf(plainCode(code));
      const found = await find(sql, { codeHash });
      if (!found || !(await holdClient(sql, found.clientId))) return undefined;
      // Somebody else may have used it meanwhile.
      const isThere = (await take(sql, { codeHash })) > 0;
      if (!isThere || found.expiresAt <= now) return undefined;
      await setSecret(sql, { id: found.clientId, secretHash: secretHash(secret) });
      return found.clientId;
    });
    return clientId === undefined ? undefined : { clientId, secret };
  }
}

export function noSuchCode(): ProblemError {
  const detail =
    'There is no such code: it is mistyped, was used before, or its time is over. Get a new one where the client is still known, or from your trainer.';
  return new ProblemError('transfer-not-found', detail);
}

/** Removes the code of a client that is being removed. Returns how many there were. */
export function removeTransfer(sql: Sql, clientId: string): Promise<number> {
  return removeOf(sql, { clientId });
}

const insert = statement.run`insert into transfers ${transfers.values}`;

const removeOf = statement.run`delete from transfers where client_id = ${'clientId'}`;

const find = statement.get`
  select ${transfers.pick('clientId', 'expiresAt')} from transfers where code_hash = ${'codeHash'}`;

const findHeld = statement.all`select ${transfers} from transfers where expires_at > ${'now'}`;

const take = statement.run`delete from transfers where code_hash = ${'codeHash'}`;
