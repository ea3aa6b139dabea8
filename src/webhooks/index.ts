import type { ClientsPart } from '../clients/index.ts';
import type { Component } from '../component.ts';
import type { Context } from '../context.ts';
import { eventsAppended } from '../events/event-log.ts';
import type { Events } from '../events/index.ts';
import { hourlyLimit } from '../http/rate-limit.ts';
import { TimesAheadTask } from '../jobs/times-ahead.ts';
import { clocksMoved } from '../time/client-clocks.ts';
import { hour } from '../time/units.ts';
import { CallLimits } from './call-limits.ts';
import { Deliveries } from './deliveries.ts';
import { attemptsAhead, deliveriesAhead } from './deliveries-ahead.ts';
import { maxOpenDeliveries } from './delivery-limits.ts';
import { DeliveryLog } from './delivery-log.ts';
import { DeliveryRemoval, endSubscriptions, removeSubscriptions, SubscriptionRemoval } from './delivery-removal.ts';
import { Dispatcher, type MadeAttempt, webhooksRole } from './dispatcher.ts';
import { moveDueDeliveries } from './due-deliveries.ts';
import { countNamedSubscriptions, eraseInDeliveries } from './erased-deliveries.ts';
import { FanOut } from './fan-out.ts';
import { isForeignOrigin } from './foreign-origin.ts';
import { webhookMetrics } from './metrics.ts';
import { resolveNames } from './name-lookup.ts';
import { problems } from './problems.ts';
import { ownedRelay, Relays } from './relays.ts';
import type { WebhookRoutesOptions } from './routes.ts';
import { StoredBytes } from './stored-bytes.ts';
import { countSubscriptions, Subscriptions } from './subscriptions.ts';
import { mayCall, type Resolve, targetRules } from './target.ts';

export { signature } from './call.ts';
export type { MadeAttempt } from './dispatcher.ts';
export {
  callsToRelay,
  type RelayAnswer,
  type RelayStream,
  type Relays,
  relayErrors,
  relayHeartbeat,
} from './relays.ts';
export { responseSeconds, retryIntervals } from './retry-intervals.ts';
export { webhookRoutes } from './routes.ts';
export { exampleReceiver } from './schemas.ts';
export type { StoredBytes } from './stored-bytes.ts';
export type { Resolve } from './target.ts';
export { hostOf, isLoopback } from './target.ts';

/** Events posted to addresses of callers: what `webhookRoutes` works by. */
export interface Webhooks
  extends Component,
    Pick<WebhookRoutesOptions, 'subscriptions' | 'deliveries' | 'deliveryLog' | 'renewal' | 'deliver' | 'isForeign'> {
  /** What a client has stored for its events and deliveries. */
  readonly stored: StoredBytes;
  /** Whether a webhook can call a receiver on this machine, as the examples do. */
  readonly callsThisMachine: boolean;
  /** The programs that make calls in place of this service. */
  readonly relays: Relays;
  /** Has `observe` told of each attempt to deliver. */
  onAttempt(observe: (attempt: MadeAttempt) => void): void;
}

/** Milliseconds between two looks at what is due. */
const dueEveryMs = 1000;

/** New secrets that a client may have for its subscriptions in an hour. */
const secretsPerHour = 30;

/** The channel on which the node that delivers hears that there is something to deliver. */
const deliveriesDue = 'deliveries';

/** `resolve` turns the names of webhooks into addresses; default: as the system does. */
export function openWebhooks(
  context: Context,
  clients: ClientsPart,
  events: Events,
  resolve: Resolve = resolveNames(),
): Webhooks {
  const { config, database, clock, clocks, randomness, log, drills } = context;
  const metrics = webhookMetrics(context.metrics.registry);
  const stored = new StoredBytes(events.log, config.storedBytesPerClient, () => metrics.limited('stored-bytes'));
  clients.registerRows({
    name: 'subscriptions',
    stop: endSubscriptions,
    remove: removeSubscriptions,
    count: countSubscriptions,
    move: moveDueDeliveries,
    erase: eraseInDeliveries,
    keeps: {
      what: 'subscriptions',
      why: 'Its URL is where your webhooks are sent. To remove it: DELETE /claims/v1/subscriptions/{subscriptionId}.',
      count: countNamedSubscriptions,
    },
  });
  clients.registerRows(ownedRelay);
  const rules = targetRules(config);
  const cap = config.subscriptionsPerClient;
  const maxOpen = maxOpenDeliveries(config);
  const deliveryLimits = { stored, maxOpen };
  const subscriptions = new Subscriptions({
    database,
    clocks,
    randomness,
    log: events.log,
    tokens: clients.tokens,
    rules,
    resolve,
    deliveryLimits,
    cap,
  });
  const disableAfter = config.webhookDisableHours * hour;
  const duplicateRate = config.eventsDuplicateRate;
  const options = { database, clock, clocks, randomness, metrics, stored, duplicateRate, maxOpen, disableAfter };
  const deliveries = new Deliveries(options);
  const fanOut = new FanOut({ ...options, log: events.log, drills, countMissed: events.missed });
  const { webhookCallsPerClient: perClient, webhookCallsPerHost: perHost } = config;
  const limits = new CallLimits(clock, metrics, { perClient, perHost });
  context.metrics.pool('webhook-calls', limits.pool);
  const relays = new Relays({ database, clock, randomness });
  metrics.showRelayCalls(() => relays.waiting);
  const deliver = () => database.signal(deliveriesDue);
  let observe: (attempt: MadeAttempt) => void = () => {};
  const told = (attempt: MadeAttempt) => observe(attempt);
  const dispatcher = new Dispatcher({
    fanOut,
    deliveries,
    limits,
    relays,
    clock,
    log,
    metrics,
    rules,
    resolve,
    drills,
    randomness,
    secretFinder: context.secretFinder,
    told,
  });
  return {
    subscriptions,
    deliveries,
    deliveryLog: new DeliveryLog(database, clocks),
    renewal: hourlyLimit('webhook-secrets', secretsPerHour, context, 'new secrets for its subscriptions'),
    deliver,
    stored,
    relays,
    callsThisMachine: mayCall('127.0.0.1', rules),
    onAttempt: (given) => {
      observe = given;
    },
    isForeign: (request) => isForeignOrigin(request, config),
    problems,
    roles: [webhooksRole],
    jobs: [
      {
        name: 'webhook delivery',
        role: webhooksRole,
        everyMs: dueEveryMs,
        signals: [eventsAppended, deliveriesDue, clocksMoved],
        run: (turn) => dispatcher.round(turn),
      },
    ],
    housekeeping: [
      new TimesAheadTask('deliveries ahead of the clock', database, clock, [attemptsAhead, deliveriesAhead(clock)]),
      new DeliveryRemoval({ database, clock, clocks, log: events.log, missed: events.missed }),
      new SubscriptionRemoval(database),
    ],
    forget: () => dispatcher.forget(),
    close: () => dispatcher.close(),
  };
}
