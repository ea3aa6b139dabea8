import { isIP, isIPv4 } from 'node:net';
import { parseArgs } from 'node:util';
import ipaddr from 'ipaddr.js';
import { StartupError } from './startup-error.ts';

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** Every setting, typed. A secret that is absent here is kept in the data directory (see `secrets.ts`). */
export interface Config extends Settings {
  /** Whether `publicUrl` was set. Else it is the default, and whoever comes by another address may be told that one. */
  readonly publicUrlGiven: boolean;
}

interface Settings {
  /** TCP port to listen on. */
  readonly port: number;
  /** Address to listen on. */
  readonly host: string;
  /** Where the embedded database and generated secrets are kept; not used with `databaseUrl`. */
  readonly dataDir: string;
  /** The origin in every absolute URL that is published, without a slash at the end. */
  readonly publicUrl: string;
  /** PostgreSQL in place of the embedded database. */
  readonly databaseUrl: string | undefined;
  /** Which proxies may set `X-Forwarded-For`: none, a number of hops, or addresses and CIDR ranges. */
  readonly trustProxy: false | number | string[];
  /** Requests a minute and address on each REST interface. */
  readonly rateLimitPerMinute: number;
  /** Requests a minute and address on `GET /limited/ping`. */
  readonly probeLimitPerMinute: number;
  /** Whom the general limit counts. */
  readonly rateLimitKey: 'address' | 'client';
  /** How many policies one client may own. */
  readonly policiesPerClient: number;
  /** How many claims one client may own. */
  readonly claimsPerClient: number;
  /** How many streams of events one client may have open, on one node. */
  readonly streamsPerClient: number;
  /** How many subscriptions one client may own. */
  readonly subscriptionsPerClient: number;
  /** The share of events that are delivered twice on purpose, 0 to 1. */
  readonly eventsDuplicateRate: number;
  /** Seconds after which a stream of events without an event shows that it is alive. */
  readonly eventsHeartbeatSeconds: number;
  /** Addresses and CIDR ranges that webhooks may call although they are not public. */
  readonly webhookAllow: readonly string[];
  /** Seconds within which a request must have arrived whole. */
  readonly requestTimeoutSeconds: number;
  readonly logLevel: (typeof logLevels)[number];
  readonly hmacSecret: string | undefined;
  readonly readerClientSecret: string | undefined;
  readonly fleetClientSecret: string | undefined;
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
}

const setting = <T>(help: string, value: T, parse: (text: string) => T, shown = String(value)): Setting<T> => ({
  help,
  shown,
  parse,
  default: value,
});
const secret = (help: string): Setting<string | undefined> => ({
  ...setting<string | undefined>(help, undefined, secretText, 'generated, kept in the data directory'),
  secret: true,
});

/** Every setting and its default, in the order of `--help`. The flag and the variable are made from the name. */
const settings: { readonly [Name in keyof Settings]: Setting<Settings[Name]> } = {
  port: setting('TCP port to listen on', 8080, wholeNumber(1, 65535)),
  host: setting('address to listen on', '127.0.0.1', listenAddress),
  dataDir: setting('directory of the embedded database and the generated secrets', './data', path),
  publicUrl: setting('origin used in every absolute URL', '', origin, 'http://localhost:PORT'),
  databaseUrl: setting('PostgreSQL instead of the embedded database', undefined, postgresUrl, 'none'),
  trustProxy: setting('proxies in front: how many, or their addresses (CIDR list)', false, proxies, 'none'),
  rateLimitPerMinute: setting('requests a minute on each REST interface', 60, wholeNumber(1)),
  probeLimitPerMinute: setting('requests a minute on /limited/ping', 5, wholeNumber(1)),
  rateLimitKey: setting('who is counted: address or client', 'address', oneOf('address', 'client')),
  policiesPerClient: setting('policies one client may own', 10_000, wholeNumber(1)),
  claimsPerClient: setting('claims one client may own', 10_000, wholeNumber(1)),
  streamsPerClient: setting('streams of events one client may have open', 20, wholeNumber(1)),
  subscriptionsPerClient: setting('subscriptions one client may own', 10, wholeNumber(1)),
  eventsDuplicateRate: setting('share of events that are delivered twice, 0 to 1', 0.1, share),
  eventsHeartbeatSeconds: setting('seconds between signs of life on a quiet stream', 15, wholeNumber(1, 3600)),
  webhookAllow: setting('addresses webhooks may call though not public (CIDR list)', [], addressRanges, 'none'),
  requestTimeoutSeconds: setting('seconds within which a request must have arrived', 30, wholeNumber(1, 3600)),
  logLevel: setting(logLevels.join(', '), 'info', oneOf(...logLevels)),
  hmacSecret: secret('key of the signed endpoint'),
  readerClientSecret: secret('secret of the client preset-reader'),
  fleetClientSecret: secret('secret of the client preset-fleet'),
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
  const read = <Name extends keyof Settings>(name: Name): Settings[Name] => {
    const { parse, default: value } = settings[name];
    const flag = flags[kebab(name)];
    const [source, text] =
      typeof flag === 'string'
        ? [`--${kebab(name)}`, flag]
        : [variable(name), environment[variable(name)] || undefined];
    if (text === undefined) return value;
    try {
      return parse(text);
    } catch (error) {
      throw new StartupError(2, `${source}: ${(error as Error).message}`);
    }
  };
  const given = Object.fromEntries(names.map((name) => [name, read(name)])) as unknown as Settings;
  const publicUrlGiven = given.publicUrl !== '';
  const publicUrl = publicUrlGiven ? given.publicUrl : `http://localhost:${given.port}`;
  return Object.freeze({ ...given, publicUrl, publicUrlGiven });
}

function parseFlags(args: readonly string[]): Record<string, string | boolean | undefined> {
  const options: Record<string, { type: 'string' | 'boolean'; short?: string }> = {
    help: { type: 'boolean', short: 'h' },
    version: { type: 'boolean' },
  };
  for (const name of names) if (!settings[name].secret) options[kebab(name)] = { type: 'string' };
  try {
    return parseArgs({ args: [...args], options, strict: true, allowPositionals: false }).values;
  } catch (error) {
    throw new StartupError(2, `${flagFault(error as Error & { code?: string })}. --help lists the flags.`);
  }
}

/** Its first sentence. What was typed may hold anything, so only a flag's name is shown. */
function flagFault({ code, message }: Error & { code?: string }): string {
  if (code === 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL') return 'Only flags are taken, such as --port 8081';
  const secret = names.find((name) => settings[name].secret && message.includes(`'--${kebab(name)}'`));
  if (secret) return `Secrets are no flags, which other users can read: set the variable ${variable(secret)}`;
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

/** On one line, whatever it holds. */
const quoted = (text: string) => JSON.stringify(text);

function wholeNumber(least: number, most = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && value <= most) return value;
    const range = most === Number.MAX_SAFE_INTEGER ? `of ${least} or more` : `from ${least} to ${most}`;
    throw new Error(`${quoted(text)} can't be used; give a whole number ${range}`);
  };
}

function oneOf<const T extends string>(...values: T[]): (text: string) => T {
  return (text) => {
    const value = values.find((each) => each === text);
    if (value) return value;
    throw new Error(`${quoted(text)} can't be used; give one of ${values.join(', ')}`);
  };
}

// An empty address would mean every network there is, an empty path the directory one happens to be in.
function listenAddress(text: string): string {
  if (/^[\w.:%-]+$/.test(text)) return text;
  throw new Error(`${quoted(text)} can't be used; give an address such as 127.0.0.1, or 0.0.0.0 for every network`);
}

function path(text: string): string {
  if (text !== '' && !text.includes('\0')) return text;
  throw new Error(`${quoted(text)} can't be used; give the path of a directory`);
}

function origin(text: string): string {
  const url = URL.parse(text);
  const plain = url && /^https?:$/.test(url.protocol) && `${url.origin}/` === url.href;
  if (plain) return url.origin;
  throw new Error(`${quoted(text)} can't be used; give an origin such as https://insurer.example:8443, without a path`);
}

function postgresUrl(text: string): string {
  if (/^postgres(ql)?:$/.test(URL.parse(text)?.protocol ?? '')) return text;
  throw new Error('not a PostgreSQL address; give postgres://USER:PASSWORD@HOST:PORT/DATABASE');
}

function share(text: string): number {
  const value = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && value <= 1) return value;
  throw new Error(`${quoted(text)} can't be used; give a number from 0 to 1, such as 0.1`);
}

/** The addresses and ranges of a list, or undefined when one of them is none. */
function ranges(text: string): string[] | undefined {
  const list = text.split(',').map((range) => range.trim());
  return list.every(isRange) ? list : undefined;
}

// The library would take shortened and octal addresses as well, and IPv4 written as IPv6, which no check meets.
function isRange(text: string): boolean {
  const [address = '', bits] = text.split('/');
  if (isIP(address) === 0 || /%|^::ffff:/i.test(address)) return false;
  return bits === undefined || (isIPv4(address) ? ipaddr.IPv4 : ipaddr.IPv6).isValidCIDR(text);
}

function addressRanges(text: string): string[] {
  const list = ranges(text);
  if (list) return list;
  throw new Error(`${quoted(text)} can't be used; give addresses such as 10.0.0.0/8,192.168.1.1`);
}

function proxies(text: string): false | number | string[] {
  if (/^\d+$/.test(text)) return wholeNumber(0, 99)(text) || false;
  const list = ranges(text);
  if (list) return list;
  throw new Error(
    `${quoted(text)} can't be used; give a number of proxies, or addresses such as 10.0.0.0/8,192.168.1.1`,
  );
}

function secretText(text: string): string {
  if (/^[\x21-\x7e]{1,200}$/.test(text)) return text;
  throw new Error('give 1 to 200 visible ASCII characters without spaces');
}
