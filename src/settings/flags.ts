import { parseArgs } from 'node:util';
import { command } from './command.ts';
import { StartupError } from './startup-error.ts';

/** The flag of a setting. */
export interface Flag {
  /** Without the dashes. */
  readonly name: string;
  /** The variable that sets the same. */
  readonly variable: string;
  /** Then it is taken from the variable only. */
  readonly isSecret: boolean;
  /** It has no value, and stands for `on`. */
  readonly isSwitch: boolean;
}

/** No setting: with it the program checks a file for `LESSONS` and ends. */
export const checkLessons = 'check-lessons';

/** No setting either: with it the program copies the data directory and ends. */
export const backup = 'backup';

/** Nor is this: with it the program examines the service at an address, and ends. */
export const examine = 'examine';

/** What goes with `--examine` alone. `--seed`, which does too, is a setting. */
export const ofExamine = {
  ...{ all: 'boolean', stage: 'string', from: 'string', report: 'string' },
  ...{ to: 'string', 'client-id': 'string', 'client-secret': 'string' },
} as const;

/** The one of the known names that was probably meant. */
export type FindNear = (name: string, known: readonly string[]) => string | undefined;

/**
 * Refuses `npm start --port 8081`: npm keeps for itself what does not come after `--`.
 *
 * @throws {StartupError} exit code 2
 */
export function refuseTakenByNpm(environment: NodeJS.ProcessEnv, flags: readonly Flag[]): void {
  const { npm_lifecycle_event: script, npm_package_name: started } = environment;
  if (script !== 'start' || started !== 'l-plate') return;
  const of = (name: string) => environment[`npm_config_${name.replaceAll('-', '_')}`];
  const known = [
    ...flags,
    ...[checkLessons, backup, examine].map((name) => ({ name, isSwitch: false, isSecret: false })),
  ];
  const taken = known.filter(({ name }) => of(name) !== undefined || (name === 'class' && isClass(of)));
  if (taken.length === 0) return;
  // npm tells `true` where it saw no value.
  const shownOf = (name: string) => (['true', ''].includes(of(name) ?? '') ? '…' : quoted(of(name) as string));
  const line = taken.map(({ name, isSwitch, isSecret }) =>
    isSwitch ? `--${name}` : `--${name} ${isSecret ? '…' : shownOf(name)}`,
  );
  const all = taken.map(({ name }) => `--${name}`).join(' and ');
  throw new StartupError(2, `npm kept ${all} for itself. Flags come after --: npm start -- ${line.join(' ')}`);
}

/** npm reads --class as its own -c -l -a -s -s. */
function isClass(of: (name: string) => string | undefined): boolean {
  return of('long') === 'true' && of('all') === 'true' && of('loglevel') === 'silent';
}

/** @throws {StartupError} exit code 2: an argument that is no flag */
export function parseFlags(
  args: readonly string[],
  flags: readonly Flag[],
  findNear: FindNear,
): Record<string, string | boolean | undefined> {
  const options = optionsOf(flags);
  try {
    return parseArgs({ args: [...args], options, strict: true, allowPositionals: false }).values;
  } catch (error) {
    const found = fault(error as Error & { code?: string }, flags);
    const near = meant(args, [...Object.keys(options), ...flags.map(({ name }) => name)], findNear);
    throw new StartupError(2, `${found}.${near ? ` Did you mean --${near}?` : ''} --help lists the flags.`);
  }
}

function optionsOf(flags: readonly Flag[]) {
  const options: Record<string, { type: 'string' | 'boolean'; short?: string }> = {
    help: { type: 'boolean', short: 'h' },
    version: { type: 'boolean' },
    [checkLessons]: { type: 'string' },
    [backup]: { type: 'string' },
    [examine]: { type: 'string' },
    ...Object.fromEntries(Object.entries(ofExamine).map(([name, type]) => [name, { type }])),
  };
  for (const { name, isSecret, isSwitch } of flags) {
    if (!isSecret) options[name] = { type: isSwitch ? 'boolean' : 'string' };
  }
  return options;
}

/** The command line that starts with the flags of `args`, which were parsed before, but for those of `changed`. */
export function lineWith(
  args: readonly string[],
  flags: readonly Flag[],
  changed: Readonly<Record<string, string>>,
): string {
  const { tokens } = parseArgs({ args: [...args], options: optionsOf(flags), strict: false, tokens: true });
  const stays = (name: string) => !Object.hasOwn(changed, name) && flags.some((flag) => flag.name === name);
  const given = tokens.flatMap((token) =>
    token.kind === 'option' && stays(token.name) ? [[token.name, token.value] as const] : [],
  );
  const line = [...given, ...Object.entries(changed)].map(([name, value]) =>
    value === undefined ? `--${name}` : `--${name} ${quoted(value)}`,
  );
  return [command, ...line].join(' ');
}

/** A value as it is typed. The password of a URL is not repeated. */
function quoted(value: string): string {
  const shown = value.replace(/\/\/[^/@\s]*@/, '//…@');
  return /^[\w./:,=@%+\\-]+$/.test(shown) ? shown : `"${shown}"`;
}

/** What the first argument that names no flag was probably meant to be. */
function meant(args: readonly string[], known: readonly string[], findNear: FindNear): string | undefined {
  const given = args.filter((arg) => arg.startsWith('-')).map((arg) => arg.replace(/=.*/s, ''));
  const unknown = given.find((arg) => arg !== '-h' && !known.some((name) => arg === `--${name}`));
  return unknown === undefined ? undefined : findNear(unknown.replace(/^--?/, ''), known);
}

/** Its first sentence. What was typed may hold anything, so only a flag's name is shown. */
function fault({ code, message }: Error & { code?: string }, flags: readonly Flag[]): string {
  if (code === 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL') return 'Only flags are allowed, such as --port 8081';
  const secret = flags.find(({ name, isSecret }) => isSecret && message.includes(`'--${name}'`));
  if (secret) return `A secret can't be a flag, since other users can see it: set the variable ${secret.variable}`;
  return /^[^.\n]*/.exec(message)?.[0] ?? '';
}

/** The text of `--help`. */
export function helpText(flags: readonly (Flag & { readonly meaning: string })[]): string {
  const rows = flags.map(
    ({ name, variable, isSecret, meaning }) =>
      `  ${(isSecret ? '' : `--${name}`).padEnd(27)}${variable.padEnd(26)}${meaning}`,
  );
  return [
    'L-Plate: a synthetic motor insurer to practise API integration on.',
    '',
    `Usage: ${command} [flags]`,
    '',
    'Settings come from flags, then the environment, then defaults:',
    '',
    `  ${'FLAG'.padEnd(27)}${'VARIABLE'.padEnd(26)}MEANING (DEFAULT)`,
    ...rows,
    `  ${`--${checkLessons}=FILE`.padEnd(53)}say all that is wrong with a file for LESSONS, and end`,
    `  ${`--${backup}=DIR`.padEnd(53)}copy the data directory, also while L-Plate runs, and end`,
    `  ${`--${examine}=URL`.padEnd(53)}compare your own insurer, which stands for /insurer/v1 at URL, with this one, and end`,
    `  ${'  --stage=A,B --from=A --all'.padEnd(53)}with it: these stages; from this one on; go on after one that fails`,
    `  ${'  --seed=N --report=KIND'.padEnd(53)}with it: the same calls again; text, json or junit (text)`,
    `  ${'  --to=URL --client-id=ID --client-secret=SECRET'.padEnd(53)}with it: send each outcome to a class; also CLIENT_ID, CLIENT_SECRET`,
    `  ${'relay'.padEnd(53)}no flag, a program: bring the webhooks of LPLATE_URL to this machine, as CLIENT_ID with CLIENT_SECRET`,
    `  ${'--help, -h'.padEnd(53)}this list`,
    `  ${'--version'.padEnd(53)}the version`,
    '',
  ].join('\n');
}
