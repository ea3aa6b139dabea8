import Type from 'typebox';
import { retentionDays } from './retention.ts';
import type { Topic } from './topic.ts';

// The descriptions stand in the published documents and, where a value breaks a rule, in the problem's detail.

/** The batch of a topic, as the schema `EventBatch`. */
export function eventBatch({ schema }: Topic) {
  return Type.Object(
    {
      events: Type.Array(schema, { description: 'Process them in this order.' }),
      next: Type.String({
        description:
          'The cursor to continue from: send it as after. Store it together with the result of processing the events.',
        examples: ['1042-1'],
      }),
      note: Type.Optional(
        Type.String({
          description: 'Why there are no events, for people to read. Absent if there are events.',
          examples: ['There are no events after this cursor yet. earliest reads all that are kept.'],
        }),
      ),
    },
    { $id: 'EventBatch', description: 'The events after a cursor.' },
  );
}

/** Seconds that a call can wait for an event. */
export const maxWait = 30;

export const TopicQuery = Type.Object({
  after: Type.Optional(
    Type.String({
      pattern: '^(earliest|latest|(0|[1-9]\\d{0,14})-[12])$',
      description: 'Where to continue: the last cursor that you received, earliest or latest.',
      default: 'earliest',
      examples: ['earliest'],
    }),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 500, default: 100, description: 'Events in a batch, from 1 to 500.' }),
  ),
  wait: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: maxWait,
      default: 0,
      description: `Seconds to wait for an event when there is none, from 0 to ${maxWait}.`,
    }),
  ),
});

/** A topic as server-sent events. */
export function eventStream({ schema }: Topic) {
  return Type.String({
    description: 'Server-sent events: the `id` of each is its cursor, its `data` the payload as JSON.',
    examples: [`id: 1042-1\ndata: ${JSON.stringify(exampleOf(schema as Example))}\n\n`],
  });
}

export const LastEventId = Type.Object({
  'Last-Event-ID': Type.Optional(
    Type.String({
      description: 'For a stream: the id of the last event that you received, such as 1042-1. It overrides after.',
    }),
  ),
});

/** What the operation that reads a topic says of it, in Markdown. */
export function readingText(topic: Topic): string {
  const { noun } = topic.key;
  return [
    `${capital(topic.reports)}, in order for each ${noun}. Delivery is at least once: about one event in ten is sent twice on purpose, so process each \`eventId\` once. Events are kept for ${retentionDays} days.`,
    '',
    'By default the response is a batch. With `wait`, the server waits for an event if there is none (a long poll). With `Accept: text/event-stream` the response is a stream of server-sent events: the `id` of an event is its cursor, and the header `Last-Event-ID` resumes after it. A stream ends when its token expires.',
  ].join('\n');
}

interface Example {
  readonly properties?: Record<string, Example>;
  readonly examples?: readonly unknown[];
}

function exampleOf({ properties, examples }: Example): unknown {
  if (!properties || examples) return examples?.[0];
  return Object.fromEntries(Object.entries(properties).map(([name, member]) => [name, exampleOf(member)]));
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
