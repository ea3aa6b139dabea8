import { type Clock, instant } from '../clock.ts';
import type { Database, Sql } from '../database/database.ts';
import { copiesOf } from '../events/duplicates.ts';
import { retention, type Topic } from '../events/topic.ts';
import type { Metrics } from '../http/metrics.ts';
import { ProblemError } from '../http/problem.ts';
import { type Attempt, addAttempt, outcomeOf } from './attempts.ts';
import { afterAttempt, type DeliveryStatus, failingAfter } from './delivery.ts';
import { type LockedSubscription, lockOwnSubscription, lockSubscription, openDelivery } from './locked-subscription.ts';
import { deliveryNotFound } from './not-found.ts';
import type { StoredBytes } from './stored-bytes.ts';

/* The deliveries of subscriptions in the database. delivery.ts explains their states. */

/** A delivery that is due, with all that an attempt needs. */
export interface DueDelivery {
  readonly subscriptionId: string;
  readonly clientId: string;
  readonly number: number;
  readonly url: string;
  readonly secret: string;
  /** Whether the subscription may call this machine, as far as this service lets any do so. */
  readonly loopback: boolean;
  readonly eventId: string;
  readonly key: string;
  readonly payload: string;
  /** Milliseconds since 1970. */
  readonly dueAt: number;
  /** The number of the attempt that is to be made, from 1. */
  readonly attempt: number;
}

export interface DeliveriesOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly stored: StoredBytes;
  /** Share of events that are delivered twice. */
  readonly duplicateRate: number;
  /** How many open deliveries one subscription may have. */
  readonly mostOpen: number;
  /** Milliseconds of failure after which a subscription is disabled; 0 for never. */
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

  /** The subscriptions that have something due, those that have waited longest first. */
  async dueSubscriptions(): Promise<string[]> {
    const rows = await this.#database.sql.all<{ subscription_id: string }>`
      select subscription_id, min(next_attempt_at) as since from deliveries
      where status = 'pending' and next_attempt_at <= ${this.#now()}
      group by subscription_id order by since`;
    return rows.map((row) => row.subscription_id);
  }

  /**
   * The delivery of a subscription that has been due longest. One whose event was removed is not sent; one whose event
   * is past its days by the clock alone is, since the clock may have been set ahead.
   */
  async nextDue(subscriptionId: string): Promise<DueDelivery | undefined> {
    const row = await this.#database.sql.get<DueRow>`
      select d.number, d.event_id, d.ordering_key, coalesce(e.payload, d.payload) as payload, d.attempts,
        d.next_attempt_at, s.client_id, s.url, s.secret, s.loopback
      from deliveries d
      join subscriptions s on s.id = d.subscription_id and s.status = 'active'
      left join events e on e.seq = d.event_seq
      where d.subscription_id = ${subscriptionId} and d.status = 'pending' and d.next_attempt_at <= ${this.#now()}
        and (d.event_seq is null or e.seq is not null)
      order by d.next_attempt_at, d.number limit 1`;
    return row && asDue(subscriptionId, row);
  }

  /**
   * Saves an attempt and the new state of the delivery, unless the delivery was removed meanwhile. Returns whether this
   * disabled the subscription.
   */
  async saveAttempt(due: DueDelivery, attempt: Attempt, attemptedAt: number): Promise<boolean> {
    const { clock, disableAfter } = this.#options;
    const { subscriptionId: id, number } = due;
    const now = clock.now();
    return this.#database.write(async (sql) => {
      const locked = await lockSubscription(sql, id);
      if (locked?.status !== 'active') return false;
      // Anew, since it may have been asked for again while the call was under way.
      const row = await sql.get<{ copies_left: number; tries: number; kept_attempts: string }>`
        select copies_left, tries, kept_attempts from deliveries
        where subscription_id = ${id} and number = ${number} and attempts = ${due.attempt - 1}`;
      // Removed, or another node made this attempt as well and was first to save it.
      if (!row) return false;
      const before = { copiesLeft: row.copies_left, tries: row.tries, dueAt: due.dueAt };
      const { status, copiesLeft, tries, nextAttemptAt } = afterAttempt(before, attempt, now);
      const kept = addAttempt(row.kept_attempts, due.attempt, instant(attemptedAt), attempt);
      const outcome = outcomeOf(attempt);
      await sql.run`
        update deliveries set status = ${status}, copies_left = ${copiesLeft}, tries = ${tries},
          attempts = ${due.attempt}, kept_attempts = ${kept}, taken = taken + ${outcome === 'taken' ? 1 : 0},
          refused = refused + ${outcome === 'refused' ? 1 : 0},
          unanswered = unanswered + ${outcome === 'unanswered' ? 1 : 0},
          next_attempt_at = ${nextAttemptAt === null ? null : instant(nextAttemptAt)}
        where subscription_id = ${id} and number = ${number}`;
      const failing = failingAfter(locked.failing, attempt, now);
      const disabled = disableAfter > 0 && failing !== null && now - failing.since >= disableAfter;
      await sql.run`
        update subscriptions set open_deliveries = open_deliveries - ${nextAttemptAt === null ? 1 : 0},
          stored_bytes = stored_bytes + ${kept.length - row.kept_attempts.length},
          failing_since = ${failing && instant(failing.since)}, last_failed_at = ${failing && instant(failing.last)},
          status = ${disabled ? 'disabled' : 'active'}, disabled_at = ${disabled ? instant(now) : null}
        where id = ${id}`;
      if (nextAttemptAt === null) await releaseNext(sql, due, instant(now));
      // So that what is due no more is not looked at again and again.
      if (disabled)
        await sql.run`update deliveries set next_attempt_at = null where subscription_id = ${id} and status = 'pending'`;
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
      await sql.run`
        update subscriptions set status = 'active', disabled_at = null, failing_since = null, last_failed_at = null
        where id = ${id}`;
      await sql.run`
        update deliveries set tries = 0, next_attempt_at = ${this.#now()}
        where subscription_id = ${id} and status = 'pending'`;
    });
  }

  /**
   * Makes a delivery due now, whether it was delivered, has failed or waits for a retry. One that waits for an earlier
   * one of its key keeps waiting.
   *
   * @throws {ProblemError} `subscription-not-found`, `delivery-not-found`, `subscription-disabled`, `quota-exceeded`
   */
  async redeliver(clientId: string, id: string, number: number): Promise<void> {
    const keptSince = instant(this.#options.clock.now() - retention);
    await this.#database.write(async (sql) => {
      const locked = await lockOwnSubscription(sql, clientId, id);
      const found = await sql.get<{ status: DeliveryStatus }>`
        select d.status from deliveries d left join events e on e.seq = d.event_seq and e.published_at > ${keptSince}
        where d.subscription_id = ${id} and d.number = ${number} and (d.event_seq is null or e.seq is not null)`;
      if (!found) return deliveryNotFound(number);
      const opens = found.status === 'delivered' || found.status === 'failed';
      this.#checkOpenDeliveries(id, locked, opens);
      await sql.run`
        update deliveries set
          status = case when status = 'waiting' then 'waiting' else 'pending' end,
          copies_left = case when status in ('waiting', 'pending') then copies_left else 1 end,
          tries = 0,
          next_attempt_at = case when status = 'waiting' then null else ${this.#now()} end
        where subscription_id = ${id} and number = ${number}`;
      if (opens) await sql.run`update subscriptions set open_deliveries = open_deliveries + 1 where id = ${id}`;
    });
  }

  /**
   * Delivers a sample event to one subscription. Returns the number of the delivery.
   *
   * @throws {ProblemError} `subscription-not-found`, `subscription-disabled`, `quota-exceeded`
   */
  async test(topic: Topic, clientId: string, id: string): Promise<number> {
    const { clock, duplicateRate, stored } = this.#options;
    const event = topic.sample(clock.now());
    return this.#database.write(async (sql) => {
      const locked = await lockOwnSubscription(sql, clientId, id);
      this.#checkOpenDeliveries(id, locked, true);
      await stored.check(sql, clientId);
      const { eventId } = event;
      const number = locked.deliveries + 1;
      const copies = copiesOf(eventId, duplicateRate);
      const source = JSON.stringify(event);
      const delivery = { number, eventId, key: topic.key.of(event), source, copies, at: this.#now() };
      const bytes = await openDelivery(sql, id, delivery);
      await sql.run`
        update subscriptions set deliveries = ${number}, open_deliveries = open_deliveries + 1,
          stored_bytes = stored_bytes + ${bytes}
        where id = ${id}`;
      return number;
    });
  }

  #checkOpenDeliveries(id: string, { status, open }: LockedSubscription, opens: boolean): void {
    const { mostOpen, metrics } = this.#options;
    if (status === 'disabled') {
      const detail = `The subscription is disabled, because all its calls failed for a day. Enable it first with POST /subscriptions/${id}/enable.`;
      throw new ProblemError('subscription-disabled', detail);
    }
    if (!opens || open < mostOpen) return;
    metrics.limited('pending-deliveries');
    const detail = `This subscription has ${mostOpen} open deliveries, which is the limit. Wait until some were delivered or have failed.`;
    throw new ProblemError('quota-exceeded', detail);
  }
}

interface DueRow {
  number: number;
  event_id: string;
  ordering_key: string;
  payload: string;
  attempts: number;
  next_attempt_at: string;
  client_id: string;
  url: string;
  secret: string;
  loopback: number;
}

/** The next delivery of the same key, unless another one of it is pending. */
async function releaseNext(sql: Sql, { subscriptionId, key }: DueDelivery, at: string): Promise<void> {
  await sql.run`
    update deliveries set status = 'pending', next_attempt_at = ${at}
    where subscription_id = ${subscriptionId} and number = (
      select min(number) from deliveries
      where subscription_id = ${subscriptionId} and ordering_key = ${key} and status in ('waiting', 'pending')
    ) and status = 'waiting'`;
}

function asDue(subscriptionId: string, row: DueRow): DueDelivery {
  return {
    subscriptionId,
    clientId: row.client_id,
    number: row.number,
    url: row.url,
    secret: row.secret,
    loopback: row.loopback === 1,
    eventId: row.event_id,
    key: row.ordering_key,
    payload: row.payload,
    dueAt: Date.parse(row.next_attempt_at),
    attempt: row.attempts + 1,
  };
}
