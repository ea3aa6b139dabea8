import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { BoundedCache } from '../../bounded-cache.ts';
import { isThere } from '../../clients/clients.ts';
import { jwksPath } from '../../clients/oauth-metadata.ts';
import { type Database, DatabaseUnavailable, type Sql } from '../../database/database.ts';
import { eachInTurn } from '../../database/each-in-turn.ts';
import { type ExchangeObserver, noRoute } from '../../http/exchanges.ts';
import { addressKey } from '../../http/requests/address.ts';
import type { Tokens } from '../../http/requests/bearer.ts';
import { isByHand, isOfConsole, timeOfConsole } from '../../http/requests/header-names.ts';
import { shownPath } from '../../http/requests/url.ts';
import type { Randomness } from '../../randomness.ts';
import type { ClientClocks } from '../../time/client-clocks.ts';
import type { Clock } from '../../time/clock.ts';
import { PeriodicJob, reason } from '../../time/periodic-job.ts';
import type { MadeAttempt } from '../../webhooks/index.ts';
import { type Attributed, Attribution, nobody, saysWhose, trainerId, type UnattributedCall } from './attribution.ts';
import { type Call, callInPlaceOf, callOf, deliveryCall } from './call.ts';
import { type Composed, compose } from './exchange.ts';
import type { Findings } from './findings.ts';
import { addTally, createRoute, type LogHead, noLog, takeBackTally } from './learners.ts';
import { maxPerClient, maxWithoutToken, usedAt, writeExchanges } from './log.ts';
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

/** Clients whose last call that is not for the log waits for its word. */
const maxUnlogged = 1000;

/** A call of a client that the log does not have: to the range, or for a page. */
export interface UnloggedCall {
  /** Method and pattern of the route. */
  readonly call: string;
  /** Without its query, and without what may be a secret. */
  readonly path: string;
  readonly status: number;
  readonly problem: string | null;
  /** Whether a page for people answered. */
  readonly isPage: boolean;
}

/** Judges exchanges when they are written: what it says of them is written with them. */
export interface Judge {
  /** Judges before the transaction, so that this is short. Undefined for a client whose exchanges are not judged. */
  prepare(clientId: string, exchanges: readonly Composed[]): Promise<JudgeInTransaction | undefined>;
  /** Says what a call that the log does not have is for the lesson that its client has open. */
  sayOf(clientId: string, call: UnloggedCall): Promise<void>;
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

/** Tells whether a page of this service has made the call by itself. */
const isByPage = ({ headers }: FastifyRequest) => headers['sec-fetch-site'] === 'same-origin' && !isByHand({ headers });

const isPage = (reply: FastifyReply) => `${reply.getHeader('content-type')}`.startsWith('text/html');

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
  /** By their clients. */
  readonly #unlogged = new BoundedCache<string, UnloggedCall>(maxUnlogged);
  readonly #writing: PeriodicJob;
  /** Calls that came before are of clients that are gone, on the clock's elapsed scale. */
  #begunAt = Number.NEGATIVE_INFINITY;
  /** The batch that is being written. */
  #batch: Promise<unknown> = Promise.resolve();
  #said: Promise<unknown> = Promise.resolve();

  constructor(options: RecorderOptions) {
    const { tokens, clock, log, systems } = options;
    this.#options = options;
    this.#paths = new RegExp(`^/(?:${systems.join('|')})(?:[/?#]|$)`);
    this.#attribution = new Attribution(tokens, clock, options.findings, options.redactor, (clientId, address) =>
      usedAt(options.database.sql, clientId, address),
    );
    this.#metrics = options.metrics(() => this.#pending.bytes);
    this.#pending = new PendingCalls(maxBytes, (why) => this.#metrics.dropped(why));
    this.#writing = new PeriodicJob(
      () => this.#round(),
      (error) => log.warn({ error: (error as Error).name, reason: reason(error) }, 'exchanges could not be written'),
      () => log.info('exchanges are written again'),
    ).every(writeEveryMs);
  }

  readonly observe: ExchangeObserver = (request, reply, outcome) => {
    if (request.startedAt <= this.#begunAt) return;
    if (!this.#isRecorded(request, reply, outcome.status)) {
      this.#passBy(request, reply, outcome.status);
      return;
    }
    const now = this.#options.clock.now();
    // It is in the log of the client that it made.
    if (request.route === createRoute && !saysWhose(request)) this.#passBy(request, reply, outcome.status);
    const owner = isTrainer(request) ? trainerId : this.#attribution.owner(request, outcome.status);
    if (typeof owner === 'string') this.#unlogged.delete(owner);
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
    await this.#sayOf(owner);
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
    for (const owner of [...this.#unlogged.keys()]) if (whose(owner)) this.#unlogged.delete(owner);
    // One may be under way.
    await Promise.all([this.#batch, this.#said]);
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

  #isRecorded(request: FastifyRequest, reply: FastifyReply, status: number): boolean {
    // The page of the trainer reads again and again, which would push out what changed something.
    if (isTrainer(request)) return request.method !== 'GET' || !isOfConsole(request);
    if (request.forReading && (isByPage(request) || isPage(reply))) return false;
    // What all see is no call of anybody; the key of a drill is a client's own.
    if (request.route === jwksPath) return request.drills?.includes('rotate-key') ?? false;
    // There are a few routes, and a call of each is recorded or not whatever its path is.
    const { route } = request;
    const known = this.#routes.get(route);
    const recorded = known ?? (this.#paths.test(request.url) || this.#isNear(request, status));
    if (known === undefined && route !== noRoute) this.#routes.set(route, recorded);
    if (!recorded) return false;
    return request.method !== 'OPTIONS' || request.headers['access-control-request-method'] === undefined;
  }

  /** Whether a path that nothing serves was meant for a system. Robots and icons are of none. */
  #isNear(request: FastifyRequest, status: number): boolean {
    const [, path] = callInPlaceOf(request, status)?.split(' ') ?? [];
    return path !== undefined && this.#paths.test(path);
  }

  #addLater(found: Promise<Attributed>, address: string, call: Call): void {
    this.#later(
      found.then(({ owner, ...how }) => {
        this.#unlogged.delete(owner);
        this.#pending.add(owner, address, call, how);
      }),
    );
  }

  #later(work: Promise<void>): void {
    const done = work.finally(() => this.#unattributed.delete(done));
    this.#unattributed.add(done);
  }

  /**
   * Keeps the last call of each client that is not in its log until it gets its word. What anybody may call without a word of
   * whose it is was the only client at its address.
   */
  #passBy(request: FastifyRequest, reply: FastifyReply, status: number): void {
    const { method, route, problem = null } = request;
    const isSilent = isTrainer(request) || isOfConsole(request) || isByPage(request) || method === 'OPTIONS';
    if (isSilent) return;
    const call = { call: `${method} ${route}`, path: shownPath(request), status, problem, isPage: isPage(reply) };
    if (!saysWhose(request)) {
      const isOfAll = route === createRoute || route.startsWith('/.well-known/');
      const alone = isOfAll ? this.#attribution.alone(request) : undefined;
      if (alone !== undefined) this.#unlogged.set(alone, call);
      return;
    }
    if (this.#unattributed.size >= maxUnattributed) return;
    this.#later(
      this.#attribution.named(request, status).then((found) => {
        if (found && !found.fromElsewhere) this.#unlogged.set(found.owner, call);
      }),
    );
  }

  /** One after the other: who settles waits for the one that is under way. */
  #sayOf(owner: string): Promise<void> {
    const said = this.#said.then(async () => {
      const call = this.#unlogged.get(owner);
      this.#unlogged.delete(owner);
      if (call) await this.#options.judge.sayOf(owner, call);
    });
    this.#said = said.catch(() => {});
    return said;
  }

  async #round(): Promise<void> {
    for (let left = roundSize; left > 0; left -= batchSize) if (!(await this.#write())) break;
    // Most of a flood would be pushed out again before anybody looks; who looks has it written.
    await this.#write({ ofFlood: true }, floodRoundSize);
    for (const owner of [...this.#unlogged.keys()]) await this.#sayOf(owner);
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

  /** Writes bundles, each for itself, so that one that the database never takes costs no other. */
  async #writeBundles(bundles: readonly Bundle[]): Promise<void> {
    const { judge, database, log } = this.#options;
    const refusals: DatabaseUnavailable[] = [];
    const failed = (bundle: Bundle, error: unknown): undefined => {
      if (error instanceof DatabaseUnavailable) {
        this.#pending.putBack(bundle);
        refusals.push(error);
        return;
      }
      for (const _ of bundle.calls) this.#metrics.dropped('error');
      log.error({ error: (error as Error).name, reason: reason(error) }, 'calls of a client could not be written');
    };
    const composed: ComposedBundle[] = [];
    for (const bundle of bundles) {
      try {
        const exchanges = await this.#compose(bundle);
        composed.push({ ...bundle, exchanges, judge: await judge.prepare(bundle.owner, exchanges) });
      } catch (error) {
        failed(bundle, error);
      }
      await nextTurn();
    }
    await eachInTurn(database, composed, (bundle) => this.#writeBundle(bundle).catch((error) => failed(bundle, error)));
    if (refusals[0]) throw refusals[0];
  }

  /** Writes a bundle, unless it is of a client that is gone: its calls go with it. */
  async #writeBundle({ owner, calls, tally, exchanges, judge }: ComposedBundle): Promise<void> {
    const isClient = owner !== nobody && owner !== trainerId;
    const written = await this.#options.database.write(async (sql) => {
      const head = isClient ? await addTally(sql, owner, tally, exchanges) : noLog;
      // Asked when its row is held: whoever removes the client has removed that row before, or waits for it.
      if (isClient && !(await isThere(sql, owner))) {
        await takeBackTally(sql, owner);
        return undefined;
      }
      const judged = await judge?.(sql, head);
      const changes = new ByteChanges();
      await writeExchanges(sql, owner, judged?.exchanges ?? exchanges, head.kept, changes);
      await changes.note(sql);
      return { judged };
    });
    written?.judged?.done();
    if (written) this.#metrics.written(calls.length);
    else for (const _ of calls) this.#metrics.dropped('removed');
  }

  async #compose({ owner, calls }: Bundle): Promise<Composed[]> {
    const { redactor, clocks } = this.#options;
    const composed: Composed[] = [];
    for (const call of calls) {
      if (call.programDate !== undefined && !call.withoutToken)
        this.#options.findings.compareClock(owner, 'program', Date.parse(call.programDate) - endOf(call));
      const notes = this.#remarks.of(owner === nobody || call.fromElsewhere ? undefined : owner, call);
      composed.push(compose(call, notes, redactor, clocks.offsetAt(owner, call.at)));
      if (composed.length % turnSize === 0) await nextTurn();
    }
    return composed;
  }
}

/** About when the program of a client was there: it sent its call, or answered one. */
const endOf = ({ at, delivery, outcome }: Call) => (delivery ? at + outcome.ms : at);
