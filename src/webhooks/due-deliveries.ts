import { alias, text } from '../database/columns.ts';
import type { Sql } from '../database/database.ts';
import { lockRows } from '../database/lock-order.ts';
import { statement } from '../database/statement.ts';
import { dueAfter } from '../time/due-times.ts';
import { deliveries, subscriptions } from './tables.ts';

/** Makes the next attempts for a client due `by` milliseconds earlier. */
export async function moveDueDeliveries(sql: Sql, clientId: string, by: number): Promise<void> {
  for (const { id, pausedUntil } of await lockAll(sql, { clientId })) {
    if (pausedUntil) await setPause(sql, { id, pausedUntil: dueAfter(pausedUntil, -by) });
    for (const { number, dueAt } of await findPending(sql, { id }))
      await setDue(sql, { id, number, dueAt: dueAfter(dueAt, -by) });
  }
}

const lockAll = statement.all`
  select ${subscriptions.pick('id', 'pausedUntil')} from subscriptions
  where client_id = ${'clientId'} and status <> 'deleted' order by id ${lockRows}`;

const setPause = statement.run`update subscriptions set paused_until = ${'pausedUntil'} where id = ${'id'}`;

const findPending = statement.all`
  select ${deliveries.pick('number')}, next_attempt_at as ${alias('dueAt', text)} from deliveries
  where subscription_id = ${'id'} and status = 'pending' and next_attempt_at is not null`;

const setDue = statement.run`
  update deliveries set next_attempt_at = ${'dueAt'} where subscription_id = ${'id'} and number = ${'number'}`;
