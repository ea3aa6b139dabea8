import { parseArgs } from 'node:util';
import { StartupError } from './startup-error.ts';

/** A setting on the command line. */
export interface Flag {
  /** Without the dashes. */
  readonly flag: string;
  readonly variable: string;
  /** Taken from the variable only. */
  readonly secret: boolean;
}

/** @throws {StartupError} exit code 2 */
export function parseFlags(
  args: readonly string[],
  flags: readonly Flag[],
): Record<string, string | boolean | undefined> {
  const options: Record<string, { type: 'string' | 'boolean'; short?: string }> = {
    help: { type: 'boolean', short: 'h' },
    version: { type: 'boolean' },
  };
  for (const { flag, secret } of flags) if (!secret) options[flag] = { type: 'string' };
  try {
    return parseArgs({ args: [...args], options, strict: true, allowPositionals: false }).values;
  } catch (error) {
    throw new StartupError(2, `${flagFault(error as Error & { code?: string }, flags)}. --help lists the flags.`);
  }
}

/** Its first sentence. What was typed may hold anything, so only a flag's name is shown. */
function flagFault({ code, message }: Error & { code?: string }, flags: readonly Flag[]): string {
  if (code === 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL') return 'Only flags are allowed, such as --port 8081';
  const meant = flags.find(({ flag, secret }) => secret && message.includes(`'--${flag}'`));
  if (meant) return `A secret can't be a flag, since other users can see it: set the variable ${meant.variable}`;
  return /^[^.\n]*/.exec(message)?.[0] ?? '';
}

export function helpText(flags: readonly (Flag & { readonly meaning: string })[]): string {
  const rows = flags.map(({ flag, variable, secret, meaning }) => {
    return `  ${(secret ? '' : `--${flag}`).padEnd(27)}${variable.padEnd(26)}${meaning}`;
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
