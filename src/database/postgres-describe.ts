import pg from 'pg';
import type { OutputColumn } from './columns.ts';
import { meaning } from './postgres-errors.ts';
import { dataTypeOf } from './postgres-values.ts';

/*
 * Asks PostgreSQL what statements would return. The protocol can do that without running them (parse, describe), but pg
 * has no call for it; so this is a query object of our own, like those of pg-cursor: the client calls `submit`, then a
 * `handle…` for each message. Seen with pg 8.23.
 *
 * All statements are sent at once, so that a server far away costs one round trip. After one that is refused the server
 * skips the others: those are sent again.
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
    while (described.length < texts.length) {
      const { columns, refused } = await new Promise<Described>((resolve) => {
        client.query(new Describe(texts.slice(described.length), resolve));
      });
      // That the server went away says nothing of the statement.
      if (refused && meaning(refused) !== 'mistake') throw refused;
      described.push(...columns, ...(refused ? [refused] : []));
    }
    return described;
  } finally {
    await client.end();
  }
}

/** The columns of the statements up to the one that was refused, or of all. */
interface Described {
  readonly columns: OutputColumn[][];
  readonly refused: Error | undefined;
}

class Describe implements pg.Submittable {
  readonly #texts: readonly string[];
  readonly #columns: OutputColumn[][] = [];
  readonly #noRows = (): void => void this.#columns.push([]);
  /** The client puts its time limit around it. */
  callback: (error: Error | null) => void;
  #connection: pg.Connection | undefined;

  constructor(texts: readonly string[], resolve: (described: Described) => void) {
    this.#texts = texts;
    this.callback = (error) => {
      this.#connection?.off('noData', this.#noRows);
      resolve({ columns: this.#columns, refused: error ?? undefined });
    };
  }

  submit(connection: pg.Connection): void {
    this.#connection = connection;
    // The client passes on what a statement with rows returns, and nothing of one without.
    connection.on('noData', this.#noRows);
    for (const text of this.#texts) {
      connection.parse({ name: '', text, types: [] }, true);
      connection.describe({ type: 'S', name: '' }, true);
    }
    connection.sync();
  }

  handleRowDescription({ fields }: { fields: { name: string; dataTypeID: number }[] }): void {
    this.#columns.push(fields.map(({ name, dataTypeID }) => ({ name, dataType: dataTypeOf(dataTypeID) })));
  }

  handleReadyForQuery(): void {
    this.callback(null);
  }

  handleError(error: Error): void {
    this.callback(error);
  }
}
