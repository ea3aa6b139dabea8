import { parseArgs } from 'node:util';
import { classDefaults } from './class-mode.ts';
import { checkCombinations } from './setting-rules.ts';
import {
  addressRanges,
  authorities,
  brokers,
  jsonFile,
  listenAddress,
  oneOf,
  originOrAuto,
  path,
  postgresUrl,
  proxies,
  redisAddress,
  secretText,
  share,
  userName,
  wholeNumber,
} from './setting-values.ts';
import { StartupError } from './startup-error.ts';

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** `url`: as the address says, which is not at all unless it does. */
export const tlsModes = ['url', 'off', 'on', 'verify'] as const;

export const saslMechanisms = ['none', 'PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'] as const;

/** Every setting, typed. A secret that is absent here is kept in the data directory (see `secrets.ts`). */
export interface Config extends Settings {
  /** Whether `publicUrl` was set. Otherwise what a caller is told has the address of its request (`http/absolute-url.ts`). */
  readonly publicUrlGiven: boolean;
}

interface Settings {
  /** TCP port to listen on; 0: a free one, whose number the program then puts here (`withPort`). */
  readonly port: number;
  /** Address to listen on. */
  readonly host: string;
  /** Whether it serves a class: other defaults (`class-mode.ts`), and a banner for the trainer. */
  readonly class: 'off' | 'on';
  /** Where the embedded database and generated secrets are kept; not used with `databaseUrl`. */
  readonly dataDir: string;
  /** The origin in every absolute URL that is published, without a slash at the end; `http://localhost:PORT` if not set. */
  readonly publicUrl: string;
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
  readonly rateLimitPerMinute: number;
  /** Requests a minute and address on `GET /limited/ping`. */
  readonly probeLimitPerMinute: number;
  /** Calls a minute and address on the SOAP service; 0 for no limit. */
  readonly soapLimitPerMinute: number;
  /** Whom the general limit counts. */
  readonly rateLimitKey: 'address' | 'client';
  /** Demo clients that one address may create in a day; 0: no limit. Default: 200 times `rateLimitPerMinute`. */
  readonly demoClientsPerDay: number | undefined;
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
  /** Whether the exchanges of each client are kept for it, and `/range/v1` shows them. */
  readonly range: 'off' | 'on';
  readonly logLevel: (typeof logLevels)[number];
  readonly hmacSecret: string | undefined;
  readonly readerClientSecret: string | undefined;
  readonly fleetClientSecret: string | undefined;
  readonly trainerToken: string | undefined;
  /** What a class learns: the file's content, which `range/lessons/class-file.ts` checks. Set as the file. */
  readonly lessons: object | undefined;
}

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

const setting = <T>(help: string, value: T, parse: (text: string) => T, shown = String(value)): Setting<T> => ({
  help,
  shown,
  parse,
  default: value,
});
const secret = (help: string, shown = 'generated, kept in the data directory'): Setting<string | undefined> => ({
  ...setting<string | undefined>(help, undefined, secretText, shown),
  secret: true,
});

/** Every setting and its default, in the order of `--help`. The flag and the variable are made from the name. */
const settings: { readonly [Name in keyof Settings]: Setting<Settings[Name]> } = {
  port: setting('TCP port to listen on; 0 for a free port', 8080, wholeNumber(0, 65535)),
  host: setting('address to listen on', '127.0.0.1', listenAddress),
  class: {
    ...setting('serve a class: listen on the network, count by client', 'off', oneOf('off', 'on')),
    switch: true,
  },
  dataDir: setting('directory for the embedded database and the generated secrets', './data', path),
  publicUrl: setting('origin used in every absolute URL; auto: that of each request', '', originOrAuto, 'auto'),
  databaseUrl: setting('PostgreSQL instead of the embedded database', undefined, postgresUrl, 'none'),
  databasePoolSize: setting('connections to PostgreSQL', 10, wholeNumber(2, 1000)),
  databaseTimeoutSeconds: setting('seconds one statement may take on PostgreSQL', 10, wholeNumber(1, 600)),
  databaseTls: setting('TLS to PostgreSQL: url, off, on or verify', 'url', oneOf(...tlsModes)),
  databaseTlsCa: setting('file with the CA certificates for PostgreSQL', undefined, authorities, 'those of Node.js'),
  redisUrl: setting('Redis URL, for nodes to share rate limits', undefined, redisAddress, 'none'),
  kafkaBrokers: setting('Kafka brokers to publish events to', [], brokers, 'none'),
  kafkaPartitions: setting('partitions of the topic in Kafka', 6, wholeNumber(1, 1000)),
  kafkaReplicationFactor: setting('copies of each partition in Kafka', 1, wholeNumber(1, 10)),
  kafkaTls: setting('TLS to Kafka: off, on or verify', 'off', oneOf('off', 'on', 'verify')),
  kafkaTlsCa: setting('file with the CA certificates for Kafka', undefined, authorities, 'those of Node.js'),
  kafkaTlsSni: setting('send the broker name in TLS to Kafka (SNI): off or on', 'off', oneOf('off', 'on')),
  kafkaSaslMechanism: setting(`login to Kafka: ${saslMechanisms.join(', ')}`, 'none', oneOf(...saslMechanisms)),
  kafkaUsername: setting('user name for Kafka', undefined, userName, 'none'),
  workers: setting('server processes; more than 1 needs PostgreSQL', 1, wholeNumber(1, 64)),
  trustProxy: setting('trusted proxies: how many, or their addresses (CIDR list)', false, proxies, 'none'),
  rateLimitPerMinute: setting('requests a minute on each REST interface', 60, wholeNumber(1)),
  probeLimitPerMinute: setting('requests a minute on /limited/ping', 5, wholeNumber(1)),
  soapLimitPerMinute: setting('calls a minute on the SOAP service; 0 for no limit', 0, wholeNumber(0)),
  rateLimitKey: setting('what the rate limit counts by: address or client', 'address', oneOf('address', 'client')),
  demoClientsPerDay: setting<number | undefined>(
    'demo clients one address can create a day; 0 for no limit',
    undefined,
    wholeNumber(0),
    '200 times the requests a minute',
  ),
  demoClientsTotal: setting('demo clients in total; 0 for no limit', 1_000_000, wholeNumber(0)),
  policiesPerClient: setting('policies per client', 10_000, wholeNumber(1)),
  claimsPerClient: setting('claims per client', 10_000, wholeNumber(1)),
  streamsPerClient: setting('open event streams per client', 20, wholeNumber(1)),
  subscriptionsPerClient: setting('subscriptions per client', 10, wholeNumber(1)),
  storedBytesPerClient: setting('stored bytes of events and deliveries per client', 50_000_000, wholeNumber(1)),
  webhookOpenDeliveries: setting('open webhook deliveries per client', 10_000, wholeNumber(1)),
  webhookCallsPerClient: setting('webhook calls a minute per client', 300, wholeNumber(1)),
  webhookCallsPerHost: setting('webhook calls a minute to one host', 600, wholeNumber(1)),
  webhookDisableHours: setting(
    'hours of failed calls until a subscription is disabled; 0 for never',
    24,
    wholeNumber(0, 168),
  ),
  eventsDuplicateRate: setting('share of events that are delivered twice, 0 to 1', 0.1, share),
  eventsHeartbeatSeconds: setting('seconds between heartbeats on an idle stream', 15, wholeNumber(1, 3600)),
  webhookAllow: setting('non-public addresses that webhooks can call (CIDR list)', [], addressRanges, 'none'),
  requestTimeoutSeconds: setting('seconds in which a request must arrive', 30, wholeNumber(1, 3600)),
  sendTimeoutSeconds: setting(
    'seconds until a connection is cut if the client reads nothing',
    30,
    wholeNumber(1, 3600),
  ),
  bufferLimitMegabytes: setting('megabytes for unsent responses and waiting requests', 256, wholeNumber(16, 65536)),
  lessons: setting<object | undefined>('file that chooses the lessons of a class', undefined, jsonFile, 'all lessons'),
  range: setting('keep the calls of each client for it to see: on or off', 'on', oneOf('off', 'on')),
  logLevel: setting(`log level: ${logLevels.join(', ')}`, 'info', oneOf(...logLevels)),
  hmacSecret: secret('key of the signed endpoint'),
  readerClientSecret: secret('secret of the client preset-reader'),
  fleetClientSecret: secret('secret of the client preset-fleet'),
  trainerToken: secret('token of the trainer', 'generated, kept in the data directory; none with DATABASE_URL'),
  kafkaPassword: secret('password for Kafka', 'none'),
};

const names = Object.keys(settings) as (keyof Settings)[];
const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
const variable = (name: string) => kebab(name).replaceAll('-', '_').toUpperCase();

/**
 * Flags win over the environment, the environment over the defaults. An empty variable counts as not set.
 *
 * @throws {StartupError} exit code 2: an unknown flag, or a value that can't be used
 */
export function readConfig(args: readonly string[], environment: NodeJS.ProcessEnv): Config | 'help' | 'version' {
  const flags = parseFlags(args);
  if (flags.help) return 'help';
  if (flags.version) return 'version';
  const found = <Name extends keyof Settings>(name: Name, otherwise: Settings[Name]): Settings[Name] => {
    const { parse } = settings[name];
    const flag = flags[kebab(name)];
    const [source, text] =
      flag === undefined
        ? [variable(name), environment[variable(name)] || undefined]
        : [`--${kebab(name)}`, flag === true ? 'on' : String(flag)];
    if (text === undefined) return otherwise;
    try {
      return parse(text);
    } catch (error) {
      throw new StartupError(2, `${source}: ${(error as Error).message}`);
    }
  };
  const others: Partial<Settings> = found('class', 'off') === 'on' ? classDefaults() : {};
  const read = (name: keyof Settings) => found(name, others[name] ?? settings[name].default);
  const given = Object.fromEntries(names.map((name) => [name, read(name)])) as unknown as Settings;
  checkCombinations(given);
  return withPort({ ...given, publicUrlGiven: given.publicUrl !== '' }, given.port);
}

/** Where it listens, as a URL. */
export function listenUrl({ host, port }: Config): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** The same settings with another port. The public URL names it too, unless one was set. */
export function withPort(config: Config, port: number): Config {
  const publicUrl = config.publicUrlGiven ? config.publicUrl : `http://localhost:${port}`;
  return Object.freeze({ ...config, port, publicUrl });
}

function parseFlags(args: readonly string[]): Record<string, string | boolean | undefined> {
  const options: Record<string, { type: 'string' | 'boolean'; short?: string }> = {
    help: { type: 'boolean', short: 'h' },
    version: { type: 'boolean' },
  };
  for (const name of names) {
    if (!settings[name].secret) options[kebab(name)] = { type: settings[name].switch ? 'boolean' : 'string' };
  }
  try {
    return parseArgs({ args: [...args], options, strict: true, allowPositionals: false }).values;
  } catch (error) {
    throw new StartupError(2, `${flagFault(error as Error & { code?: string })}. --help lists the flags.`);
  }
}

/** Its first sentence. What was typed may hold anything, so only a flag's name is shown. */
function flagFault({ code, message }: Error & { code?: string }): string {
  if (code === 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL') return 'Only flags are allowed, such as --port 8081';
  const secret = names.find((name) => settings[name].secret && message.includes(`'--${kebab(name)}'`));
  if (secret) return `A secret can't be a flag, since other users can see it: set the variable ${variable(secret)}`;
  return /^[^.\n]*/.exec(message)?.[0] ?? '';
}

/** The text of `--help`, made from the settings. */
export function help(): string {
  const rows = names.map((name) => {
    const flag = settings[name].secret ? '' : `--${kebab(name)}`;
    return `  ${flag.padEnd(27)}${variable(name).padEnd(26)}${settings[name].help} (${settings[name].shown})`;
  });
  return [
    'L-Plate: a synthetic motor insurer to practise API integration on.',
    '',
    'Usage: npm start -- [flags]',
    '',
    'Settings come from flags, then the environment, then defaults:',
    '',
    `  ${'FLAG'.padEnd(27)}${'VARIABLE'.padEnd(26)}MEANING (DEFAULT)`,
    ...rows,
    `  ${'--help, -h'.padEnd(53)}this list`,
    `  ${'--version'.padEnd(53)}the version`,
    '',
  ].join('\n');
}
