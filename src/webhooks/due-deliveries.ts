import { instant } from '../clock.ts';
import { alias, text } from '../database/columns.ts';
import type { Sql } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { deliveries } from './tables.ts';

/** Makes the next attempts for a client due `by` milliseconds earlier. */
export async function moveDueDeliveries(sql: Sql, clientId: string, by: number): Promise<void> {
  for (const { dueAt, ...delivery } of await findPending(sql, { clientId }))
    await setDue(sql, { ...delivery, dueAt: instant(Date.parse(dueAt) - by) });
}

const findPending = statement.all`
  select ${deliveries.pick('subscriptionId', 'number').of('d')}, d.next_attempt_at as ${alias('dueAt', text)}
  from deliveries d join subscriptions s on s.id = d.subscription_id
  where s.client_id = ${'clientId'} and d.status = 'pending' and d.next_attempt_at is not null`;

const setDue = statement.run`
  update deliveries set next_attempt_at = ${'dueAt'}
  where subscription_id = ${'subscriptionId'} and number = ${'number'} and status = 'pending'`;
