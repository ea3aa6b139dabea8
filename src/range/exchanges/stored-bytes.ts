import { type AtEnd, writeWithEnd } from '../../clients/owned-rows.ts';
import type { RowOf } from '../../database/columns.ts';
import type { Database, Sql } from '../../database/database.ts';
import { freeRows } from '../../database/lock-order.ts';
import { statement } from '../../database/statement.ts';
import { exchangeBytes, exchanges } from './tables.ts';

/*
 * The bytes of the exchanges that are stored: of each address, and of all. Every write and removal adds what it changes in
 * its own transaction. Where there are too many, the oldest of the address with most go.
 */

/** Stands in the place of an address for those of all. */
const all = '';

/** Rows that one transaction removes, and transactions of one look. */
const stepSize = 50;
const maxSteps = 20;

export const stored = exchanges.pick('address', 'size');

/** What a transaction adds to the bytes, and takes from them. */
export class ByteChanges {
  readonly #ofAddress = new Map<string, number>();

  added(address: string, bytes: number): void {
    this.#ofAddress.set(address, (this.#ofAddress.get(address) ?? 0) + bytes);
  }

  /** Returns how many rows that were. */
  removed(rows: readonly RowOf<typeof stored>[]): number {
    for (const { address, size } of rows) this.added(address, -size);
    return rows.length;
  }

  /** To be called last: whoever changes the bytes of all waits until the transaction ends. */
  async note(sql: Sql): Promise<void> {
    let sum = 0;
    for (const [address, bytes] of [...this.#ofAddress].sort()) {
      if (bytes === 0) continue;
      sum += bytes;
      await add(sql, { address, bytes });
      if (bytes < 0) await removeEmpty(sql, { address });
    }
    if (sum !== 0) await add(sql, { address: all, bytes: sum });
  }
}

/** Removes exchanges, as `remove` returns them, and at the end what they took. Returns how many that were. */
export async function removeStored(remove: Promise<RowOf<typeof stored>[]>, atEnd: AtEnd): Promise<number> {
  const changes = new ByteChanges();
  const count = changes.removed(await remove);
  atEnd((sql) => changes.note(sql));
  return count;
}

export class StoredBytes {
  readonly #database: Database;
  readonly #max: number;
  readonly #removed: (count: number) => void;
  /** Those of all, at the last look. */
  total = 0;

  constructor(database: Database, max: number, removed: (count: number) => void) {
    this.#database = database;
    this.#max = max;
    this.#removed = removed;
  }

  /** Removes the oldest of the address with most while those of all are too many, or more than half are of this address. */
  async makeRoom(): Promise<void> {
    for (let step = 0; step < maxSteps; step += 1) {
      const rows = await findMost(this.#database.sql);
      this.total = rows.find(({ address }) => address === all)?.bytes ?? 0;
      const most = rows.find(({ address }) => address !== all);
      if (!most || (this.total <= this.#max && most.bytes <= this.#max / 2)) return;
      const oldest = { address: most.address, limit: stepSize };
      const over = Math.max(this.total - this.#max, most.bytes - this.#max / 2);
      const { found, removed } = await writeWithEnd(this.#database, async (sql, atEnd) => {
        const rows = await findOldest(sql, oldest);
        // No more than there has to be.
        let [limit, bytes] = [0, 0];
        for (const { size } of rows) if (bytes < over) [limit, bytes] = [limit + 1, bytes + size];
        return { found: rows.length, removed: await removeStored(removeOldest(sql, { ...oldest, limit }), atEnd) };
      });
      this.#removed(removed);
      if (found === 0) await this.#correct(most);
      // Others are about to remove them.
      else if (removed === 0) return;
    }
  }

  /** Nothing of an address is stored any more: a node of a version before this one has removed exchanges and not noted it. */
  async #correct({ address, bytes }: RowOf<typeof exchangeBytes>): Promise<void> {
    const changes = new ByteChanges();
    changes.added(address, -bytes);
    await this.#database.write((sql) => changes.note(sql));
  }
}

const add = statement.run`
  insert into exchange_bytes ${exchangeBytes.values}
  on conflict (address) do update set bytes = exchange_bytes.bytes + excluded.bytes`;

const removeEmpty = statement.run`delete from exchange_bytes where address = ${'address'} and bytes <= 0`;

// The first two: one of them is that of all.
const findMost = statement.all`select ${exchangeBytes} from exchange_bytes order by bytes desc limit 2`;

const findOldest = statement.all`
  select ${exchanges.pick('size')} from exchanges where address = ${'address'} order by started_at limit ${'limit'}`;

const removeOldest = statement.all`
  with oldest as materialized (
    select id from exchanges where address = ${'address'} order by started_at limit ${'limit'} ${freeRows}
  )
  delete from exchanges where id in (select id from oldest) returning ${stored}`;
