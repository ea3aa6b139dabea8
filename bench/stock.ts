import { pino } from 'pino';
import { ActiveDrills } from '../src/active-drills.ts';
import { Claims } from '../src/claims/claims.ts';
import { ClaimsDesk } from '../src/claims/desk.ts';
import { openClaims } from '../src/claims/index.ts';
import { openClients } from '../src/clients/index.ts';
import type { Context } from '../src/context.ts';
import { type DatabaseLocation, openDatabase } from '../src/database/open.ts';
import { openEvents } from '../src/events/index.ts';
import { LocalRateLimitStore } from '../src/http/limits/rate-limit-store.ts';
import { createMetrics } from '../src/http/metrics.ts';
import { openInsurer } from '../src/insurer/index.ts';
import { Policies } from '../src/insurer/policies.ts';
import { Housekeeping } from '../src/jobs/housekeeping.ts';
import { systemRandomness as randomness } from '../src/randomness.ts';
import { Learners, removeLearner } from '../src/range/exchanges/learners.ts';
import { ExchangeLog, ownedExchanges } from '../src/range/exchanges/log.ts';
import { configFrom } from '../src/settings/config.ts';
import { madeSecrets } from '../src/settings/secrets.ts';
import { SecretFinder } from '../src/text/secret-finder.ts';
import { ClientClocks } from '../src/time/client-clocks.ts';
import { systemClock as clock } from '../src/time/clock.ts';
import { findVehicle } from '../src/vehicle-registry/index.ts';
import { openWebhooks } from '../src/webhooks/index.ts';
import { fill } from './rows.ts';

const unlimited = '1000000000';

/** The use cases of the program, on a database whose tables have so many rows. Nothing runs in the background. */
export type Stock = Awaited<ReturnType<typeof openStock>>;

export async function openStock(where: DatabaseLocation, size: number, analyze?: () => Promise<void>) {
  const database = await openDatabase(where, { clock, statementTimeoutMillis: 600_000 });
  await fill(database, size);
  await analyze?.();
  const config = configFrom({
    policiesPerClient: unlimited,
    claimsPerClient: unlimited,
    storedBytesPerClient: '1000000000000',
    webhookCallsPerClient: unlimited,
    webhookCallsPerHost: unlimited,
    webhookAllow: '127.0.0.1/32',
    eventsDuplicateRate: '0',
  });
  const clocks = new ClientClocks(clock);
  const log = pino({ level: 'silent' });
  const metrics = createMetrics(clock);
  const context: Context = {
    config,
    database,
    clock,
    clocks,
    randomness,
    log,
    metrics,
    secrets: madeSecrets(config, randomness),
    secretFinder: new SecretFinder(),
    rateLimits: new LocalRateLimitStore(clock),
    drills: new ActiveDrills(clock, []),
    tls: undefined,
  };
  const clients = await openClients(context);
  const events = await openEvents(context, clients, []);
  const webhooks = openWebhooks(context, clients, events);
  const insurer = await openInsurer(context, clients, findVehicle);
  const claimsSystem = openClaims(context, { clients, events, webhooks });
  clients.registerRows(ownedExchanges);
  clients.registerRows({ name: 'learner', remove: removeLearner });
  const exchanges = new ExchangeLog(database, clock);
  const tasks = [
    ...[clients, insurer, claimsSystem, webhooks, events].flatMap((each) => each.housekeeping ?? []),
    exchanges,
  ];
  return {
    size,
    database,
    events,
    webhooks,
    exchanges,
    policies: new Policies(database, clock, clocks, randomness, config),
    claims: new Claims(database, clocks, webhooks.stored, config.claimsPerClient),
    desk: new ClaimsDesk(database, clock, events.log, randomness),
    learners: new Learners(database, clock),
    removal: tasks.find(({ name }) => name === 'idle clients'),
    housekeeping: new Housekeeping({ tasks, clock, log, metrics, mayContinue: () => true }),
    async close() {
      for (const each of [webhooks, events, clients]) await each.close?.();
      await database.close();
    },
  };
}
