import { createHash } from 'node:crypto';
import { table, text } from '../database/columns.ts';
import type { Database, Sql } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { clientGone } from '../http/bearer.ts';
import { ProblemError } from '../http/problem.ts';
import type { Randomness } from '../randomness.ts';
import { type Clock, instant } from '../time/clock.ts';
import { newSecret, secretHash } from './client.ts';
import { holdClient, setSecret } from './clients.ts';

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
const codeLength = 10;

export interface TransferCode {
  /** `XXXXX-XXXXX`. */
  readonly code: string;
  readonly expiresAt: string;
}

export interface ClientCode extends TransferCode {
  readonly clientId: string;
}

/** Clients that get one in a transaction. */
const atOnce = 50;

export class Transfers {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #randomness: Randomness;

  constructor(database: Database, clock: Clock, randomness: Randomness) {
    this.#database = database;
    this.#clock = clock;
    this.#randomness = randomness;
  }

  /** A code for a client, which holds for so many milliseconds. */
  async open(clientId: string, lifetime: number): Promise<TransferCode> {
    const [code] = await this.openAll([clientId], lifetime);
    if (!code) throw clientGone();
    return { code: code.code, expiresAt: code.expiresAt };
  }

  /** One for each of some clients; for one that is gone there is none. */
  async openAll(clientIds: readonly string[], lifetime: number): Promise<ClientCode[]> {
    const opened: ClientCode[] = [];
    for (let at = 0; at < clientIds.length; at += atOnce) {
      const expiresAt = instant(this.#clock.now() + lifetime);
      // In one order, so that two who do this at a time don't wait for each other.
      const drawn = clientIds
        .slice(at, at + atOnce)
        .toSorted()
        .map((clientId) => ({ clientId, plain: this.#draw() }));
      const codes = await this.#database.write(async (sql) => {
        const written: ClientCode[] = [];
        for (const { clientId, plain } of drawn) {
          if (!(await holdClient(sql, clientId))) continue;
          await removeOf(sql, { clientId });
          await insert(sql, { codeHash: hashOf(plain), clientId, expiresAt });
          written.push({ clientId, code: `${plain.slice(0, 5)}-${plain.slice(5)}`, expiresAt });
        }
        return written;
      });
      opened.push(...codes);
    }
    return opened;
  }

  #draw(): string {
    return [...this.#randomness.bytes('transfer', codeLength)].map((byte) => alphabet[byte % 32]).join('');
  }

  /** The client of a code, with a new secret; undefined if there is no such code. */
  async use(code: string): Promise<{ clientId: string; secret: string } | undefined> {
    const secret = newSecret(this.#randomness);
    const now = instant(this.#clock.now());
    const clientId = await this.#database.write(async (sql) => {
      const found = await take(sql, { codeHash: hashOf(plain(code)) });
      if (!found || found.expiresAt <= now || !(await holdClient(sql, found.clientId))) return undefined;
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

/** As it was made, however it was typed. */
function plain(code: string): string {
  return code.toUpperCase().replace(/[\s-]/g, '').replace(/O/g, '0').replace(/[IL]/g, '1');
}

const hashOf = (code: string) => createHash('sha256').update(code).digest('hex');

const insert = statement.run`insert into transfers ${transfers.values}`;

const removeOf = statement.run`delete from transfers where client_id = ${'clientId'}`;

const take = statement.get`
  delete from transfers where code_hash = ${'codeHash'} returning ${transfers.pick('clientId', 'expiresAt')}`;
