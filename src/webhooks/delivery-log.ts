import type { Database } from '../database/database.ts';
import type { Topic } from '../events/topic.ts';
import type { Page } from '../http/paging.ts';
import { type AttemptOutcome, type AttemptView, readAttempts } from './attempts.ts';
import { type DeliveryStatus, isSubscriptionId } from './delivery.ts';
import { deliveryNotFound, subscriptionNotFound } from './not-found.ts';

/** As the interface shows it. The topic names the member for the key: `claimId`. */
export interface DeliveryView {
  [key: string]: unknown;
  /** Counts from 1 in its subscription. */
  number: number;
  eventId: string;
  status: DeliveryStatus;
  /** The first and the latest. */
  attempts: AttemptView[];
  attemptCounts: AttemptCounts;
  nextAttemptAt: string | null;
  createdAt: string;
}

/** How many attempts there were, and how they ended. */
export interface AttemptCounts extends Record<AttemptOutcome, number> {
  total: number;
}

interface DeliveryRow {
  number: number;
  event_id: string;
  ordering_key: string;
  status: DeliveryStatus;
  created_at: string;
  next_attempt_at: string | null;
  kept_attempts: string;
  attempts: number;
  taken: number;
  refused: number;
  unanswered: number;
}

/** What the owner of a subscription may see of its deliveries. */
export class DeliveryLog {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * The deliveries of a subscription on one page, oldest first, each with its attempts, and how many there are in all.
   *
   * @throws {ProblemError} `subscription-not-found`
   */
  async list(
    topic: Topic,
    clientId: string,
    id: string,
    { page, pageSize }: Page,
  ): Promise<{ items: DeliveryView[]; total: number }> {
    const { sql } = this.#database;
    const bounds = isSubscriptionId(id)
      ? await sql.get<{ last: number; first: number | null }>`
          select s.deliveries as last, (select min(d.number) from deliveries d where d.subscription_id = s.id) as first
          from subscriptions s where s.id = ${id} and s.client_id = ${clientId} and s.status <> 'deleted'`
      : undefined;
    if (!bounds) return subscriptionNotFound(id);
    if (bounds.first === null) return { items: [], total: 0 };
    const from = bounds.first + (page - 1) * pageSize;
    return { items: await this.#views(topic, id, from, from + pageSize - 1), total: bounds.last - bounds.first + 1 };
  }

  /**
   * One delivery.
   *
   * @throws {ProblemError} `subscription-not-found`, `delivery-not-found`
   */
  async read(topic: Topic, clientId: string, id: string, number: number): Promise<DeliveryView> {
    const owned = isSubscriptionId(id)
      ? await this.#database.sql.get`
          select 1 as found from subscriptions where id = ${id} and client_id = ${clientId} and status <> 'deleted'`
      : undefined;
    if (!owned) return subscriptionNotFound(id);
    const [view] = await this.#views(topic, id, number, number);
    return view ?? deliveryNotFound(number);
  }

  async #views(topic: Topic, id: string, from: number, to: number): Promise<DeliveryView[]> {
    const { sql } = this.#database;
    const rows = await sql.all<DeliveryRow>`
      select number, event_id, ordering_key, status, created_at, next_attempt_at, kept_attempts, attempts, taken, refused,
        unanswered
      from deliveries
      where subscription_id = ${id} and number >= ${from} and number <= ${to} order by number`;
    return rows.map((row) => asView(topic, row));
  }
}

function asView({ key }: Topic, row: DeliveryRow): DeliveryView {
  const { attempts: total, taken, refused, unanswered } = row;
  return {
    number: row.number,
    eventId: row.event_id,
    [key.member]: row.ordering_key,
    status: row.status,
    attempts: readAttempts(row.kept_attempts),
    attemptCounts: { total, taken, refused, unanswered },
    nextAttemptAt: row.next_attempt_at,
    createdAt: row.created_at,
  };
}
