/* What the settings are called and which values they have, for the program and for those who start it from their tests. */

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** `url`: as the address says, which is not at all unless it does. */
export const tlsModes = ['url', 'off', 'on', 'verify'] as const;

/** In place of a data directory: nothing is kept on disk. */
export const inMemory = 'memory';

/** The library sets none of these: it starts one process, which tells it itself that it is ready. */
export const notOfLibrary = ['workers', 'ready', 'readyFile'] as const satisfies readonly (keyof Settings)[];

export const saslMechanisms = ['none', 'PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'] as const;

/** Every setting, typed. A secret that is absent is kept in the data directory. */
export interface Settings {
  /** TCP port to listen on; 0: a free one. */
  readonly port: number;
  /** Address to listen on. */
  readonly host: string;
  /** Whether it serves a class: other defaults (`class-mode.ts`), and a banner for the trainer. */
  readonly class: 'off' | 'on';
  /** Where the embedded database and generated secrets are kept, or `inMemory`; not used with `databaseUrl`. */
  readonly dataDir: string;
  /** The origin in every absolute URL that is published, without a slash at the end, or `auto`: that of each request. */
  readonly publicUrl: string;
  /** `self`: HTTPS with a certificate of an authority that is made for it (`tls/class-authority.ts`). */
  readonly tls: 'off' | 'self';
  /** Files in PEM: HTTPS with this certificate and its key. Read again when they change. */
  readonly tlsCert: string | undefined;
  readonly tlsKey: string | undefined;
  /** The authorities, in PEM, of the certificates that clients are asked for. Set as the file. */
  readonly tlsClientCa: string | undefined;
  /** PostgreSQL in place of the embedded database. */
  readonly databaseUrl: string | undefined;
  /** Maximum connections of one node to PostgreSQL. */
  readonly databasePoolSize: number;
  /** Seconds that one statement may take on PostgreSQL, waiting for locks included. */
  readonly databaseTimeoutSeconds: number;
  /** Whether connections to PostgreSQL are encrypted, and the server's certificate verified. */
  readonly databaseTls: (typeof tlsModes)[number];
  /** The authorities, in PEM, that `databaseTls` verifies by; default: those of Node.js. Set as the file. */
  readonly databaseTlsCa: string | undefined;
  /** Redis, where nodes share their rate limits. */
  readonly redisUrl: string | undefined;
  /** Kafka, which the events are relayed to: `host:port`. */
  readonly kafkaBrokers: readonly string[];
  /** Partitions of the topic, and copies of each, when the relay creates it. */
  readonly kafkaPartitions: number;
  readonly kafkaReplicationFactor: number;
  readonly kafkaTls: 'off' | 'on' | 'verify';
  readonly kafkaTlsCa: string | undefined;
  /** Whether brokers are asked for by their names in TLS. */
  readonly kafkaTlsSni: 'off' | 'on';
  readonly kafkaSaslMechanism: (typeof saslMechanisms)[number];
  readonly kafkaUsername: string | undefined;
  readonly kafkaPassword: string | undefined;
  /** Processes that serve on this machine; more than one needs PostgreSQL. */
  readonly workers: number;
  /** Which proxies may set `X-Forwarded-For`: none, a number of hops, or addresses and CIDR ranges. */
  readonly trustProxy: false | number | string[];
  /** Requests a minute and address on each REST interface. */
  readonly rateLimitPerMinute: number | 'off';
  /** Requests a minute and address on `GET /limited/ping`. */
  readonly probeLimitPerMinute: number | 'off';
  /** Calls a minute and address on the SOAP service; 0 for no limit. */
  readonly soapLimitPerMinute: number;
  /** Whom the general limit counts. */
  readonly rateLimitKey: 'address' | 'client';
  /** Demo clients that one address may create in a day; 0: no limit. Default: 200 times `rateLimitPerMinute`, none if that is off. */
  readonly demoClientsPerDay: number | undefined;
  /** Days without use until a demo client is removed. */
  readonly keepClientsDays: number;
  /** Demo clients that there may be at a time; 0: no limit. */
  readonly demoClientsTotal: number;
  /** How many policies per client. */
  readonly policiesPerClient: number;
  /** How many claims per client. */
  readonly claimsPerClient: number;
  /** How many open event streams per client, on one node. */
  readonly streamsPerClient: number;
  /** How many subscriptions per client. */
  readonly subscriptionsPerClient: number;
  /** How many bytes of events, deliveries and attempts one client may have stored. */
  readonly storedBytesPerClient: number;
  /** How many open deliveries one client may have, shared evenly among the subscriptions it may own. */
  readonly webhookOpenDeliveries: number;
  /** Calls a minute that webhooks make for one client. */
  readonly webhookCallsPerClient: number;
  /** Calls a minute that webhooks make to one host, for all clients. */
  readonly webhookCallsPerHost: number;
  /** Hours of failure after which a subscription is disabled; 0 for never. */
  readonly webhookDisableHours: number;
  /** The share of events that are delivered twice on purpose, 0 to 1. */
  readonly eventsDuplicateRate: number;
  /** Seconds after which a stream of events without an event shows that it is alive. */
  readonly eventsHeartbeatSeconds: number;
  /** Addresses and CIDR ranges that webhooks may call although they are not public. */
  readonly webhookAllow: readonly string[];
  /** Seconds within which a request must have arrived whole. */
  readonly requestTimeoutSeconds: number;
  /** Seconds after which a connection is cut whose peer takes nothing of what is sent. */
  readonly sendTimeoutSeconds: number;
  /** Megabytes of unsent answers and waiting requests that the process keeps. */
  readonly bufferLimitMegabytes: number;
  /** Connections that may be open, on one node. */
  readonly connectionsTotal: number;
  /** Whether the exchanges of each client are kept for it, and `/range/v1` shows them. */
  readonly range: 'off' | 'on';
  /** Megabytes that these exchanges may take in the database. */
  readonly exchangesMegabytes: number;
  readonly logLevel: (typeof logLevels)[number];
  /** What standard output has when it listens: `json` is one line for programs, and log lines go to standard error. */
  readonly ready: 'text' | 'json';
  /** A file that has the same line from when it listens to its end. */
  readonly readyFile: string | undefined;
  /** What ids, secrets and all else that is random follow from: the same at each start. */
  readonly seed: number | undefined;
  /** Milliseconds since 1970 at which time stands until the range moves it. */
  readonly now: number | undefined;
  readonly hmacSecret: string | undefined;
  readonly readerClientSecret: string | undefined;
  readonly fleetClientSecret: string | undefined;
  readonly trainerToken: string | undefined;
  /** What a class learns: the file's content. Set as the file. */
  readonly lessons: object | undefined;
}
