import type { Drill, Turns } from '../../active-drills.ts';
import { integer, table, text, textOf } from '../../database/columns.ts';
import type { Database, Sql } from '../../database/database.ts';
import { freeRows } from '../../database/lock-order.ts';
import { statement } from '../../database/statement.ts';

/*
 * How far each client is in the sequence of a drill: counted in the database, so that the order is one on all nodes and
 * outlives a restart. A row stays until its drill would have ended, or until the next drill of the name takes its place.
 */

const turns = table('drill_turns', {
  clientId: text,
  /** `everybody` for a drill of all clients. */
  drillOf: text,
  name: textOf<Drill['name']>(),
  drillId: text,
  taken: integer,
  endsAt: text,
});

/** Takes turns: resolves with the number of the turn, from 1; undefined where the sequence, or the drill, is over. */
export function turnsIn(database: Database): Turns {
  return async (clientId, { id, clientId: drillOf, name }, length) => {
    const turn = await database.write((sql) => take(sql, { clientId, drillOf, name, drillId: id, length }));
    return turn?.taken;
  };
}

/** How many turns of each drill a client has taken, by the drill's id. */
export async function turnsTaken(sql: Sql, clientId: string): Promise<ReadonlyMap<string, number>> {
  const rows = await findOf(sql, { clientId });
  return new Map(rows.map(({ drillId, taken }) => [drillId, taken]));
}

/** Removes those of a client that is being removed. Returns how many rows that were. */
export const removeTurns = (sql: Sql, clientId: string): Promise<number> => removeOf(sql, { clientId });

// From the drill's row: a node that has not heard yet that a drill is over, or was started anew, takes no turn.
const take = statement.get`
  insert into drill_turns (client_id, drill_of, name, drill_id, taken, ends_at)
    select ${'clientId'}, client_id, name, id, 1, ends_at from drills
    where client_id = ${'drillOf'} and name = ${'name'} and id = ${'drillId'}
  on conflict (client_id, drill_of, name) do update set
    taken = case when drill_turns.drill_id = excluded.drill_id then drill_turns.taken + 1 else 1 end,
    drill_id = excluded.drill_id, ends_at = excluded.ends_at
    where drill_turns.drill_id <> excluded.drill_id or drill_turns.taken < ${'length'}
  returning ${turns.pick('taken')}`;

const findOf = statement.all`
  select ${turns.pick('drillId', 'taken')} from drill_turns where client_id = ${'clientId'}`;

const removeOf = statement.run`delete from drill_turns where client_id = ${'clientId'}`;

/** Removes those whose drills have ended. */
export const removeEndedTurns = statement.run`
  with ended as materialized (
    select client_id, drill_of, name from drill_turns where ends_at <= ${'now'} order by ends_at limit ${'limit'} ${freeRows}
  )
  delete from drill_turns where (client_id, drill_of, name) in (select client_id, drill_of, name from ended)`;
