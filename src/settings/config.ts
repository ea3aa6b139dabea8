import { basename } from 'node:path';
import { classDefaults } from './class-mode.ts';
import {
  backup,
  checkLessons,
  examine,
  type FindNear,
  type Flag,
  helpText,
  lineWith,
  ofExamine,
  parseFlags,
  refuseTakenByNpm,
} from './flags.ts';
import { checkCombinations, isReproducible } from './rules.ts';
import { inMemory, type Settings, settings } from './settings.ts';
import { StartupError } from './startup-error.ts';
import { oneOf, path, wholeNumber } from './values.ts';

/** The settings, as the program works with them. */
export interface Config extends Settings {
  /** Whether `publicUrl` was set. Otherwise what a caller is told has the address of its request (`http/requests/absolute-url.ts`). */
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
  /** Whether the service would ask for client certificates: some lessons are there only then. */
  readonly withCertificates: boolean;
}

/** A directory to which the data are to be copied in place of a start. */
export interface Backup {
  readonly backup: string;
  readonly config: Config;
}

/** A service that is to be examined in place of a start. */
export interface Examination {
  /** The address that stands for `/insurer/v1`. */
  readonly address: string;
  readonly stages: readonly string[] | undefined;
  readonly from: string | undefined;
  readonly all: boolean;
  readonly seed: number | undefined;
  readonly to: string | undefined;
  readonly clientId: string | undefined;
  readonly clientSecret: string | undefined;
  readonly report: 'text' | 'json' | 'junit';
}

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
): Config | LessonsCheck | Backup | Examination | 'help' | 'version' {
  const known = settingNames.map(flagOf);
  refuseTakenByNpm(environment, known);
  // It has an address to itself, and is a word as in other programs.
  const line = args[0] === examine ? [`--${examine}`, ...args.slice(1)] : args;
  const flags = parseFlags(line, known, findNear);
  if (flags.help) return 'help';
  if (flags.version) return 'version';
  const examined = examinationOf(flags, environment);
  if (examined) return examined;
  const checked = flags[checkLessons];
  if (typeof checked === 'string') {
    const authority = flags[kebab('tlsClientCa')] || environment[variable('tlsClientCa')];
    return { checkLessons: checked, withCertificates: Boolean(authority) };
  }
  const config = inOwnWords(args, () =>
    configOf((name) => {
      const flag = flags[kebab(name)];
      if (flag !== undefined) return { source: `--${kebab(name)}`, text: flag === true ? 'on' : String(flag) };
      const text = environment[variable(name)];
      return text ? { source: variable(name), text } : undefined;
    }),
  );
  const directory = flags[backup];
  return directory === undefined ? config : { backup: parsed(`--${backup}`, path, String(directory)), config };
}

/** @throws {StartupError} exit code 2 */
function examinationOf(
  flags: Readonly<Record<string, string | boolean | undefined>>,
  environment: NodeJS.ProcessEnv,
): Examination | undefined {
  const address = flags[examine];
  if (typeof address !== 'string') {
    const alone = Object.keys(ofExamine).find((name) => flags[name] !== undefined);
    if (alone !== undefined) throw new StartupError(2, `--${alone} goes with --${examine} URL`);
    return undefined;
  }
  const value = <T>(name: string, parse: (text: string) => T) =>
    flags[name] === undefined ? undefined : parsed(`--${name}`, parse, String(flags[name]));
  const to = value('to', String);
  // They may be there for other programs.
  const variables = to === undefined ? {} : environment;
  return {
    address,
    stages: value('stage', (text) => text.split(',')),
    from: value('from', String),
    all: flags.all === true,
    seed: value('seed', wholeNumber(0, 2 ** 31 - 1)),
    to,
    clientId: value('client-id', String) ?? variables.CLIENT_ID,
    clientSecret: value('client-secret', String) ?? variables.CLIENT_SECRET,
    report: value('report', oneOf('text', 'json', 'junit')) ?? 'text',
  };
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
  const others = {
    ...(given('class', 'off') === 'on' && classDefaults()),
    // A test moves the time past a day, and means to go on with the clients that it has.
    ...(isReproducible({ seed: given('seed', undefined), now: given('now', undefined) }) && { keepClientsDays: 'off' }),
  } satisfies Partial<Settings>;
  const read = (name: keyof Settings) => given(name, (others as Partial<Settings>)[name] ?? settings[name].default);
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

/** Who has typed no flag is told of variables. */
function inOwnWords<T>(args: readonly string[], work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof StartupError) || args.length > 0) throw error;
    const message = renamed(error.message, (name, value) => variable(name) + (value ? `=${value}` : ''));
    throw new StartupError(error.exitCode, message, error.instead);
  }
}

/** A message for one who starts it by the library: flags and variables as members of its settings. */
export function inMembers(message: string): string {
  const withoutFlags = renamed(message, (name, value) => name + (value ? `: '${value}'` : ''));
  return withoutFlags.replaceAll(
    /\b[A-Z]+(?:_[A-Z]+)+\b/g,
    (text) => settingNames.find((each) => variable(each) === text) ?? text,
  );
}

/** The flags in a message, some with a value, by other names. */
function renamed(message: string, to: (name: keyof Settings, value: string | undefined) => string): string {
  return message.replaceAll(/--([a-z-]+)(?: (memory|self))?/g, (text, flag, value) => {
    const name = settingNames.find((each) => kebab(each) === flag);
    return name ? to(name, value) : text;
  });
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
