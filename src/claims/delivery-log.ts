import type { Database } from '../database/database.ts';
import type { Page } from '../http/paging.ts';
import { excerpt, ProblemError } from '../http/problem.ts';
import { type DeliveryStatus, isSubscriptionId } from './subscription.ts';
import { subscriptionNotFound } from './subscriptions.ts';

/** As the interface shows it. */
export interface DeliveryView {
  /** Counts from 1 in its subscription. */
  number: number;
  eventId: string;
  claimId: string;
  status: DeliveryStatus;
  attempts: AttemptView[];
  nextAttemptAt: string | null;
  createdAt: string;
}

export interface AttemptView {
  attempt: number;
  attemptedAt: string;
  responseStatus: number | null;
  error: string | null;
}

interface DeliveryRow {
  number: number;
  event_id: string;
  claim_id: string;
  status: DeliveryStatus;
  created_at: string;
  next_attempt_at: string | null;
}

interface AttemptRow {
  delivery_number: number;
  attempt: number;
  attempted_at: string;
  response_status: number | null;
  error: string | null;
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
    clientId: string,
    id: string,
    { page, pageSize }: Page,
  ): Promise<{ items: DeliveryView[]; total: number }> {
    const { sql } = this.#database;
    const bounds = isSubscriptionId(id)
      ? await sql.get<{ last: number; first: number | null }>`
          select s.deliveries as last, (select min(d.number) from deliveries d where d.subscription_id = s.id) as first
          from subscriptions s where s.id = ${id} and s.client_id = ${clientId}`
      : undefined;
    if (!bounds) return subscriptionNotFound(id);
    if (bounds.first === null) return { items: [], total: 0 };
    const from = bounds.first + (page - 1) * pageSize;
    return { items: await this.#views(id, from, from + pageSize - 1), total: bounds.last - bounds.first + 1 };
  }

  /**
   * One delivery.
   *
   * @throws {ProblemError} `subscription-not-found`, `delivery-not-found`
   */
  async read(clientId: string, id: string, number: number): Promise<DeliveryView> {
    const owned = isSubscriptionId(id)
      ? await this.#database.sql.get`select 1 as found from subscriptions where id = ${id} and client_id = ${clientId}`
      : undefined;
    if (!owned) return subscriptionNotFound(id);
    const [view] = await this.#views(id, number, number);
    return view ?? deliveryNotFound(number);
  }

  async #views(id: string, from: number, to: number): Promise<DeliveryView[]> {
    const { sql } = this.#database;
    const rows = await sql.all<DeliveryRow>`
      select number, event_id, claim_id, status, created_at, next_attempt_at from deliveries
      where subscription_id = ${id} and number >= ${from} and number <= ${to} order by number`;
    const attempts = await sql.all<AttemptRow>`
      select delivery_number, attempt, attempted_at, response_status, error from delivery_attempts
      where subscription_id = ${id} and delivery_number >= ${from} and delivery_number <= ${to}
      order by delivery_number, attempt`;
    const byNumber = Map.groupBy(attempts, (attempt) => attempt.delivery_number);
    return rows.map((row) => asView(row, byNumber.get(row.number) ?? []));
  }
}

function asView(row: DeliveryRow, attempts: readonly AttemptRow[]): DeliveryView {
  return {
    number: row.number,
    eventId: row.event_id,
    claimId: row.claim_id,
    status: row.status,
    attempts: attempts.map(({ attempt, attempted_at, response_status, error }) => ({
      attempt,
      attemptedAt: attempted_at,
      responseStatus: response_status,
      error,
    })),
    nextAttemptAt: row.next_attempt_at,
    createdAt: row.created_at,
  };
}

export function deliveryNotFound(number: number | string): never {
  const detail = `The subscription has no delivery ${excerpt(String(number))}. GET …/deliveries lists those there are.`;
  throw new ProblemError('delivery-not-found', detail);
}
