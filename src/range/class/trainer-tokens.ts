import { createHash, timingSafeEqual } from 'node:crypto';
import { type Caller, invalidToken, type Tokens } from '../../http/bearer.ts';
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

/**
 * Takes the trainer's token in place of those of clients: one that does not expire and is compared in constant time.
 * Where none is set, nobody is the trainer.
 */
export function trainerTokens(token: string | undefined): Tokens {
  const expected = token === undefined ? undefined : digest(token);
  return {
    source: 'the TRAINER_TOKEN that the banner shows',
    verify(sent) {
      if (!expected) {
        throw invalidToken('This server has no trainer: its operator can set TRAINER_TOKEN and restart it');
      }
      if (timingSafeEqual(digest(sent), expected)) return trainer;
      const clients = sent.startsWith('eyJ') ? ', but one of a client' : '';
      throw invalidToken(
        `The token is not that of the trainer${clients}. Send the TRAINER_TOKEN that the banner shows`,
      );
    },
    // Asked only of those that clients send.
    holder: async () => undefined,
    use: () => true,
    existed: () => true,
    exists: async () => true,
    lockClient: async () => {},
  };
}
