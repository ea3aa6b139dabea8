import type { Sql } from '../database/database.ts';
import { ProblemError } from '../http/problem.ts';

/*
 * What a client has stored for its events, deliveries and their attempts, in bytes: the texts, and for each row what
 * its other columns and indexes take.
 *
 * Nothing is counted at a request. Each event carries the running total of its client's events, so that what is stored
 * is the last total less what came before the first event that is left; events go oldest first. Deliveries are counted
 * in the row of their subscription, which is locked by whoever changes them.
 */

/** Bytes of a row besides its payload and attempts, as the migration that began to count reckons them too. */
export const eventBytes = 200;
export const deliveryBytes = 400;

export class StoredBytes {
  readonly #cap: number;
  readonly #refused: () => void;

  /** `cap` is how many bytes one client may have stored; `refused` is called when that made something fail. */
  constructor(cap: number, refused: () => void) {
    this.#cap = cap;
    this.#refused = refused;
  }

  async of(sql: Sql, clientId: string): Promise<number> {
    const row = await sql.get<{ bytes: number }>`
      select
        coalesce((select sum(stored_bytes) from subscriptions
          where client_id = ${clientId} and status <> 'deleted'), 0)
        + coalesce((select client_bytes from events where client_id = ${clientId} order by seq desc limit 1), 0)
        - coalesce((select client_bytes - length(payload) - 200 from events
          where client_id = ${clientId} order by seq limit 1), 0) as bytes`;
    return row?.bytes ?? 0;
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
