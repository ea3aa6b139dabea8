import pg from 'pg';
import type { OutputColumn } from './columns.ts';
import { meaning } from './postgres-errors.ts';
import { dataTypeOf } from './postgres-values.ts';

/*
 * Asks PostgreSQL what statements would return. The protocol can do that without running them (parse, describe), but pg
 * has no call for it; so this is a query object of our own, like those of pg-cursor: the client calls `submit`, then a
 * `handle…` for each message. Seen with pg 8.23.
 */

/** On a connection of its own, since the connections of the pool send queries without waiting for answers. */
export async function describeStatements(
  settings: pg.ClientConfig,
  texts: readonly string[],
): Promise<(OutputColumn[] | Error)[]> {
  const client = new pg.Client(settings);
  client.on('error', () => {});
  await client.connect();
  try {
    const described: (OutputColumn[] | Error)[] = [];
    for (const text of texts) {
      const columns = await new Promise<OutputColumn[] | Error>((resolve) => {
        client.query(new Describe(text, resolve));
      });
      // That the server went away says nothing of the statement.
      if (columns instanceof Error && meaning(columns) !== 'mistake') throw columns;
      described.push(columns);
    }
    return described;
  } finally {
    await client.end();
  }
}

class Describe implements pg.Submittable {
  readonly #text: string;
  #columns: OutputColumn[] = [];
  /** The client puts its time limit around it. */
  callback: (error: Error | null) => void;

  constructor(text: string, resolve: (described: OutputColumn[] | Error) => void) {
    this.#text = text;
    this.callback = (error) => resolve(error ?? this.#columns);
  }

  submit(connection: pg.Connection): void {
    connection.parse({ name: '', text: this.#text, types: [] }, true);
    connection.describe({ type: 'S', name: '' }, true);
    connection.sync();
  }

  handleRowDescription({ fields }: { fields: { name: string; dataTypeID: number }[] }): void {
    this.#columns = fields.map(({ name, dataTypeID }) => ({ name, dataType: dataTypeOf(dataTypeID) }));
  }

  handleReadyForQuery(): void {
    this.callback(null);
  }

  handleError(error: Error): void {
    this.callback(error);
  }
}
