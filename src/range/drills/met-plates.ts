import { createHash } from 'node:crypto';
import { skew } from '../../active-drills.ts';
import { alias, integer, table, text } from '../../database/columns.ts';
import type { Database, Sql } from '../../database/database.ts';
import { freeRows } from '../../database/lock-order.ts';
import { statement } from '../../database/statement.ts';
import { addressKey } from '../../http/requests/address.ts';
import { vehicleKey } from '../../insurer/index.ts';
import { type Clock, instant } from '../../time/clock.ts';
import { minute } from '../../time/units.ts';

const metPlates = table('met_plates', { owner: text, plate: text, metAt: text });

/** Plates of one owner in a minute. One more has no outcome, so that nobody fills the table. */
const mostPlates = 100;

/** Rows that one step of housekeeping removes. */
const stepSize = 500;

/** Who has met the outcome of which magic plate within the last minute: for all nodes, in the database. */
export class MetPlates {
  readonly name = 'met plates';
  readonly #database: Database;
  readonly #clock: Clock;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /** Whether a client, or an address whose calls are nobody's, meets the plate now. Then it does not for a minute. */
  async meets(clientId: string | undefined, ip: string, regNumber: string): Promise<boolean> {
    const owner = clientId ?? createHash('sha256').update(addressKey(ip)).digest('hex');
    const plate = vehicleKey(regNumber);
    const now = this.#clock.now();
    const [metAt, since, latest] = [now, now - minute, now + skew].map(instant) as [string, string, string];
    const recent = await findRecent(this.#database.sql, { owner, plate, since, latest });
    if (recent && (recent.same > 0 || recent.all >= mostPlates)) return false;
    // Of two calls at the same time one meets it, whichever node has the earlier clock.
    return (await this.#database.write((sql) => meet(sql, { owner, plate, metAt, since, latest }))) > 0;
  }

  /** Does a bounded part of the work. Returns whether there may be more of it. */
  async step(): Promise<boolean> {
    const since = instant(this.#clock.now() - minute);
    return (await this.#database.write((sql) => removeOld(sql, { since, limit: stepSize }))) === stepSize;
  }
}

export function removeMetPlates(sql: Sql, owner: string): Promise<number> {
  return removeOf(sql, { owner });
}

const findRecent = statement.get`
  select count(*) as ${alias('all', integer)},
    count(case when plate = ${'plate'} then 1 end) as ${alias('same', integer)}
  from met_plates where owner = ${'owner'} and met_at > ${'since'} and met_at <= ${'latest'}`;

const meet = statement.run`
  insert into met_plates ${metPlates.values}
  on conflict (owner, plate) do update set met_at = excluded.met_at
  where met_plates.met_at <= ${'since'} or met_plates.met_at > ${'latest'}`;

const removeOf = statement.run`delete from met_plates where owner = ${'owner'}`;

const removeOld = statement.run`
  with old as materialized (
    select owner, plate from met_plates where met_at <= ${'since'} order by met_at limit ${'limit'} ${freeRows}
  )
  delete from met_plates where (owner, plate) in (select owner, plate from old)`;
