import { lockRows } from '../database/lock-order.ts';
import { statement } from '../database/statement.ts';
import { setInBatches, type TimesAhead } from '../jobs/times-ahead.ts';
import { events } from './event-log.ts';

/**
 * Events, which would not grow old and keep those after them from being removed. Those of one time ahead follow each
 * other, and only when the first of them is the oldest event do they keep others.
 */
export const eventsAhead: TimesAhead<number> = {
  when: 'after a day',
  async find(sql, { ahead }) {
    const oldest = await findOldest(sql);
    return oldest && oldest.publishedAt > ahead ? [oldest.seq] : [];
  },
  async set(database, rows, { ahead, now }) {
    for (const seq of rows) await setInBatches(database, seq, (sql, range) => date(sql, { ...range, ahead, now }));
    return rows.length;
  },
};

const findOldest = statement.get`
  select ${events.pick('seq', 'publishedAt')} from events order by seq limit 1`;

const date = statement.run`
  with ahead as materialized (
    select seq from events where seq >= ${'from'} and seq < ${'end'} and published_at > ${'ahead'} order by seq ${lockRows}
  )
  update events set published_at = ${'now'} where seq in (select seq from ahead)`;
