import assert from 'node:assert/strict';
import { administer } from '../../support/engines.ts';
import type { TopicRecord } from './kcat.ts';

/* What the database says was published, and whether that is what came out elsewhere. */

export const topic = 'claims.status-changed';
const fleet = 'preset-fleet';

export interface Published {
  readonly event_id: string;
  readonly client_id: string;
  readonly claim_id: string;
  readonly payload: string;
}

/** All events there are, in order. Of claims that go on moving for ever, those that the relay says it has told of. */
export function published(url: string): Promise<Published[]> {
  return administer<Published>(
    `select event_id, client_id, claim_id, payload from events
     where client_id <> '${fleet}' or seq <= (select seq from kafka_relay) order by seq`,
    url,
  );
}

/** Whether every claim is closed; those of the fleet go on moving for ever. */
export async function isClosed(url: string): Promise<boolean> {
  const open = `select 1 from claims where client_id <> '${fleet}' and status <> 'CLOSED' limit 1`;
  return (await administer(open, url)).length === 0;
}

/** Whether every claim is closed and all is relayed. */
export async function isSettled(url: string): Promise<boolean> {
  return (await isClosed(url)) && (await lag(url)) === 0;
}

/** The number of the last event that the relay has told of. */
export async function progress(url: string): Promise<number> {
  const rows = await administer<{ seq: number }>('select seq::int from kafka_relay', url);
  return rows[0]?.seq ?? 0;
}

/** How many events the relay has not told of. */
export async function lag(url: string): Promise<number> {
  const rows = await administer<{ lag: number }>(
    'select (h.seq - r.seq)::int as lag from event_head h join kafka_relay r on r.id = h.id',
    url,
  );
  return rows[0]?.lag ?? Number.NaN;
}

/** One of a claim, by its id. */
export interface Arrival {
  readonly key: string | null;
  readonly value: string | null;
}

/** How many events have not arrived. */
export function missing(arrivals: readonly Arrival[], events: readonly Published[]): number {
  const seen = new Set(arrivals.map(({ value }) => JSON.parse(value ?? '').eventId));
  return events.filter(({ event_id }) => !seen.has(event_id)).length;
}

/** How many arrivals are repeats of events that came before. */
export function repeats(arrivals: readonly Arrival[]): number {
  return arrivals.length - new Set(arrivals.map(({ value }) => JSON.parse(value ?? '').eventId)).size;
}

/**
 * Compares arrivals, in their order, with what was published: every event, nothing else, the payload byte for byte
 * under its claim, and the events of each claim in order once repeats are left out. Returns how many were repeats.
 */
export function compare(arrivals: readonly Arrival[], events: readonly Published[]): number {
  const byId = new Map(events.map((event) => [event.event_id, event]));
  const first = new Map<string, string[]>();
  const seen = new Set<string>();
  for (const { key, value } of arrivals) {
    const id = JSON.parse(value ?? '').eventId;
    const event = byId.get(id);
    assert.ok(event, `${value} was never published`);
    assert.equal(key, event.claim_id);
    assert.equal(value, event.payload);
    if (seen.has(id)) continue;
    seen.add(id);
    first.set(event.claim_id, [...(first.get(event.claim_id) ?? []), id]);
  }
  const lost = events.flatMap(({ event_id }, at) => (seen.has(event_id) ? [] : [at]));
  assert.deepEqual(lost, [], `${lost.length} of ${events.length} events did not arrive`);
  for (const [claim, ids] of byClaim(events)) assert.deepEqual(first.get(claim), ids, `the order of ${claim}`);
  return arrivals.length - seen.size;
}

/** Every claim has one partition, so that those who read it get its events in order. */
export function assertOnePartitionEach(records: readonly TopicRecord[]): void {
  const partitions = new Map<string | null, Set<number>>();
  for (const { key, partition } of records) {
    const known = partitions.get(key) ?? new Set();
    partitions.set(key, known.add(partition));
  }
  for (const [claim, where] of partitions) assert.equal(where.size, 1, `${claim} is in ${where.size} partitions`);
}

/** The desk does each change once: three for a closed claim, each from where the one before left it. */
export function assertEachChangeOnce(events: readonly Published[]): void {
  const payloads = new Map(events.map(({ event_id, payload }) => [event_id, payload]));
  for (const [claim, ids] of byClaim(events.filter(({ client_id }) => client_id !== fleet))) {
    const moves = ids.map((id) => JSON.parse(payloads.get(id) ?? '').data);
    assert.equal(moves.length, 3, `${claim} moved ${moves.length} times`);
    const path = ['REGISTERED', ...moves.map(({ newStatus }) => newStatus)];
    assert.deepEqual(
      moves.map(({ previousStatus }) => previousStatus),
      path.slice(0, 3),
    );
    assert.equal(path.at(-1), 'CLOSED');
  }
}

function byClaim(events: readonly Published[]): Map<string, string[]> {
  const claims = new Map<string, string[]>();
  for (const { claim_id, event_id } of events) claims.set(claim_id, [...(claims.get(claim_id) ?? []), event_id]);
  return claims;
}
