import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Randomness } from '../randomness.ts';
import { instant } from '../time/clock.ts';
import { day } from '../time/units.ts';

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

/** Milliseconds for which the secret before holds beside a new one, of a client or a subscription, by the client's clock. */
export const previousHolds = day;

/** Which of the two secrets of a client was used, once it has had a new one. */
export const usedSecrets = ['new', 'before'] as const;
export type UsedSecret = (typeof usedSecrets)[number];

/**
 * Which of the secrets it is whose hashes are `kept`, the new one first; undefined for none. Constant time, whether the
 * client exists, has one or two, and whichever of them fits.
 */
export function fittingSecret(
  secret: string,
  kept: readonly [string | undefined, string | undefined],
): UsedSecret | undefined {
  const sent = Buffer.from(secretHash(secret));
  const fitting = kept.map((each) => {
    const fits = timingSafeEqual(sent, Buffer.from(each ?? nobody));
    return fits && each !== undefined;
  });
  return usedSecrets[fitting.indexOf(true)];
}

/**
 * The use at `now` as it is kept: the end of the five minutes it falls in. So it is written at most once in five
 * minutes, and a client is never removed too early.
 */
export function usedUntil(now: number): string {
  return instant(Math.ceil(now / useResolution) * useResolution);
}
