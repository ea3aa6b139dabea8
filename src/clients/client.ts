import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Randomness } from '../randomness.ts';
import { instant } from '../time/clock.ts';

/** Milliseconds; the resolution at which the last use is kept. */
export const useResolution = 5 * 60 * 1000;

/** A new secret: 256 random bits, of which only a hash is kept. */
export function newSecret(randomness: Randomness): string {
  return randomness.bytes('client secret', 32).toString('base64url');
}

export function newCredentials(randomness: Randomness): { clientId: string; secret: string } {
  const clientId = `demo-${randomness.bytes('client', 10).toString('hex')}`;
  return { clientId, secret: newSecret(randomness) };
}

/** Hashes a secret as it is kept: SHA-256 in hexadecimal. A secret of 256 random bits needs no slower hash. */
export function secretHash(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

// Stands in for the hash of a client that does not exist, so that finding none takes as long as a wrong secret.
const nobody = secretHash(randomBytes(32).toString('hex'));

/** Constant time, whether the client exists (`kept` is its hash) or not. */
export function secretFits(secret: string, kept: string | undefined): boolean {
  const fits = timingSafeEqual(Buffer.from(secretHash(secret)), Buffer.from(kept ?? nobody));
  return fits && kept !== undefined;
}

/**
 * The use at `now` as it is kept: the end of the five minutes it falls in. So it is written at most once in five
 * minutes, and a client is never removed too early.
 */
export function usedUntil(now: number): string {
  return instant(Math.ceil(now / useResolution) * useResolution);
}
