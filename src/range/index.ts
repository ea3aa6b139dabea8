import type { FastifyInstance } from 'fastify';
import type { GivenClaims } from '../claims/index.ts';
import type { ClientsPart } from '../clients/index.ts';
import type { Context } from '../context.ts';
import { describeInterface } from '../http/descriptions/description.ts';
import type { ExchangeObserver } from '../http/exchanges.ts';
import type { Faults } from '../http/requests/faults.ts';
import { restInterface } from '../http/rest.ts';
import { WrongTries } from '../http/wrong-tries.ts';
import type { GivenPolicies, People, Statements } from '../insurer/index.ts';
import type { System } from '../system.ts';
import { wsdlPath } from '../vehicle-registry/index.ts';
import { callsToRelay, relayHeartbeat, type Webhooks } from '../webhooks/index.ts';
import { Announcements } from './class/announcements.ts';
import { ClassEnds } from './class/ends.ts';
import { Exporter } from './class/export.ts';
import { type GoingLearners, type Overview, readGoing, readOverview } from './class/overview.ts';
import { Profiles } from './class/profiles.ts';
import { Sayings } from './class/sayings.ts';
import { clientTokens, trainerTokens } from './class/trainer-tokens.ts';
import { openDrills } from './drills/index.ts';
import { Examinations, removeExaminations } from './examinations/examinations.ts';
import { nobody, trainerId } from './exchanges/attribution.ts';
import { Findings } from './exchanges/findings.ts';
import { clearTally, countNickname, eraseInLearner, Learners, removeLearner } from './exchanges/learners.ts';
import { ExchangeLog, ownedExchanges } from './exchanges/log.ts';
import { rangeMetrics, storedMetrics } from './exchanges/metrics.ts';
import { exchangesKept, Recorder } from './exchanges/recorder.ts';
import { Redactor } from './exchanges/redaction.ts';
import { StoredBytes } from './exchanges/stored-bytes.ts';
import { openCapstones } from './lessons/capstones/open.ts';
import { capstonesRole } from './lessons/capstones/scheduler.ts';
import { ClassFileRefused } from './lessons/class-file.ts';
import { isLearner, openLessons } from './lessons/index.ts';
import { callFaults } from './lessons/own-calls.ts';
import { LiveStreams, showLiveStreams } from './live-streams.ts';
import { openApiInfo } from './openapi-info.ts';
import { problems } from './problems.ts';
import { routes } from './routes.ts';
import type { Service } from './service.ts';
import { base } from './texts.ts';

export type { GoingLearners, Overview } from './class/overview.ts';
export { ClassFileRefused } from './lessons/class-file.ts';

/** The parts that the range needs, besides those that all components share. */
export interface RangeParts {
  readonly clients: ClientsPart;
  readonly givenPolicies: GivenPolicies;
  readonly people: People;
  readonly statements: Statements;
  readonly claims: GivenClaims;
  readonly webhooks: Webhooks;
  /** Those whose exchanges are kept. */
  readonly systems: readonly System[];
  readonly service: Service;
}

export interface Range extends System {
  /** How many lessons there are. */
  readonly lessonCount: number;
  /** What the class came to so far. */
  readonly overview: () => Promise<Overview>;
  /** Learners that are about to be removed. */
  readonly going: () => Promise<GoingLearners | null>;
  /** For the server. */
  readonly observe: ExchangeObserver;
  readonly faults: Faults;
}

/** Calls a minute, apart from those of the systems. */
const perMinute = 600;

/** Wrong codes of transfers that one address can send in a minute. */
const wrongCodesPerMinute = 10;

const ownDocuments = [{ title: 'Range v1', path: `${base}/openapi.yaml` }];

/** The range: shows clients, and the trainer, what they called and what they were answered. */
export async function openRange(context: Context, parts: RangeParts): Promise<Range> {
  const { config, database, clock, clocks, randomness, log, secrets, metrics } = context;
  const { givenPolicies, people, statements, claims, webhooks, systems, service } = parts;
  const tokens = clientTokens(parts.clients.tokens, secrets.trainerToken);
  const clients = { ...parts.clients, tokens };
  const names = systems.map(({ name }) => name);
  const redactor = new Redactor(context.secretFinder, secrets.hmacSecret);
  clients.registerRows(ownedExchanges);
  const opened = openLessons(context, clients);
  const { judge, catalogue, board, classFile, histories, streams: lessonStreams, lessons: lessonsFor } = opened;
  const stored = new StoredBytes(
    database,
    config.exchangesMegabytes * 1e6,
    storedMetrics(metrics.registry, () => stored.total),
  );
  const recorder = new Recorder({
    database,
    clock,
    clocks,
    randomness,
    log,
    tokens,
    redactor,
    judge,
    findings: new Findings(database, clock, isLearner),
    stored,
    systems: names,
    metrics: (bytes) => rangeMetrics(metrics.registry, bytes),
  });
  const exchanges = new ExchangeLog(database, clock);
  const learners = new Learners(database, clock);
  const sayings = new Sayings(database, clock);
  const { drills, plates, faults, close } = await openDrills(context, clients, names);
  const { capstones, scheduler } = openCapstones(context, {
    clients,
    givenPolicies,
    claims,
    people,
    statements,
    drills,
    histories,
    recorder,
  });
  const completed = (clientId: string) => capstones.completed(clientId);
  const lessons = lessonsFor({ recorder, learners, board, completed });
  const liveLog = new LiveStreams({
    database,
    clock,
    clocks,
    tokens,
    channel: exchangesKept,
    what: 'its log',
    heartbeat: config.eventsHeartbeatSeconds * 1000,
    cap: config.streamsPerClient,
  });
  const relayStreams = new LiveStreams({
    database,
    clock,
    clocks,
    tokens,
    channel: callsToRelay,
    what: 'its relay',
    heartbeat: relayHeartbeat,
    cap: config.streamsPerClient,
  });
  showLiveStreams(metrics.registry, () => liveLog.count + lessonStreams.count + relayStreams.count);
  metrics.pool('relay-streams', relayStreams.pool);
  metrics.pool('log-streams', liveLog.pool);
  metrics.pool('lesson-streams', lessonStreams.pool);
  webhooks.onAttempt(recorder.delivered);
  clients.registerRows({
    name: 'learner',
    remove: removeLearner,
    reset: (sql, clientId) => clearTally(sql, clientId, clock.now()),
    erase: eraseInLearner,
    keeps: {
      what: 'nickname',
      why: 'You call yourself so. To take it away: PATCH /range/v1/me with {"nickname":null}.',
      count: countNickname,
    },
    async settle(clientId) {
      for (const owner of [clientId, nobody, trainerId]) await recorder.settle(owner);
    },
  });
  // What was reported stays when a client is reset, as what it solved does.
  clients.registerRows({ name: 'examinations', remove: removeExaminations, reset: async () => 0 });
  const examinations = new Examinations(database, tokens);
  const announcements = new Announcements(database, clock);
  const profiles = new Profiles({ learners, board, clients, announcements, clock, clocks, drills: context.drills });
  const exporter = new Exporter(database, catalogue);
  const classEnds = new ClassEnds(database, clock);
  const going = () => readGoing(clients.going, learners, clock.now());

  async function register(server: FastifyInstance): Promise<void> {
    await server.register(
      async (api) => {
        restInterface(api, context, tokens, perMinute);
        const describe = describeInterface(api, openApiInfo(config.publicUrl), clock);
        await routes(api, {
          announcements,
          capstones,
          catalogue,
          classEnds,
          clients,
          clock,
          clockMoves: clients.clockMoves,
          going: clients.going,
          clocks,
          config,
          descriptions: [
            ...systems.flatMap(({ documents }) => documents),
            { title: 'Vehicle registry v1 (WSDL)', path: wsdlPath },
            ...ownDocuments,
          ],
          drills,
          examinations,
          exchanges,
          exporter,
          givenPolicies,
          sayings,
          lessons,
          liveLog,
          people,
          profiles,
          recorder,
          relays: webhooks.relays,
          relayStreams,
          secrets,
          service,
          tls: context.tls,
          tokens,
          trainer: trainerTokens(secrets.trainerToken, context),
          wrongCodes: new WrongTries('transfer-codes', wrongCodesPerMinute, context),
        });
        describe('Descriptions');
      },
      { prefix: base },
    );
    // By then the routes are known, so all that is wrong with the file is told at once.
    server.addHook('onReady', async () => {
      const { servedPaths, problems: known } = server;
      const faults = [
        ...classFile.faults,
        ...callFaults(classFile.own, { servedPaths, problems: known, redactor, systems: names }),
      ];
      if (faults.length > 0) throw new ClassFileRefused(faults);
    });
    // By then every answer has gone.
    server.addHook('onClose', () => recorder.close());
  }

  return {
    name: 'range',
    lessonCount: catalogue.lessons.length,
    overview: () => readOverview(database, going),
    going,
    observe: recorder.observe,
    faults,
    problems,
    addresses: [
      { what: 'Range, your own calls', path: base, page: false },
      { what: 'its description', path: `${base}/openapi.yaml` },
    ],
    documents: ownDocuments,
    roles: [capstonesRole],
    jobs: [scheduler.job],
    housekeeping: [exchanges, drills, plates],
    async forget() {
      await recorder.forgetAll();
      context.drills.forgetCalls();
      await drills.changed();
      liveLog.endAll();
      lessonStreams.endAll();
      relayStreams.endAll();
    },
    close: async () => {
      liveLog.close();
      lessonStreams.close();
      relayStreams.close();
      await close();
    },
    register,
  };
}
