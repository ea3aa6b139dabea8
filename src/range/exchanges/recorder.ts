import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { isThere } from '../../clients/clients.ts';
import { jwksPath } from '../../clients/oauth-metadata.ts';
import { type Database, DatabaseUnavailable, type Sql } from '../../database/database.ts';
import { addressKey } from '../../http/address.ts';
import type { Tokens } from '../../http/bearer.ts';
import { type ExchangeObserver, noRoute } from '../../http/exchanges.ts';
import { isByHand, isOfConsole, timeOfConsole } from '../../http/header-names.ts';
import type { Randomness } from '../../randomness.ts';
import type { ClientClocks } from '../../time/client-clocks.ts';
import type { Clock } from '../../time/clock.ts';
import { PeriodicJob, reason } from '../../time/periodic-job.ts';
import type { MadeAttempt } from '../../webhooks/index.ts';
import { type Attributed, Attribution, nobody, trainerId, type UnattributedCall } from './attribution.ts';
import { type Call, callOf, deliveryCall } from './call.ts';
import { type Composed, compose } from './exchange.ts';
import type { Findings } from './findings.ts';
import { addTally, type LogHead, noLog, removeLearner } from './learners.ts';
import { maxPerClient, maxWithoutToken, writeExchanges } from './log.ts';
import type { RangeMetrics } from './metrics.ts';
import { type Bundle, PendingCalls, type Source } from './pending-calls.ts';
import type { Redactor } from './redaction.ts';
import { Remarks } from './remarks.ts';
import { ByteChanges, type StoredBytes } from './stored-bytes.ts';

/*
 * The way of a call into the log. The server tells of it when its answer has gone; then only what the server has of it is put
 * into memory. Once a second what waits is redacted, given its remarks and written, a batch at a time, and other work gets
 * its turn in between. What is more than a second's worth waits, and what does not fit into memory is dropped. Who reads
 * the log of a client has its calls written first. A crash loses what was not written.
 */

/** Bytes that wait in memory at the most. */
const maxBytes = 48e6;

/** Milliseconds between two rounds of writing. */
const writeEveryMs = 1000;

/** Calls that one round writes, one transaction, and one turn of the event loop redacts, which are of one client. */
const roundSize = 400;
const floodRoundSize = 25;
const batchSize = 20;
const turnSize = 5;

/** Calls whose client is being looked for. More than that in a moment are nobody's. */
const maxUnattributed = 1000;

/** The channel on which those who read on hear that exchanges were kept. */
export const exchangesKept = 'exchanges';

/** Judges exchanges when they are written: what it says of them is written with them. */
export interface Judge {
  /** Judges before the transaction, so that this is short. Undefined for a client whose exchanges are not judged. */
  prepare(clientId: string, exchanges: readonly Composed[]): Promise<JudgeInTransaction | undefined>;
  /** Forgets what is known of some clients. */
  forget(whose: (clientId: string) => boolean): void;
}

/** Notes what the exchanges came to. `head` is the end of the log with them. */
export type JudgeInTransaction = (sql: Sql, head: LogHead) => Promise<Judged>;

/** Exchanges that were judged, with what there is to say about them. */
export interface Judged {
  readonly exchanges: readonly Composed[];
  /** To be called when the transaction is durable. */
  readonly done: () => void;
}

export interface RecorderOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly clocks: ClientClocks;
  readonly randomness: Randomness;
  readonly log: Logger;
  readonly tokens: Tokens;
  readonly redactor: Redactor;
  /** The first segments of the paths whose calls are recorded. */
  readonly systems: readonly string[];
  readonly judge: Judge;
  readonly findings: Findings;
  readonly stored: StoredBytes;
  readonly metrics: (bytes: () => number) => RangeMetrics;
}

/** Tells whether the trainer's token was accepted. */
const isTrainer = ({ clientId }: FastifyRequest) => clientId === trainerId;

/** Tells whether what answers is a page, or a description that a page of this service has fetched. */
const isForPage = ({ headers }: FastifyRequest, reply: FastifyReply) =>
  (headers['sec-fetch-site'] === 'same-origin' && !isByHand({ headers })) ||
  `${reply.getHeader('content-type')}`.startsWith('text/html');

type ComposedBundle = Bundle & {
  readonly exchanges: readonly Composed[];
  readonly judge: JudgeInTransaction | undefined;
};

export class Recorder {
  readonly #options: RecorderOptions;
  readonly #paths: RegExp;
  readonly #routes = new Map<string, boolean>();
  readonly #attribution: Attribution;
  readonly #remarks = new Remarks();
  readonly #metrics: RangeMetrics;
  readonly #pending: PendingCalls;
  readonly #unattributed = new Set<Promise<void>>();
  readonly #writing: PeriodicJob;
  /** Calls that came before are of clients that are gone, on the clock's elapsed scale. */
  #begunAt = Number.NEGATIVE_INFINITY;
  /** The batch that is being written. */
  #batch: Promise<unknown> = Promise.resolve();

  constructor(options: RecorderOptions) {
    const { tokens, clock, log, systems } = options;
    this.#options = options;
    this.#paths = new RegExp(`^/(?:${systems.join('|')})(?:[/?#]|$)`);
    this.#attribution = new Attribution(tokens, clock, options.findings);
    this.#metrics = options.metrics(() => this.#pending.bytes);
    this.#pending = new PendingCalls(maxBytes, (why) => this.#metrics.dropped(why));
    this.#writing = new PeriodicJob(
      () => this.#round(),
      (error) => log.warn({ error: (error as Error).name, reason: reason(error) }, 'exchanges could not be written'),
      () => log.info('exchanges are written again'),
    ).every(writeEveryMs);
  }

  readonly observe: ExchangeObserver = (request, reply, outcome) => {
    if (request.startedAt <= this.#begunAt || !this.#isRecorded(request, reply)) return;
    const now = this.#options.clock.now();
    const owner = isTrainer(request) ? trainerId : this.#attribution.owner(request, outcome.status);
    const at = now - outcome.ms;
    const address = addressKey(request.ip);
    const counted = { at, outcome, problem: request.problem };
    // The entry of a stream would stay open.
    if (typeof owner === 'string' && !request.stream && !this.#pending.keeps(owner, address, counted)) {
      this.#pending.pass(owner, counted);
      return;
    }
    const call = callOf(request, reply, outcome, at);
    if (typeof owner === 'string') this.#pending.add(owner, address, call);
    else if (this.#unattributed.size >= maxUnattributed) this.#pending.add(nobody, address, call);
    else this.#addLater(owner, address, call);
  };

  /** Puts an attempt to deliver an event into the log of its client. */
  readonly delivered = (attempt: MadeAttempt): void => {
    const { clientId } = attempt;
    const call = deliveryCall(attempt, this.#options.randomness);
    // It comes from here, but is the client's: of no address but its own.
    if (this.#pending.keeps(clientId, clientId, call)) this.#pending.add(clientId, clientId, call);
    else this.#pending.pass(clientId, call);
  };

  /** The last calls from the address of `request` of which nobody knows whose they are, latest first. */
  unattributed(request: FastifyRequest): UnattributedCall[] {
    return this.#attribution.unattributed(request);
  }

  /** The last of them that came when there was a client, whose it may be. */
  lostCall(request: FastifyRequest): UnattributedCall | undefined {
    return this.unattributed(request).find(({ mayBeOfClient }) => mayBeOfClient);
  }

  /** A client asks what is known of it: it is used at this address, and its console tells what time it is there. */
  meet(request: FastifyRequest, clientId: string): void {
    const { findings, clock } = this.#options;
    findings.see(addressKey(request.ip), clientId);
    const lost = this.lostCall(request);
    if (lost) findings.loseCall(addressKey(request.ip), lost.at);
    const time = timeOfConsole(request);
    if (time !== undefined) findings.compareClock(clientId, 'console', time - clock.now());
  }

  /** Resolves when every call of `owner` that was answered before is in the database. */
  async settle(owner: string): Promise<void> {
    await Promise.all(this.#unattributed);
    // Those that come meanwhile need not be waited for.
    for (let left = maxPerClient + maxWithoutToken; left > 0; left -= batchSize)
      if (!(await this.#write({ owner }))) break;
    await this.#options.findings.write();
  }

  /** Resolves when what was answered before is in the database, as far as one round gets. */
  async flush(): Promise<void> {
    await Promise.all(this.#unattributed);
    await this.#writing.run();
  }

  /** Resolves when nothing of some owners that was answered before is or gets into the database from this node. */
  async forget(whose: (owner: string) => boolean): Promise<void> {
    await Promise.all(this.#unattributed);
    this.#pending.forget(whose);
    // One may be under way.
    await this.#batch;
    this.#remarks.forget(whose);
    this.#options.judge.forget(whose);
    this.#options.findings.forget(whose);
  }

  /** The same of all: the database was emptied. */
  async forgetAll(): Promise<void> {
    this.#begunAt = this.#options.clock.elapsed();
    await this.forget(() => true);
    this.#attribution.forget();
  }

  /** Writes what waits, and ends. */
  async close(): Promise<void> {
    await this.#writing.stop();
    await Promise.all(this.#unattributed);
    const { log } = this.#options;
    try {
      while ((await this.#write()) || (await this.#write({ ofFlood: true })));
    } catch (error) {
      log.warn({ error: (error as Error).name, reason: reason(error) }, 'the last exchanges could not be written');
    }
  }

  #isRecorded(request: FastifyRequest, reply: FastifyReply): boolean {
    // The page of the trainer reads again and again, which would push out what changed something.
    if (isTrainer(request)) return request.method !== 'GET' || !isOfConsole(request);
    if (request.forReading && isForPage(request, reply)) return false;
    // What all see is no call of anybody; the key of a drill is a client's own.
    if (request.route === jwksPath) return request.drills?.includes('rotate-key') ?? false;
    // There are a few routes, and a call of each is recorded or not whatever its path is.
    const { route } = request;
    const known = this.#routes.get(route);
    const recorded = known ?? this.#paths.test(request.url);
    if (known === undefined && route !== noRoute) this.#routes.set(route, recorded);
    if (!recorded) return false;
    return request.method !== 'OPTIONS' || request.headers['access-control-request-method'] === undefined;
  }

  #addLater(found: Promise<Attributed>, address: string, call: Call): void {
    const added = found
      .then(({ owner, withoutToken }) => this.#pending.add(owner, address, call, withoutToken))
      .finally(() => this.#unattributed.delete(added));
    this.#unattributed.add(added);
  }

  async #round(): Promise<void> {
    for (let left = roundSize; left > 0; left -= batchSize) if (!(await this.#write())) break;
    // Most of a flood would be pushed out again before anybody looks; who looks has it written.
    await this.#write({ ofFlood: true }, floodRoundSize);
    await this.#options.findings.write();
    await this.#options.stored.makeRoom();
  }

  /** Writes one batch. Returns whether there may be more. */
  #write(from: Source = {}, most = batchSize): Promise<boolean> {
    const written = this.#batch.then(() => this.#writeBatch(from, most));
    this.#batch = written.catch(() => {});
    return written;
  }

  async #writeBatch(from: Source, most: number): Promise<boolean> {
    const bundles: Bundle[] = [];
    for (let left = most; left > 0; ) {
      const bundle = this.#pending.take(left, from);
      if (!bundle) break;
      bundles.push(bundle);
      left -= Math.max(1, bundle.calls.length);
    }
    if (bundles.length === 0) return false;
    await this.#writeBundles(bundles);
    this.#options.database.signal(exchangesKept);
    return true;
  }

  /** Writes bundles together; if the database refuses them, each alone, so that one that it never takes costs no other. */
  async #writeBundles(bundles: readonly Bundle[]): Promise<void> {
    const { judge, database, log } = this.#options;
    try {
      const composed: ComposedBundle[] = [];
      for (const bundle of bundles) {
        const exchanges = await this.#compose(bundle);
        composed.push({ ...bundle, exchanges, judge: await judge.prepare(bundle.owner, exchanges) });
        await nextTurn();
      }
      // In one order everywhere, so that nodes don't wait for each other in a circle.
      composed.sort((a, b) => (a.owner < b.owner ? -1 : 1));
      const written = await database.write((sql) => this.#writeAll(sql, composed));
      for (const { judged } of written) judged?.done();
      this.#count(bundles, new Set(written.map(({ owner }) => owner)));
    } catch (error) {
      if (error instanceof DatabaseUnavailable) {
        for (const bundle of bundles) this.#pending.putBack(bundle);
        throw error;
      }
      if (bundles.length > 1) {
        await this.#writeEach(bundles);
        return;
      }
      for (const { calls } of bundles) for (const _ of calls) this.#metrics.dropped('error');
      log.error({ error: (error as Error).name, reason: reason(error) }, 'calls of a client could not be written');
    }
  }

  async #writeEach(bundles: readonly Bundle[]): Promise<void> {
    for (const [at, bundle] of bundles.entries()) {
      try {
        await this.#writeBundles([bundle]);
      } catch (error) {
        for (const later of bundles.slice(at + 1)) this.#pending.putBack(later);
        throw error;
      }
    }
  }

  #count(bundles: readonly Bundle[], written: ReadonlySet<string>): void {
    for (const { owner, calls } of bundles) {
      if (written.has(owner)) this.#metrics.written(calls.length);
      else for (const _ of calls) this.#metrics.dropped('removed');
    }
  }

  /** Returns whose exchanges were written: all but those of clients that are gone, as theirs go with them. */
  async #writeAll(
    sql: Sql,
    composed: readonly ComposedBundle[],
  ): Promise<{ owner: string; judged: Judged | undefined }[]> {
    const all: { owner: string; judged: Judged | undefined }[] = [];
    const changes = new ByteChanges();
    for (const bundle of composed) {
      const { owner, tally, exchanges, judge } = bundle;
      const isClient = owner !== nobody && owner !== trainerId;
      const head = isClient ? await addTally(sql, owner, tally, exchanges) : noLog;
      // Asked when its row is held: whoever removes the client has removed that row before, or waits for it.
      if (isClient && !(await isThere(sql, owner))) {
        await removeLearner(sql, owner);
        continue;
      }
      const judged = await judge?.(sql, head);
      await writeExchanges(sql, owner, judged?.exchanges ?? exchanges, head.kept, changes);
      all.push({ owner, judged });
    }
    await changes.note(sql);
    return all;
  }

  async #compose({ owner, calls }: Bundle): Promise<Composed[]> {
    const { redactor, clocks } = this.#options;
    const composed: Composed[] = [];
    for (const call of calls) {
      if (call.programDate !== undefined && !call.withoutToken)
        this.#options.findings.compareClock(owner, 'program', Date.parse(call.programDate) - endOf(call));
      const remarks = this.#remarks.of(owner === nobody ? undefined : owner, call);
      composed.push(compose(call, remarks, redactor, clocks.offsetAt(owner, call.at)));
      if (composed.length % turnSize === 0) await nextTurn();
    }
    return composed;
  }
}

/** About when the program of a client was there: it sent its call, or answered one. */
const endOf = ({ at, delivery, outcome }: Call) => (delivery ? at + outcome.ms : at);
