import { integer, type RowOf, table } from '../database/columns.ts';
import type { Sql } from '../database/database.ts';
import { statement } from '../database/statement.ts';

const clockHead = table('clock_head', { moves: integer });

/** The next number of a move, which nobody else gets until the transaction ends: so it is the last that one locks. */
export async function nextMove(sql: Sql): Promise<number> {
  return ((await count(sql)) as RowOf<typeof clockHead>).moves;
}

const count = statement.get`update clock_head set moves = moves + 1 where id = 1 returning ${clockHead}`;
