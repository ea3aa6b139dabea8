import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Value } from './database.ts';

type Row = Record<string, Value>;

/**
 * The prepared statements of one connection, found by the template they were written as. Rows come from SQLite as
 * arrays and are named here: the objects it would make itself are several times as dear.
 */
export class Statements {
  readonly #connection: DatabaseSync;
  readonly #prepared = new WeakMap<TemplateStringsArray, Prepared>();

  constructor(connection: DatabaseSync) {
    this.#connection = connection;
  }

  get(text: TemplateStringsArray, values: Value[]): Row | undefined {
    const { statement, columns } = this.#of(text);
    const row = statement.get(...values) as unknown as Value[] | undefined;
    return row && named(columns, row);
  }

  all(text: TemplateStringsArray, values: Value[]): Row[] {
    const { statement, columns } = this.#of(text);
    const rows = statement.all(...values) as unknown as Value[][];
    return rows.map((row) => named(columns, row));
  }

  run(text: TemplateStringsArray, values: Value[]): number {
    return Number(this.#of(text).statement.run(...values).changes);
  }

  #of(text: TemplateStringsArray): Prepared {
    let prepared = this.#prepared.get(text);
    if (prepared === undefined) {
      const statement = this.#connection.prepare(text.join('?'));
      statement.setReturnArrays(true);
      prepared = { statement, columns: statement.columns().map(({ name }) => name) };
      this.#prepared.set(text, prepared);
    }
    return prepared;
  }
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
