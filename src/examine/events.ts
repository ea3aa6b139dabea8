import type { Known } from './known.ts';
import { type Answer, parsed } from './side.ts';

/* What a topic tells: each event at least once, and in order for each claim alone. */

/** Those of a batch, as far as it is one. */
export function eventsOf(body: string): unknown[] {
  const { events } = (parsed(body) ?? {}) as { events?: unknown };
  return Array.isArray(events) ? events : [];
}

/** Each event once: how often it comes is free. */
export function distinct(events: readonly unknown[]): unknown[] {
  const seen = new Set<unknown>();
  return events.filter((event) => {
    const id = idOf(event) ?? event;
    return !seen.has(id) && seen.add(id);
  });
}

/** Each event of your side once, without those from before that come again: the reference tells each cursor once. */
export function newOf(right: readonly unknown[], given: readonly unknown[], known: Known): unknown[] {
  const expected = new Set(right.map((event) => known.yoursOf(String(idOf(event)))));
  return distinct(given).filter((event) => {
    const id = String(idOf(event));
    return expected.has(id) || !known.isOfYours(id);
  });
}

/** What your side told, each once, and those of different claims in the order of the reference. */
export function inOrderOf(right: readonly unknown[], given: readonly unknown[], known: Known): unknown[] {
  const left = newOf(right, given, known);
  const told = right.flatMap((event) => {
    const claim = known.yoursOf(claimOf(event));
    const at = left.findIndex((each) => claimOf(each) === claim);
    return left.splice(Math.max(at, 0), 1);
  });
  return [...told, ...left];
}

/** The same without what claims that the reference tells of did later: they move on between two calls. */
export function firstOf(right: readonly unknown[], given: readonly unknown[], known: Known): unknown[] {
  const claims = new Set(right.map((event) => known.yoursOf(claimOf(event))));
  return inOrderOf(right, given, known).filter((event, at) => at < right.length || !claims.has(claimOf(event)));
}

/** The batch of each side with its first events alone. */
export function firstBatches(count: number, expected: Answer, answer: Answer, known: Known): [Answer, Answer] {
  const right = eventsOf(expected.body).slice(0, count);
  return [withEvents(expected, right), withEvents(answer, firstOf(right, eventsOf(answer.body), known))];
}

/** What is no batch stays as it is. */
function withEvents(answer: Answer, events: readonly unknown[]): Answer {
  const batch = parsed(answer.body) as { events?: unknown } | undefined;
  return Array.isArray(batch?.events) ? { ...answer, body: JSON.stringify({ ...batch, events }) } : answer;
}

const idOf = (event: unknown) => (event as { eventId?: unknown } | null)?.eventId;

const claimOf = (event: unknown) =>
  String((event as { data?: { claimId?: unknown } | null } | null)?.data?.claimId ?? '');
