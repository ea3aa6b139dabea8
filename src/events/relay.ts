import type { Database } from '../database/database.ts';
import { copiesOf } from './duplicates.ts';
import type { KafkaClient, KafkaMessage } from './kafka.ts';

/*
 * The relay to Kafka: reads the log from where it stopped, sends a batch, and stores how far it came when all
 * replicas have it. So nothing is left out; what was sent but not stored is sent again. One batch is under way at
 * a time, and the messages of one key go to one partition, so they stay in order.
 */

/** Events in one batch. */
const batch = 200;

export interface RelayContext {
  readonly database: Database;
  readonly kafka: KafkaClient;
  /** Share of events that are delivered twice. */
  readonly duplicateRate: number;
}

interface EventRow {
  seq: number;
  topic: string;
  event_id: string;
  ordering_key: string;
  payload: string;
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
    const row = await this.#context.database.sql.get<{ lag: number }>`
      select h.seq - r.seq as lag from event_head h join kafka_relay r on r.id = h.id`;
    return row?.lag ?? 0;
  }

  async #relay(mayContinue: () => boolean): Promise<number> {
    const { database, kafka, duplicateRate } = this.#context;
    const from = await database.sql.get<{ seq: number }>`select seq from kafka_relay where id = 1`;
    const reached = from?.seq ?? 0;
    const events = await database.sql.all<EventRow>`
      select seq, topic, event_id, ordering_key, payload from events where seq > ${reached} order by seq limit ${batch}`;
    const last = events.at(-1);
    if (!last || !mayContinue()) return 0;
    const messages = events.flatMap(({ topic, event_id, ordering_key, payload }) =>
      Array.from(
        { length: copiesOf(event_id, duplicateRate) },
        (): KafkaMessage => ({ topic, key: ordering_key, value: payload }),
      ),
    );
    await kafka.send(messages);
    // Only from where it was read: another node may have gone on by now.
    await database.write((sql) => sql.run`update kafka_relay set seq = ${last.seq} where id = 1 and seq = ${reached}`);
    return events.length;
  }
}
