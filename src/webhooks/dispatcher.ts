import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { ActiveDrills, DrillName } from '../active-drills.ts';
import { BoundedCache } from '../bounded-cache.ts';
import type { JobTurn } from '../component.ts';
import type { Role } from '../database/database.ts';
import { newerPayload } from '../events/newer.ts';
import { FairTurns } from '../fair-turns.ts';
import type { Randomness } from '../randomness.ts';
import type { SecretFinder } from '../text/secret-finder.ts';
import { traceHeaders } from '../text/trace-context.ts';
import type { Clock } from '../time/clock.ts';
import { type Attempt, type AttemptOutcome, outcomeOf } from './attempts.ts';
import { type CallResult, callWebhook, failures, keptBeginning, sentHeaders, signature } from './call.ts';
import { type CallLimits, maxConcurrent } from './call-limits.ts';
import type { Deliveries, DueDelivery } from './deliveries.ts';
import type { Via } from './delivery.ts';
import type { FanOut } from './fan-out.ts';
import { type Forgery, forgedAfter } from './forgeries.ts';
import type { WebhookMetrics } from './metrics.ts';
import { QueuePosition } from './queue-position.ts';
import type { RelayAnswer, RelayError, Relays } from './relays.ts';
import { Repeats } from './repeats.ts';
import { retryAfter } from './retry-after.ts';
import { responseSeconds } from './retry-intervals.ts';
import {
  checkUrl,
  findTarget,
  noAddress,
  type Refusal,
  type Resolve,
  rulesFor,
  type Target,
  type TargetRules,
} from './target.ts';

/*
 * Webhook delivery. A round creates deliveries for new events and starts to serve each subscription that has one due.
 * A subscription gets one call after the other, so a slow or dead one delays only itself. A limited number of
 * subscriptions is served at the same time; each stops after some calls, after one where others wait, so that all get their
 * turn (fair-turns.ts): of one client those whose last call was longest ago come first. One that did not respond stops at
 * once, and all that did not respond last time share
 * half of the slots, so that the others are served however many hang. One whose client or host has reached its calls a
 * minute (call-limits.ts) stops too, and is skipped until a call is allowed again.
 *
 * An attempt is made first and saved then: if the program is killed in between, it is made once more.
 */

/** Of the node that delivers. */
export const webhooksRole: Role = { name: 'webhooks', lock: 1 };

/** How many of the calls under way can be to subscriptions that did not respond to their last one. */
const maxUnresponsive = 100;

/** Calls after which another subscription gets its turn. */
const callsPerTurn = 20;

/** Milliseconds that a receiver has to respond. */
const timeoutMs = responseSeconds * 1000;

/** Seconds until a client whose events are held back is looked at again. */
const heldFor = 1;

/** Milliseconds without calls to a subscription after its attempt could not be saved. */
const retryDelay = 10_000;

export interface DispatcherContext {
  readonly fanOut: FanOut;
  readonly deliveries: Deliveries;
  readonly limits: CallLimits;
  readonly relays: Relays;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: WebhookMetrics;
  readonly rules: TargetRules;
  readonly resolve: Resolve;
  readonly drills: ActiveDrills;
  readonly randomness: Randomness;
  readonly secretFinder: SecretFinder;
  /** Is told of each attempt. What it does must not take time. */
  readonly told: (attempt: MadeAttempt) => void;
}

/** An attempt, with what was sent. */
export interface MadeAttempt extends Attempt {
  readonly clientId: string;
  readonly subscriptionId: string;
  readonly eventId: string;
  /** Counts from 1. */
  readonly attempt: number;
  readonly url: string;
  readonly via: Via;
  /** With the signature. None if the URL may not be called. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The headers of the answer, names and values in turn. */
  readonly answered: readonly string[];
  /** When it began, in milliseconds since 1970. */
  readonly at: number;
  /** Milliseconds until the answer, or until it was given up. */
  readonly ms: number;
  /** The drill that it was made for; undefined where it would have been made without. */
  readonly drill: DrillName | undefined;
  /** Whether the event comes twice on purpose, and was taken once. */
  readonly secondCopy: boolean;
}

export class Dispatcher {
  readonly #context: DispatcherContext;
  readonly #serving = new Map<string, Promise<void>>();
  /** Did not respond to their last call. The oldest entries are dropped when there are too many. */
  readonly #unresponsive = new BoundedCache<string, true>(10_000);
  /** When a subscription over its rate limit can be called again, on the clock's elapsed scale. */
  readonly #rateLimitedUntil = new BoundedCache<string, number>(10_000);
  /** The number of the last call of a subscription, of all calls. */
  readonly #lastCall = new BoundedCache<string, number>(10_000);
  readonly #repeats: Repeats;
  readonly #turns = new FairTurns();
  #calls = 0;
  /** Whether some wait that could be served. */
  #crowded = false;
  #closing = new AbortController();

  constructor(context: DispatcherContext) {
    this.#context = context;
    this.#repeats = new Repeats(context.drills);
  }

  /** Creates deliveries for new events, and starts to serve subscriptions with due ones. */
  async round(turn: JobTurn): Promise<void> {
    const { fanOut } = this.#context;
    for (let more = true; more && turn.mayContinue() && !this.#closing.signal.aborted; ) {
      more = await fanOut.createDeliveries();
      await this.#serveDue(turn);
    }
  }

  async #serveDue(turn: JobTurn): Promise<void> {
    const { deliveries, clock } = this.#context;
    const elapsed = clock.elapsed();
    const lastCall = (id: string) => this.#lastCall.peek(id) ?? 0;
    const due = (await deliveries.dueSubscriptions())
      .filter(({ subscriptionId: id }) => !this.#serving.has(id) && elapsed >= (this.#rateLimitedUntil.get(id) ?? 0))
      .sort((a, b) => lastCall(a.subscriptionId) - lastCall(b.subscriptionId));
    let unresponsive = [...this.#serving.keys()].filter((id) => this.#unresponsive.has(id)).length;
    let before: Promise<unknown> = Promise.resolve();
    this.#crowded = false;
    for (const { subscriptionId: id } of this.#turns.inTurn(due)) {
      this.#crowded = this.#serving.size >= maxConcurrent;
      if (this.#closing.signal.aborted || this.#crowded) return;
      if (this.#unresponsive.has(id)) {
        if (unresponsive >= maxUnresponsive) continue;
        unresponsive += 1;
      }
      const asked = Promise.withResolvers<void>();
      this.#serving.set(id, this.#serve(id, turn, new QueuePosition(before, asked.resolve)));
      before = Promise.all([before, asked.promise]);
    }
  }

  /** Cancels running calls; they are made again at the next start. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#serving.values());
  }

  /** The database was emptied: running calls are cancelled, and nothing comes of them. */
  async forget(): Promise<void> {
    await this.close();
    this.#closing = new AbortController();
    for (const known of [this.#unresponsive, this.#rateLimitedUntil, this.#lastCall]) known.clear();
    this.#repeats.forget();
    this.#context.fanOut.forget();
    this.#context.limits.forget();
  }

  async #serve(id: string, turn: JobTurn, position: QueuePosition): Promise<void> {
    const { signal } = this.#closing;
    let calls = 0;
    try {
      while (calls < (this.#crowded ? 1 : callsPerTurn)) {
        const found = await this.#context.deliveries.nextDue(id);
        if (!found || signal.aborted || !turn.mayContinue()) break;
        const due = this.#inItsVersion(found);
        const outcome = await this.#deliver(due, position);
        if (outcome === 'limited') break;
        calls += 1;
        this.#calls += 1;
        this.#lastCall.set(id, this.#calls);
        for (const [drill, extra] of await this.#extras(due, outcome)) {
          calls += 1;
          await this.#try(extra, position, drill);
        }
        if (outcome === 'unanswered') break;
      }
    } catch (error) {
      this.#context.log.warn(
        { subscription: id, error: (error as Error).name },
        'the result of a webhook call could not be saved; the call is retried',
      );
      await pause(retryDelay, undefined, { signal, ref: false }).catch(() => {});
    }
    position.leave();
    this.#serving.delete(id);
    // If nothing could be sent, the next periodic run is early enough.
    if (calls > 0 && !signal.aborted) turn.again();
  }

  /** What is sent, and so what is signed: the drill newer-events changes it. */
  #inItsVersion(due: DueDelivery): DueDelivery {
    const isNewer = this.#context.drills.of(due.clientId, 'newer-events') !== undefined;
    return isNewer ? { ...due, payload: newerPayload(due.payload) } : due;
  }

  /** What drills send after an attempt, besides the deliveries. */
  async #extras(due: DueDelivery, outcome: AttemptOutcome): Promise<readonly [DrillName, Sendable][]> {
    const again = await this.#repeats.after(due, outcome);
    const forged = await forgedAfter(this.#context, due, outcome);
    return [
      ...again.map((each): [DrillName, Sendable] => ['repeat-webhooks', each]),
      ...forged.map((each): [DrillName, Sendable] => ['forged-webhooks', each]),
    ];
  }

  /** Makes one attempt, unless a rate limit is reached, and saves what came of it. */
  async #deliver(due: DueDelivery, position: QueuePosition): Promise<AttemptOutcome | 'limited'> {
    const { clock, deliveries, log, metrics } = this.#context;
    const at = clock.now();
    const attempt = await this.#try(due, position);
    if (this.#closing.signal.aborted) return 'unanswered';
    if ('wait' in attempt) {
      this.#rateLimitedUntil.set(due.subscriptionId, clock.elapsed() + attempt.wait * 1000);
      return 'limited';
    }
    const outcome = outcomeOf(attempt);
    if (outcome === 'unanswered') this.#unresponsive.set(due.subscriptionId, true);
    else this.#unresponsive.delete(due.subscriptionId);
    const disabled = await deliveries.saveAttempt(due, attempt, at);
    metrics.attempt(outcome);
    // Not the URL or the answer, which may hold a secret of the subscriber's.
    const { status, error } = attempt;
    log.info(
      { subscription: due.subscriptionId, delivery: due.number, attempt: due.attempt, via: due.via, status, error },
      'webhook',
    );
    if (disabled) {
      metrics.subscriptionDisabled();
      log.warn(
        { subscription: due.subscriptionId },
        status === 410
          ? 'subscription disabled: its receiver answered 410'
          : 'subscription disabled: every call failed for too long',
      );
    }
    return outcome;
  }

  /** Makes one attempt and tells of it. Or returns the seconds to wait. `drill`: what it is made for. */
  async #try(due: Sendable, position: QueuePosition, drill?: DrillName): Promise<Attempt | { wait: number }> {
    const { clock, told } = this.#context;
    const { clientId, subscriptionId, eventId, url, via, payload: body, attempt: number } = due;
    const [at, begun] = [clock.now(), clock.elapsed()];
    const wire: Wire = { headers: {}, answered: [] };
    const attempt = await this.#attempt(due, at, position, wire);
    if ('wait' in attempt || this.#closing.signal.aborted) return attempt;
    const ms = clock.stands ? 0 : clock.elapsed() - begun;
    const secondCopy = due.secondCopy && drill === undefined;
    told({
      clientId,
      subscriptionId,
      eventId,
      attempt: number,
      url,
      via,
      body,
      ...wire,
      ...attempt,
      at,
      ms,
      drill,
      secondCopy,
    });
    return attempt;
  }

  /** Or returns the seconds to wait. Puts what goes over the wire into `wire`. */
  async #attempt(due: Sendable, at: number, position: QueuePosition, wire: Wire): Promise<Attempt | { wait: number }> {
    const { limits, relays, drills, randomness } = this.#context;
    if (drills.of(due.clientId, 'stop-events')) return { wait: heldFor };
    // Before the name is looked up, which is a call as well.
    const wait = limits.clientWait(due.clientId);
    if (wait > 0) return { wait };
    const url = checkUrl(due.url);
    if (!(url instanceof URL)) return { status: null, error: url.refused };
    const addresses = await this.#targets(due, url);
    if ('refused' in addresses) return { status: null, error: addresses.refused };
    await position.reached();
    // Nothing is waited for between this look and the call.
    const isFull = due.via === 'relay' && relays.isFull(due.clientId);
    const call = isFull ? { wait: heldFor } : limits.take(due.clientId, addresses);
    position.leave();
    if ('wait' in call) return call;
    const headers = headersOf(due, Math.floor(at / 1000), randomness);
    wire.headers = sentHeaders(url, headers, Buffer.byteLength(due.payload));
    const outcome = await this.#make(due, url, addresses, headers, wire).finally(() => call.leave());
    if ('error' in outcome) return { status: null, error: outcome.error };
    return { ...outcome, error: null, retryAfter: retryAfter(wire.answered, this.#context.clock.now()) };
  }

  /**
   * The addresses that this service calls: none for a relay or an inbox. They are checked again each time: the name may
   * have another one by now.
   */
  async #targets(due: Sendable, url: URL): Promise<Target[] | Refusal> {
    const { rules, resolve } = this.#context;
    return due.via === 'direct' ? findTarget(url, rulesFor(due.foreign, rules), resolve) : [];
  }

  async #make(
    due: Sendable,
    url: URL,
    addresses: readonly Target[],
    headers: Readonly<Record<string, string>>,
    wire: Wire,
  ): Promise<CallResult> {
    const { relays, secretFinder } = this.#context;
    const hide = (text: string) => secretFinder.hide(text);
    const { signal } = this.#closing;
    if (due.via === 'inbox') return { status: due.answers[0] ?? usualAnswer };
    if (due.via === 'relay') {
      const body = Buffer.from(due.payload).toString('base64');
      const request = { method: 'POST', url: url.href, headers: wire.headers, body };
      const answer = await relays.call(due.clientId, request, { timeoutMs, signal });
      const made = relayed(answer);
      if ('error' in made) return { error: hide(made.error) };
      wire.answered = Object.entries(made.headers).flat();
      return { status: made.status, ...keptBeginning(Buffer.from(made.body, 'base64'), { headers, hide }) };
    }
    return callWebhook({
      url,
      addresses,
      headers,
      body: due.payload,
      answered: (answered) => {
        wire.answered = answered;
      },
      timeoutMs,
      signal,
      hide,
    });
  }
}

/** What an inbox answers when it was told nothing else. */
const usualAnswer = 204;

/** In the words of a call that this service makes. */
const relayWords: Readonly<Record<Exclude<RelayError, 'other'>, string>> = {
  refused: failures.refused,
  timeout: failures.timeout(timeoutMs),
  closed: failures.closed,
  http: failures.http,
  tls: failures.certificate,
  handshake: failures.handshake,
  name: noAddress,
};

/** What came of a call by relay: an answer, or what happened in place of one. */
function relayed(
  answer: RelayAnswer | 'no-relay' | undefined,
): Exclude<RelayAnswer, { error: RelayError } | { gone: true }> | { readonly error: string } {
  if (answer === undefined) return { error: failures.timeout(timeoutMs) };
  if (answer === 'no-relay') return { error: noRelay };
  if ('gone' in answer) return { error: failures.closed };
  if (!('error' in answer)) return answer;
  if (answer.error !== 'other') return { error: relayWords[answer.error] };
  return { error: answer.detail ? `${failures.unreachable}: ${answer.detail}` : failures.unreachable };
}

/** A delivery, or what a drill makes of it. */
type Sendable = DueDelivery & Partial<Forgery>;

/** What was sent and answered besides the body. */
interface Wire {
  headers: Readonly<Record<string, string>>;
  answered: readonly string[];
}

/** The code first, so that programs can tell it. */
const noRelay =
  'no-relay: no relay of this client is connected. Start one on your machine: /kits has relay.py and relay.js, and the package npx l-plate relay';

/** The headers of the Standard Webhooks specification, the number of the attempt, and the trace that it is of. */
function headersOf(sent: Sendable, seconds: number, randomness: Randomness): Record<string, string> {
  const { trace, secrets, eventId, payload, attempt, signedPayload = payload, age = 0 } = sent;
  const timestamp = seconds - age;
  return {
    'webhook-id': eventId,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': secrets.map((each) => signature(each, eventId, timestamp, signedPayload)).join(' '),
    'webhook-attempt': String(attempt),
    ...(trace !== null && traceHeaders(trace, randomness.bytes('parent id', 8))),
  };
}
