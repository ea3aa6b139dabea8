import { type Clock, instant } from '../clock.ts';
import type { Database } from '../database/database.ts';
import { copiesOf } from '../events/duplicates.ts';
import { retention } from '../events/topic.ts';
import type { Metrics } from '../http/metrics.ts';
import { lockSubscription, openDelivery } from './locked-subscription.ts';
import type { StoredBytes } from './stored-bytes.ts';

/*
 * The fan-out: how events become deliveries. Each subscription reads the log with its own cursor, and creates deliveries
 * only up to its limit: until then events stay in the log, and nothing is lost within retention. Events whose retention
 * ended are counted as missed.
 */

/** Events that become deliveries in one transaction, at most. */
const batch = 100;

export interface FanOutOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly stored: StoredBytes;
  /** Share of events that are delivered twice. */
  readonly duplicateRate: number;
  /** How many open deliveries one subscription may have. */
  readonly mostOpen: number;
}

export class FanOut {
  readonly #options: FanOutOptions;

  constructor(options: FanOutOptions) {
    this.#options = options;
  }

  /** Creates deliveries from the events after each subscription's cursor, up to its limits. */
  async createDeliveries(): Promise<void> {
    const { database, metrics, mostOpen, stored } = this.#options;
    const behind = await database.sql.all<{ id: string; client_id: string }>`
      select s.id, s.client_id from subscriptions s
      where s.status = 'active' and s.open_deliveries < ${mostOpen}
        and exists (select 1 from events e where e.client_id = s.client_id and e.topic = s.topic
          and e.seq > s.taken_seq)`;
    for (const { id, client_id } of behind) {
      for (let taken = batch; taken === batch; ) {
        if (await stored.isFull(database.sql, client_id)) {
          metrics.limited('stored-bytes');
          break;
        }
        taken = await this.#createDeliveriesOf(id);
      }
    }
  }

  /** Returns how many events were processed. */
  async #createDeliveriesOf(id: string): Promise<number> {
    const { database, clock, metrics, duplicateRate, mostOpen } = this.#options;
    const now = clock.now();
    const keptSince = instant(now - retention);
    const { taken, missed, room } = await database.write(async (sql) => {
      const locked = await lockSubscription(sql, id);
      const room = locked?.status === 'active' ? Math.min(batch, mostOpen - locked.open) : 0;
      if (!locked || room <= 0) return { taken: 0, missed: 0, room };
      const events = await sql.all<{ seq: number; event_id: string; ordering_key: string; published_at: string }>`
        select seq, event_id, ordering_key, published_at from events
        where client_id = ${locked.clientId} and topic = ${locked.topic} and seq > ${locked.takenSeq} order by seq limit ${room}`;
      const kept = events.filter((event) => event.published_at > keptSince);
      let number = locked.deliveries;
      let bytes = 0;
      for (const { seq, event_id: eventId, ordering_key: key } of kept) {
        number += 1;
        const copies = copiesOf(eventId, duplicateRate);
        bytes += await openDelivery(sql, id, { number, eventId, key, source: seq, copies, at: instant(now) });
      }
      const last = events.at(-1)?.seq ?? locked.takenSeq;
      const passed = events.length - kept.length;
      await sql.run`
        update subscriptions set taken_seq = ${last}, deliveries = ${number},
          open_deliveries = open_deliveries + ${kept.length}, stored_bytes = stored_bytes + ${bytes},
          missed_events = missed_events + ${passed}
        where id = ${id}`;
      return { taken: events.length, missed: passed, room };
    });
    if (missed > 0) metrics.eventsMissed(missed);
    if (taken > 0 && taken === room && room < batch) metrics.limited('pending-deliveries');
    return taken;
  }
}
