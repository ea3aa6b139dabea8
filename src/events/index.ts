import type { ClientsPart } from '../clients/index.ts';
import type { Component, Job } from '../component.ts';
import type { Context } from '../context.ts';
import { TimesAheadTask } from '../jobs/times-ahead.ts';
import type { Config } from '../settings/config.ts';
import { EventLog, eventsAppended } from './event-log.ts';
import { disownEvents, EventRemoval, MovedEventRemoval } from './event-removal.ts';
import { eventsAhead } from './events-ahead.ts';
import { Feed } from './feed.ts';
import type { KafkaClient } from './kafka.ts';
import { missedEvents, showRelayLag, showStreams } from './metrics.ts';
import { problems } from './problems.ts';
import { Relay, relayRole } from './relay.ts';
import { Streams } from './streams.ts';
import type { Topic } from './topic.ts';

export type { Published } from './event-log.ts';
export { topicRoutes } from './topic-routes.ts';

/** Topics, for systems that publish: the log to append to, and what `topicRoutes` reads by. */
export interface Events extends Component {
  readonly log: EventLog;
  readonly feed: Feed;
  readonly streams: Streams;
  /** Counts events that passed retention before a subscription could get them. */
  readonly missed: (count: number) => void;
}

/** Milliseconds between two runs of the relay, in case a signal is lost. */
const relayEveryMs = 1000;

/** Open streams of all clients that keep the beginning of what they send: 20 MB. */
const maxKept = 1000;

/** Opens the event log and all that reads it: batches and streams over HTTP, and the relay of these topics to Kafka. */
export async function openEvents(context: Context, clients: ClientsPart, topics: readonly Topic[]): Promise<Events> {
  const { config, database, clock, clocks, metrics, drills } = context;
  const log = new EventLog(database, clocks, config.eventsDuplicateRate);
  // What was published stays until retention ends. After a reset nobody reads it.
  clients.registerRows({ name: 'events', remove: async () => 0, reset: disownEvents });
  const { tokens } = clients;
  const feed = await Feed.open(log, { database, clock, clocks, tokens, drills });
  const heartbeat = config.eventsHeartbeatSeconds * 1000;
  const streams = new Streams(feed, {
    heartbeat,
    cap: config.streamsPerClient,
    drills,
    maxKept: config.range === 'on' ? maxKept : 0,
  });
  showStreams(metrics.registry, streams);
  metrics.pool('topic-streams', streams.pool);
  const missed = missedEvents(metrics.registry);
  return {
    log,
    feed,
    streams,
    missed,
    problems,
    roles: [relayRole],
    jobs: config.kafkaBrokers.length > 0 ? [await openRelay(context, topics)] : [],
    housekeeping: [
      new TimesAheadTask('events ahead of the clock', database, clock, [eventsAhead]),
      new EventRemoval(database, clock, missed),
      new MovedEventRemoval(database, clocks, config.kafkaBrokers.length > 0, missed),
    ],
    forget: () => feed.forget(),
    close: () => feed.close(),
  };
}

async function openRelay({ config, database, metrics }: Context, topics: readonly Topic[]): Promise<Job> {
  const kafka = await openKafka(config, topics);
  const relay = new Relay({ database, kafka, duplicateRate: config.eventsDuplicateRate });
  showRelayLag(metrics.registry, () => relay.lag());
  return {
    name: 'the relay to Kafka',
    role: relayRole,
    everyMs: relayEveryMs,
    signals: [eventsAppended],
    run: ({ mayContinue }) => relay.round(mayContinue),
    // A broker that is not available must not delay the stop.
    interrupt: () => kafka.close(),
  };
}

/** Its library is loaded only where it is wanted: that takes half a second and 60 MB. */
async function openKafka(config: Config, topics: readonly Topic[]): Promise<KafkaClient> {
  const { KafkaClient } = await import('./kafka.ts');
  return new KafkaClient(config, topics);
}
