import type { DrillName } from '../active-drills.ts';
import { live, unbuffered } from '../http/answers/event-stream.ts';
import { unsentBody } from '../http/answers/unsent-body.ts';
import { type Api, endpoint, type Handlers } from '../http/endpoint.ts';
import { StreamProgress } from '../http/exchanges.ts';
import { streamType, wantsStream } from '../http/requests/accepted-type.ts';
import { callerOf } from '../http/requests/bearer.ts';
import { noteDrill } from '../http/requests/faults.ts';
import { cursorText, type Position, parseCursor } from './cursor.ts';
import type { Feed } from './feed.ts';
import { lastEventId, type Streams } from './streams.ts';
import type { Topic } from './topic.ts';
import { emptyNote, topicTexts } from './topic-texts.ts';

export interface TopicRoutesOptions {
  readonly topic: Topic;
  readonly feed: Feed;
  readonly streams: Streams;
  /** The scope that reading needs. */
  readonly scope: string;
  /** Whether there were events of a client, all of which are older than events are kept. */
  readonly allRemoved: (clientId: string) => Promise<boolean>;
}

/** A topic over HTTP, `/topics/NAME`: batches, long polls and streams (Events). */
export function topicRoutes(api: Api, options: TopicRoutesOptions): void {
  const { topic, scope } = options;
  const handle = handlers(options);
  const texts = topicTexts(topic);
  endpoint(api, 'GET', `/topics/${topic.name}`, texts.readTopic, {
    handler: handle.readTopic,
    scope,
    problems: ['validation-error', 'cursor-expired', 'quota-exceeded'],
  });
}

function handlers({ topic, feed, streams, allRemoved }: TopicRoutesOptions): Handlers<ReturnType<typeof topicTexts>> {
  return {
    async readTopic(request, reply) {
      const caller = callerOf(request);
      const note = (name: DrillName) => noteDrill(request, name);
      const whyEmpty = async (position: Position) =>
        emptyNote(topic, position, position === 'earliest' && (await allRemoved(caller.clientId)));
      const { after = 'earliest', limit = 100, wait = 0 } = request.query;
      if (wantsStream(request)) {
        const resumed = lastEventId(request.headers);
        const position = resumed ?? positionOf(after);
        const source = resumed ? ({ header: 'Last-Event-ID' } as const) : ({ parameter: 'after' } as const);
        // HEAD asks for the headers only, and would leave a stream open that nobody reads.
        const head = request.method === 'HEAD';
        const progress = new StreamProgress();
        const stream = head
          ? await feed.check(topic, caller, position, source).then(unsentBody)
          : await streams.open(topic, caller, { after: position, ip: request.ip, source, note, whyEmpty }, progress);
        if (!head) request.stream = progress;
        reply.type(streamType).headers(live);
        // The schema is that of the text; Fastify sends a stream as it comes.
        return reply.send(stream);
      }
      const reader = feed.add(topic, caller, note);
      reply.raw.once('close', () => reader.stop());
      try {
        const waitMs = request.method === 'HEAD' ? 0 : wait * 1000;
        const position = positionOf(after);
        const { events, next } = await feed.batch(reader, position, limit, waitMs);
        // The payloads are JSON already: parsing and serialising them again would be most of the cost of a batch.
        const note = events.length === 0 ? `,"note":${JSON.stringify(await whyEmpty(position))}` : '';
        const text = `{"events":[${events.map(({ payload }) => payload).join(',')}],"next":"${cursorText(next)}"${note}}`;
        return reply.headers(unbuffered).type('application/json').send(text);
      } finally {
        feed.remove(reader);
      }
    },
  };
}

function positionOf(after: string): Position {
  return parseCursor(after) ?? (after === 'latest' ? 'latest' : 'earliest');
}
