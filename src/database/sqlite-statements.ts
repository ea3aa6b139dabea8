import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { OutputColumn } from './columns.ts';
import type { Texts, Value } from './database.ts';

type Row = Record<string, Value>;

/**
 * The prepared statements of one connection, found by their texts. Rows come from SQLite as
 * arrays and are named here: the objects it would make itself are several times as dear.
 */
export class Statements {
  readonly #connection: DatabaseSync;
  readonly #prepared = new WeakMap<Texts, Prepared>();

  constructor(connection: DatabaseSync) {
    this.#connection = connection;
  }

  get(texts: Texts, values: Value[]): Row | undefined {
    const { statement, columns } = this.#of(texts);
    const row = statement.get(...values) as unknown as Value[] | undefined;
    return row && named(columns, row);
  }

  all(texts: Texts, values: Value[]): Row[] {
    const { statement, columns } = this.#of(texts);
    const rows = statement.all(...values) as unknown as Value[][];
    return rows.map((row) => named(columns, row));
  }

  run(texts: Texts, values: Value[]): number {
    return Number(this.#of(texts).statement.run(...values).changes);
  }

  describe(texts: Texts): OutputColumn[] {
    const { statement } = this.#of(texts);
    return statement.columns().map(({ name, type }) => ({ name, dataType: dataTypeOf(type) }));
  }

  #of(texts: Texts): Prepared {
    let prepared = this.#prepared.get(texts);
    if (prepared === undefined) {
      const statement = this.#connection.prepare(texts.join('?'));
      statement.setReturnArrays(true);
      prepared = { statement, columns: statement.columns().map(({ name }) => name) };
      this.#prepared.set(texts, prepared);
    }
    return prepared;
  }
}

/** By the type that the schema gives a column; an expression has none. */
function dataTypeOf(type: string | null): OutputColumn['dataType'] {
  if (type === null) return undefined;
  if (/bytea/i.test(type)) return 'bytes';
  return /int/i.test(type) ? 'integer' : 'text';
}

interface Prepared {
  readonly statement: StatementSync;
  readonly columns: readonly string[];
}

function named(columns: readonly string[], values: readonly Value[]): Row {
  const row: Row = {};
  for (let at = 0; at < columns.length; at += 1) row[columns[at] as string] = values[at] as Value;
  return row;
}
