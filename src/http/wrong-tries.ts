import type { FastifyReply, FastifyRequest } from 'fastify';
import { BoundedCache } from '../bounded-cache.ts';
import { addressLimit } from './rate-limit.ts';
import { addressKey } from './requests/address.ts';
import { rateLimitHeaders } from './requests/header-names.ts';
import type { ServerContext } from './server-context.ts';

/** Addresses that are remembered: as many as the limit counts. */
const maxAddresses = 100_000;

/**
 * Counts wrong secrets by address, so that nobody can guess. Who sends too many is refused whatever comes next, the right one
 * too, until the limit has room: else guessing would go on.
 */
export class WrongTries {
  readonly #context: ServerContext;
  readonly #limit: ReturnType<typeof addressLimit>;
  /** When the limit has room again, on the clock's elapsed scale. */
  readonly #refusedUntil = new BoundedCache<string, number>(maxAddresses);

  constructor(name: string, perMinute: number, context: ServerContext) {
    this.#context = context;
    this.#limit = addressLimit(name, perMinute, context);
  }

  /** Tells whether the right one is taken from the address of `request`. */
  takes(request: FastifyRequest | undefined): boolean {
    return this.#context.clock.elapsed() >= (this.#refusedUntil.get(addressKey(request?.ip)) ?? 0);
  }

  /** Counts one, and rejects: with `otherwise`, or with the refusal of the limit. */
  count(request: FastifyRequest, reply: FastifyReply, otherwise: Error): Promise<never> {
    return new Promise((_, reject) =>
      this.#limit(request, reply, (refusal) => {
        const seconds = Number(reply.getHeader(rateLimitHeaders.reset));
        if (refusal) this.#refusedUntil.set(addressKey(request.ip), this.#context.clock.elapsed() + seconds * 1000);
        reject(refusal ?? otherwise);
      }),
    );
  }
}
