import { setTimeout as pause } from 'node:timers/promises';
import {
  Admin,
  type BaseOptions,
  compatibilityPartitioner,
  Producer,
  type ProducerOptions,
  stringSerializers,
} from '@platformatic/kafka';
import type { Config } from '../settings/config.ts';
import { retention } from './retention.ts';
import type { Topic } from './topic.ts';

/** One copy of an event on its way to Kafka. */
export interface KafkaMessage {
  readonly topic: string;
  /** Messages of one key stay in order. */
  readonly key: string;
  /** The payload as JSON text. */
  readonly value: string;
}

type KafkaProducer = Producer<string, string, string, string>;

export type KafkaConfig = Pick<
  Config,
  | 'kafkaBrokers'
  | 'kafkaPartitions'
  | 'kafkaReplicationFactor'
  | 'kafkaTls'
  | 'kafkaTlsCa'
  | 'kafkaTlsSni'
  | 'kafkaSaslMechanism'
  | 'kafkaUsername'
  | 'kafkaPassword'
>;

/** Milliseconds that one send may take with all its tries: each step has its own, and they would add up to minutes. */
const sendTimeout = 20_000;

/** Milliseconds that a client gets to close. */
const closeTimeout = 2000;

/** The topics in Kafka. */
export class KafkaClient {
  readonly #config: KafkaConfig;
  readonly #topics: readonly Topic[];
  readonly #options: BaseOptions;
  /** What is open. A call that waits for a broker ends when its client is closed. */
  readonly #clients = new Set<Admin | KafkaProducer>();
  #producer: KafkaProducer | undefined;
  #closed = false;

  constructor(config: KafkaConfig, topics: readonly Topic[]) {
    this.#config = config;
    this.#topics = topics;
    this.#options = connection(config);
  }

  /**
   * Sends messages in order, and resolves when all replicas have them. Rejects when that is not sure; sent again, they
   * may be there twice.
   */
  async send(messages: readonly KafkaMessage[]): Promise<void> {
    const timer = setTimeout(() => void this.#closeClients(), sendTimeout);
    try {
      this.#producer ??= await this.#connect();
      await this.#producer.send({ messages: [...messages] });
    } catch (error) {
      // Its state is unknown: the next call connects again.
      await this.#closeClients();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Cancels what is under way. Nothing is sent any more. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#closeClients();
  }

  async #closeClients(): Promise<void> {
    const clients = [...this.#clients];
    this.#clients.clear();
    this.#producer = undefined;
    const closed = Promise.all(clients.map((client) => client.close().catch(() => {})));
    await Promise.race([closed, pause(closeTimeout, undefined, { ref: false })]);
  }

  async #connect(): Promise<KafkaProducer> {
    // Those who closed it meanwhile find all that was open in the set, and nothing is opened after them.
    await this.#createTopics();
    const options: ProducerOptions<string, string, string, string> = {
      ...this.#options,
      serializers: stringSerializers,
      // Acknowledged by all replicas, and each batch once, in order, however often it is sent.
      idempotent: true,
      acks: -1,
      autocreateTopics: false,
      // Where Java's clients, and those that follow them, look for a key; the library's own default differs.
      partitioner: compatibilityPartitioner,
    };
    return this.#opened(new Producer(options));
  }

  #opened<T extends Admin | KafkaProducer>(client: T): T {
    this.#clients.add(client);
    // A connection that fails again, such as after a refused login, has no other error listener.
    client.connections.on('connecting', ({ connection }) => void connection.on('error', () => {}));
    if (this.#closed) throw new Error('Kafka is closed');
    return client;
  }

  async #createTopics(): Promise<void> {
    const admin = this.#opened(new Admin(this.#options));
    const there = await admin.listTopics();
    for (const { name } of this.#topics) {
      if (there.includes(name)) continue;
      await admin.createTopics({
        topics: [name],
        partitions: this.#config.kafkaPartitions,
        replicas: this.#config.kafkaReplicationFactor,
        configs: [{ name: 'retention.ms', value: String(retention) }],
      });
    }
    this.#clients.delete(admin);
    await admin.close().catch(() => {});
  }
}

function connection(config: KafkaConfig): BaseOptions {
  const { kafkaTls, kafkaTlsCa: ca, kafkaSaslMechanism: mechanism, kafkaUsername = '', kafkaPassword = '' } = config;
  return {
    clientId: 'l-plate',
    bootstrapBrokers: [...config.kafkaBrokers],
    connectTimeout: 5000,
    timeout: 10_000,
    requestTimeout: 12_000,
    retries: 3,
    retryDelay: 250,
    ...(kafkaTls !== 'off' && {
      tls: { rejectUnauthorized: kafkaTls === 'verify', ...(ca !== undefined && { ca }) },
      tlsServerName: config.kafkaTlsSni === 'on',
    }),
    ...(mechanism !== 'none' && { sasl: { mechanism, username: kafkaUsername, password: kafkaPassword } }),
  };
}
