import { live } from '../http/answers/event-stream.ts';
import type { EndpointText } from '../http/endpoint.ts';
import { streamType } from '../http/requests/accepted-type.ts';
import type { Position } from './cursor.ts';
import { howToCatchUp, retentionDays } from './retention.ts';
import type { Topic } from './topic.ts';
import { eventBatch, eventStream, LastEventId, readingText, TopicQuery } from './topic-schemas.ts';

/**
 * Why there are no events after a position, for those who wait for some; `allRemoved`: there were some, which are no
 * longer kept. One line.
 */
export function emptyNote(topic: Topic, after: Position, allRemoved = false): string {
  if (after === 'earliest' && allRemoved) {
    return `There are no events any more: they are kept for ${retentionDays} days, and all of yours were removed. ${howToCatchUp(topic)}`;
  }
  if (after === 'earliest') return `There are no events yet: they report ${topic.reports}. ${topic.firstEvent}`;
  if (after === 'latest')
    return 'latest is the position after the newest event: only events from now on follow. earliest reads all that are kept.';
  return 'There are no events after this cursor yet. earliest reads all that are kept.';
}

/** The shapes and texts of a topic over HTTP. */
export function topicTexts(topic: Topic) {
  return {
    readTopic: {
      schema: {
        operationId: 'readTopic',
        tags: ['Events'],
        summary: 'Read the events',
        description: readingText(topic),
        querystring: TopicQuery,
        headers: LastEventId,
        response: {
          200: {
            content: {
              'application/json': { schema: eventBatch(topic) },
              [streamType]: { schema: eventStream(topic) },
            },
          },
        },
      },
      success: 'Events, as a batch or as a stream.',
      headers: live,
      // The example of a batch has events.
      example: { note: undefined },
      guesses: [
        ...['topics', 'events', 'stream', `topics/${topic.name}/events`, `topics/${topic.name}/stream`],
        ...['claims/:claimId/events', 'claims/:claimId/history'],
      ],
      instead: {
        POST: 'Events are published by the service alone, and need no acknowledgement: your position is the cursor that you send as after. To read them: GET. To have them posted to you: POST /subscriptions.',
        DELETE: 'Reading removes no events. Your position is the cursor that you send as after.',
      },
    },
  } satisfies Record<string, EndpointText>;
}
