import type { Standing } from './since-then.ts';

/** When this browser saw a client last, by the clock of the service. */
export interface Seen {
  readonly clientId: string;
  /** ISO 8601. */
  readonly at: string;
  /** Until when the service would have kept it without a call. */
  readonly keptUntil: string | null;
  readonly stood: Standing;
}

/** Milliseconds for which a client may still be seen while all are removed. */
const removal = 10_000;

/**
 * When the end of a class removed the client that this browser saw last; undefined where something else did: it was seen
 * after that end, or had gone unused before it.
 */
export function endedFor(seen: Seen | undefined, classEndedAt: string | null): string | undefined {
  if (!seen || classEndedAt === null) return undefined;
  const between = Date.parse(classEndedAt) - Date.parse(seen.at);
  const wasKept = !seen.keptUntil || classEndedAt < seen.keptUntil;
  return between > -removal && wasKept ? classEndedAt : undefined;
}
