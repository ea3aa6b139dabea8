import { type Clock, instant } from '../clock.ts';
import type { Database, Sql } from '../database/database.ts';
import { deliveryNotFound } from './delivery-log.ts';
import { copiesOf, retention } from './event.ts';
import { type Attempt, afterAttempt, isSubscriptionId, testEvent } from './subscription.ts';
import { subscriptionNotFound } from './subscriptions.ts';

/*
 * The deliveries of subscriptions, as the database keeps them (their life is told in subscription.ts). Whoever changes
 * deliveries locks the row of their subscription first, so that what opens one and what lets the next one go do not
 * pass each other by.
 */

/** A delivery that is due, with all that an attempt needs. */
export interface Due {
  readonly subscriptionId: string;
  readonly number: number;
  readonly url: string;
  readonly secret: string;
  readonly eventId: string;
  readonly claimId: string;
  readonly payload: string;
  /** Milliseconds since 1970. */
  readonly dueAt: number;
  /** The number of the attempt that is to be made, from 1. */
  readonly attempt: number;
}

/** Events that become deliveries in one transaction at the most. */
const batch = 100;

/** Attempts of a delivery that are remembered: the latest. */
const remembered = 50;

export class Deliveries {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #duplicateRate: number;

  constructor(database: Database, clock: Clock, duplicateRate: number) {
    this.#database = database;
    this.#clock = clock;
    this.#duplicateRate = duplicateRate;
  }

  /** Makes deliveries of the events that follow each subscription. */
  async takeIn(): Promise<void> {
    const behind = await this.#database.sql.all<{ id: string }>`
      select s.id from subscriptions s
      where exists (select 1 from events e where e.client_id = s.client_id and e.seq > s.taken_seq)`;
    for (const { id } of behind) while ((await this.#takeInFor(id)) === batch);
  }

  #takeInFor(id: string): Promise<number> {
    return this.#database.write(async (sql) => {
      const held = await hold(sql, id);
      if (!held) return 0;
      const events = await sql.all<{ seq: number; event_id: string; claim_id: string; payload: string }>`
        select seq, event_id, claim_id, payload from events
        where client_id = ${held.client_id} and seq > ${held.taken_seq} order by seq limit ${batch}`;
      let number = held.deliveries;
      for (const { event_id, claim_id, payload } of events) {
        number += 1;
        await this.#open(sql, id, { number, eventId: event_id, claimId: claim_id, payload });
      }
      const taken = events.at(-1)?.seq ?? held.taken_seq;
      await sql.run`update subscriptions set taken_seq = ${taken}, deliveries = ${number} where id = ${id}`;
      return events.length;
    });
  }

  async #open(
    sql: Sql,
    id: string,
    { number, eventId, claimId, payload }: { number: number; eventId: string; claimId: string; payload: string },
  ): Promise<void> {
    const before = await sql.get`
      select 1 as found from deliveries
      where subscription_id = ${id} and claim_id = ${claimId} and status in ('waiting', 'pending') limit 1`;
    const at = instant(this.#clock.now());
    await sql.run`
      insert into deliveries (subscription_id, number, event_id, claim_id, payload, status, copies_left, created_at,
        next_attempt_at)
      values (${id}, ${number}, ${eventId}, ${claimId}, ${payload}, ${before ? 'waiting' : 'pending'},
        ${copiesOf(eventId, this.#duplicateRate)}, ${at}, ${before ? null : at})`;
  }

  /** The subscriptions that have something due, those that have waited longest first. */
  async dueSubscriptions(): Promise<string[]> {
    const rows = await this.#database.sql.all<{ subscription_id: string }>`
      select subscription_id, min(next_attempt_at) as since from deliveries
      where status = 'pending' and next_attempt_at <= ${instant(this.#clock.now())}
      group by subscription_id order by since`;
    return rows.map((row) => row.subscription_id);
  }

  /** The delivery of a subscription that has been due longest. */
  async nextDue(subscriptionId: string): Promise<Due | undefined> {
    const row = await this.#database.sql.get<DueRow>`
      select d.number, d.event_id, d.claim_id, d.payload, d.attempts, d.next_attempt_at, s.url, s.secret
      from deliveries d join subscriptions s on s.id = d.subscription_id
      where d.subscription_id = ${subscriptionId} and d.status = 'pending'
        and d.next_attempt_at <= ${instant(this.#clock.now())}
      order by d.next_attempt_at, d.number limit 1`;
    return row && asDue(subscriptionId, row);
  }

  /** Writes down an attempt and what follows from it. A delivery that is gone by now stays gone. */
  async record(due: Due, attempt: Attempt, attemptedAt: number): Promise<void> {
    const { subscriptionId: id, number } = due;
    const now = this.#clock.now();
    await this.#database.write(async (sql) => {
      if (!(await hold(sql, id))) return;
      // Anew, since it may have been asked for again while the call was under way.
      const row = await sql.get<{ copies_left: number; tries: number }>`
        select copies_left, tries from deliveries
        where subscription_id = ${id} and number = ${number} and attempts = ${due.attempt - 1}`;
      // Gone, or another node has made this attempt as well and was first to write it down.
      if (!row) return;
      const before = { copiesLeft: row.copies_left, tries: row.tries, dueAt: due.dueAt };
      const { status, copiesLeft, tries, nextAttemptAt } = afterAttempt(before, attempt, now);
      await sql.run`
        update deliveries set status = ${status}, copies_left = ${copiesLeft}, tries = ${tries},
          attempts = ${due.attempt}, next_attempt_at = ${nextAttemptAt === null ? null : instant(nextAttemptAt)}
        where subscription_id = ${id} and number = ${number}`;
      await sql.run`
        insert into delivery_attempts (subscription_id, delivery_number, attempt, attempted_at, response_status, error)
        values (${id}, ${number}, ${due.attempt}, ${instant(attemptedAt)}, ${attempt.status}, ${attempt.error})`;
      await sql.run`
        delete from delivery_attempts
        where subscription_id = ${id} and delivery_number = ${number} and attempt <= ${due.attempt - remembered}`;
      if (nextAttemptAt === null) await letNextGo(sql, due, instant(now));
    });
  }

  /**
   * Makes a delivery due now, whether it was delivered, has failed or is to be tried later. One that waits for an
   * earlier one of its claim goes on waiting.
   *
   * @throws {ProblemError} `subscription-not-found`, `delivery-not-found`
   */
  async again(clientId: string, id: string, number: number): Promise<void> {
    const at = instant(this.#clock.now());
    await this.#database.write(async (sql) => {
      await holdOwn(sql, clientId, id);
      const found = await sql.run`
        update deliveries set
          status = case when status = 'waiting' then 'waiting' else 'pending' end,
          copies_left = case when status in ('waiting', 'pending') then copies_left else 1 end,
          tries = 0,
          next_attempt_at = case when status = 'waiting' then null else ${at} end
        where subscription_id = ${id} and number = ${number}`;
      if (found === 0) deliveryNotFound(number);
    });
  }

  /**
   * Delivers a made-up event to one subscription. Returns the number of the delivery.
   *
   * @throws {ProblemError} `subscription-not-found`
   */
  async test(clientId: string, id: string): Promise<number> {
    const event = testEvent(this.#clock.now());
    return this.#database.write(async (sql) => {
      const { deliveries } = await holdOwn(sql, clientId, id);
      const { eventId, data } = event;
      const payload = JSON.stringify(event);
      await this.#open(sql, id, { number: deliveries + 1, eventId, claimId: data.claimId, payload });
      await sql.run`update subscriptions set deliveries = ${deliveries + 1} where id = ${id}`;
      return deliveries + 1;
    });
  }

  /** Removes what is older than events are kept, oldest first, so that the numbers left have no gaps. */
  async removeOld(): Promise<void> {
    const since = instant(this.#clock.now() - retention);
    const subscriptions = await this.#database.sql.all<{ id: string }>`
      select s.id from subscriptions s
      join deliveries d on d.subscription_id = s.id
        and d.number = (select min(o.number) from deliveries o where o.subscription_id = s.id)
      where d.created_at <= ${since} and d.status in ('delivered', 'failed')`;
    for (const { id } of subscriptions) {
      await this.#database.write(async (sql) => {
        const held = await hold(sql, id);
        const kept = await sql.get<{ first: number | null }>`
          select min(number) as first from deliveries
          where subscription_id = ${id} and (created_at > ${since} or status in ('waiting', 'pending'))`;
        const first = kept?.first ?? (held?.deliveries ?? 0) + 1;
        await sql.run`delete from deliveries where subscription_id = ${id} and number < ${first}`;
      });
    }
  }
}

interface DueRow {
  number: number;
  event_id: string;
  claim_id: string;
  payload: string;
  attempts: number;
  next_attempt_at: string;
  url: string;
  secret: string;
}

interface HeldRow {
  client_id: string;
  taken_seq: number;
  deliveries: number;
}

/** Locks a subscription until the transaction ends; undefined when it is gone. */
function hold(sql: Sql, id: string): Promise<HeldRow | undefined> {
  return sql.get<HeldRow>`
    update subscriptions set deliveries = deliveries where id = ${id} returning client_id, taken_seq, deliveries`;
}

async function holdOwn(sql: Sql, clientId: string, id: string): Promise<HeldRow> {
  const held = isSubscriptionId(id) ? await hold(sql, id) : undefined;
  return held?.client_id === clientId ? held : subscriptionNotFound(id);
}

/** The next delivery of the same claim, unless another one of it is pending. */
async function letNextGo(sql: Sql, { subscriptionId, claimId }: Due, at: string): Promise<void> {
  await sql.run`
    update deliveries set status = 'pending', next_attempt_at = ${at}
    where subscription_id = ${subscriptionId} and number = (
      select min(number) from deliveries
      where subscription_id = ${subscriptionId} and claim_id = ${claimId} and status in ('waiting', 'pending')
    ) and status = 'waiting'`;
}

function asDue(subscriptionId: string, row: DueRow): Due {
  return {
    subscriptionId,
    number: row.number,
    url: row.url,
    secret: row.secret,
    eventId: row.event_id,
    claimId: row.claim_id,
    payload: row.payload,
    dueAt: Date.parse(row.next_attempt_at),
    attempt: row.attempts + 1,
  };
}
