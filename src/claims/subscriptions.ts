import { type Clock, instant } from '../clock.ts';
import type { Database } from '../database/database.ts';
import type { Page } from '../http/paging.ts';
import { excerpt, ProblemError } from '../http/problem.ts';
import { invalid } from '../http/validation.ts';
import type { InsurerRecords } from '../insurer/index.ts';
import type { EventLog } from './event-log.ts';
import { isSubscriptionId, newSubscriptionId } from './subscription.ts';
import { newSecret } from './webhook-call.ts';
import { checkUrl, findTarget, type Refusal, type Resolve, type TargetRules } from './webhook-target.ts';

/** As the interface shows it. */
export interface Subscription {
  id: string;
  url: string;
  createdAt: string;
}

interface SubscriptionRow {
  id: string;
  url: string;
  created_at: string;
}

export interface SubscriptionsOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: EventLog;
  readonly records: InsurerRecords;
  readonly rules: TargetRules;
  readonly resolve: Resolve;
  /** How many one client may own. */
  readonly cap: number;
}

/** The use cases of subscriptions. A client sees its own only. */
export class Subscriptions {
  readonly #options: SubscriptionsOptions;

  constructor(options: SubscriptionsOptions) {
    this.#options = options;
  }

  /**
   * A subscription to the events that are published from now on. The secret can't be had again.
   *
   * @throws {ProblemError} `validation-error` for a target that may not be called, `quota-exceeded`, or `invalid-token`
   *   when the client is gone
   */
  async create(clientId: string, text: string): Promise<Subscription & { secret: string }> {
    const { database, clock, log, records, cap } = this.#options;
    const url = await this.#callable(text);
    const id = newSubscriptionId();
    const secret = newSecret();
    const at = instant(clock.now());
    await database.write(async (sql) => {
      await records.holdClient(sql, clientId);
      const owned = await sql.get<{ count: number; last: number | null }>`
        select count(*) as count, max(number) as last from subscriptions where client_id = ${clientId}`;
      if ((owned?.count ?? 0) >= cap) {
        const detail = `A client may own ${cap} subscriptions, and this one does. Delete one that you no longer need.`;
        throw new ProblemError('quota-exceeded', detail);
      }
      const position = await log.head(sql);
      await sql.run`
        insert into subscriptions (id, client_id, number, url, secret, created_at, taken_seq)
        values (${id}, ${clientId}, ${(owned?.last ?? 0) + 1}, ${url}, ${secret}, ${at}, ${position})`;
    });
    return { id, url, secret, createdAt: at };
  }

  async #callable(text: string): Promise<string> {
    const { rules, resolve } = this.#options;
    const url = checkUrl(text);
    if (!(url instanceof URL)) throw uncallable(url);
    const targets = await findTarget(url, rules, resolve);
    if ('refused' in targets) throw uncallable(targets);
    return url.href;
  }

  /** The client's subscriptions on one page, oldest first, and how many there are in all. */
  async list(clientId: string, { page, pageSize }: Page): Promise<{ items: Subscription[]; total: number }> {
    const { sql } = this.#options.database;
    const rows = await sql.all<SubscriptionRow>`
      select id, url, created_at from subscriptions where client_id = ${clientId} order by number`;
    const items = rows.slice((page - 1) * pageSize, page * pageSize).map(asSubscription);
    return { items, total: rows.length };
  }

  /** @throws {ProblemError} `subscription-not-found` */
  async read(clientId: string, id: string): Promise<Subscription> {
    if (!isSubscriptionId(id)) return subscriptionNotFound(id);
    const row = await this.#options.database.sql.get<SubscriptionRow>`
      select id, url, created_at from subscriptions where id = ${id} and client_id = ${clientId}`;
    return row ? asSubscription(row) : subscriptionNotFound(id);
  }

  /**
   * Removes it, with what was still to be delivered.
   *
   * @throws {ProblemError} `subscription-not-found`
   */
  async remove(clientId: string, id: string): Promise<void> {
    if (!isSubscriptionId(id)) return subscriptionNotFound(id);
    const removed = await this.#options.database.write(
      (sql) => sql.run`delete from subscriptions where id = ${id} and client_id = ${clientId}`,
    );
    if (removed === 0) subscriptionNotFound(id);
  }
}

function uncallable({ refused }: Refusal): ProblemError {
  return invalid([{ pointer: '/url', detail: `can’t be called: ${refused}.` }]);
}

function asSubscription({ id, url, created_at }: SubscriptionRow): Subscription {
  return { id, url, createdAt: created_at };
}

export function subscriptionNotFound(id: string): never {
  const detail = `You own no subscription with the id ${excerpt(id)}. GET /subscriptions lists those you own.`;
  throw new ProblemError('subscription-not-found', detail);
}
