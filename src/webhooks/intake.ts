import { type Clock, instant } from '../clock.ts';
import type { Database } from '../database/database.ts';
import { copiesOf } from '../events/duplicates.ts';
import { retention } from '../events/topic.ts';
import { lockSubscription, openDelivery } from './locked-subscription.ts';
import type { WebhookMetrics } from './metrics.ts';
import type { StoredBytes } from './stored-bytes.ts';

/*
 * How events become deliveries. Each subscription goes through the log by a cursor of its own and takes in no more than
 * there is room for: until then events stay in the log, and nothing is lost within retention. Events that passed it
 * are counted as missed.
 */

/** Events that become deliveries in one transaction at the most. */
const batch = 100;

export interface IntakeOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly metrics: WebhookMetrics;
  /** Counts events that passed retention before a subscription could get them. */
  readonly countMissed: (count: number) => void;
  readonly stored: StoredBytes;
  /** Share of events that are delivered twice (`eventsDuplicateRate`). */
  readonly duplicateRate: number;
  /** How many open deliveries one subscription may have: its share of `webhookOpenDeliveries`. */
  readonly mostOpen: number;
}

export class Intake {
  readonly #options: IntakeOptions;

  constructor(options: IntakeOptions) {
    this.#options = options;
  }

  /** Makes deliveries of the events that follow each subscription, as far as there is room. */
  async takeIn(): Promise<void> {
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
        taken = await this.#takeInFor(id);
      }
    }
  }

  /** Returns how many events were taken in. */
  async #takeInFor(id: string): Promise<number> {
    const { database, clock, metrics, countMissed, duplicateRate, mostOpen } = this.#options;
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
    if (missed > 0) countMissed(missed);
    if (taken > 0 && taken === room && room < batch) metrics.limited('pending-deliveries');
    return taken;
  }
}
