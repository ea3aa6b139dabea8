import { freeRows } from '../database/lock-order.ts';
import { statement } from '../database/statement.ts';
import type { TimesAhead } from '../jobs/times-ahead.ts';
import { usedUntil, useResolution } from './client.ts';
import { clients } from './clients.ts';

/** The last use of demo clients, which would not go idle. */
export const usesAhead: TimesAhead = {
  when: 'after a day',
  mayBeAhead: useResolution,
  find: (sql, { ahead }) => find(sql, { ahead }),
  set: (database, _rows, { ahead, now, batch }) =>
    database.write((sql) => date(sql, { ahead, lastUsedAt: usedUntil(Date.parse(now)), batch })),
};

const find = statement.all`
  select ${clients.pick('id')} from clients where preset = 0 and last_used_at >= ${'ahead'}
  order by last_used_at limit 1`;

const date = statement.run`
  with ahead as materialized (
    select id from clients where preset = 0 and last_used_at >= ${'ahead'} order by last_used_at limit ${'batch'}
    ${freeRows}
  )
  update clients set last_used_at = ${'lastUsedAt'} where id in (select id from ahead)`;
