import type { ClaimStatusChanged } from '../api/types.ts';

export const topicPath = '/claims/v1/topics/claims.status-changed';

/** An event as it was delivered: the same event may be delivered again. */
export interface Arrival {
  /** Counts what came, from 1. */
  readonly number: number;
  readonly cursor: string;
  readonly event: ClaimStatusChanged;
  /** Of a duplicate: the number of the first arrival of the same event. */
  readonly first?: number;
  /** Which change of its claim it is among those that came, from 1. A duplicate has that of the first. */
  readonly change: number;
}

export interface TopicLog {
  /** Oldest first. */
  readonly arrivals: readonly Arrival[];
  /** How many came in all; the oldest of them may be gone. */
  readonly came: number;
  /** How many of those were duplicates. */
  readonly duplicates: number;
}

export const emptyLog: TopicLog = { arrivals: [], came: 0, duplicates: 0 };

/** The most arrivals that are kept. */
export const maxKept = 500;

/** The log with what came next. An event that is not as described is left out. */
export function withArrivals(log: TopicLog, came: readonly { cursor: string; data: string }[]): TopicLog {
  const firsts = new Map<string, Arrival>();
  const changes = new Map<string, number>();
  for (const arrival of log.arrivals) note(arrival, firsts, changes);
  const arrivals = [...log.arrivals];
  let { came: count, duplicates } = log;
  for (const { cursor, data } of came) {
    const event = parsed(data);
    if (!event) continue;
    count += 1;
    const first = firsts.get(event.eventId);
    if (first) duplicates += 1;
    const arrival: Arrival = {
      number: count,
      cursor,
      event,
      change: first?.change ?? (changes.get(event.data.claimId) ?? 0) + 1,
      ...(first && { first: first.number }),
    };
    arrivals.push(arrival);
    note(arrival, firsts, changes);
  }
  return { arrivals: arrivals.slice(-maxKept), came: count, duplicates };
}

function note(arrival: Arrival, firsts: Map<string, Arrival>, changes: Map<string, number>): void {
  const { eventId, data } = arrival.event;
  if (firsts.has(eventId)) return;
  firsts.set(eventId, arrival);
  changes.set(data.claimId, arrival.change);
}

function parsed(data: string): ClaimStatusChanged | undefined {
  try {
    const event = JSON.parse(data);
    return typeof event?.eventId === 'string' && typeof event.data?.claimId === 'string' ? event : undefined;
  } catch {
    return undefined;
  }
}

export type Repeats = ReadonlyMap<number, readonly Arrival[]>;

/**
 * The later arrivals of events that came more than once, by the number of the first. What is as it was `before` is the
 * same array, so that nothing is drawn anew for it.
 */
export function repeatsOf(arrivals: readonly Arrival[], before: Repeats = new Map()): Repeats {
  const repeats = new Map<number, Arrival[]>();
  for (const arrival of arrivals) {
    if (arrival.first === undefined) continue;
    const others = repeats.get(arrival.first);
    if (others) others.push(arrival);
    else repeats.set(arrival.first, [arrival]);
  }
  // They only grow.
  return new Map(
    [...repeats].map(([first, now]) => {
      const known = before.get(first);
      return [first, known?.length === now.length ? known : now];
    }),
  );
}
