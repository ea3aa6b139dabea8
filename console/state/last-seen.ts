import type { Me } from '../api/types.ts';
import { type Shown, shownNow } from '../model/last-seen.ts';

/*
 * The console keeps what its frame shows, for the pages that the server makes: they ask the service for nothing, and are
 * the same for everybody.
 */

const key = 'lplate.shown';

export function keepShown(clientId: string, { nickname, clock, drills }: Me, lessons: Shown['lessons']): void {
  const shown: Shown = { clientId, at: Date.now(), known: { nickname, clock, drills }, lessons };
  localStorage.setItem(key, JSON.stringify(shown));
}

export function forgetShown(): void {
  localStorage.removeItem(key);
}

/** What the console showed last of this client, as it is now. */
export function lastShown(clientId: string): Shown | undefined {
  return shownNow(localStorage.getItem(key), clientId, Date.now());
}
