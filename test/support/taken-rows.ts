import { guardedBy, lockOrder } from '../../src/database/lock-order.ts';
import { administer } from './engines.ts';
import { logMessages } from './server-log.ts';

/*
 * Which rows each transaction took on PostgreSQL, read from the log of the server: its statements, and between them each
 * row that a trigger saw change. What a `select … for no key update` locks no trigger sees, so it is read from the
 * statement: one row where a parameter is its key, else some of the table.
 */

/** A row, or some rows of a table, that a transaction took. */
export interface Taking {
  readonly table: string;
  readonly how: 'INSERT' | 'UPDATE' | 'DELETE' | 'lock' | 'lock of what is free';
  /** Undefined where a statement locked some rows of the table. */
  readonly key: readonly (string | number)[] | undefined;
  readonly statement: string;
}

/** Lets connections that a database gets from now on write their statements into the log. */
export async function tellStatements(url: string): Promise<void> {
  await administer(`alter database ${new URL(url).pathname.slice(1)} set log_statement = 'all'`, url);
}

/** Lets a database that has its tables write into the log which rows are changed. */
export async function tellTakings(url: string): Promise<void> {
  const tell = `create function tell_taking() returns trigger language plpgsql as $$
    declare taken jsonb;
    begin
      if tg_op = 'INSERT' then taken := to_jsonb(new); else taken := to_jsonb(old); end if;
      raise log 'taken %', jsonb_build_array(tg_table_name, tg_op,
        (select jsonb_agg(taken -> name order by place) from unnest(tg_argv) with ordinality as key (name, place)));
      if tg_op = 'DELETE' then return old; else return new; end if;
    end $$`;
  const tables = await keys(url);
  const triggers = [...tables].map(
    ([table, key]) => `create trigger tell_taking before insert or update or delete on ${table} for each row
      execute function tell_taking(${key.map((column) => `'${column}'`).join(', ')})`,
  );
  await administer([tell, ...triggers], url);
}

/** The columns of the primary key of each table. */
async function keys(url: string): Promise<Map<string, string[]>> {
  const rows = await administer<{ table: string; columns: string[] }>(
    `select conrelid::regclass::text as table, array_agg(attname::text order by place) as columns
      from pg_constraint, unnest(conkey) with ordinality as key (attnum, place)
      join pg_attribute using (attnum)
      where contype = 'p' and attrelid = conrelid and connamespace = 'public'::regnamespace
        and conrelid <> 'migrations'::regclass
      group by conrelid`,
    url,
  );
  const keys = new Map(rows.map(({ table, columns }) => [table, columns]));
  // By which they are locked (`byNumber` in claims/claims.ts).
  return keys.set('claims', ['client_id', 'number']);
}

/** The transactions of a part of the log, each with what it took, first to last. */
export function transactionsOf(log: string): Taking[][] {
  const open = new Map<string, { statement: string; takings: Taking[] }>();
  const ended: Taking[][] = [];
  for (const { process, message, details } of logMessages(log)) {
    const [, told] = /^taken (.*)$/.exec(message) ?? [];
    const transaction = open.get(process);
    if (told !== undefined) {
      const [table, how, key] = JSON.parse(told);
      transaction?.takings.push({ table, how, key, statement: transaction.statement });
      continue;
    }
    const [, sent] = /^(?:statement|execute [^:]+): ([\s\S]*)$/.exec(message) ?? [];
    if (sent === undefined) continue;
    const statement = sent.replace(/\s+/g, ' ').trim();
    if (statement.startsWith('begin')) open.set(process, { statement, takings: [] });
    else if (/^(?:commit|rollback)$/.test(statement)) {
      if (transaction && transaction.takings.length > 0) ended.push(transaction.takings);
      open.delete(process);
    } else if (transaction) {
      transaction.statement = statement;
      transaction.takings.push(...locksOf(statement, details));
    }
  }
  return ended;
}

function locksOf(statement: string, details: string): Taking[] {
  const [, table, condition] = /\bfrom (\w+)\b((?:(?!\bfrom\b).)*)\bfor (?:no key )?update\b/.exec(statement) ?? [];
  if (table === undefined || condition === undefined) return [];
  const how = statement.includes('skip locked') ? 'lock of what is free' : 'lock';
  const [, parameter] = /\bwhere id = \$(\d+)/.exec(condition) ?? [];
  const [, value] = new RegExp(`\\$${parameter} = '([^']*)'`).exec(details) ?? [];
  return [{ table, how, key: value === undefined ? undefined : [value], statement }];
}

const ranks: ReadonlyMap<string, number> = new Map(lockOrder.map((table, rank) => [table, rank]));
const guards: ReadonlyMap<string, readonly string[]> = new Map(Object.entries(guardedBy));

/** Tables where a new row has a lock that others wait for: an index allows it once, or it is a counter. */
const onceOnly = new Set(['policies', 'claim_numbers', 'clock_head', 'event_head', 'exchange_bytes']);

/** Of these, rows in any order while that of their owner is locked: others hold one and wait for none, or take what is free. */
const ofLockedOwner: Readonly<Record<string, string>> = { policies: 'clients', exchanges: 'learners' };

/** What a transaction took against the order of `lock-order.ts`. */
export interface OutOfOrder {
  /** The two statements, or one and what is missing: the same for all rows that they take. */
  readonly what: string;
  /** The rows. */
  readonly rows: string;
}

export function outOfOrder(takings: readonly Taking[]): OutOfOrder[] {
  const found: OutOfOrder[] = [];
  // An insert of what is there already is told, too, and then its update.
  const isNew = (taking: Taking, at: number) => taking.how === 'INSERT' && !isSameRow(taking, takings[at + 1]);
  const made = new Set(takings.filter(isNew).map(row));
  // Nobody waits for what this transaction has made itself.
  const counted = takings.filter(
    (taking) => onceOnly.has(taking.table) || (taking.how !== 'INSERT' && !made.has(row(taking))),
  );
  const tables = new Set(counted.map(({ table }) => table));
  /** The keys that were taken of each table, or `some` where nobody knows which. */
  const taken = new Map<string, Set<string>>();
  let last: Taking | undefined;
  for (const each of counted) {
    const { table, how, key } = each;
    const name = key === undefined ? 'some' : JSON.stringify(key);
    const before = taken.get(table) ?? new Set();
    const again = before.has(name) || before.has('some');
    taken.set(table, before.add(name));
    const rank = ranks.get(table);
    const guarding = guards.get(table);
    if (rank === undefined) {
      if (guarding === undefined) found.push({ what: `${told(each)}, a table that is in no list`, rows: row(each) });
      else if (tables.size > 1 && !guarding.some((guard) => taken.has(guard))) {
        const missing = guarding.length > 0 ? `without a lock of ${guarding.join(' or ')}` : 'and not alone';
        found.push({ what: `${told(each)}, ${missing}`, rows: row(each) });
      }
      continue;
    }
    // Whoever takes what is free waits for nobody.
    if (again || how === 'lock of what is free') continue;
    const isOfLocked = table === last?.table && taken.has(ofLockedOwner[table] ?? '');
    if (last && !isOfLocked && isBehind(last, each)) {
      found.push({ what: `${told(each)}, after ${told(last)}`, rows: `${row(each)} after ${row(last)}` });
    } else last = each;
  }
  return found;
}

function isSameRow(one: Taking, other: Taking | undefined): boolean {
  return other !== undefined && one.statement === other.statement && row(one) === row(other);
}

/** Whether the first has a place behind that of the second. */
function isBehind(first: Taking, second: Taking): boolean {
  const [one = 0, other = 0] = [ranks.get(first.table), ranks.get(second.table)];
  if (one !== other) return one > other;
  if (first.key === undefined || second.key === undefined || second.how === 'INSERT') return false;
  for (const [at, part] of first.key.entries()) {
    const its = second.key[at] ?? part;
    if (part !== its) return part > its;
  }
  return false;
}

function told({ table, how, statement }: Taking): string {
  return `${how} ${table} [${statement.slice(0, 120)}]`;
}

function row({ table, key }: Taking): string {
  return `${table} ${key === undefined ? '(some)' : key.join(' ')}`;
}
