import { readTopic } from './calls.ts';
import type { Entry, SentEvent } from './entry.ts';
import type { History } from './history.ts';

/*
 * What several lessons ask of the calls that read the topic, by a batch, a long poll or a stream.
 */

/** Tells whether it was answered with events, or could have been. */
export const isRead = ({ call, status }: Entry) => call === readTopic && status === 200;

/** The position that it read on from, as it was sent. A stream that was refused is logged as a call. */
export function positionOf({ kind, status, sent, query }: Entry): string | undefined {
  return ((kind === 'stream' || status >= 400) && sent.headers['last-event-id']) || query.get('after') || undefined;
}

/** The batch or ended stream where the position of `entry` comes from. Undefined if there is none. */
export function readBefore(entry: Entry, history: History): Entry | undefined {
  const position = positionOf(entry) ?? '';
  return history.last(({ cursors }) => cursors.includes(position));
}

/** Tells whether it brought an event that the other one did not. */
export function bringsNews(entry: Entry, before: Entry): boolean {
  return entry.events.some(({ eventId }) => !before.events.some((each) => each.eventId === eventId));
}

/** Tells whether it brought events, and each had come before. */
export function bringsOldOnly({ events }: Entry, history: History): boolean {
  const had = new Set(history.all(isRead).flatMap((each) => each.events.map(({ eventId }) => eventId)));
  return events.length > 0 && events.every(({ eventId }) => had.has(eventId));
}

/** Their events, each once, in the order in which they came. */
export function distinctEvents(reads: readonly Entry[]): SentEvent[] {
  return [...new Map(reads.flatMap(({ events }) => events.map((event) => [event.eventId, event]))).values()];
}

/** What is said of a read that brought nothing, and could not. */
export const heldBack = ({ drills }: Entry): string | false =>
  drills.includes('stop-events') && 'No event comes while the drill stop-events is on. End it, and read again.';

/** What is said of a batch that was to begin where the header of streams says. */
export const sentStreamHeader = (entry: Entry): string | false =>
  isRead(entry) &&
  entry.kind !== 'stream' &&
  entry.sent.headers['last-event-id'] !== undefined &&
  'Last-Event-ID is for a stream. A batch does not look at it: a parameter says where it begins.';

/** What is said of a read that was refused because its position is the id of an event. */
export function sentEventId(entry: Entry, history: History): string | false {
  const position = positionOf(entry);
  return (
    entry.call === readTopic &&
    entry.status === 400 &&
    history.has(({ events }) => events.some(({ eventId }) => eventId === position)) &&
    'You sent an eventId, which says which event it is, and not where it stands in the topic.'
  );
}
