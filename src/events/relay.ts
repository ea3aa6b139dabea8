import { alias, integer, table } from '../database/columns.ts';
import type { Database, Role } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { copiesOf } from './duplicates.ts';
import { events } from './event-log.ts';
import type { KafkaClient, KafkaMessage } from './kafka.ts';

/*
 * The relay to Kafka: reads the log from where it stopped, sends a batch, and stores how far it came when all
 * replicas have it. So nothing is left out; what was sent but not stored is sent again. One batch is under way at
 * a time, and the messages of one key go to one partition, so they stay in order.
 */

/** Of the node that relays. */
export const relayRole: Role = { name: 'relay', lock: 2 };

const kafkaRelay = table('kafka_relay', { seq: integer });

/** Events in one batch. */
const batch = 200;

export interface RelayContext {
  readonly database: Database;
  readonly kafka: KafkaClient;
  /** Share of events that are delivered twice (`eventsDuplicateRate`). */
  readonly duplicateRate: number;
}

export class Relay {
  readonly #context: RelayContext;

  constructor(context: RelayContext) {
    this.#context = context;
  }

  /**
   * Relays new events, until nothing is left or this node has lost the role. Rejects if Kafka or the database is not
   * available.
   */
  async round(mayContinue: () => boolean): Promise<void> {
    while (mayContinue() && (await this.#relay(mayContinue)) === batch);
  }

  /** How many events are not relayed yet. */
  async lag(): Promise<number> {
    const row = await findLag(this.#context.database.sql);
    return row?.lag ?? 0;
  }

  async #relay(mayContinue: () => boolean): Promise<number> {
    const { database, kafka, duplicateRate } = this.#context;
    const from = await findReached(database.sql);
    const reached = from?.seq ?? 0;
    const rows = await findBatch(database.sql, { reached, batch });
    const last = rows.at(-1);
    if (!last || !mayContinue()) return 0;
    const messages = rows.flatMap(({ topic, eventId, orderingKey, payload }) =>
      Array.from(
        { length: copiesOf(eventId, duplicateRate) },
        (): KafkaMessage => ({ topic, key: orderingKey, value: payload }),
      ),
    );
    await kafka.send(messages);
    // Only from where it was read: another node may have gone on by now.
    await database.write((sql) => saveProgress(sql, { last: last.seq, reached }));
    return rows.length;
  }
}

const findLag = statement.get`
  select h.seq - r.seq as ${alias('lag', integer)} from event_head h join kafka_relay r on r.id = h.id`;

const findReached = statement.get`select ${kafkaRelay} from kafka_relay where id = 1`;

const findBatch = statement.all`
  select ${events.pick('seq', 'topic', 'eventId', 'orderingKey', 'payload')} from events
  where seq > ${'reached'} order by seq limit ${'batch'}`;

const saveProgress = statement.run`update kafka_relay set seq = ${'last'} where id = 1 and seq = ${'reached'}`;
