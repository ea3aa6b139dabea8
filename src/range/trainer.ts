import { createHash, timingSafeEqual } from 'node:crypto';
import { type Caller, invalidToken, type Tokens } from '../http/bearer.ts';

const trainer: Caller = { clientId: 'trainer', scopes: new Set(), expiresAt: Number.MAX_SAFE_INTEGER };

const digest = (text: string) => createHash('sha256').update(text).digest();

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
    use: () => true,
    existed: () => true,
    exists: async () => true,
    lockClient: async () => {},
  };
}
