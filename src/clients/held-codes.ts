import { createHash } from 'node:crypto';
import type { Clock } from '../time/clock.ts';

/*
 * The codes of clients that hold, as their hashes, so that no log keeps one wherever it was sent. One that was used or
 * replaced stays here until its time is over: a call with it may not be written yet.
 */

/** Codes of one client that are known: who makes more has ended those before. */
const mostOfClient = 4;

interface HeldCode {
  readonly codeHash: string;
  readonly clientId: string;
  readonly expiresAt: string;
}

/** SHA-256 of the ten characters, in hexadecimal. */
export const hashOf = (code: string) => createHash('sha256').update(code).digest('hex');

/** Milliseconds behind its end in which a call with it may still wait to be written. */
const kept = 60_000;

export class HeldCodes {
  readonly #clock: Clock;
  /** When each ends, in milliseconds since 1970, by its hash. */
  readonly #ends = new Map<string, number>();
  /** The hashes of each client, the oldest first. */
  readonly #ofClient = new Map<string, string[]>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether there is none. */
  get isEmpty(): boolean {
    return this.#ends.size === 0;
  }

  /** Tells whether ten characters are a code that holds. */
  has(code: string): boolean {
    const end = this.#ends.get(hashOf(code));
    return end !== undefined && end > this.#clock.now() - kept;
  }

  add({ codeHash, clientId, expiresAt }: HeldCode): void {
    if (this.#ends.has(codeHash)) return;
    this.#ends.set(codeHash, Date.parse(expiresAt));
    const hashes = [...(this.#ofClient.get(clientId) ?? []), codeHash];
    while (hashes.length > mostOfClient) this.#ends.delete(hashes.shift() as string);
    this.#ofClient.set(clientId, hashes);
  }

  /** Forgets those whose time is over. */
  removeEnded(): void {
    for (const [clientId, hashes] of this.#ofClient) {
      const left = hashes.filter((hash) => (this.#ends.get(hash) as number) > this.#clock.now() - kept);
      for (const hash of hashes) if (!left.includes(hash)) this.#ends.delete(hash);
      if (left.length > 0) this.#ofClient.set(clientId, left);
      else this.#ofClient.delete(clientId);
    }
  }

  /** There is none. */
  clear(): void {
    this.#ends.clear();
    this.#ofClient.clear();
  }
}
