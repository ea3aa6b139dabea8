import { clients } from '../clients/clients.ts';
import { alias, nullable, text } from '../database/columns.ts';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { copiesOf } from '../events/duplicates.ts';
import { retention } from '../events/retention.ts';
import type { EventPayload, Topic } from '../events/topic.ts';
import { ProblemError } from '../http/problems/problem.ts';
import type { Randomness } from '../randomness.ts';
import type { ClientClocks } from '../time/client-clocks.ts';
import { type Clock, instant } from '../time/clock.ts';
import { type Attempt, addAttempt, outcomeOf } from './attempts.ts';
import { afterAttempt, failingAfter, isOpen, type Via } from './delivery.ts';
import type { DeliveryLimits } from './delivery-limits.ts';
import { type LockedSubscription, lockOwnSubscription, lockSubscription, openDelivery } from './locked-subscription.ts';
import type { WebhookMetrics } from './metrics.ts';
import { deliveryNotFound } from './not-found.ts';
import { pauseAfter } from './retry-after.ts';
import { disabledReason, nextAnswers } from './subscription-view.ts';
import { deliveries, subscriptions } from './tables.ts';

/* The deliveries of subscriptions in the database. delivery.ts explains their states. */

/** A delivery that is due, with all that an attempt needs. */
export interface DueDelivery {
  readonly subscriptionId: string;
  readonly clientId: string;
  readonly number: number;
  readonly url: string;
  readonly via: Via;
  /** Of an inbox: the statuses that it answers next. */
  readonly answers: readonly number[];
  /** Each signs: the one before as well, while it holds. */
  readonly secrets: readonly string[];
  /** Whether a web page of another origin created the subscription: it may call public addresses only. */
  readonly foreign: boolean;
  readonly eventId: string;
  readonly key: string;
  readonly payload: string;
  /** Milliseconds since 1970. */
  readonly dueAt: number;
  /** The number of the attempt that is to be made, from 1. */
  readonly attempt: number;
  /** Whether the event comes twice on purpose, and was taken once. */
  readonly secondCopy: boolean;
  /** The trace of the call that caused it; null if that had none. */
  readonly trace: string | null;
}

export interface DeliveriesOptions extends DeliveryLimits {
  readonly database: Database;
  readonly clock: Clock;
  readonly clocks: ClientClocks;
  readonly randomness: Randomness;
  readonly metrics: WebhookMetrics;
  /** Share of events that are delivered twice (`eventsDuplicateRate`). */
  readonly duplicateRate: number;
  /** Milliseconds of failure after which a subscription is disabled (`webhookDisableHours`); 0 for never. */
  readonly disableAfter: number;
}

export class Deliveries {
  readonly #options: DeliveriesOptions;

  constructor(options: DeliveriesOptions) {
    this.#options = options;
  }

  get #database(): Database {
    return this.#options.database;
  }

  #now(): string {
    return instant(this.#options.clock.now());
  }

  /** The subscriptions that have something due, and whose they are; those that have waited longest first. */
  dueSubscriptions(): Promise<DueSubscription[]> {
    return findDueSubscriptions(this.#database.sql, { now: this.#now() });
  }

  /**
   * The delivery of a subscription that has been due longest. One whose event was removed is not sent; one whose event
   * is past its days by the clock alone is, since the clock may have been set ahead.
   */
  async nextDue(subscriptionId: string): Promise<DueDelivery | undefined> {
    const row = await findNextDue(this.#database.sql, { subscriptionId, now: this.#now() });
    if (!row) return undefined;
    const { orderingKey: key, loopback, nextAttemptAt, attempts, copiesLeft, taken, ...others } = row;
    const { secret, previousSecret, previousUntil, answers, ...due } = others;
    const now = instant(this.#options.clocks.now(due.clientId));
    const previous = now < (previousUntil ?? '') ? previousSecret : null;
    return {
      ...due,
      subscriptionId,
      answers: nextAnswers(answers),
      secrets: previous === null ? [secret] : [secret, previous],
      key,
      foreign: loopback === 0,
      dueAt: Date.parse(nextAttemptAt),
      attempt: attempts + 1,
      secondCopy: copiesLeft === 1 && taken === 1 && copiesOf(due.eventId, this.#options.duplicateRate) > 1,
    };
  }

  /**
   * Saves an attempt and the new state of the delivery, unless the delivery was removed meanwhile. Returns whether this
   * disabled the subscription.
   */
  async saveAttempt(due: DueDelivery, attempt: Attempt, attemptedAt: number): Promise<boolean> {
    const { clock, clocks, disableAfter } = this.#options;
    const { subscriptionId: id, number, clientId } = due;
    const now = clock.now();
    const offset = clocks.offset(clientId);
    return this.#database.write(async (sql) => {
      const locked = await lockSubscription(sql, id);
      if (locked?.status !== 'active') return false;
      // Anew, since it may have been asked for again while the call was under way.
      const row = await findState(sql, { id, number, attempts: due.attempt - 1 });
      // Removed, or another node made this attempt as well and was first to save it.
      if (!row) return false;
      const { nextAttemptAt, ...state } = afterAttempt({ ...row, dueAt: due.dueAt }, attempt, now);
      const keptAttempts = addAttempt(row.keptAttempts, due.attempt, instant(attemptedAt + offset), attempt);
      const outcome = outcomeOf(attempt);
      await saveState(sql, {
        id,
        number,
        ...state,
        attempts: due.attempt,
        keptAttempts,
        taken: outcome === 'taken' ? 1 : 0,
        refused: outcome === 'refused' ? 1 : 0,
        unanswered: outcome === 'unanswered' ? 1 : 0,
        nextAttemptAt: nextAttemptAt === null ? null : instant(nextAttemptAt),
      });
      const failing = failingAfter(locked.failing, attempt, now + offset);
      const gone = attempt.status === 410;
      const disabled = gone || (disableAfter > 0 && failing !== null && failing.last - failing.since >= disableAfter);
      const pause = pauseAfter(attempt);
      const pausedUntil = pause === 0 ? null : instant(now + pause);
      await changeSubscription(sql, {
        id,
        done: nextAttemptAt === null ? 1 : 0,
        bytes: keptAttempts.length - row.keptAttempts.length,
        failingSince: failing && instant(failing.since),
        lastFailedAt: failing && instant(failing.last),
        status: disabled ? 'disabled' : 'active',
        disabledAt: disabled ? instant(now + offset) : null,
        gone: gone ? 1 : 0,
        pausedUntil,
        answers: due.answers.length > 1 ? JSON.stringify(due.answers.slice(1)) : null,
      });
      if (nextAttemptAt === null) await releaseNext(sql, { id, key: due.key, now: instant(now) });
      if (pausedUntil !== null) await pausePending(sql, { id, pausedUntil });
      if (disabled) await forgetDue(sql, { id });
      return disabled;
    });
  }

  /**
   * Enables a disabled subscription: it continues with its open deliveries, each with all attempts, and with the events
   * since then. An active one is not changed.
   *
   * @throws {ProblemError} `subscription-not-found`
   */
  async enable(clientId: string, id: string): Promise<void> {
    await this.#database.write(async (sql) => {
      const { status } = await lockOwnSubscription(sql, clientId, id);
      if (status === 'active') return;
      await activate(sql, { id });
      await retryPending(sql, { id, now: this.#now() });
    });
  }

  /**
   * Makes a delivery due now, whether it was delivered, has failed or waits for a retry. One that waits for an earlier
   * one of its key keeps waiting.
   *
   * @throws {ProblemError} `subscription-not-found`, `delivery-not-found`, `subscription-disabled`, `quota-exceeded`
   */
  async redeliver(clientId: string, id: string, number: number): Promise<void> {
    const keptSince = instant(this.#options.clocks.since(clientId, retention));
    await this.#database.write(async (sql) => {
      const locked = await lockOwnSubscription(sql, clientId, id);
      const found = await findKept(sql, { keptSince, id, number });
      if (!found) return deliveryNotFound(number);
      const opens = !isOpen(found.status);
      this.#checkOpenDeliveries(id, locked, opens);
      await makeDue(sql, { id, number, now: this.#now() });
      if (opens) await countOpen(sql, { id });
    });
  }

  /**
   * Delivers an event, or else a sample, to one subscription, as part of the trace of the call. Returns the number of the delivery.
   *
   * @throws {ProblemError} `subscription-not-found`, `subscription-disabled`, `quota-exceeded`
   */
  async test(
    topic: Topic,
    clientId: string,
    id: string,
    { trace, payload }: { trace: string | null; payload?: EventPayload | undefined },
  ): Promise<number> {
    const { clocks, randomness, duplicateRate, stored } = this.#options;
    const now = clocks.now(clientId);
    const event = payload ?? topic.sample(randomness.uuid('sample event'), now);
    return this.#database.write(async (sql) => {
      const locked = await lockOwnSubscription(sql, clientId, id);
      this.#checkOpenDeliveries(id, locked, true);
      await stored.check(sql, clientId);
      const { eventId } = event;
      const number = locked.deliveries + 1;
      const copies = copiesOf(eventId, duplicateRate);
      const source = JSON.stringify(event);
      const delivery = {
        number,
        eventId,
        key: topic.key.of(event),
        source,
        copies,
        createdAt: instant(now),
        dueAt: this.#now(),
        trace,
      };
      const bytes = await openDelivery(sql, id, delivery);
      await addDelivery(sql, { id, number, bytes });
      return number;
    });
  }

  #checkOpenDeliveries(id: string, { status, openDeliveries, gone }: LockedSubscription, opens: boolean): void {
    const { maxOpen, metrics } = this.#options;
    if (status === 'disabled') {
      const detail = `The subscription is disabled. ${disabledReason(gone)} POST /subscriptions/${id}/enable does that.`;
      throw new ProblemError('subscription-disabled', detail);
    }
    if (!opens || openDeliveries < maxOpen) return;
    metrics.limited('pending-deliveries');
    const detail = `This subscription has ${maxOpen} open deliveries, which is the limit. Wait until some were delivered or have failed.`;
    throw new ProblemError('quota-exceeded', detail);
  }
}

// From one subscription that has something pending to the next: a look at each, however many deliveries it has.
const findDueSubscriptions = statement.all`
  with recursive pending(id) as (
    select min(subscription_id) from deliveries where status = 'pending'
    union all
    select (select min(d.subscription_id) from deliveries d where d.status = 'pending' and d.subscription_id > p.id)
    from pending p where p.id is not null
  ),
  looked(id, since) as materialized (
    select p.id, (
      select min(d.next_attempt_at) from deliveries d where d.subscription_id = p.id and d.status = 'pending'
    )
    from pending p
  )
  select l.id as ${alias('subscriptionId', text)}, ${subscriptions.pick('clientId').of('s')}, ${clients.pick('address').of('c')}
  from looked l join subscriptions s on s.id = l.id join clients c on c.id = s.client_id
  where l.since <= ${'now'} order by l.since`;

type DueSubscription = Awaited<ReturnType<typeof findDueSubscriptions>>[number];

// A delivery that is due has a time.
const findNextDue = statement.get`
  select ${deliveries.pick('number', 'eventId', 'orderingKey', 'attempts', 'copiesLeft', 'taken').of('d')},
    coalesce(e.payload, d.payload) as ${alias('payload', text)}, coalesce(e.trace, d.trace) as ${alias('trace', nullable(text))},
    d.next_attempt_at as ${alias('nextAttemptAt', text)},
    ${subscriptions.pick('clientId', 'url', 'via', 'answers', 'secret', 'previousSecret', 'previousUntil', 'loopback').of('s')}
  from deliveries d
  join subscriptions s on s.id = d.subscription_id and s.status = 'active'
  left join events e on e.seq = d.event_seq
  where d.subscription_id = ${'subscriptionId'} and d.status = 'pending' and d.next_attempt_at <= ${'now'}
    and (d.event_seq is null or e.seq is not null)
  order by d.next_attempt_at, d.number limit 1`;

const findState = statement.get`
  select ${deliveries.pick('copiesLeft', 'tries', 'keptAttempts')} from deliveries
  where subscription_id = ${'id'} and number = ${'number'} and attempts = ${'attempts'}`;

const saveState = statement.run`
  update deliveries set status = ${'status'}, copies_left = ${'copiesLeft'}, tries = ${'tries'},
    attempts = ${'attempts'}, kept_attempts = ${'keptAttempts'}, taken = taken + ${'taken'},
    refused = refused + ${'refused'}, unanswered = unanswered + ${'unanswered'}, next_attempt_at = ${'nextAttemptAt'}
  where subscription_id = ${'id'} and number = ${'number'}`;

const changeSubscription = statement.run`
  update subscriptions set open_deliveries = open_deliveries - ${'done'}, stored_bytes = stored_bytes + ${'bytes'},
    failing_since = ${'failingSince'}, last_failed_at = ${'lastFailedAt'}, status = ${'status'},
    disabled_at = ${'disabledAt'}, gone = ${'gone'}, paused_until = ${'pausedUntil'}, answers = ${'answers'}
  where id = ${'id'}`;

// The next delivery of the same key, unless another one of it is pending.
const releaseNext = statement.run`
  update deliveries set status = 'pending', next_attempt_at = ${'now'}
  where subscription_id = ${'id'} and number = (
    select min(number) from deliveries
    where subscription_id = ${'id'} and ordering_key = ${'key'} and status in ('waiting', 'pending')
  ) and status = 'waiting'`;

// A receiver that is busy is not called for another delivery either.
const pausePending = statement.run`
  update deliveries set next_attempt_at = ${'pausedUntil'}
  where subscription_id = ${'id'} and status = 'pending' and next_attempt_at < ${'pausedUntil'}`;

// So that what is due no more is not looked at again and again.
const forgetDue = statement.run`
  update deliveries set next_attempt_at = null where subscription_id = ${'id'} and status = 'pending'`;

const activate = statement.run`
  update subscriptions set status = 'active', disabled_at = null, failing_since = null, last_failed_at = null,
    may_be_behind = 1, gone = 0, paused_until = null
  where id = ${'id'}`;

const retryPending = statement.run`
  update deliveries set tries = 0, next_attempt_at = ${'now'}
  where subscription_id = ${'id'} and status = 'pending'`;

const findKept = statement.get`
  select ${deliveries.pick('status').of('d')} from deliveries d
  left join events e on e.seq = d.event_seq and e.published_at > ${'keptSince'}
  where d.subscription_id = ${'id'} and d.number = ${'number'} and (d.event_seq is null or e.seq is not null)`;

const makeDue = statement.run`
  update deliveries set
    status = case when status = 'waiting' then 'waiting' else 'pending' end,
    copies_left = case when status in ('waiting', 'pending') then copies_left else 1 end,
    tries = 0,
    next_attempt_at = case when status = 'waiting' then null else ${'now'} end
  where subscription_id = ${'id'} and number = ${'number'}`;

const countOpen = statement.run`
  update subscriptions set open_deliveries = open_deliveries + 1 where id = ${'id'}`;

const addDelivery = statement.run`
  update subscriptions set deliveries = ${'number'}, open_deliveries = open_deliveries + 1,
    stored_bytes = stored_bytes + ${'bytes'}
  where id = ${'id'}`;
