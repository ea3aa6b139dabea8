import { claimStatusChanged } from '../src/claims/index.ts';
import type { Database, Sql } from '../src/database/database.ts';
import { instant } from '../src/time/clock.ts';
import { scatter } from './load.ts';

/*
 * Rows for the tables that grow, by plain SQL that both engines take: the row with the number `i`, from 0, as one
 * expression a column. One client owns the policies, the claims and the events, as many as there are; the other clients
 * have a subscription and a learner's row each.
 */

type Row = Readonly<Record<string, string>>;

export const owner = 'owner';

/** The most exchanges of one client that are kept. The owner has them however few rows there are. */
const kept = 300;

/** Open deliveries that one subscription may have. */
const open = 1000;

const year = new Date().getUTCFullYear();

/** A text that is `i` in twelve digits. */
const digits = (i: string) => `cast(100000000000 + ${i} as text)`;

/** The same of a number that is in no order. */
const scattered = digits(`i * ${scatter.factor} % ${scatter.modulus}`);

/** In the hour before, another instant for each of a million rows. */
const hour = instant(Date.now() - 3_600_000).slice(0, 14);
const sixtieth = (milliseconds: number) => `substr(cast(100 + i * 3 / ${milliseconds} % 60 as text), 2)`;
const earlier = `'${hour}' || ${sixtieth(60_000)} || ':' || ${sixtieth(1000)} || '.' || substr(cast(1000 + i * 3 % 1000 as text), 2) || 'Z'`;

/** When a policy or a claim changed. */
export const changedAt = (i: number) => instant(Date.parse(`${hour}00:00.000Z`) + i * 3);

/** In an hour: housekeeping would set what is due much later to now. */
const later = `'${instant(Date.now() + 3_600_000)}'`;

const days = (count: number) => `'${instant(Date.now() + count * 86_400_000).slice(0, 10)}'`;
const client = `case when i = 0 then '${owner}' else 'other-' || ${digits('i')} end`;
const payload = JSON.stringify(claimStatusChanged.sample('00000000-0000-4000-8000-000000000000', Date.now()));
const summary = '{"kind":"call","method":"GET","route":"/insurer/v1/policies","durationMs":1,"end":"answered"}';

export const subscriptionId = (i: number) => `sub-00000000-0000-7000-8000-${100_000_000_000 + i}`;
export const policyId = (i: number) => `pol-00000000-0000-7000-8000-${100_000_000_000 + i}`;
export const claimId = (i: number) => `CLM-${year}-${10_000_000 + i}`;

/** By table, those first that others refer to. `size` is how many rows each has. */
export function rows(size: number): Readonly<Record<string, Row>> {
  const half = size / 2;
  return {
    clients: {
      id: client,
      secret_hash: `''`,
      scopes: `''`,
      preset: '0',
      policy_count: `case when i = 0 then ${size} else 0 end`,
      created_at: earlier,
      last_used_at: earlier,
    },
    policies: {
      id: `'pol-00000000-0000-7000-8000-' || ${digits('i')}`,
      client_id: `'${owner}'`,
      number: 'i + 1',
      reg_number: `'B-' || ${scattered}`,
      reg_key: `'B' || ${scattered}`,
      holder: `'Ada Example'`,
      coverage_option: `'MTPL-12M'`,
      status: `'active'`,
      start_date: days(0),
      end_date: days(300),
      created_at: earlier,
      updated_at: earlier,
    },
    claims: {
      id: `'CLM-${year}-' || cast(10000000 + i as text)`,
      client_id: `'${owner}'`,
      policy_id: `'pol-00000000-0000-7000-8000-' || ${digits('i')}`,
      number: 'i + 1',
      status: `'UNDER_REVIEW'`,
      outcome: `'APPROVED'`,
      pace_seconds: '3600',
      registered_at: earlier,
      updated_at: earlier,
      due_at: later,
    },
    events: {
      seq: 'i + 1',
      event_id: `'00000000-0000-4000-8000-' || ${digits('i')}`,
      client_id: `'${owner}'`,
      ordering_key: `'CLM-${year}-' || cast(10000000 + i as text)`,
      payload: `'${payload}'`,
      published_at: earlier,
      client_bytes: `(i + 1) * ${payload.length + 200}`,
    },
    subscriptions: {
      id: `'sub-00000000-0000-7000-8000-' || ${digits('i')}`,
      client_id: client,
      number: '1',
      url: `'http://127.0.0.1/'`,
      secret: `'whsec_YmVuY2htYXJr'`,
      created_at: earlier,
      taken_seq: `${size}`,
      deliveries: `case when i = 0 then ${half} when i <= ${Math.ceil(half / open)} then ${open} else 0 end`,
    },
    // Half are the owner's, and delivered. The others are to be tried again, in an hour.
    deliveries: {
      subscription_id: `'sub-00000000-0000-7000-8000-' || ${digits(`case when i < ${half} then 0 else 1 + (i - ${half}) / ${open} end`)}`,
      number: `case when i < ${half} then i + 1 else (i - ${half}) % ${open} + 1 end`,
      event_id: `'00000000-0000-4000-8000-' || ${digits('i')}`,
      event_seq: 'i + 1',
      ordering_key: `'CLM-${year}-' || cast(10000000 + i as text)`,
      payload: `''`,
      status: `case when i < ${half} then 'delivered' else 'pending' end`,
      copies_left: `case when i < ${half} then 0 else 1 end`,
      created_at: earlier,
      next_attempt_at: `case when i < ${half} then null else ${later} end`,
    },
    exchanges: {
      id: `'00000000-0000-4000-8000-' || ${scattered}`,
      client_id: `case when i < ${kept} then '${owner}' else 'other-' || ${digits(`i / ${kept}`)} end`,
      started_at: earlier,
      number: 'i',
      status: 'case when i % 3 = 0 then 404 else 200 end',
      path: `case when i % 2 = 0 then '/insurer/v1/policies' else '/claims/v1/claims' end`,
      problem: `case when i % 3 = 0 then 'policy-not-found' end`,
      kept: `i % ${kept} + 1`,
      summary: `'${summary}'`,
      details: `'{"request":{"headers":[]},"response":{"headers":[]},"tokens":[]}'`,
    },
    learners: {
      client_id: client,
      first_seen_at: earlier,
      last_seen_at: earlier,
      calls: '100',
      refusals: '10',
      kept: `${kept}`,
    },
  };
}

/** Inserts the rows from a number up to, but not including, another one. */
export async function insertRows(sql: Sql, table: string, row: Row, from: number, to: number): Promise<void> {
  await sql.run([
    `insert into ${table} (${Object.keys(row).join(', ')})
      with recursive numbers (i) as (
        select cast(${from} as bigint) union all select i + 1 from numbers where i < ${to - 1}
      ) select ${Object.values(row).join(', ')} from numbers`,
  ]);
}

/** Gives every table so many rows. */
export async function fill(database: Database, size: number): Promise<void> {
  const chunk = 50_000;
  for (const [table, row] of Object.entries(rows(size))) {
    const count = table === 'exchanges' ? Math.max(size, kept) : size;
    for (let from = 0; from < count; from += chunk) {
      await database.write(async (sql) => {
        // What is inserted fits together, and to look that up for each row takes half of the time.
        if (database.engine === 'postgres') await sql.run`set local session_replication_role = replica`;
        await insertRows(sql, table, row, from, Math.min(count, from + chunk));
      });
    }
  }
  await database.write(async (sql) => {
    await sql.run`update event_head set seq = ${size}`;
    await sql.run`insert into claim_counts (client_id, claims) values (${owner}, ${size})`;
    await sql.run`insert into claim_numbers (year, last) values (${year}, ${10_000_000 + size})`;
  });
}
