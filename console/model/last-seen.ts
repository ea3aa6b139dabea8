import type { Me } from '../api/types.ts';

/** What the frame of every page shows of a client. */
export interface Shown {
  readonly clientId: string;
  /** When that was, in this browser: milliseconds since 1970. */
  readonly at: number;
  readonly known: Pick<Me, 'nickname' | 'clock' | 'drills'>;
  readonly lessons: { readonly solved: number; readonly all: number };
}

/** What was kept, as it is now: the clock has gone on, and drills have ended. Undefined for what is of another client. */
export function shownNow(kept: string | null, clientId: string, now: number): Shown | undefined {
  try {
    const shown: Shown = JSON.parse(kept ?? 'null');
    const { nickname, clock, drills } = shown.known;
    const passed = Math.max(0, now - shown.at);
    const known = {
      nickname,
      clock: { ...clock, now: new Date(Date.parse(clock.now) + passed).toISOString() },
      drills: drills.filter(({ secondsLeft }) => secondsLeft * 1000 > passed),
    };
    return shown.clientId === clientId ? { ...shown, known } : undefined;
  } catch {
    // Not ours, or of an older page. What is kept next replaces it.
    return undefined;
  }
}
