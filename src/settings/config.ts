import { basename } from 'node:path';
import { classDefaults } from './class-mode.ts';
import {
  backup,
  checkLessons,
  type FindNear,
  type Flag,
  helpText,
  lineWith,
  parseFlags,
  refuseTakenByNpm,
} from './flags.ts';
import { checkCombinations, isReproducible } from './rules.ts';
import { inMemory, logLevels, type Settings, saslMechanisms, tlsModes } from './settings.ts';
import { StartupError } from './startup-error.ts';
import {
  addressRanges,
  authorities,
  brokers,
  instantText,
  jsonFile,
  listenAddress,
  oneOf,
  originOrAuto,
  path,
  pemFile,
  postgresUrl,
  proxies,
  redisAddress,
  secretText,
  share,
  userName,
  wholeNumber,
  wholeNumberOrOff,
} from './values.ts';

/** The settings, as the program works with them. */
export interface Config extends Settings {
  /** Whether `publicUrl` was set. Otherwise what a caller is told has the address of its request (`http/absolute-url.ts`). */
  readonly publicUrlGiven: boolean;
  /** Whether `webhookAllow` is that of a class: the networks that the machine is in, whichever those come to be. */
  readonly webhookAllowFollows: boolean;
  /** Whether `logLevel` was set: then somebody wants to see the log. */
  readonly logLevelGiven: boolean;
  /** The name of the file with the lessons, without its folder. */
  readonly lessonsFile: string | undefined;
}

/** A file that is to be checked in place of a start. */
export interface LessonsCheck {
  readonly checkLessons: string;
}

/** A directory to which the data are to be copied in place of a start. */
export interface Backup {
  readonly backup: string;
  readonly config: Config;
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
const optional = <T>(help: string, parse: (text: string) => T, shown = 'none') =>
  setting<T | undefined>(help, undefined, parse, shown);
const secret = (
  help: string,
  shown = 'generated, kept in the data directory',
  least = 1,
): Setting<string | undefined> => ({
  ...setting<string | undefined>(help, undefined, secretText(least), shown),
  secret: true,
});

/** Every setting and its default, in the order of `--help`. The flag and the variable are made from the name. */
const settings: { readonly [Name in keyof Settings]: Setting<Settings[Name]> } = {
  port: setting('TCP port to listen on; 0 for a free port', 8080, wholeNumber(0, 65535)),
  host: setting('address to listen on; localhost is 127.0.0.1 and ::1', 'localhost', listenAddress),
  class: {
    ...setting('serve a class: listen on the network, count by client', 'off', oneOf('off', 'on')),
    switch: true,
  },
  dataDir: setting(
    'directory for the embedded database and the generated secrets; memory: keep nothing',
    '',
    path,
    './data; memory with --seed or --now',
  ),
  publicUrl: setting('origin used in every absolute URL; auto: that of each request', '', originOrAuto, 'auto'),
  tls: setting('HTTPS with a class authority of its own: off or self', 'off', oneOf('off', 'self')),
  tlsCert: optional('file with the certificate for HTTPS, in PEM', pemFile('CERTIFICATE'), 'none: HTTP'),
  tlsKey: optional('file with the private key for HTTPS, in PEM', pemFile('PRIVATE KEY'), 'none: HTTP'),
  tlsClientCa: optional('file with the CA certificates of clients, an exercise', authorities),
  databaseUrl: optional('PostgreSQL instead of the embedded database', postgresUrl),
  databasePoolSize: setting('connections to PostgreSQL', 10, wholeNumber(2, 1000)),
  databaseTimeoutSeconds: setting('seconds one statement may take on PostgreSQL', 10, wholeNumber(1, 600)),
  databaseTls: setting('TLS to PostgreSQL: url, off, on or verify', 'url', oneOf(...tlsModes)),
  databaseTlsCa: setting('file with the CA certificates for PostgreSQL', undefined, authorities, 'those of Node.js'),
  redisUrl: optional('Redis URL, for nodes to share rate limits', redisAddress),
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
  rateLimitPerMinute: setting<number | 'off'>('requests a minute on each REST interface, or off', 60, wholeNumberOrOff),
  probeLimitPerMinute: setting<number | 'off'>('requests a minute on /limited/ping, or off', 5, wholeNumberOrOff),
  soapLimitPerMinute: setting(
    'calls a minute on the SOAP service; 0 for no limit; 2400 with --class',
    0,
    wholeNumber(0),
  ),
  rateLimitKey: setting('what the rate limit counts by: address or client', 'address', oneOf('address', 'client')),
  demoClientsPerDay: setting<number | undefined>(
    'demo clients one address can create a day; 0 for no limit',
    undefined,
    wholeNumber(0),
    '200 times the requests a minute',
  ),
  keepClientsDays: setting('days without use until a demo client is removed; 14 with --class', 1, wholeNumber(1, 366)),
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
  connectionsTotal: setting('open connections, half of them of one address', 10_000, wholeNumber(10)),
  lessons: setting<object | undefined>('file that chooses the lessons of a class', undefined, jsonFile, 'all lessons'),
  range: setting('keep the calls of each client for it to see: on or off', 'on', oneOf('off', 'on')),
  exchangesMegabytes: setting('megabytes for these calls, half of them of one address', 2000, wholeNumber(1)),
  logLevel: setting(`log level: ${logLevels.join(', ')}`, 'info', oneOf(...logLevels)),
  ready: setting('how standard output says that it listens: text or json', 'text', oneOf('text', 'json')),
  readyFile: optional('file for the same JSON, until the end', path),
  seed: optional('FOR TESTS ONLY: a number that all ids and secrets follow from', wholeNumber(0)),
  now: optional('for tests: where time stands until it is moved: 2026-03-01T09:00Z', instantText, 'real time'),
  hmacSecret: secret('key of the signed endpoint'),
  readerClientSecret: secret('secret of the client preset-reader'),
  fleetClientSecret: secret('secret of the client preset-fleet'),
  trainerToken: secret('token of the trainer', 'generated, kept in the data directory; none with DATABASE_URL', 16),
  kafkaPassword: secret('password for Kafka', 'none'),
};

export const settingNames = Object.keys(settings) as readonly (keyof Settings)[];
const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
const variable = (name: string) => kebab(name).replaceAll('-', '_').toUpperCase();

/**
 * Flags win over the environment, the environment over the defaults. An empty variable counts as not set.
 *
 * @throws {StartupError} exit code 2: an unknown flag, or a value that can't be used
 */
export function readConfig(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  findNear: FindNear = () => undefined,
): Config | LessonsCheck | Backup | 'help' | 'version' {
  const known = settingNames.map(flagOf);
  refuseTakenByNpm(environment, known);
  const flags = parseFlags(args, known, findNear);
  if (flags.help) return 'help';
  if (flags.version) return 'version';
  const checked = flags[checkLessons];
  if (typeof checked === 'string') return { checkLessons: checked };
  const config = configOf((name) => {
    const flag = flags[kebab(name)];
    if (flag !== undefined) return { source: `--${kebab(name)}`, text: flag === true ? 'on' : String(flag) };
    const text = environment[variable(name)];
    return text ? { source: variable(name), text } : undefined;
  });
  const directory = flags[backup];
  return directory === undefined ? config : { backup: parsed(`--${backup}`, path, String(directory)), config };
}

/**
 * The settings as texts, by their names. Neither flags nor the environment count.
 *
 * @throws {StartupError} exit code 2: a value that can't be used
 */
export function configFrom(given: Readonly<Partial<Record<keyof Settings, string>>>): Config {
  return configOf((name) => {
    const text = given[name];
    return text === undefined ? undefined : { source: name, text };
  });
}

/** @throws {StartupError} exit code 2 */
function configOf(find: (name: keyof Settings) => { source: string; text: string } | undefined): Config {
  const given = <Name extends keyof Settings>(name: Name, otherwise: Settings[Name]): Settings[Name] => {
    const found = find(name);
    return found === undefined ? otherwise : parsed(found.source, settings[name].parse, found.text);
  };
  const others: Partial<Settings> = given('class', 'off') === 'on' ? classDefaults() : {};
  const read = (name: keyof Settings) => given(name, others[name] ?? settings[name].default);
  const all = Object.fromEntries(settingNames.map((name) => [name, read(name)])) as unknown as Settings;
  checkCombinations(all);
  const dataDir = all.dataDir || (isReproducible(all) ? inMemory : './data');
  const lessonsFile = find('lessons')?.text;
  return withPort(
    {
      ...{ ...all, dataDir, publicUrlGiven: all.publicUrl !== '' },
      webhookAllowFollows: all.class === 'on' && find('webhookAllow') === undefined,
      logLevelGiven: find('logLevel') !== undefined,
      lessonsFile: lessonsFile && basename(lessonsFile),
    },
    all.port,
  );
}

/** @throws {StartupError} exit code 2 */
function parsed<T>(source: string, parse: (text: string) => T, text: string): T {
  try {
    return parse(text);
  } catch (error) {
    throw new StartupError(2, `${source}: ${(error as Error).message}`);
  }
}

/** The address where it always listens. */
export function listenHost({ host }: Pick<Config, 'host'>): string {
  return host === 'localhost' ? '127.0.0.1' : host;
}

/** The same, as a URL. */
export function listenUrl({ port, ...config }: Config): string {
  const host = listenHost(config);
  return `${scheme(config)}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** What it speaks itself; a proxy before it may speak the other. */
export function scheme({ tls, tlsCert }: Pick<Config, 'tls' | 'tlsCert'>): 'http' | 'https' {
  return tls === 'self' || tlsCert !== undefined ? 'https' : 'http';
}

/** The same settings with another port. The public URL names it too, unless one was set. */
export function withPort(config: Config, port: number): Config {
  const publicUrl = config.publicUrlGiven ? config.publicUrl : `${scheme(config)}://localhost:${port}`;
  return Object.freeze({ ...config, port, publicUrl });
}

/** The command that starts the program with the same flags, but for those of `changed`, by their names. */
export function startLine(args: readonly string[], changed: Readonly<Record<string, string>>): string {
  return lineWith(args, settingNames.map(flagOf), changed);
}

function flagOf(name: keyof Settings): Flag {
  const { secret: isSecret, switch: isSwitch } = settings[name];
  return { name: kebab(name), variable: variable(name), isSecret: isSecret === true, isSwitch: isSwitch === true };
}

/** The text of `--help`, made from the settings. */
export function help(): string {
  return helpText(
    settingNames.map((name) => ({ ...flagOf(name), meaning: `${settings[name].help} (${settings[name].shown})` })),
  );
}
