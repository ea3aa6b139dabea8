import { alias, integer } from '../database/columns.ts';
import type { Sql } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { EventLog } from '../events/event-log.ts';
import { retentionDays } from '../events/retention.ts';
import { ProblemError } from '../http/problems/problem.ts';

/*
 * What a client has stored for its events, deliveries and their attempts, in bytes: the texts, and for each row what
 * its other columns and indexes take. Nothing is counted at a request: events carry a running total, and deliveries are
 * counted in the row of their subscription, which every change of them locks.
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
    const row = await sumBytes(sql, { clientId });
    return (row?.bytes ?? 0) + (await this.#log.storedBytes(sql, clientId));
  }

  async isFull(sql: Sql, clientId: string): Promise<boolean> {
    return (await this.of(sql, clientId)) >= this.#cap;
  }

  /** @throws {ProblemError} `quota-exceeded` */
  async check(sql: Sql, clientId: string): Promise<void> {
    if (!(await this.isFull(sql, clientId))) return;
    this.#refused();
    const detail = `This client has stored ${this.#cap} bytes of events and deliveries, which is the limit. They are removed after ${retentionDays} days. To remove the deliveries of a subscription now, delete the subscription. Or continue with a new demo client.`;
    throw new ProblemError('quota-exceeded', detail);
  }
}

const sumBytes = statement.get`
  select coalesce(sum(stored_bytes), 0) as ${alias('bytes', integer)} from subscriptions
  where client_id = ${'clientId'} and status <> 'deleted'`;
