import { alias, integer, nullable, type RowOf } from '../database/columns.ts';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { Topic } from '../events/topic.ts';
import type { Page } from '../http/requests/paging.ts';
import type { ClientClocks } from '../time/client-clocks.ts';
import { instant } from '../time/clock.ts';
import { readAttempts } from './attempts.ts';
import { isSubscriptionId } from './delivery.ts';
import { deliveryNotFound, subscriptionNotFound } from './not-found.ts';
import type { Delivery } from './schemas.ts';
import { deliveries } from './tables.ts';

/** What the interface shows. */
const shown = deliveries.pick(
  'number',
  'eventId',
  'orderingKey',
  'status',
  'createdAt',
  'nextAttemptAt',
  'keptAttempts',
  'attempts',
  'taken',
  'refused',
  'unanswered',
);

/** What the owner of a subscription may see of its deliveries. */
export class DeliveryLog {
  readonly #database: Database;
  readonly #clocks: ClientClocks;

  constructor(database: Database, clocks: ClientClocks) {
    this.#database = database;
    this.#clocks = clocks;
  }

  /**
   * The deliveries of a subscription on one page, oldest first, each with its attempts, and how many there are in all.
   *
   * @throws {ProblemError} `subscription-not-found`
   */
  async list(
    topic: Topic,
    clientId: string,
    id: string,
    { page, pageSize }: Page,
  ): Promise<{ items: Delivery[]; total: number }> {
    const { sql } = this.#database;
    const bounds = isSubscriptionId(id) ? await findBounds(sql, { id, clientId }) : undefined;
    if (!bounds) return subscriptionNotFound(id);
    if (bounds.first === null) return { items: [], total: 0 };
    const from = bounds.first + (page - 1) * pageSize;
    return {
      items: await this.#views(topic, clientId, id, from, from + pageSize - 1),
      total: bounds.last - bounds.first + 1,
    };
  }

  /**
   * One delivery.
   *
   * @throws {ProblemError} `subscription-not-found`, `delivery-not-found`
   */
  async read(topic: Topic, clientId: string, id: string, number: number): Promise<Delivery> {
    const owned = isSubscriptionId(id) ? await findOwned(this.#database.sql, { id, clientId }) : undefined;
    if (!owned) return subscriptionNotFound(id);
    const [view] = await this.#views(topic, clientId, id, number, number);
    return view ?? deliveryNotFound(number);
  }

  async #views(topic: Topic, clientId: string, id: string, from: number, to: number): Promise<Delivery[]> {
    const rows = await findBetween(this.#database.sql, { id, from, to });
    const offset = this.#clocks.offset(clientId);
    return rows.map((row) => asView(topic, row, offset));
  }
}

function asView({ key }: Topic, row: RowOf<typeof shown>, offset: number): Delivery {
  const { orderingKey, keptAttempts, attempts: total, taken, refused, unanswered, nextAttemptAt, ...view } = row;
  return {
    ...view,
    [key.member]: orderingKey,
    attempts: readAttempts(keptAttempts),
    attemptCounts: { total, taken, refused, unanswered },
    nextAttemptAt: nextAttemptAt && instant(Date.parse(nextAttemptAt) + offset),
  };
}

const findBounds = statement.get`
  select s.deliveries as ${alias('last', integer)},
    (select min(d.number) from deliveries d where d.subscription_id = s.id) as ${alias('first', nullable(integer))}
  from subscriptions s where s.id = ${'id'} and s.client_id = ${'clientId'} and s.status <> 'deleted'`;

const findOwned = statement.get`
  select 1 as ${alias('found', integer)} from subscriptions
  where id = ${'id'} and client_id = ${'clientId'} and status <> 'deleted'`;

const findBetween = statement.all`
  select ${shown} from deliveries
  where subscription_id = ${'id'} and number >= ${'from'} and number <= ${'to'} order by number`;
