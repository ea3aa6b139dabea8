import type { Sql } from '../database/database.ts';
import type { EventLog } from '../events/event-log.ts';
import { ProblemError } from '../http/problem.ts';

/*
 * What a client has stored for its events, deliveries and their attempts, in bytes: the texts, and for each row what
 * its other columns and indexes take. Nothing is counted at a request: events carry a running total, and deliveries are
 * counted in the row of their subscription, which is locked by whoever changes them.
 */

/** Bytes of a delivery besides its payload and attempts, as the migration that began to count them estimates them too. */
export const deliveryBytes = 400;

export class StoredBytes {
  readonly #log: EventLog;
  readonly #cap: number;
  readonly #refused: () => void;

  /**
   * `cap` is how many bytes one client may have stored (`storedBytesPerClient`); `refused` is called when that made
   * something fail.
   */
  constructor(log: EventLog, cap: number, refused: () => void) {
    this.#log = log;
    this.#cap = cap;
    this.#refused = refused;
  }

  async of(sql: Sql, clientId: string): Promise<number> {
    const row = await sql.get<{ bytes: number }>`
      select coalesce(sum(stored_bytes), 0) as bytes from subscriptions
      where client_id = ${clientId} and status <> 'deleted'`;
    return Number(row?.bytes ?? 0) + (await this.#log.storedBytes(sql, clientId));
  }

  async isFull(sql: Sql, clientId: string): Promise<boolean> {
    return (await this.of(sql, clientId)) >= this.#cap;
  }

  /** @throws {ProblemError} `quota-exceeded` */
  async check(sql: Sql, clientId: string): Promise<void> {
    if (!(await this.isFull(sql, clientId))) return;
    this.#refused();
    const detail = `A client may have ${this.#cap} bytes stored for events and their deliveries, and this one has. They go after 7 days; the deliveries of a subscription go at once when you delete it. Or go on with a new demo client.`;
    throw new ProblemError('quota-exceeded', detail);
  }
}
