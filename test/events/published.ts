import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { nextMove } from '../../src/claims/claim.ts';
import { statusChanged } from '../../src/claims/status-changed.ts';
import type { DatabaseLocation } from '../../src/database/open.ts';

/** The first change of a claim, as the topic tells it. */
export function firstChange(claimId: string, dueAt = '2026-03-02T10:15:40.000Z') {
  const claim = { claimId, status: 'REGISTERED', outcome: 'APPROVED', paceSeconds: 10, dueAt } as const;
  return statusChanged(randomUUID(), claimId, 'pol-published', nextMove(claim));
}

const statements = {
  head: 'update event_head set seq = seq + $1 where id = 1 returning seq - $1 as before',
  event: `insert into events (seq, event_id, client_id, ordering_key, payload, published_at)
    select * from unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[])`,
};

/**
 * Puts thousands of events into a log that the program has open, in one transaction of another process' making. It is
 * told of them when the next event is published in the usual way.
 */
export async function publishMany(where: DatabaseLocation, clientId: string, count: number): Promise<void> {
  const events = Array.from({ length: count }, (_, at) =>
    firstChange(`CLM-2026-${String(800_000 + (at % 1000)).padStart(6, '0')}`),
  );
  const rows = (before: number) =>
    events.map((event, at) => {
      const { eventId, occurredAt, data } = event;
      return [before + at + 1, eventId, clientId, data.claimId, JSON.stringify(event), occurredAt] as const;
    });
  if ('url' in where) return publishOnPostgres(where.url, count, rows);
  const file = new DatabaseSync(join(where.directory, 'l-plate.db'), { timeout: 10_000 });
  file.exec('begin immediate');
  const head = file.prepare('update event_head set seq = seq + ? where id = 1 returning seq').get(count);
  const insert = file.prepare(
    'insert into events (seq, event_id, client_id, ordering_key, payload, published_at) values (?, ?, ?, ?, ?, ?)',
  );
  for (const row of rows(Number(head?.seq) - count)) insert.run(...row);
  file.exec('commit');
  file.close();
}

type Row = readonly [number, string, string, string, string, string];

async function publishOnPostgres(url: string, count: number, rows: (before: number) => Row[]): Promise<void> {
  const line = new pg.Client({ connectionString: url });
  await line.connect();
  try {
    await line.query('begin');
    const head = await line.query(statements.head, [count]);
    const added = rows(Number(head.rows[0].before));
    const columns = [0, 1, 2, 3, 4, 5].map((column) => added.map((row) => row[column]));
    await line.query(statements.event, columns);
    await line.query('commit');
    // As the server does by itself within a minute: nobody has so many events sooner.
    await line.query('analyze events');
  } finally {
    await line.end();
  }
}
