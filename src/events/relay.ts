import type { Database } from '../database/database.ts';
import { copiesOf } from './event.ts';
import type { KafkaClient, Record } from './kafka.ts';

/*
 * The relay to Kafka: reads the log from where it stopped, sends a batch, and writes down how far it came when all
 * replicas have it. So nothing is left out; what was sent but not written down is sent again. One batch is under way at
 * a time, and the records of a claim go to one partition, so they stay in order.
 */

/** Events in one batch. */
const batch = 200;

export interface RelayContext {
  readonly database: Database;
  readonly kafka: KafkaClient;
  /** Share of events that are delivered twice. */
  readonly duplicateRate: number;
  /** Whether this node may still relay. */
  readonly mayGoOn: () => boolean;
}

export class Relay {
  readonly #context: RelayContext;

  constructor(context: RelayContext) {
    this.#context = context;
  }

  /** Relays what was published since, until nothing is left. Rejects when Kafka or the database is away. */
  async round(): Promise<void> {
    while (this.#context.mayGoOn() && (await this.#relay()) === batch);
  }

  /** How many events are not relayed yet. */
  async lag(): Promise<number> {
    const row = await this.#context.database.sql.get<{ lag: number }>`
      select h.seq - r.seq as lag from event_head h join kafka_relay r on r.id = h.id`;
    return row?.lag ?? 0;
  }

  async #relay(): Promise<number> {
    const { database, kafka, duplicateRate, mayGoOn } = this.#context;
    const from = await database.sql.get<{ seq: number }>`select seq from kafka_relay where id = 1`;
    const reached = from?.seq ?? 0;
    const events = await database.sql.all<{ seq: number; event_id: string; claim_id: string; payload: string }>`
      select seq, event_id, claim_id, payload from events where seq > ${reached} order by seq limit ${batch}`;
    const last = events.at(-1);
    if (!last || !mayGoOn()) return 0;
    const records = events.flatMap(({ event_id, claim_id, payload }) =>
      Array.from({ length: copiesOf(event_id, duplicateRate) }, (): Record => ({ key: claim_id, value: payload })),
    );
    await kafka.send(records);
    // Only from where it was read: another node may have gone on by now.
    await database.write((sql) => sql.run`update kafka_relay set seq = ${last.seq} where id = 1 and seq = ${reached}`);
    return events.length;
  }
}
