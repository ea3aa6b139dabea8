import type { FastifyInstance } from 'fastify';
import type { Config } from '../config.ts';
import type { Role } from '../database/database.ts';
import type { Ground } from '../ground.ts';
import type { HousekeepingTask } from '../housekeeping.ts';
import type { Tokens } from '../http/bearer.ts';
import { describeInterface } from '../http/description.ts';
import { restInterface } from '../http/rest.ts';
import type { InsurerRecords } from '../insurer/index.ts';
import { about } from './about.ts';
import { CallLimits } from './call-limits.ts';
import { Claims } from './claims.ts';
import { Deliveries } from './deliveries.ts';
import { DeliveryLog } from './delivery-log.ts';
import { DeliveryRemoval, removeClientRows, SubscriptionRemoval } from './delivery-removal.ts';
import { ClaimsDesk } from './desk.ts';
import { Errand, reason } from './errand.ts';
import { EventLog, eventsAppended } from './event-log.ts';
import { EventRemoval } from './event-removal.ts';
import { Feed } from './feed.ts';
import { FleetClaims } from './fleet.ts';
import { Intake } from './intake.ts';
import type { KafkaTopic } from './kafka.ts';
import { Relay } from './relay.ts';
import { routes } from './routes.ts';
import { ScheduleAhead } from './schedule-ahead.ts';
import { StoredBytes } from './stored-bytes.ts';
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
  /** What it removes when it is kept no longer, and what it puts right when the clock was set back. */
  readonly housekeeping: readonly HousekeepingTask[];
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
  const stored = new StoredBytes(config.storedBytesPerClient, () => metrics.limited('stored-bytes'));
  const claims = new Claims(database, clock, records, stored, config.claimsPerClient);
  const fleet = new FleetClaims(database, clock, records);
  const desk = new ClaimsDesk(database, clock, log, records);
  const feed = await Feed.open(log, { database, clock, tokens });
  const streams = new Streams(feed, { heartbeat: config.eventsHeartbeatSeconds * 1000, cap: config.streamsPerClient });
  metrics.streams(() => streams.count);
  const rules = targetRules(config);
  const cap = config.subscriptionsPerClient;
  // Each subscription has a share of its own, so that one that is dead takes no room from the others.
  const mostOpen = Math.max(1, Math.floor(config.webhookOpenDeliveries / cap));
  const room = { stored, mostOpen };
  const subscriptions = new Subscriptions({ database, clock, log, records, rules, resolve, room, cap });
  const disableAfter = config.webhookDisableHours * 60 * 60 * 1000;
  const duplicateRate = config.eventsDuplicateRate;
  const ofDeliveries = { database, clock, metrics, stored, duplicateRate, mostOpen, disableAfter };
  const deliveries = new Deliveries(ofDeliveries);
  const intake = new Intake(ofDeliveries);
  const deliveryLog = new DeliveryLog(database);
  records.onRemoval(removeClientRows);

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
  const { webhookCallsPerClient: perClient, webhookCallsPerHost: perHost } = config;
  const limits = new CallLimits(clock, metrics, { perClient, perHost });
  const ofWebhooks = { intake, deliveries, limits, clock, log: lines, metrics, rules, resolve, mayDeliver };
  const webhooks = new Webhooks(ofWebhooks, served);
  const delivering: Errand = errand('webhook delivery', posts, () => webhooks.round()).every(beat.delivery);

  const kafka = config.kafkaBrokers.length > 0 ? await openKafka(config) : undefined;
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
        await api.register(subscriptionRoutes, {
          ...{ subscriptions, deliveries, deliveryLog, deliver },
          publicUrl: config.publicUrl,
        });
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
    housekeeping: [
      new ScheduleAhead(database, clock),
      new EventRemoval(database, clock, metrics),
      { name: 'claims of the fleet', removes: true, step: () => fleet.removeOld() },
      new DeliveryRemoval(database, clock, metrics),
      new SubscriptionRemoval(database),
    ],
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
