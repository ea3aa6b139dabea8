import { deepEqual } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import pg from 'pg';
import '../../src/app.ts';
import { openDatabase } from '../../src/database/open.ts';
import { statements } from '../../src/database/statement.ts';
import { type Engine, forEachEngine } from '../support/engines.ts';
import { fillers, fillTables, smallTables } from './many-rows.ts';

/*
 * How each statement of the program finds its rows. A statement that reads a whole table, or sorts, takes longer with
 * every row that comes: here it fails, unless it is in the list with the reason why it is no harm.
 *
 * Statistics are as in production. SQLite has none. On PostgreSQL autovacuum gathers them; there a statement is planned
 * six times with values, since a plan for any values is made at the sixth time, and taken if it looks no dearer.
 */

/** Why a statement may scan or sort, by its file and name. */
const allowed: Readonly<Record<string, string>> = {
  'claims/claims.ts findPage': 'sorts one page',
  'claims/claims.ts findFiltered': 'counts the claims of one client (claimsPerClient), and sorts one page',
  'insurer/policies.ts findFiltered': 'counts the policies of one client (policiesPerClient), and sorts one page',
  'claims/claims.ts findChanged': 'sorts one page, and what changed since, where that is much of what one client has',
  'insurer/policies.ts findChanged': 'the same',
  'claims/desk.ts findDue': 'sorts the claims that are due in the same millisecond, of 100 that it returns',
  'claims/desk.ts findInTurn': 'sorts the claims that are due, where they are more than one transaction moves',
  'insurer/policy-imports.ts sumBytes': 'reads the bytes of each import (20 of a client) in an index',
  'insurer/policy-imports.ts findShares': 'the same, where there is no room',
  'insurer/policy-imports.ts findDueOf': 'sorts the imports of one client (20)',
  'insurer/policy-imports.ts findDue': 'sorts the clients of the imports that are due',
  'insurer/statements/statements.ts sumBytes': 'reads the bytes of each statement (20 of a client) in an index',
  'insurer/statements/statements.ts findMost': 'the same, where there is no room',
  'claims/documents/documents.ts sumBytes': 'reads the bytes of each document (some 33,000 of all) in an index',
  'insurer/erasures.ts findDue': 'sorts the erasures that are due',
  'webhooks/erased-deliveries.ts findNext': 'sorts the subscriptions of one client (subscriptionsPerClient)',
  'events/event-log.ts findBounds': 'reads the first entry of the primary key',
  'events/event-removal.ts findOldest': 'reads the first entry of the primary key',
  'events/events-ahead.ts findOldest': 'reads the first entry of the primary key',
  'clients/clock-moves.ts countAll': 'counts the demo clients (demoClientsTotal) when the time of all is moved',
  'clients/clients.ts countDemoClients': 'counts the demo clients (demoClientsTotal), once a minute at most',
  'clients/transfers.ts findHeld':
    'reads the codes that hold, at most one of a client, when one is made and once a minute',
  'range/drills/drills.ts findOf': 'sorts the drills of one client and of everybody: one for each name',
  'range/exchanges/log.ts findPage': 'counts the exchanges of one client (maxPerClient), and sorts one page',
  'range/exchanges/log.ts findWhole': 'sorts those of one call: they differ by nothing but the id',
  'range/exchanges/stored-bytes.ts findMost': 'reads the first entries of an index',
  'range/class/export.ts findExchanges': 'sorts those of one call: they differ by nothing but the id',
  'range/exchanges/learners.ts findPage':
    'counts the learners, one for each demo client (demoClientsTotal), and sorts one page',
  'range/lessons/board.ts findPage':
    'counts the learners, one for each demo client (demoClientsTotal), and sorts one page',
  'range/class/overview.ts count': 'counts the learners of a class (demoClientsTotal), for its terminal alone',
  'range/class/overview.ts findAsking': 'looks at the learners of a class (demoClientsTotal), for its terminal alone',
  'webhooks/deliveries.ts findDueSubscriptions': 'sorts the subscriptions that are due (subscriptionsPerClient)',
  'webhooks/delivery-removal.ts findDeleted': 'reads the first entry of an index',
  'webhooks/relays.ts findAnswered': 'reads the entries of an index that has few: answers on their way',
  'webhooks/fan-out.ts findOfNew': 'sorts the clients of the new events, at most 500',
  'webhooks/fan-out.ts findMarked': 'reads the entries of an index that has few: subscriptions at a limit',
};

/** The same where only PostgreSQL does, for its plans depend on how many rows it expects. */
const onPostgres: typeof allowed = {
  'insurer/erasures.ts countOpen': 'reads the entries of an index that has few: erasures under way',
  'insurer/policies.ts findOfHolder': 'sorts the policies of one client (policiesPerClient)',
  'claims/claims-ahead.ts dateClosed': 'sorts one batch of the fleet',
  'events/event-removal.ts addMissed': 'looks at each subscription (subscriptionsPerClient) when 500 events go',
  'clients/going.ts notice': 'looks at each demo client (demoClientsTotal), at a start',
  'clients/going.ts countGoing': 'counts the demo clients that are about to go, for the terminal of a class alone',
  'clients/removal.ts findMarked': 'reads the first entry of an index',
  'clients/clients.ts findBeingRemoved': 'reads the clients whose removal is under way',
  'insurer/policies.ts findPage': 'sorts one page',
  'range/exchanges/log.ts findSince': 'sorts exchanges of one client (maxPerClient)',
  'range/exchanges/log.ts trim': 'the same',
  'webhooks/delivery-log.ts findBetween': 'sorts one page',
  'webhooks/relays.ts findOpen': 'sorts the calls of one client (maxWaiting)',
  'webhooks/subscriptions.ts findAll': 'sorts the subscriptions of one client (subscriptionsPerClient)',
};

/** Indexes in whose place PostgreSQL can sort the few rows of one client. */
const sortedInstead: readonly string[] = ['exchanges_of_client', 'policies_changed'];

/** Which index a statement needs where another one would lead to all rows of an owner, or of others. */
const needed: Readonly<Record<string, string>> = {
  'events/event-log.ts findPage': 'events_of_client',
  'events/event-log.ts findPublished': 'events_of_client',
  'webhooks/fan-out.ts findOfNew': 'events_of_client',
  'webhooks/fan-out.ts findPage': 'events_of_client',
  'webhooks/fan-out.ts findNext': 'events_of_client',
  'webhooks/subscriptions.ts find': 'events_of_client',
  'webhooks/subscriptions.ts findAll': 'events_of_client',
  'webhooks/locked-subscription.ts findOpen': 'deliveries_open',
  'insurer/policy-imports.ts findCompleted': 'policy_imports_shares',
};

interface Explained {
  readonly name: string;
  readonly texts: readonly string[];
  readonly parameters: readonly string[];
}

const root = join(import.meta.dirname, '../..');

const ofProgram: readonly Explained[] = statements.map(({ place, ...statement }) => {
  const [file = '', line] = place.split(':');
  const declaration = readFileSync(join(root, file), 'utf8').split('\n')[Number(line) - 1] ?? '';
  const name = /(\w+) = statement\./.exec(declaration)?.[1];
  if (name === undefined) throw new Error(`${place}: no name in ${declaration}`);
  return { name: `${file.replace('src/', '')} ${name}`, ...statement };
});

/** What the engine looks for by itself when a row goes that others refer to. */
const cascade = ({ table, column }: { table: string; column: string }): Explained => ({
  name: `cascade to ${table}.${column}`,
  texts: [`select 1 from ${table} where ${column} = `, ''],
  parameters: ['id'],
});

/** A filled database, as far as this file needs it. */
interface Filled {
  readonly tables: readonly string[];
  readonly indexes: readonly { name: string; table: string }[];
  readonly statements: readonly Explained[];
  /** What the plan of a statement does that takes longer with each row. */
  faults(statement: Explained): Promise<string[]>;
  /** Runs `work` while the index is not there. */
  without<T>(index: string, work: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Whether it sorts nothing but the rows that it locks, all of which it changes. */
const sortsLocked = (text: string) => text.includes('/* lock rows */');

const grows = (text: string) => Object.keys(fillers).some((table) => new RegExp(`\\b${table}\\b`).test(text));

async function fill(engine: Engine): Promise<Filled> {
  const location = await engine.location({ migrated: true });
  const database = await openDatabase(location);
  await fillTables(database);
  await database.close();
  return 'directory' in location ? filledSqlite(join(location.directory, 'l-plate.db')) : filledPostgres(location.url);
}

function filledSqlite(file: string): Filled {
  const database = new DatabaseSync(file);
  const rows = <Row>(sql: string) => database.prepare(sql).all() as Row[];
  return {
    tables: rows<{ name: string }>("select name from sqlite_schema where type = 'table'").map(({ name }) => name),
    indexes: rows(
      "select name, tbl_name as \"table\" from sqlite_schema where type = 'index' and sql like 'create index%'",
    ),
    statements: [
      ...ofProgram,
      ...rows<{ table: string; column: string }>(
        `select m.name as "table", f."from" as "column" from sqlite_schema m join pragma_foreign_key_list(m.name) f`,
      ).map(cascade),
    ],
    async faults({ texts, name }) {
      const text = texts.join('?');
      const plan = rows<{ detail: string }>(`explain query plan ${text}`).map(({ detail }) => detail);
      const faults = plan.filter((step) => {
        const scanned = /^SCAN (\w+)/.exec(step)?.[1];
        if (scanned !== undefined) return grows(tablesCalled(text, scanned).join());
        // All events of a client, where those after one are sought.
        if (/events_of_client \(client_id>/.test(step)) return true;
        return /TEMP B-TREE|AUTOMATIC/.test(step) && grows(text) && !sortsLocked(text);
      });
      return [...faults, ...lacking(name, plan.join())];
    },
    async without(index, work) {
      database.exec(`begin; drop index ${index}`);
      try {
        return await work();
      } finally {
        database.exec('rollback');
      }
    },
    async close() {
      database.close();
    },
  };
}

/** The index that a statement needs, if its plan does not name it. */
function lacking(name: string, plan: string): string[] {
  const index = needed[name];
  return index === undefined || plan.includes(index) ? [] : [`not by ${index}`];
}

/** The tables that a statement calls by a name, their own or another. */
function tablesCalled(text: string, name: string): string[] {
  const called = [...text.matchAll(/(?:from|join|update|into)\s+(\w+)(?:\s+(?:as\s+)?(\w+))?/gi)];
  return called.filter((match) => match.slice(1).includes(name)).map(([, table]) => table as string);
}

/** A node of a plan of PostgreSQL. */
interface Step {
  readonly 'Node Type': string;
  readonly Strategy?: string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly Plans?: readonly Step[];
}

/** Whether it returns no more rows than the statement says: those of a `with` were locked, and are all changed. */
function isLimited(step: Step | undefined): boolean {
  return (
    /^(?:Limit|CTE Scan)$/.test(step?.['Node Type'] ?? '') ||
    (step?.['Node Type'] === 'Subquery Scan' && isLimited(step.Plans?.[0]))
  );
}

async function filledPostgres(url: string): Promise<Filled> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query('vacuum analyze');
  const rows = async <Row extends object>(sql: string) => (await client.query<Row>(sql)).rows;
  const leading = await rows<{ name: string; table: string; column: string; made: boolean }>(`
    select c.relname as name, t.relname as table, a.attname as column,
      not i.indisunique as made
    from pg_index i join pg_class c on c.oid = i.indexrelid join pg_class t on t.oid = i.indrelid
    join pg_attribute a on a.attrelid = t.oid and a.attnum = i.indkey[0]
    where c.relnamespace = 'public'::regnamespace`);
  const references = await rows<{ table: string; column: string }>(`
    select t.relname as table, a.attname as column from pg_constraint o join pg_class t on t.oid = o.conrelid
    join pg_attribute a on a.attrelid = t.oid and a.attnum = o.conkey[1] where o.contype = 'f'`);
  const firstColumn = new Map(leading.map(({ name, column }) => [name, column]));

  const faultsOf = (step: Step, text: string): string[] => {
    const { 'Node Type': type, 'Relation Name': table = '', 'Index Name': index = '', 'Index Cond': sought } = step;
    const below = (step.Plans ?? []).flatMap((each) => faultsOf(each, text));
    const [first] = step.Plans ?? [];
    const bad =
      type === 'Seq Scan'
        ? grows(table)
        : index !== ''
          ? grows(text) && !new RegExp(`\\b${firstColumn.get(index)}\\b`).test(sought ?? '')
          : (/Sort|^Hash$/.test(type) || step.Strategy === 'Hashed') &&
            !isLimited(first) &&
            grows(text) &&
            !sortsLocked(text);
    return bad ? [[type, table, index].filter(Boolean).join(' '), ...below] : below;
  };

  return {
    tables: (await rows<{ name: string }>("select tablename as name from pg_tables where schemaname = 'public'")).map(
      ({ name }) => name,
    ),
    indexes: leading.filter(({ made }) => made),
    statements: [...ofProgram, ...references.map(cascade)],
    async faults({ texts, parameters, name }) {
      const text = texts.reduce((sum, each, at) => `${sum}$${at}${each}`);
      await client.query(`prepare explained as ${text}`);
      const [prepared] = await rows<{ types: string[] }>(
        "select parameter_types::text[] as types from pg_prepared_statements where name = 'explained'",
      );
      const given = parameters.map((name, at) => literal(name, prepared?.types[at] ?? 'text')).join();
      const execute = `explain (format json) execute explained ${given === '' ? '' : `(${given})`}`;
      const times = Array.from({ length: 6 }, () => execute).join(';');
      const results = (await client.query(times)) as unknown as pg.QueryResult<{ 'QUERY PLAN': { Plan: Step }[] }>[];
      await client.query('deallocate explained');
      const plan = results.at(-1)?.rows[0]?.['QUERY PLAN'][0]?.Plan;
      return [...faultsOf(plan as Step, text), ...lacking(name, JSON.stringify(plan))];
    },
    async without(index, work) {
      await client.query(`begin; drop index ${index}`);
      try {
        return await work();
      } finally {
        await client.query('rollback');
      }
    },
    close: () => client.end(),
  };
}

const late = '2027-01-01T10:00:00.000Z';
const early = '2026-03-01T10:10:30.000Z';

/** Values as the program gives them, where it matters how many rows they leave. */
const values: Readonly<Record<string, string | null>> = {
  clientId: 'demo-102500',
  ahead: late,
  today: '2026-03-02',
  topic: 'claims.status-changed',
  head: '20000',
  takenSeq: '19900',
  reached: '19900',
  seen: '9900',
  from: '19900',
  to: '20000',
  most: '300',
  maxOpen: '1000',
  path: '',
  ...{ status: null, policyId: null, problem: null, kind: null },
  ...{ now: early, since: early, before: early, keptSince: early, restedSince: early },
};

function literal(name: string, type: string): string {
  const known = values[name];
  if (known === null) return 'null';
  if (type === 'text') return `'${known ?? 'none'}'`;
  return `'${known !== undefined && /^\d+$/.test(known) ? known : 100}'`;
}

forEachEngine((engine) => {
  let filled: Filled;
  let faults: Map<string, string[]>;
  before(async () => {
    filled = await fill(engine);
    faults = await faultsOf(filled.statements);
  });
  after(() => filled.close());

  const listed = { ...allowed, ...(engine.name === 'postgres' && onPostgres) };

  async function faultsOf(explained: readonly Explained[]): Promise<Map<string, string[]>> {
    const faults = new Map<string, string[]>();
    for (const statement of explained) {
      const found = await filled.faults(statement);
      if (found.length > 0) faults.set(statement.name, found);
    }
    return faults;
  }

  test('Decisions, plans: each table that grows has many rows here', () => {
    deepEqual(filled.tables.toSorted(), [...Object.keys(fillers), ...smallTables].toSorted());
  });

  test('Decisions, plans: no statement scans or sorts what grows, but for those with a reason', () => {
    deepEqual(Object.fromEntries([...faults].filter(([name]) => listed[name] === undefined)), {});
    deepEqual(
      Object.keys(listed).filter((name) => !faults.has(name)),
      [],
      'no longer needed in the list',
    );
  });

  test('Decisions, plans: each index is there for a statement', async () => {
    const useless: string[] = [];
    for (const { name, table } of filled.indexes) {
      const its = filled.statements.filter(({ texts }) => tablesCalled(texts.join('?'), table).length > 0);
      const without = await filled.without(name, () => faultsOf(its));
      if (its.every((each) => isDeepStrictEqual(without.get(each.name), faults.get(each.name)))) useless.push(name);
    }
    deepEqual(useless, engine.name === 'postgres' ? sortedInstead : []);
  });
});
