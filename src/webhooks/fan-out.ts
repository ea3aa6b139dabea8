import type { ActiveDrills } from '../active-drills.ts';
import { clients } from '../clients/clients.ts';
import { alias, integer } from '../database/columns.ts';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { copiesOf } from '../events/duplicates.ts';
import { type EventLog, events } from '../events/event-log.ts';
import { retention } from '../events/retention.ts';
import { FairTurns } from '../fair-turns.ts';
import type { ClientClocks } from '../time/client-clocks.ts';
import { type Clock, instant } from '../time/clock.ts';
import type { DeliveryLimits } from './delivery-limits.ts';
import { afterPause, lockSubscription, openDelivery } from './locked-subscription.ts';
import type { WebhookMetrics } from './metrics.ts';
import { isBehind, subscriptions } from './tables.ts';

/*
 * The fan-out: how events become deliveries. Each subscription reads the log with its own cursor, and creates deliveries
 * only up to its limit: until then events stay in the log, and nothing is lost within retention. Events whose retention
 * ended are counted as missed.
 *
 * A round looks at the subscriptions of clients that have events since the last one, and at those that are marked
 * (`mayBeBehind`). The mark is set, in the transaction that makes it true, where a subscription may be behind events that
 * are not new: it was at a limit, was enabled, or is new itself and could not be seen yet. It is taken away when no event
 * is left. So none is forgotten, whichever node has the role; only the first round of a process looks at every one, for
 * it does not know which events are new.
 */

/** Events that become deliveries in one transaction, at most. */
const batch = 100;

/** Such transactions before what is due is looked at again, so that nobody's backlog holds up the calls of others. */
const atOnce = 50;

/** Events, or subscriptions, that one statement looks at. */
const pageSize = 500;

export interface FanOutOptions extends DeliveryLimits {
  readonly database: Database;
  readonly log: EventLog;
  readonly clock: Clock;
  readonly clocks: ClientClocks;
  readonly metrics: WebhookMetrics;
  /** Counts events that passed retention before a subscription could get them. */
  readonly countMissed: (count: number) => void;
  /** Share of events that are delivered twice (`eventsDuplicateRate`). */
  readonly duplicateRate: number;
  readonly drills: ActiveDrills;
}

export class FanOut {
  readonly #options: FanOutOptions;
  /** The last event whose subscriptions this process has looked at, once it has looked at all. */
  #looked: { upTo?: number } = {};
  /** Those of which it knows that they are behind. */
  #behind = new Map<string, Found>();
  readonly #turns = new FairTurns();

  constructor(options: FanOutOptions) {
    this.#options = options;
  }

  /**
   * Creates some deliveries from the events after each subscription's cursor, up to its limits, in turn. Returns whether there
   * are more of them to create.
   */
  async createDeliveries(): Promise<boolean> {
    const { database, log, maxOpen } = this.#options;
    const { sql } = database;
    const looked = this.#looked;
    // First the head: all events up to it are committed, and seen by the statements after it.
    const head = await log.head(sql);
    this.#note(await findMarked(sql, { maxOpen }));
    if (looked.upTo === undefined) await this.#lookAtAll();
    else
      for (let from = looked.upTo; from < head; from += pageSize)
        this.#note(await findOfNew(sql, { from, to: Math.min(head, from + pageSize) }));
    looked.upTo = head;
    let left = atOnce;
    for (const each of this.#turns.inTurn(this.#behind.values())) {
      if (left === 0) return true;
      left -= 1;
      if (!(await this.#createSome(each))) this.#behind.delete(each.id);
    }
    return this.#behind.size > 0;
  }

  /** The database was emptied. */
  forget(): void {
    // A round that is under way knows the old one.
    this.#looked = {};
    this.#behind.clear();
  }

  async #lookAtAll(): Promise<void> {
    const { sql } = this.#options.database;
    for (let after: string | undefined = ''; after !== undefined; ) {
      const page: Found[] = await findPage(sql, { after, pageSize });
      this.#note(page);
      after = page.at(-1)?.id;
    }
  }

  #note(found: readonly Found[]): void {
    for (const each of found) if (each.behind === 1) this.#behind.set(each.id, each);
  }

  /** Returns whether the subscription may have more. */
  async #createSome({ id, clientId }: Found): Promise<boolean> {
    const { database, metrics, stored } = this.#options;
    if (!(await stored.isFull(database.sql, clientId))) return (await this.#createDeliveriesOf(id)) === batch;
    metrics.limited('stored-bytes');
    await database.write((sql) => mark(sql, { id }));
    return false;
  }

  /** Returns how many events were processed. */
  async #createDeliveriesOf(id: string): Promise<number> {
    const { database, clock, clocks, metrics, countMissed, duplicateRate, maxOpen, drills } = this.#options;
    const now = instant(clock.now());
    const { taken, missed, room } = await database.write(async (sql) => {
      const locked = await lockSubscription(sql, id);
      if (locked?.status !== 'active') return { taken: 0, missed: 0, room: 0 };
      const room = Math.max(0, Math.min(batch, maxOpen - locked.openDeliveries));
      const { clientId, topic, takenSeq, pausedUntil } = locked;
      const dueAt = afterPause(pausedUntil, now);
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
      const mayBeBehind = events.length === room ? 1 : 0;
      await advanceCursor(sql, { id, last, number, opened: kept.length, bytes, missed, mayBeBehind });
      return { taken: events.length, missed, room };
    });
    if (missed > 0) countMissed(missed);
    if (taken > 0 && taken === room && room < batch) metrics.limited('pending-deliveries');
    return taken;
  }
}

type Found = Awaited<ReturnType<typeof findMarked>>[number];

const findMarked = statement.all`
  select ${subscriptions.pick('id', 'clientId').of('s')}, ${clients.pick('address').of('c')},
    s.may_be_behind as ${alias('behind', integer)}
  from subscriptions s join clients c on c.id = s.client_id
  where s.may_be_behind = 1 and s.status = 'active' and s.open_deliveries < ${'maxOpen'}`;

// The subscriptions of one client are a range, and which of them are behind is no condition: with equations the engines
// may read the subscriptions of all.
const findOfNew = statement.all`
  select ${subscriptions.pick('id', 'clientId').of('s')}, ${clients.pick('address').of('c')},
    case when s.may_be_behind = 0 and s.status = 'active' and ${isBehind} then 1 else 0 end
      as ${alias('behind', integer)}
  from (select distinct client_id from events where seq > ${'from'} and seq <= ${'to'}) n
  join subscriptions s on s.client_id between n.client_id and n.client_id
  join clients c on c.id = s.client_id`;

const findPage = statement.all`
  select ${subscriptions.pick('id', 'clientId').of('s')}, ${clients.pick('address').of('c')},
    case when s.may_be_behind = 0 and s.status = 'active' and ${isBehind} then 1 else 0 end
      as ${alias('behind', integer)}
  from subscriptions s join clients c on c.id = s.client_id
  where s.id > ${'after'} order by s.id limit ${'pageSize'}`;

const mark = statement.run`update subscriptions set may_be_behind = 1 where id = ${'id'} and may_be_behind = 0`;

const findNext = statement.all`
  select ${events.pick('seq', 'eventId', 'orderingKey', 'publishedAt')} from events
  where (client_id, topic, seq) > (${'clientId'}, ${'topic'}, ${'takenSeq'})
    and (client_id, topic, seq) <= (${'clientId'}, ${'topic'}, 9007199254740991)
  order by client_id, topic, seq limit ${'room'}`;

const advanceCursor = statement.run`
  update subscriptions set taken_seq = ${'last'}, deliveries = ${'number'},
    open_deliveries = open_deliveries + ${'opened'}, stored_bytes = stored_bytes + ${'bytes'},
    missed_events = missed_events + ${'missed'}, may_be_behind = ${'mayBeBehind'}
  where id = ${'id'}`;
