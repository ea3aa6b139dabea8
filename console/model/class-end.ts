/** When this browser saw a client last, by the clock of the service. */
export interface Seen {
  readonly clientId: string;
  /** ISO 8601. */
  readonly at: string;
}

/** Milliseconds without use after which a client is removed in any case. */
const idleLifetime = 24 * 60 * 60 * 1000;

/** Milliseconds for which a client may still be seen while all are removed. */
const removal = 10_000;

/**
 * When the end of a class removed the client that this browser saw last; undefined where something else did: it was seen
 * after that end, or had gone unused before it.
 */
export function endedFor(seen: Seen | undefined, classEndedAt: string | null): string | undefined {
  if (!seen || classEndedAt === null) return undefined;
  const between = Date.parse(classEndedAt) - Date.parse(seen.at);
  return between > -removal && between < idleLifetime ? classEndedAt : undefined;
}
