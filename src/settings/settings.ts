import {
  addressRanges,
  authorities,
  brokers,
  instantText,
  jsonFile,
  listenAddress,
  oneOf,
  originOrAuto,
  pageUrl,
  password,
  path,
  pemFile,
  postgresUrl,
  proxies,
  redisAddress,
  secretText,
  share,
  shownText,
  userName,
  wholeNumber,
  wholeNumberOrOff,
} from './values.ts';

/* The settings: what they are called, which values they have and take, and what they are if they are not set. */

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** `url`: as the address says, which is not at all unless it does. */
const tlsModes = ['url', 'off', 'on', 'verify'] as const;

/** In place of a data directory: nothing is kept on disk. */
export const inMemory = 'memory';

const saslMechanisms = ['none', 'PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'] as const;

interface Setting<T> {
  /** What `--help` says. */
  readonly help: string;
  /** What `--help` shows as the default. */
  readonly shown: string;
  /** Turns the text into the value, or throws with what is accepted instead. */
  readonly parse: (text: string) => T;
  readonly default: T;
  /** Secrets are taken from the environment only: other users of a machine can read a command line. */
  readonly secret?: true;
  /** The flag has no value: it stands for `on`. */
  readonly switch?: true;
}

const setting = <T>(
  help: string,
  value: NoInfer<T>,
  parse: (text: string) => T,
  shown = String(value),
): Setting<T> => ({
  help,
  shown,
  parse,
  default: value,
});
const optional = <T>(help: string, parse: (text: string) => T, shown = 'none') =>
  setting<T | undefined>(help, undefined, parse, shown);
const secret = (
  help: string,
  shown = 'generated, kept in the data directory',
  parse = secretText(1),
): Setting<string | undefined> => ({
  ...setting<string | undefined>(help, undefined, parse, shown),
  secret: true,
});

/** Every setting and its default, in the order of `--help`. The flag and the variable are made from the name. */
const table = {
  /** TCP port to listen on; 0: a free one. */
  port: setting('TCP port to listen on; 0 for a free port', 8080, wholeNumber(0, 65535)),
  /** Address to listen on. */
  host: setting('address to listen on; localhost is 127.0.0.1 and ::1', 'localhost', listenAddress),
  /** Whether it serves a class: other defaults (`class-mode.ts`), and a banner for the trainer. */
  class: {
    ...setting('serve a class: listen on the network, count by client', 'off', oneOf('off', 'on')),
    switch: true as const,
  },
  /** Where the embedded database and generated secrets are kept, or `inMemory`; not used with `databaseUrl`. */
  dataDir: setting(
    'directory for the embedded database and the generated secrets; memory: keep nothing',
    '',
    path,
    './data; memory with --seed or --now',
  ),
  /** The origin in every absolute URL that is published, without a slash at the end, or `auto`: that of each request. */
  publicUrl: setting('origin used in every absolute URL; auto: that of each request', '', originOrAuto, 'auto'),
  /** `self`: HTTPS with a certificate of an authority that is made for it (`tls/class-authority.ts`). */
  tls: setting('HTTPS with a class authority of its own: off or self', 'off', oneOf('off', 'self')),
  /** Files in PEM: HTTPS with this certificate and its key. Read again when they change. */
  tlsCert: optional('file with the certificate for HTTPS, in PEM', pemFile('CERTIFICATE'), 'none: HTTP'),
  tlsKey: optional('file with the private key for HTTPS, in PEM', pemFile('PRIVATE KEY'), 'none: HTTP'),
  /** The authorities, in PEM, of the certificates that clients are asked for. Set as the file. */
  tlsClientCa: optional('file with the CA certificates of clients, an exercise', authorities),
  /** PostgreSQL in place of the embedded database. */
  databaseUrl: optional('PostgreSQL instead of the embedded database', postgresUrl),
  /** Maximum connections of one node to PostgreSQL. */
  databasePoolSize: setting('connections to PostgreSQL', 10, wholeNumber(2, 1000)),
  /** Seconds that one statement may take on PostgreSQL, waiting for locks included. */
  databaseTimeoutSeconds: setting('seconds one statement may take on PostgreSQL', 10, wholeNumber(1, 600)),
  /** Whether connections to PostgreSQL are encrypted, and the server's certificate verified. */
  databaseTls: setting('TLS to PostgreSQL: url, off, on or verify', 'url', oneOf(...tlsModes)),
  /** The authorities, in PEM, that `databaseTls` verifies by; default: those of Node.js. Set as the file. */
  databaseTlsCa: optional('file with the CA certificates for PostgreSQL', authorities, 'those of Node.js'),
  /** Redis, where nodes share their rate limits. */
  redisUrl: optional('Redis URL, for nodes to share rate limits', redisAddress),
  /** Kafka, which the events are relayed to: `host:port`. */
  kafkaBrokers: setting('Kafka brokers to publish events to', [], brokers, 'none'),
  /** Partitions of the topic, and copies of each, when the relay creates it. */
  kafkaPartitions: setting('partitions of the topic in Kafka', 6, wholeNumber(1, 1000)),
  kafkaReplicationFactor: setting('copies of each partition in Kafka', 1, wholeNumber(1, 10)),
  kafkaTls: setting('TLS to Kafka: off, on or verify', 'off', oneOf('off', 'on', 'verify')),
  kafkaTlsCa: optional('file with the CA certificates for Kafka', authorities, 'those of Node.js'),
  /** Whether brokers are asked for by their names in TLS. */
  kafkaTlsSni: setting('send the broker name in TLS to Kafka (SNI): off or on', 'off', oneOf('off', 'on')),
  kafkaSaslMechanism: setting(`login to Kafka: ${saslMechanisms.join(', ')}`, 'none', oneOf(...saslMechanisms)),
  kafkaUsername: optional('user name for Kafka', userName),
  /** Processes that serve on this machine; more than one needs PostgreSQL. */
  workers: setting('server processes; more than 1 needs PostgreSQL', 1, wholeNumber(1, 64)),
  /** Which proxies may set `X-Forwarded-For`: none, a number of hops, or addresses and CIDR ranges. */
  trustProxy: setting('trusted proxies: how many, or their addresses (CIDR list)', false, proxies, 'none'),
  /** Requests a minute and address on each REST interface. */
  rateLimitPerMinute: setting('requests a minute on each REST interface, or off', 60, wholeNumberOrOff(1)),
  /** Requests a minute and address on `GET /limited/ping`. */
  probeLimitPerMinute: setting('requests a minute on /limited/ping, or off', 5, wholeNumberOrOff(1)),
  /** Calls a minute and address on the SOAP service; 0 for no limit. */
  soapLimitPerMinute: setting(
    'calls a minute on the SOAP service; 0 for no limit; 2400 with --class',
    0,
    wholeNumber(0),
  ),
  /** Whom the general limit counts. */
  rateLimitKey: setting('what the rate limit counts by: address or client', 'address', oneOf('address', 'client')),
  /** Demo clients that one address may create in a day; 0: no limit. Default: 200 times `rateLimitPerMinute`, none if that is off. */
  demoClientsPerDay: optional(
    'demo clients one address can create a day; 0 for no limit',
    wholeNumber(0),
    '200 times the requests a minute',
  ),
  /** Days without use until a demo client is removed; off: none ever is. */
  keepClientsDays: setting<number | 'off'>(
    'days without use until a demo client is removed, or off; 60 with --class, off with --seed or --now',
    1,
    wholeNumberOrOff(1, 366),
  ),
  /** Demo clients that there may be at a time; 0: no limit. */
  demoClientsTotal: setting('demo clients in total; 0 for no limit', 1_000_000, wholeNumber(0)),
  /** How many policies per client. */
  policiesPerClient: setting('policies per client', 10_000, wholeNumber(1)),
  /** How many claims per client. */
  claimsPerClient: setting('claims per client', 10_000, wholeNumber(1)),
  /** How many open event streams per client, on one node. */
  streamsPerClient: setting('open event streams per client', 20, wholeNumber(1)),
  /** How many subscriptions per client. */
  subscriptionsPerClient: setting('subscriptions per client', 10, wholeNumber(1)),
  /** How many bytes of events, deliveries and attempts one client may have stored. */
  storedBytesPerClient: setting('stored bytes of events and deliveries per client', 50_000_000, wholeNumber(1)),
  /** How many open deliveries one client may have, shared evenly among the subscriptions it may own. */
  webhookOpenDeliveries: setting('open webhook deliveries per client', 10_000, wholeNumber(1)),
  /** Calls a minute that webhooks make for one client. */
  webhookCallsPerClient: setting('webhook calls a minute per client', 300, wholeNumber(1)),
  /** Calls a minute that webhooks make to one host, for all clients. */
  webhookCallsPerHost: setting('webhook calls a minute to one host', 600, wholeNumber(1)),
  /** Hours of failure after which a subscription is disabled; 0 for never. */
  webhookDisableHours: setting(
    'hours of failed calls until a subscription is disabled; 0 for never',
    24,
    wholeNumber(0, 168),
  ),
  /** The share of events that are delivered twice on purpose, 0 to 1. */
  eventsDuplicateRate: setting('share of events that are delivered twice, 0 to 1', 0.1, share),
  /** Seconds after which a stream of events without an event shows that it is alive. */
  eventsHeartbeatSeconds: setting('seconds between heartbeats on an idle stream', 15, wholeNumber(1, 3600)),
  /** Addresses and CIDR ranges that webhooks may call although they are not public. */
  webhookAllow: setting('non-public addresses that webhooks can call (CIDR list)', [], addressRanges, 'none'),
  /** Seconds within which a request must have arrived whole. */
  requestTimeoutSeconds: setting('seconds in which a request must arrive', 30, wholeNumber(1, 3600)),
  /** Seconds after which a connection is cut whose peer takes nothing of what is sent. */
  sendTimeoutSeconds: setting(
    'seconds until a connection is cut if the client reads nothing',
    30,
    wholeNumber(1, 3600),
  ),
  /** Megabytes of unsent answers and waiting requests that the process keeps. */
  bufferLimitMegabytes: setting('megabytes for unsent responses and waiting requests', 256, wholeNumber(16, 65536)),
  /** Connections that may be open, on one node. */
  connectionsTotal: setting('open connections, half of them of one address', 10_000, wholeNumber(10)),
  /** What a class learns: the file's content. Set as the file. */
  lessons: optional('file that chooses the lessons of a class', jsonFile, 'all lessons'),
  /** Whether the exchanges of each client are kept for it, and `/range/v1` shows them. */
  range: setting('keep the calls of each client for it to see: on or off', 'on', oneOf('off', 'on')),
  /** Megabytes that these exchanges may take in the database. */
  exchangesMegabytes: setting('megabytes for these calls, half of them of one address', 2000, wholeNumber(1)),
  /** Whether registration numbers such as `QQ-503` bring an outcome by themselves (`magic-plates.ts`). */
  magicPlates: setting('plates such as QQ-503 that bring an outcome: on or off', 'on', oneOf('off', 'on')),
  /** Whether assistants can call `/range/v1/mcp`. */
  mcp: setting('a tutor for assistants by MCP at /range/v1/mcp: on or off', 'on', oneOf('off', 'on')),
  /** Who gives the badges; without a URL the service does, by its key. */
  issuerName: setting('name of who gives the badges', 'L-Plate', shownText),
  issuerUrl: optional('page of who gives the badges', pageUrl, 'none: the key of the service'),
  logLevel: setting(`log level: ${logLevels.join(', ')}`, 'info', oneOf(...logLevels)),
  /** What standard output has when it listens: `json` is one line for programs, and log lines go to standard error. */
  ready: setting('how standard output says that it listens: text or json', 'text', oneOf('text', 'json')),
  /** A file that has the same line from when it listens to its end. */
  readyFile: optional('file for the same JSON, until the end', path),
  /** Whether it ends with its standard input, which the system closes when the process that started it ends. */
  endWithStdin: {
    ...setting('stop when standard input ends, as it does with the parent', 'off', oneOf('off', 'on')),
    switch: true as const,
  },
  /** What ids, secrets and all else that is random follow from: the same at each start. */
  seed: optional('FOR TESTS ONLY: a number that all ids and secrets follow from', wholeNumber(0)),
  /** Milliseconds since 1970 at which time stands until the range moves it. */
  now: optional('for tests: where time stands until it is moved: 2026-03-01T09:00Z', instantText, 'real time'),
  hmacSecret: secret('key of the signed endpoint'),
  readerClientSecret: secret('secret of the client preset-reader'),
  fleetClientSecret: secret('secret of the client preset-fleet'),
  trainerToken: secret(
    'token of the trainer',
    'generated, kept in the data directory; none with DATABASE_URL',
    secretText(16),
  ),
  /** In place of one in `databaseUrl`, where some characters must be percent-encoded. */
  databasePassword: secret('password for PostgreSQL, if it is not in the URL', 'none', password),
  kafkaPassword: secret('password for Kafka', 'none'),
};

/** Every setting, typed. A secret that is absent is kept in the data directory. */
export type Settings = { readonly [Name in keyof typeof table]: (typeof table)[Name]['default'] };

export const settings: { readonly [Name in keyof Settings]: Setting<Settings[Name]> } = table;

/** The library sets none of these: it starts one process, which tells it itself that it is ready, and ends with it. */
export const notOfLibrary = [
  'workers',
  'ready',
  'readyFile',
  'endWithStdin',
] as const satisfies readonly (keyof Settings)[];
