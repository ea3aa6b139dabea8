import type { Database } from '../../src/database/database.ts';

/*
 * Many rows in every table that grows, so that PostgreSQL plans as it does in production. By plain SQL that both engines
 * take: what matters is how many rows there are, whose they are, and how few of them each index finds.
 */

/** What a column holds in the row with the number `i`; the others as the schema has them. */
type Row = Readonly<Record<string, string>>;

interface Filler {
  readonly rows: number;
  readonly row: Row;
}

const time = (i: string) =>
  `'2026-03-0' || cast(1 + ${i} / 3600 as text) || 'T10:' || cast(10 + ${i} / 60 % 50 as text) || ':' || cast(10 + ${i} % 50 as text) || '.000Z'`;

const now = time('i');

/** A text with the same number of digits in each row. */
const named = (prefix: string, i: string) => `'${prefix}' || cast(100000 + ${i} as text)`;

/** One of forty clients, somewhere among all. */
const client = named('demo-', 'i % 40 * 250');

/** One of fifty subscriptions. */
const subscription = named('sub-', 'i % 50 * 100');

/** By table, those first that others refer to. */
export const fillers: Readonly<Record<string, Filler>> = {
  clients: {
    rows: 10_000,
    row: {
      id: named('demo-', 'i'),
      secret_hash: `'hash'`,
      scopes: `'policies:read'`,
      preset: 'case when i < 2 then 1 else 0 end',
      created_at: now,
      last_used_at: now,
      removed_at: `case when i % 1000 = 7 then ${now} end`,
      clock_number: 'case when i % 100 = 5 then i end',
    },
  },
  policies: {
    rows: 10_000,
    row: {
      id: named('pol-', 'i'),
      client_id: client,
      number: 'i / 40',
      reg_number: named('AB-', 'i'),
      reg_key: named('AB', 'i'),
      coverage_option: `'full'`,
      status: `case when i % 2 = 0 then 'active' else 'cancelled' end`,
      start_date: `'2026-03-02'`,
      end_date: `'2027-03-01'`,
      created_at: now,
      updated_at: now,
    },
  },
  policy_imports: {
    rows: 10_000,
    row: {
      ...{
        id: named('imp-', 'i'),
        client_id: named('demo-', 'i'),
        lines: "''",
        bytes: '9',
        address: named('', 'i'),
        total: '9',
        done: '9',
      },
      ...{ created: '9', refused: '0', created_at: now, completed_at: now },
      ...{ due_at: 'null', expires_at: now },
    },
  },
  policy_import_rows: {
    rows: 10_000,
    row: {
      ...{ import_id: named('imp-', 'i'), position: '1', client_id: named('demo-', 'i'), line: '1' },
      ...{ policy_id: 'null', problem: 'null' },
    },
  },
  statements: {
    rows: 10_000,
    row: {
      ...{ id: named('stm-', 'i'), client_id: named('demo-', 'i'), address: named('', 'i'), month: `'2026-03'` },
      ...{ format: `'csv'`, currency: `'EUR'`, bytes: '9', count: '1', premiums: '9', commissions: '1' },
      ...{ created_at: now, completed_at: now, due_at: 'null', expires_at: now },
    },
  },
  statement_files: { rows: 10_000, row: { statement_id: named('stm-', 'i'), content: `'rows'` } },
  erasures: {
    rows: 10_000,
    row: {
      ...{
        id: named('era-', 'i'),
        client_id: named('demo-', 'i'),
        address: named('', 'i'),
        holder: 'null',
        place: "''",
      },
      ...{ touched: "'[]'", kept: "'[]'", created_at: now, completed_at: now, due_at: 'null', expires_at: now },
    },
  },
  claim_counts: { rows: 10_000, row: { client_id: named('demo-', 'i'), claims: '150' } },
  claims: {
    rows: 10_000,
    row: {
      id: named('CLM-2026-', 'i'),
      client_id: client,
      policy_id: named('pol-', 'i'),
      number: 'i / 40',
      status: `case when i % 10 = 0 then 'REGISTERED' else 'CLOSED' end`,
      outcome: `'APPROVED'`,
      pace_seconds: '60',
      registered_at: now,
      updated_at: now,
      due_at: `case when i % 10 = 0 then ${now} end`,
    },
  },
  claim_documents: {
    rows: 10_000,
    row: {
      ...{
        id: named('doc-', 'i'),
        claim_id: named('CLM-2026-', 'i'),
        client_id: client,
        address: named('', 'i % 100'),
      },
      ...{ name: `'a.jpg'`, media_type: `'image/jpeg'`, size: '9', digest: `''`, created_at: now },
      content: `cast('' as bytea)`,
    },
  },
  events: {
    rows: 20_000,
    row: {
      seq: 'i',
      topic: `case when i / 40 % 4 = 0 then 'claims.status-changed' else 'another' end`,
      event_id: named('evt-', 'i'),
      // One client has nearly all.
      client_id: `case when i < 400 then 'demo-102500' else 'demo-100000' end`,
      ordering_key: named('CLM-2026-', 'i % 3000'),
      payload: `'{"one":"event"}'`,
      published_at: now,
      client_bytes: 'i / 40 * 215',
    },
  },
  subscriptions: {
    rows: 5000,
    row: {
      id: named('sub-', 'i'),
      client_id: named('demo-', 'i % 1000'),
      number: 'i / 1000',
      url: `'https://example.com/'`,
      secret: `'whsec_'`,
      created_at: now,
      taken_seq: 'case when i % 100 = 3 then 19000 else 20000 end',
      deliveries: '50',
      status: `case when i % 1000 = 8 then 'deleted' else 'active' end`,
      open_deliveries: 'case when i % 100 = 0 then 20 else 0 end',
      topic: `'claims.status-changed'`,
    },
  },
  deliveries: {
    rows: 20_000,
    row: {
      subscription_id: subscription,
      number: '1 + i / 50',
      event_id: named('evt-', 'i'),
      ordering_key: named('CLM-2026-', 'i % 3000'),
      payload: `''`,
      status: `case when i % 21 = 0 then 'pending' when i % 21 = 1 then 'waiting' else 'delivered' end`,
      copies_left: '1',
      attempts: 'case when i % 21 < 2 then 0 else 1 end',
      created_at: now,
      next_attempt_at: `case when i % 21 = 0 then ${now} end`,
      event_seq: 'i',
    },
  },
  relay_calls: {
    rows: 5000,
    row: {
      id: named('call-', 'i'),
      client_id: named('demo-', 'i % 1000'),
      created_at: now,
      request: `'{}'`,
      answer: `case when i % 100 = 0 then '{}' end`,
    },
  },
  relays: {
    rows: 1000,
    row: { client_id: named('demo-', 'i'), stream: named('stream-', 'i'), connected_at: now, seen_at: now },
  },
  kept_answers: {
    rows: 20_000,
    row: {
      client_id: client,
      endpoint: `'policies'`,
      idempotency_key: named('key-', 'i'),
      fingerprint: `'print'`,
      answer: `'{}'`,
      kept_at: now,
    },
  },
  exchanges: {
    rows: 20_000,
    row: {
      id: named('exc-', 'i'),
      client_id: named('demo-', 'i % 100 * 100'),
      started_at: now,
      number: 'i',
      status: '200 + i % 5 * 50',
      path: `'/insurer/v1/policies'`,
      problem: `case when i % 5 = 4 then 'policy-not-found' end`,
      summary: `'{}'`,
      details: `'{}'`,
      kept: 'i / 100',
      address: named('address-', 'i % 200'),
      size: '3000',
    },
  },
  exchange_bytes: {
    rows: 10_000,
    row: { address: named('address-', 'i'), bytes: '3000 + i' },
  },
  learners: {
    rows: 10_000,
    row: {
      client_id: named('demo-', 'i'),
      first_seen_at: now,
      last_seen_at: now,
      calls: '100',
      refusals: '10',
      kept: '250',
    },
  },
  lesson_progress: {
    rows: 10_000,
    row: {
      client_id: named('demo-', 'i / 20'),
      lesson_id: named('lesson-', 'i % 20'),
      hints: '1',
      misses: '1',
      changed_at: now,
    },
  },
  met_plates: {
    rows: 20_000,
    row: { owner: named('demo-', 'i / 20'), plate: named('QQ503', 'i % 20'), met_at: now },
  },
  drills: {
    rows: 20_000,
    row: {
      client_id: named('demo-', 'i / 2'),
      name: `case when i % 2 = 0 then 'stop-events' else 'repeat-webhooks' end`,
      id: named('drl-', 'i'),
      parameters: `'{}'`,
      started_by: `'client'`,
      started_at: now,
      ends_at: now,
    },
  },
  drill_turns: {
    rows: 20_000,
    row: {
      client_id: named('demo-', 'i / 2'),
      drill_of: `case when i % 2 = 0 then '' else ${named('demo-', 'i / 2')} end`,
      name: `'unavailable'`,
      drill_id: named('drl-', 'i'),
      taken: '1',
      ends_at: now,
    },
  },
  capstone_runs: {
    rows: 10_000,
    row: {
      client_id: named('demo-', 'i / 2'),
      capstone_id: `'night-shift'`,
      number: '1 + i % 2',
      started_at: now,
      ends_at: now,
      due_at: `case when i % 20 = 1 then ${now} end`,
      steps: '1',
      given: `'{}'`,
      plan: `'[]'`,
      ended_at: `case when i % 2 = 0 then ${now} end`,
      faults: `'[]'`,
    },
  },
  capstone_records: {
    rows: 10_000,
    row: { client_id: named('demo-', 'i'), capstone_id: `'night-shift'`, runs: '2' },
  },
  examinations: {
    rows: 10_000,
    row: {
      client_id: named('demo-', 'i / 20'),
      stage: named('stage-', 'i % 20'),
      outcome: `'passed'`,
      at: now,
      seed: '7',
    },
  },
  people: {
    rows: 10_000,
    row: {
      id: named('per-', 'i'),
      client_id: named('demo-', 'i / 5'),
      number: 'i % 5',
      name: `'Ida'`,
      user_name: `'ida'`,
      password: `'ida'`,
    },
  },
  redirect_uris: { rows: 10_000, row: { client_id: named('demo-', 'i'), uris: `'[]'` } },
  consents: {
    rows: 10_000,
    row: {
      ...{
        id: named('con-', 'i'),
        client_id: named('demo-', 'i / 2'),
        person_id: named('per-', 'i'),
        scopes: `'policies:read'`,
      },
      ...{ created_at: now, expires_at: now, redirect_uri: `'http://127.0.0.1/'`, challenge: `'x'`, code_hash: `'x'` },
      ...{ code_expires_at: now, family_key: `'x'`, refreshed: '1', refreshed_at: now },
    },
  },
  transfers: {
    rows: 10_000,
    row: { code_hash: named('hash-', 'i'), client_id: named('demo-', 'i'), expires_at: now },
  },
};

/** Tables that have a row, or a few, whatever happens. */
export const smallTables: readonly string[] = [
  'announcements',
  'claim_numbers',
  'class_ends',
  'class_moves',
  'clock_head',
  'event_head',
  'kafka_relay',
  'migrations',
  'resets',
  'signing_keys',
];

export async function fillTables(database: Database): Promise<void> {
  await database.write(async (sql) => {
    for (const [table, { rows, row }] of Object.entries(fillers)) {
      await sql.run([
        `insert into ${table} (${Object.keys(row).join(', ')})
          with recursive n(i) as (select 0 union all select i + 1 from n where i < ${rows - 1})
          select ${Object.values(row).join(', ')} from n`,
      ]);
    }
  });
}
