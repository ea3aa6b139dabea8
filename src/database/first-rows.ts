import type { Database, Sql, Texts, Value } from './database.ts';

/*
 * How a database in memory becomes as it was when its tables had been made: what the tables had then is remembered, and
 * all else is removed. What tells which migrations there were, and the key that signs, stay.
 */

type Row = Record<string, Value>;

const kept = new Set(['migrations', 'signing_keys']);

/** To be called before anything is written. Returns what brings the rows of now back, within a transaction. */
export async function firstRows({ sql }: Database): Promise<(sql: Sql) => Promise<void>> {
  const names = await sql.all<{ name: string }>`select name from sqlite_schema where type = 'table' order by name`;
  const tables = await Promise.all(
    names
      .filter(({ name }) => !kept.has(name))
      .map(async ({ name }) => ({
        removal: [`delete from ${name}`],
        rows: (await sql.all<Row>([`select * from ${name}`])).map((row) => insertion(name, row)),
      })),
  );
  return async (sql) => {
    // Each table is emptied whatever others refer to.
    await sql.run`pragma defer_foreign_keys = on`;
    for (const { removal } of tables) await sql.run(removal);
    for (const { texts, values } of tables.flatMap(({ rows }) => rows)) await sql.run(texts, ...values);
  };
}

function insertion(table: string, row: Row): { texts: Texts; values: Value[] } {
  const names = Object.keys(row);
  const commas = names.slice(1).map(() => ', ');
  return { texts: [`insert into ${table} (${names.join(', ')}) values (`, ...commas, ')'], values: Object.values(row) };
}
