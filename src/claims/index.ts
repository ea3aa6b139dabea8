import type { FastifyInstance } from 'fastify';
import type { Config } from '../config.ts';
import type { Role } from '../database/database.ts';
import type { Ground } from '../ground.ts';
import type { Tokens } from '../http/bearer.ts';
import { describeInterface } from '../http/description.ts';
import { restInterface } from '../http/rest.ts';
import type { InsurerRecords } from '../insurer/index.ts';
import { about } from './about.ts';
import { Claims } from './claims.ts';
import { Deliveries } from './deliveries.ts';
import { DeliveryLog } from './delivery-log.ts';
import { ClaimsDesk } from './desk.ts';
import { Errand, reason } from './errand.ts';
import { EventLog, eventsAppended } from './event-log.ts';
import { Feed } from './feed.ts';
import { FleetClaims } from './fleet.ts';
import type { KafkaTopic } from './kafka.ts';
import { Relay } from './relay.ts';
import { routes } from './routes.ts';
import { ScheduleAhead } from './schedule-ahead.ts';
import { Streams } from './stream.ts';
import { subscriptionRoutes } from './subscription-routes.ts';
import { Subscriptions } from './subscriptions.ts';
import { resolveNames } from './webhook-names.ts';
import { type Resolve, targetRules } from './webhook-target.ts';
import { Webhooks } from './webhooks.ts';

export type { Resolve } from './webhook-target.ts';

/** What the claims system stands on besides what every system does. */
export interface ClaimsGround {
  readonly tokens: Tokens;
  readonly records: InsurerRecords;
  /** How the names of webhooks are resolved. Default: as the system does. */
  readonly resolve?: Resolve | undefined;
}

/** What the claims system offers to the rest of the program. */
export interface ClaimsSystem {
  /** Registers the claims interface, its topic and its webhooks. */
  register(server: FastifyInstance): Promise<void>;
  /** Makes the moves that are due and starts the deliveries that are due; otherwise done about once a second. */
  catchUp(): Promise<void>;
  /** Puts right what the clock left behind when it was set back. */
  upkeep(): Promise<void>;
  /** Removes what is kept no longer. */
  housekeeping(): Promise<void>;
  /** Ends streams and waiting readers, and stops desk and deliveries. */
  close(): Promise<void>;
}

/** Milliseconds between two looks at what is due. */
const beat = { fleet: 5000, desk: 250, delivery: 1000, relay: 1000 };

/** The channel on which the node that delivers hears that there is something to deliver. */
const deliveriesDue = 'deliveries';

/** Opens the claims system: its desk, its event log, and all that reads it. */
export async function openClaims(
  ground: Ground,
  { tokens, records, resolve = resolveNames() }: ClaimsGround,
): Promise<ClaimsSystem> {
  const { config, database, clock, log: lines, metrics } = ground;
  const log = new EventLog(database, clock, config.eventsDuplicateRate);
  const claims = new Claims(database, clock, records, config.claimsPerClient);
  const fleet = new FleetClaims(database, clock, records);
  const desk = new ClaimsDesk(database, clock, log);
  const feed = await Feed.open(log, { database, clock, tokens });
  const streams = new Streams(feed, { heartbeat: config.eventsHeartbeatSeconds * 1000, cap: config.streamsPerClient });
  metrics.streams(() => streams.count);
  const rules = targetRules(config);
  const cap = config.subscriptionsPerClient;
  const subscriptions = new Subscriptions({ database, clock, log, records, rules, resolve, cap });
  const deliveries = new Deliveries(database, clock, config.eventsDuplicateRate);
  const deliveryLog = new DeliveryLog(database);
  const ahead = new ScheduleAhead(database, clock);

  // Each of these is done by one node at a time.
  const [desks, posts, relays] = await Promise.all([
    database.role('desk'),
    database.role('webhooks'),
    database.role('relay'),
  ]);
  const failed = (what: string) => (error: unknown) =>
    lines.warn(
      { error: (error as Error).name, reason: reason(error) },
      `${what} failed; it is tried again until it succeeds`,
    );
  const recovered = (what: string) => () => lines.info(`${what} succeeded again`);
  const errand = (what: string, role: Role, job: () => Promise<unknown>) =>
    new Errand(async () => role.held && job(), failed(what), recovered(what));
  const stocking = errand('to register a claim of the fleet', desks, () => fleet.keepBusy()).every(beat.fleet);
  await stocking.ask();
  const moving = errand('the claims desk', desks, () => desk.round()).every(beat.desk);

  const deliver = () => database.signal(deliveriesDue);
  const mayDeliver = () => posts.held;
  const served = () => void delivering.ask();
  const webhooks = new Webhooks({ deliveries, clock, log: lines, metrics, rules, resolve, mayDeliver }, served);
  const delivering: Errand = errand('webhook delivery', posts, () => webhooks.round()).every(beat.delivery);

  const kafka = config.kafkaBrokers.length > 0 ? await openKafka(config) : undefined;
  const { eventsDuplicateRate: duplicateRate } = config;
  const relay = kafka && new Relay({ database, kafka, duplicateRate, mayGoOn: () => relays.held });
  const relaying = relay && errand('the relay to Kafka', relays, () => relay.round()).every(beat.relay);
  if (relay) metrics.relayLag(() => relay.lag());

  const stopListening = [
    database.onSignal(eventsAppended, () => {
      void delivering.ask();
      void relaying?.ask();
    }),
    database.onSignal(deliveriesDue, () => void delivering.ask()),
  ];

  async function register(server: FastifyInstance): Promise<void> {
    await server.register(
      async (api) => {
        restInterface(api, ground, tokens);
        const describe = await describeInterface(api, about(config.publicUrl));
        await api.register(routes, { claims, feed, streams, publicUrl: config.publicUrl });
        await api.register(subscriptionRoutes, { subscriptions, deliveries, deliveryLog, deliver });
        describe('Descriptions');
      },
      { prefix: '/claims/v1' },
    );
  }

  return {
    register,
    async catchUp() {
      await stocking.ask();
      await moving.ask();
      await delivering.ask();
      await relaying?.ask();
    },
    async upkeep() {
      while (await ahead.step());
    },
    async housekeeping() {
      await log.removeOld();
      await fleet.removeOld();
      await deliveries.removeOld();
    },
    async close() {
      for (const stop of stopListening) stop();
      // No run begins any more, and the one under way is not held up by a broker that is away.
      const relayed = relaying?.stop();
      await kafka?.close();
      await Promise.all([feed.close(), stocking.stop(), moving.stop(), delivering.stop(), relayed]);
      await webhooks.close();
    },
  };
}

/** Its library is loaded only where it is wanted: that takes half a second and 60 MB. */
async function openKafka(config: Config): Promise<KafkaTopic> {
  const { KafkaTopic } = await import('./kafka.ts');
  return new KafkaTopic(config);
}
