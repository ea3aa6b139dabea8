import { setImmediate as nextTurn } from 'node:timers/promises';
import { alias, integer, type RowOf, text } from '../database/columns.ts';
import type { Sql } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { setInBatches, type TimesAhead } from '../jobs/times-ahead.ts';
import type { Clock } from '../time/clock.ts';
import { findPage, pageSize, walkEveryMs } from './delivery-removal.ts';
import { lockSubscription } from './locked-subscription.ts';
import { retryIntervals } from './retry-intervals.ts';
import { deliveries } from './tables.ts';

const key = deliveries.pick('subscriptionId', 'number');
type Key = RowOf<typeof key>;

/** Attempts, which would not become due. */
export const attemptsAhead: TimesAhead<Key> = {
  when: 'at once',
  mayBeAhead: Math.max(...retryIntervals),
  find: (sql, bounds) => findAttempts(sql, bounds),
  async set(database, rows, { ahead, now }) {
    for (const row of rows) {
      await database.write(async (sql) => {
        await lockSubscription(sql, row.subscriptionId);
        await dateAttempt(sql, { ...row, ahead, now });
      });
    }
    return rows.length;
  },
};

/**
 * Deliveries, which would not grow old and keep later ones from being removed. Those of one time ahead follow each
 * other; only when the first of them is the oldest do they keep others. Those of a client with a clock of its own are
 * ahead for that. Where none was found, it looks again as seldom as they are removed, and when the clock was set.
 */
export function deliveriesAhead(clock: Clock): TimesAhead<Key> {
  let noneAt = Number.NEGATIVE_INFINITY;
  return {
    when: 'after a day',
    async find(sql, { ahead, batch }) {
      if (Math.abs(clock.now() - noneAt) < walkEveryMs) return [];
      const found = await findAll(sql, ahead);
      if (found.length === 0) noneAt = clock.now();
      return found.slice(0, batch);
    },
    async set(database, rows, { ahead, now }) {
      for (const { subscriptionId, number } of rows)
        await setInBatches(database, number, async (sql, range) => {
          await lockSubscription(sql, subscriptionId);
          return date(sql, { subscriptionId, ...range, ahead, now });
        });
      return rows.length;
    },
  };
}

async function findAll(sql: Sql, ahead: string): Promise<Key[]> {
  const found: Key[] = [];
  for (let after = ''; ; ) {
    const last = (await findPage(sql, { after, pageSize })).at(-1)?.id;
    if (last === undefined) return found;
    found.push(...(await findOldest(sql, { ahead, after, last })));
    after = last;
    await nextTurn();
  }
}

const findAttempts = statement.all`
  select ${deliveries.pick('subscriptionId', 'number')} from deliveries
  where status = 'pending' and next_attempt_at > ${'ahead'} order by next_attempt_at limit ${'batch'}`;

const dateAttempt = statement.run`
  update deliveries set next_attempt_at = ${'now'}
  where subscription_id = ${'subscriptionId'} and number = ${'number'}
    and status = 'pending' and next_attempt_at > ${'ahead'}`;

const findOldest = statement.all`
  select s.id as ${alias('subscriptionId', text)},
    (select min(d.number) from deliveries d where d.subscription_id = s.id) as ${alias('number', integer)}
  from subscriptions s
  join clients k on k.id = s.client_id and k.clock_offset = 0
  where s.id > ${'after'} and s.id <= ${'last'}
    and (select d.created_at from deliveries d where d.subscription_id = s.id order by d.number limit 1) > ${'ahead'}`;

const date = statement.run`
  update deliveries set created_at = ${'now'}
  where subscription_id = ${'subscriptionId'} and number >= ${'from'} and number < ${'end'} and created_at > ${'ahead'}`;
