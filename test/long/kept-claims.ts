import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import type { DatabaseLocation } from '../../src/database/open.ts';
import type { ClaimEvent } from '../support/topic.ts';

/* What the claims system keeps, read past the program, and the rules that hold for it at every commit. */

export interface Kept {
  claims: KeptClaim[];
  /** The log, by number. */
  events: { seq: number; event_id: string; client_id: string; ordering_key: string; payload: string }[];
  heads: { seq: number }[];
  subscriptions: { id: string; client_id: string; taken_seq: number; deliveries: number }[];
  /** By subscription and number. */
  deliveries: KeptDelivery[];
}

interface KeptClaim {
  id: string;
  client_id: string;
  policy_id: string;
  number: number;
  status: string;
  status_reason: string | null;
  outcome: string;
  pace_seconds: number;
  registered_at: string;
  updated_at: string;
  due_at: string | null;
}

interface KeptDelivery {
  subscription_id: string;
  number: number;
  event_id: string;
  payload: string;
  status: string;
}

const statements: Record<keyof Kept, string> = {
  claims: `select id, client_id, policy_id, number, status, status_reason, outcome, pace_seconds, registered_at,
    updated_at, due_at from claims order by client_id, number`,
  events: 'select cast(seq as integer) as seq, event_id, client_id, ordering_key, payload from events order by seq',
  heads: 'select cast(seq as integer) as seq from event_head',
  subscriptions: 'select id, client_id, cast(taken_seq as integer) as taken_seq, deliveries from subscriptions',
  deliveries: `select d.subscription_id, d.number, d.event_id, coalesce(e.payload, d.payload) as payload, d.status
    from deliveries d left join events e on e.seq = d.event_seq order by d.subscription_id, d.number`,
};

/** All of it, at one moment. */
export async function keptIn(where: DatabaseLocation): Promise<Kept> {
  const kept: Partial<Record<keyof Kept, unknown[]>> = {};
  if ('directory' in where) {
    const database = new DatabaseSync(join(where.directory, 'l-plate.db'), { timeout: 5_000 });
    database.exec('begin');
    for (const [name, statement] of Object.entries(statements)) {
      kept[name as keyof Kept] = database.prepare(statement).all();
    }
    database.close();
  } else {
    const client = new pg.Client({ connectionString: where.url });
    await client.connect();
    await client.query('begin isolation level repeatable read, read only');
    for (const [name, statement] of Object.entries(statements)) {
      kept[name as keyof Kept] = (await client.query(statement)).rows;
    }
    await client.end();
  }
  return kept as Kept;
}

/** Fails for a change without its event, an event without its change, and a delivery that does not fit either. */
export function assertWhole(kept: Kept): void {
  const { claims, events, heads, subscriptions, deliveries } = kept;
  const seqs = events.map(({ seq }) => seq);
  const counted = Array.from(events, (_, at) => at + 1);
  assert.deepEqual(seqs, counted, 'the numbers of events have gaps');
  assert.deepEqual(
    heads.map(({ seq }) => seq),
    [events.length],
    'the counter and the log differ',
  );
  assert.equal(new Set(events.map((event) => event.event_id)).size, events.length, 'an event is there twice');

  const byClaim = Map.groupBy(events, (event) => event.ordering_key);
  for (const claim of claims) {
    assertTold(claim, byClaim.get(claim.id) ?? []);
    byClaim.delete(claim.id);
  }
  assert.deepEqual([...byClaim.keys()], [], 'there are events of claims that nobody registered');
  for (const own of Map.groupBy(claims, (claim) => claim.client_id).values()) {
    assert.deepEqual(
      own.map(({ number }) => number),
      own.map((_, at) => at + 1),
      'the numbers of claims have gaps',
    );
  }

  for (const { id, client_id, taken_seq, deliveries: last } of subscriptions) {
    const taken = events.filter((event) => event.client_id === client_id && event.seq <= taken_seq);
    const own = deliveries.filter((delivery) => delivery.subscription_id === id);
    assert.equal(last, own.length);
    // The subscriptions of these tests are older than the first event.
    assert.deepEqual(
      own.map(({ number, event_id, payload }) => ({ number, event_id, payload })),
      taken.map(({ event_id, payload }, at) => ({ number: at + 1, event_id, payload })),
      'the deliveries are not the events that were taken in',
    );
  }
}

const ways: Record<string, readonly string[]> = {
  APPROVED: ['REGISTERED', 'UNDER_REVIEW', 'APPROVED', 'CLOSED'],
  REJECTED: ['REGISTERED', 'UNDER_REVIEW', 'REJECTED', 'CLOSED'],
};

/** The events of a claim tell, once each and in order, how it came to where it stands; and it stands where it should. */
function assertTold(claim: KeptClaim, events: Kept['events']): void {
  const way = ways[claim.outcome] ?? [];
  const moves = events.map(({ payload }) => JSON.parse(payload) as ClaimEvent);
  const time = (step: number) =>
    new Date(Date.parse(claim.registered_at) + step * claim.pace_seconds * 1000).toISOString();
  assert.deepEqual(
    moves.map(({ occurredAt, data: { claimId, policyNumber, previousStatus, newStatus } }) => [
      ...[claimId, policyNumber, previousStatus, newStatus, occurredAt],
    ]),
    way.slice(1, 1 + events.length).map((status, at) => [claim.id, claim.policy_id, way[at], status, time(at + 1)]),
    `the events of ${claim.id} are not its way`,
  );
  const last = moves.at(-1);
  assert.deepEqual(
    [claim.status, claim.status_reason, claim.updated_at, claim.due_at],
    [
      way[events.length],
      last?.data.statusReason ?? null,
      time(events.length),
      events.length === 3 ? null : time(events.length + 1),
    ],
    `${claim.id} does not stand where its events say`,
  );
  for (const { event_id, client_id, payload } of events) {
    assert.deepEqual([event_id, client_id], [JSON.parse(payload).eventId, claim.client_id]);
  }
}
