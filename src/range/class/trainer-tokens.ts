import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BoundedCache } from '../../bounded-cache.ts';
import { addressKey } from '../../http/address.ts';
import { type Caller, invalidToken, type Tokens } from '../../http/bearer.ts';
import { rateLimitHeaders } from '../../http/header-names.ts';
import { addressLimit } from '../../http/rate-limit.ts';
import type { ServerContext } from '../../http/server-context.ts';
import { trainerId } from '../exchanges/attribution.ts';

const trainer: Caller = { clientId: trainerId, scopes: new Set(), expiresAt: Number.MAX_SAFE_INTEGER };

const digest = (text: string) => createHash('sha256').update(text).digest();

/** Takes the tokens of clients, and tells the trainer that its own is for other addresses. */
export function clientTokens(tokens: Tokens, trainerToken: string | undefined): Tokens {
  if (trainerToken === undefined) return tokens;
  const expected = digest(trainerToken);
  return {
    ...tokens,
    verify(sent) {
      // A client's begins so: that of the trainer is not compared with it at each call.
      if (sent.startsWith('eyJ') || !timingSafeEqual(digest(sent), expected)) return tokens.verify(sent);
      throw invalidToken(
        'The token is that of the trainer, for the addresses under /range/v1/trainer. What is under /range/v1/me belongs to a client: send the access_token that it gets from POST /insurer/v1/auth/token',
      );
    },
  };
}

/** Wrong tokens that one address can send in a minute. */
const wrongPerMinute = 10;

/** Addresses that are remembered. */
const maxAddresses = 10_000;

/**
 * Takes the trainer's token in place of those of clients: one that does not expire and is compared in constant time.
 * Where none is set, nobody is the trainer.
 *
 * Who sends too many wrong ones is refused whatever comes next, the right one too, until the limit has room: else guessing
 * would go on. An address from which the right one came before is not refused it: learners behind the same proxy must not
 * lock the trainer out.
 */
export function trainerTokens(token: string | undefined, context: ServerContext): Tokens {
  const expected = token === undefined ? undefined : digest(token);
  const limit = addressLimit('trainer-tokens', wrongPerMinute, context);
  const known = new BoundedCache<string, true>(maxAddresses);
  /** When the limit has room again, on the clock's elapsed scale. */
  const refusedUntil = new BoundedCache<string, number>(maxAddresses);

  function count(request: FastifyRequest, reply: FastifyReply, otherwise: Error): Promise<never> {
    return new Promise((_, reject) =>
      limit(request, reply, (refusal) => {
        const seconds = Number(reply.getHeader(rateLimitHeaders.reset));
        if (refusal) refusedUntil.set(addressKey(request.ip), context.clock.elapsed() + seconds * 1000);
        reject(refusal ?? otherwise);
      }),
    );
  }

  return {
    source: 'the TRAINER_TOKEN that the banner shows',
    verify(sent, request, reply) {
      if (!expected) {
        throw invalidToken('This server has no trainer: its operator can set TRAINER_TOKEN and restart it');
      }
      const key = addressKey(request?.ip);
      const isRight = timingSafeEqual(digest(sent), expected);
      if (isRight && (known.get(key) || context.clock.elapsed() >= (refusedUntil.get(key) ?? 0))) {
        known.set(key, true);
        return trainer;
      }
      const isClients = sent.startsWith('eyJ');
      const refusal = invalidToken(
        `The token is not that of the trainer${isClients ? ', but one of a client' : ''}. Send the TRAINER_TOKEN that the banner shows`,
      );
      // A client's is no guess, unless that of the trainer begins like one.
      if (!request || !reply || (isClients && !token?.startsWith('eyJ'))) throw refusal;
      return count(request, reply, refusal);
    },
    // Asked only of those that clients send.
    holder: async () => undefined,
    use: () => true,
    existed: () => true,
    exists: async () => true,
    lockClient: async () => {},
  };
}
