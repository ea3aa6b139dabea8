import { lockClient } from '../clients/clients.ts';
import type { RowOf } from '../database/columns.ts';
import { statement } from '../database/statement.ts';
import { fleetId } from '../insurer/index.ts';
import type { TimesAhead } from '../jobs/times-ahead.ts';
import { maxPaceSeconds } from './claim.ts';
import { byNumber, claims } from './claims.ts';

const found = claims.pick('id', 'clientId', 'number');

/** Moves of claims, which would not become due. */
export const movesAhead: TimesAhead<RowOf<typeof found>> = {
  when: 'at once',
  mayBeAhead: maxPaceSeconds * 1000,
  find: (sql, bounds) => findMoves(sql, bounds),
  async set(database, rows, { ahead, now }) {
    await database.write(async (sql) => {
      for (const { id } of rows.toSorted(byNumber)) await dateMove(sql, { id, ahead, now });
    });
    return rows.length;
  },
};

/** Closed claims of the fleet, which would not grow old and keep later ones from being removed. */
export const fleetClaimsAhead: TimesAhead = {
  when: 'after a day',
  async find(sql, { ahead }) {
    const oldest = await findOldest(sql, { clientId: fleetId });
    return oldest?.status === 'CLOSED' && oldest.updatedAt > ahead ? [oldest] : [];
  },
  set: (database, _rows, times) =>
    database.write(async (sql) => {
      await lockClient(sql, fleetId);
      return dateClosed(sql, { clientId: fleetId, ...times });
    }),
};

const findMoves = statement.all`
  select ${found} from claims where due_at > ${'ahead'} order by due_at limit ${'batch'}`;

const dateMove = statement.run`
  update claims set due_at = ${'now'} where id = ${'id'} and due_at > ${'ahead'}`;

const findOldest = statement.get`
  select ${claims.pick('status', 'updatedAt')} from claims where client_id = ${'clientId'} order by number limit 1`;

const dateClosed = statement.run`
  update claims set registered_at = ${'now'}, updated_at = ${'now'}
  where client_id = ${'clientId'} and status = 'CLOSED' and updated_at > ${'ahead'} and number in (
    select number from claims where client_id = ${'clientId'} order by number limit ${'batch'}
  )`;
