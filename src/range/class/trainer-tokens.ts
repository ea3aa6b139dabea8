import { createHash, timingSafeEqual } from 'node:crypto';
import { BoundedCache } from '../../bounded-cache.ts';
import { addressKey } from '../../http/requests/address.ts';
import { type Caller, invalidToken, type Tokens } from '../../http/requests/bearer.ts';
import type { ServerContext } from '../../http/server-context.ts';
import { WrongTries } from '../../http/wrong-tries.ts';
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
 * Wrong ones are counted. An address from which the right one came before is not refused it: learners behind the same proxy must not
 * lock the trainer out.
 */
export function trainerTokens(token: string | undefined, context: ServerContext): Tokens {
  const expected = token === undefined ? undefined : digest(token);
  const wrong = new WrongTries('trainer-tokens', wrongPerMinute, context);
  const known = new BoundedCache<string, true>(maxAddresses);

  return {
    source: 'the TRAINER_TOKEN that the banner shows',
    verify(sent, request, reply) {
      if (!expected) {
        throw invalidToken('This server has no trainer: its operator can set TRAINER_TOKEN and restart it');
      }
      const key = addressKey(request?.ip);
      const isRight = timingSafeEqual(digest(sent), expected);
      if (isRight && (known.get(key) || wrong.takes(request))) {
        known.set(key, true);
        return trainer;
      }
      const isClients = sent.startsWith('eyJ');
      const refusal = invalidToken(
        `The token is not that of the trainer${isClients ? ', but one of a client' : ''}. Send the TRAINER_TOKEN that the banner shows`,
      );
      // A client's is no guess, unless that of the trainer begins like one.
      if (!request || !reply || (isClients && !token?.startsWith('eyJ'))) throw refusal;
      return wrong.count(request, reply, refusal);
    },
    // Asked only of those that clients send.
    holder: async () => undefined,
    use: () => true,
    existed: () => true,
    exists: async () => true,
    lockClient: async () => {},
  };
}
