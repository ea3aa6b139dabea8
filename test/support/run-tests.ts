import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { groupFiles } from './group-files.ts';
import { madePackage, makePackage } from './make-package.ts';
import { quickDirectory } from './memory.ts';

const root = join(import.meta.dirname, '../..');

export interface Run {
  /** Arguments of the command line: flags for the test runner, and files to run in place of all. */
  readonly args: readonly string[];
  /** Every test file of this run, as patterns. */
  readonly all: readonly string[];
  /** Whether files may share a process where all are run. */
  readonly grouped?: boolean;
  /** Whether programs start from the package, made first. They start sooner then. */
  readonly fromPackage?: boolean;
  readonly flags?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** An interrupt: its reason is the signal. */
  readonly interrupt: AbortSignal;
}

/** Room for what is soon garbage: tests make a lot of it, and collect it a tenth of their time with less room. */
const runtime = ['--max-semi-space-size=32'];

/** An interrupt of this process by a signal that asks for its end. */
export function interruptOfSignals(): AbortSignal {
  const interrupt = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => interrupt.abort(signal));
  return interrupt.signal;
}

/** Runs the test runner of Node.js to its end. Resolves to its exit code. */
export async function runTests({
  args,
  all,
  grouped = false,
  fromPackage = false,
  flags = [],
  environment = {},
  interrupt,
}: Run): Promise<number> {
  const files = args.filter((argument) => !argument.startsWith('-'));
  const given = args.filter((argument) => argument.startsWith('-'));
  if (fromPackage && !makePackage()) return 1;
  // What the tests put into the temporary directory goes with them, even when they are interrupted.
  const scratch = await mkdtemp(join(await quickDirectory(), 'l-plate-tests-'));
  try {
    // Some programs in it run as another user, who has to get past.
    await chmod(scratch, 0o711);
    const ofAll = grouped && files.length === 0 ? await groupFiles(root, all, scratch) : all;
    if (interrupt.aborted) return 130;
    const runner = spawn(
      process.execPath,
      [...runtime, '--test', '--test-reporter=spec', ...flags, ...given, ...(files.length > 0 ? files : ofAll)],
      {
        cwd: root,
        env: {
          ...process.env,
          ...{ TMPDIR: scratch, TEMP: scratch },
          // Each file is a process of its own, and loads much of the same.
          NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/l-plate-tests'),
          // What one process has worked out for all of this run.
          TEST_RUN_DIRECTORY: scratch,
          ...(fromPackage && { TEST_LAUNCHER: join(madePackage, 'bin/lplate.js') }),
          ...environment,
        },
        stdio: 'inherit',
        // A group of their own: see below.
        detached: process.platform !== 'win32',
      },
    );
    interrupt.addEventListener('abort', () => runner.kill(interrupt.reason));
    const [code] = await once(runner, 'exit');
    endGroup(runner.pid);
    return code ?? 130;
  } finally {
    await rm(scratch, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Ends what tests that were cut off have started and could not end themselves. */
function endGroup(group: number | undefined): void {
  try {
    if (group !== undefined && process.platform !== 'win32') process.kill(-group, 'SIGKILL');
  } catch {
    // Nobody of it is left.
  }
}
