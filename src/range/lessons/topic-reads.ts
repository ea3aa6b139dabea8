import type { History } from './history.ts';
import type { SentEvent, Step } from './step.ts';

/*
 * What several lessons ask of the calls that read the topic, by a batch, a long poll or a stream.
 */

export const readTopic = 'GET /claims/v1/topics/claims.status-changed';

/** Tells whether it was answered with events, or could have been. */
export const isRead = ({ call, status }: Step) => call === readTopic && status === 200;

/** The position that it read on from, as it was sent. */
export function positionOf({ kind, sent, query }: Step): string | undefined {
  return (kind === 'stream' && sent.headers['last-event-id']) || query.get('after') || undefined;
}

/** The batch or ended stream where the position of `step` comes from. Undefined if there is none. */
export function readBefore(step: Step, history: History): Step | undefined {
  const position = positionOf(step) ?? '';
  return history.last(({ cursors }) => cursors.includes(position));
}

/** Tells whether it brought an event that the other one did not. */
export function bringsNews(step: Step, before: Step): boolean {
  return step.events.some(({ eventId }) => !before.events.some((each) => each.eventId === eventId));
}

/** Their events, each once, in the order in which they came. */
export function distinctEvents(reads: readonly Step[]): SentEvent[] {
  return [...new Map(reads.flatMap(({ events }) => events.map((event) => [event.eventId, event]))).values()];
}
