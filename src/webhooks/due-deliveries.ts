import { alias, text } from '../database/columns.ts';
import type { Sql } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { instant } from '../time/clock.ts';
import { deliveries, subscriptions } from './tables.ts';

/** Makes the next attempts for a client due `by` milliseconds earlier. */
export async function moveDueDeliveries(sql: Sql, clientId: string, by: number): Promise<void> {
  for (const { id, pausedUntil } of await lockAll(sql, { clientId })) {
    if (pausedUntil) await setPause(sql, { id, pausedUntil: instant(Date.parse(pausedUntil) - by) });
    for (const { number, dueAt } of await findPending(sql, { id }))
      await setDue(sql, { id, number, dueAt: instant(Date.parse(dueAt) - by) });
  }
}

const lockAll = statement.all`
  update subscriptions set deliveries = deliveries where client_id = ${'clientId'} and status <> 'deleted'
  returning ${subscriptions.pick('id', 'pausedUntil')}`;

const setPause = statement.run`update subscriptions set paused_until = ${'pausedUntil'} where id = ${'id'}`;

const findPending = statement.all`
  select ${deliveries.pick('number')}, next_attempt_at as ${alias('dueAt', text)} from deliveries
  where subscription_id = ${'id'} and status = 'pending' and next_attempt_at is not null`;

const setDue = statement.run`
  update deliveries set next_attempt_at = ${'dueAt'} where subscription_id = ${'id'} and number = ${'number'}`;
