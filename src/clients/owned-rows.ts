import type { Sql } from '../database/database.ts';
import { statement } from '../database/statement.ts';

/** Removes rows that belong to the client, `limit` at the most. Returns how many: fewer when none is left. */
export type RemoveRows = (sql: Sql, clientId: string, limit: number) => Promise<number>;

/** Rows of one kind that belong to clients. One list of them has all that a client owns besides its policies. */
export interface OwnedRows {
  /** When the client is removed. */
  readonly remove: RemoveRows;
  /** When it is reset, and stays. */
  readonly reset: RemoveRows;
}

/**
 * Those that came last go first, so that the numbers left have no gaps. By a bound, since without statistics PostgreSQL
 * compares each number with each of a list.
 */
export const removePolicies = statement.run`
  delete from policies where client_id = ${'clientId'}
    and number > (select max(number) - ${'limit'} from policies where client_id = ${'clientId'})`;
