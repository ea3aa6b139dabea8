import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { ActiveDrills } from '../drills.ts';
import { copiesOf } from '../events/duplicates.ts';
import { events } from '../events/event-log.ts';
import { retention } from '../events/retention.ts';
import type { ClientClocks } from '../time/client-clocks.ts';
import { type Clock, instant } from '../time/clock.ts';
import { lockSubscription, openDelivery } from './locked-subscription.ts';
import type { WebhookMetrics } from './metrics.ts';
import type { StoredBytes } from './stored-bytes.ts';
import { isBehind, subscriptions } from './tables.ts';

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
  readonly clocks: ClientClocks;
  readonly metrics: WebhookMetrics;
  /** Counts events that passed retention before a subscription could get them. */
  readonly countMissed: (count: number) => void;
  readonly stored: StoredBytes;
  /** Share of events that are delivered twice (`eventsDuplicateRate`). */
  readonly duplicateRate: number;
  /** How many open deliveries one subscription may have: its share of `webhookOpenDeliveries`. */
  readonly mostOpen: number;
  readonly drills: ActiveDrills;
}

export class FanOut {
  readonly #options: FanOutOptions;

  constructor(options: FanOutOptions) {
    this.#options = options;
  }

  /** Creates deliveries from the events after each subscription's cursor, up to its limits. */
  async createDeliveries(): Promise<void> {
    const { database, metrics, mostOpen, stored } = this.#options;
    for (const { id, clientId } of await findBehind(database.sql, { mostOpen })) {
      for (let taken = batch; taken === batch; ) {
        if (await stored.isFull(database.sql, clientId)) {
          metrics.limited('stored-bytes');
          break;
        }
        taken = await this.#createDeliveriesOf(id);
      }
    }
  }

  /** Returns how many events were processed. */
  async #createDeliveriesOf(id: string): Promise<number> {
    const { database, clock, clocks, metrics, countMissed, duplicateRate, mostOpen, drills } = this.#options;
    const dueAt = instant(clock.now());
    const { taken, missed, room } = await database.write(async (sql) => {
      const locked = await lockSubscription(sql, id);
      const room = locked?.status === 'active' ? Math.min(batch, mostOpen - locked.openDeliveries) : 0;
      if (!locked || room <= 0) return { taken: 0, missed: 0, room };
      const { clientId, topic, takenSeq } = locked;
      const events = await findNext(sql, { clientId, topic, takenSeq, room });
      const keptSince = instant(clocks.since(clientId, retention));
      const createdAt = instant(clocks.now(clientId));
      const kept = events.filter((event) => event.publishedAt > keptSince);
      const times = drills.of(clientId, 'duplicate-events')?.parameters.times ?? 1;
      let number = locked.deliveries;
      let bytes = 0;
      for (const { seq, eventId, orderingKey: key } of kept) {
        number += 1;
        const copies = Math.max(copiesOf(eventId, duplicateRate), times);
        bytes += await openDelivery(sql, id, { number, eventId, key, source: seq, copies, createdAt, dueAt });
      }
      const last = events.at(-1)?.seq ?? takenSeq;
      const missed = events.length - kept.length;
      await advanceCursor(sql, { id, last, number, opened: kept.length, bytes, missed });
      return { taken: events.length, missed, room };
    });
    if (missed > 0) countMissed(missed);
    if (taken > 0 && taken === room && room < batch) metrics.limited('pending-deliveries');
    return taken;
  }
}

const findBehind = statement.all`
  select ${subscriptions.pick('id', 'clientId').of('s')} from subscriptions s
  where s.status = 'active' and s.open_deliveries < ${'mostOpen'}
    and ${isBehind}`;

const findNext = statement.all`
  select ${events.pick('seq', 'eventId', 'orderingKey', 'publishedAt')} from events
  where (client_id, topic, seq) > (${'clientId'}, ${'topic'}, ${'takenSeq'})
    and (client_id, topic, seq) <= (${'clientId'}, ${'topic'}, 9007199254740991)
  order by client_id, topic, seq limit ${'room'}`;

const advanceCursor = statement.run`
  update subscriptions set taken_seq = ${'last'}, deliveries = ${'number'},
    open_deliveries = open_deliveries + ${'opened'}, stored_bytes = stored_bytes + ${'bytes'},
    missed_events = missed_events + ${'missed'}
  where id = ${'id'}`;
