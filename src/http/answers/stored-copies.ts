import type { FastifyReply, FastifyRequest } from 'fastify';
import { FairPool } from '../../fair-pool.ts';
import type { Limit } from '../rate-limit.ts';
import type { LinkBase } from '../requests/absolute-url.ts';
import { addressKey } from '../requests/address.ts';

declare module 'fastify' {
  interface FastifyInstance {
    readonly copies: StoredCopies;
  }
}

/** Bytes of all copies. */
const maxBytes = 32e6;

/** Bytes that make no difference. */
const grain = 4096;

/**
 * Copies of texts and archives for other places than the one they were made for. Callers make up such places as they like,
 * by Host or by prefix, and to make a copy takes time: so copies are kept, each caller's address has a share of the room, and
 * can have only so many made a minute (`limit`).
 */
export class StoredCopies {
  readonly pool = new FairPool({ all: maxBytes, grain });
  readonly #limit: Limit;
  readonly #copies = new Map<string, unknown>();

  constructor(limit: Limit) {
    this.#limit = limit;
  }

  /**
   * The copy with this key, which says what it is of and for which place. `size`: the bytes of one.
   *
   * @throws {ProblemError} `rate-limit-exceeded`
   */
  async get<T>(
    [request, reply]: readonly [FastifyRequest, FastifyReply],
    { origin, prefix }: LinkBase,
    key: string,
    make: () => T,
    size: (copy: T) => number,
  ): Promise<T> {
    const whole = `${origin}${prefix} ${key}`;
    const kept = this.#copies.get(whole);
    if (kept !== undefined) return kept as T;
    await new Promise<void>((resolve, reject) =>
      this.#limit(request, reply, (refusal) => (refusal ? reject(refusal) : resolve())),
    );
    const copy = make();
    const holder = { address: addressKey(request.ip), client: `${origin}${prefix}` };
    const place = this.pool.take(holder, { end: () => this.#copies.delete(whole) }, size(copy));
    // Two may have been made at the same time.
    if (typeof place === 'string') return copy;
    if (this.#copies.has(whole)) place.leave();
    else this.#copies.set(whole, copy);
    return copy;
  }
}
