import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import autocannon from 'autocannon';
import { metric } from './metric.ts';
import { type Exit, type Launched, launcher, type Program } from './program.ts';

/* Outputs of a program that can't be written, and what it does beside them. */

/** Why the tests that need `/dev/full` and named pipes are left out, or false. */
export const devicesMissing = process.platform === 'linux' ? false : 'NO /dev/full: outputs can not be tried here';

/** A pipe whose reader is the test, which reads only when it is asked to. */
export interface Pipe {
  readonly path: string;
  /** The end that the program gets. */
  readonly writer: number;
  /** Takes what is in the pipe now. Returns all that was read so far. */
  read(): string;
  /** Ends the reader: who writes on gets EPIPE. */
  end(): void;
  /** A new reader, after `end`. */
  begin(): void;
}

export function openPipe(t: TestContext): Pipe {
  const path = join(mkdtempSync(join(tmpdir(), 'l-plate-pipe-')), 'pipe');
  assert.equal(spawnSync('mkfifo', [path]).status, 0);
  let reader: number | undefined;
  const begin = () => {
    reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  };
  begin();
  const writer = openFor(t, path, 'w');
  const end = () => {
    if (reader !== undefined) closeSync(reader);
    reader = undefined;
  };
  t.after(end);
  const bytes = Buffer.alloc(1 << 20);
  let text = '';
  const read = () => {
    try {
      for (;;) {
        const count = readSync(reader as number, bytes);
        if (count === 0) return text;
        text += bytes.toString('utf8', 0, count);
      }
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, 'EAGAIN');
      return text;
    }
  };
  return { path, writer, read, end, begin };
}

/** A pipe that takes nothing any more: who writes to it waits. */
export function fullPipe(t: TestContext): number {
  const { path, writer } = openPipe(t);
  // Opened once more, so that the other one keeps waiting.
  const filler = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
  assert.throws(
    () => {
      for (;;) writeSync(filler, Buffer.alloc(4096));
    },
    { code: 'EAGAIN' },
  );
  closeSync(filler);
  return writer;
}

/** A file that is open as long as the test goes on. */
export function openFor(t: TestContext, path: string, flags: string): number {
  const file = openSync(path, flags);
  t.after(() => closeSync(file));
  return file;
}

/** A small disk, which goes with the test, or with the tests of the process; `skip` says why there is none. */
export function smallDisk(
  size: string,
  context: { after(hook: () => void): void } = test,
): { disk: string; skip: string | false } {
  const disk = mkdtempSync(join(tmpdir(), 'l-plate-small-disk-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', disk]).status === 0;
  const skip = mounted ? false : 'NO SMALL DISK: a tmpfs can not be mounted here, so that no disk is really filled';
  if (skip) console.error(skip);
  context.after(() => {
    if (mounted) spawnSync('umount', ['-l', disk]);
    rmSync(disk, { recursive: true, force: true });
  });
  return { disk, skip };
}

/** Calls, each of which leaves a line in the log. All must be answered, within 20 seconds each. */
export async function callOften({ url }: Pick<Program, 'url'>, count: number): Promise<void> {
  const load = { connections: Math.min(16, count), amount: count, timeout: 20 };
  const { '2xx': answered, errors } = await autocannon({ url: `${url}/healthz`, ...load });
  assert.deepEqual({ answered, errors }, { answered: count, errors: 0 });
}

/** The value of a metric of the program as it is now. Metrics are computed once a second. */
export async function metricNow(program: Pick<Program, 'url'>, name: string): Promise<number> {
  await pause(1100);
  return metric(program, name);
}

export const dropped = (program: Pick<Program, 'url'>) => metricNow(program, 'lplate_log_lines_dropped_total');

/** The end of the program after a signal, which must come within its grace period of 9 s. */
export async function stopInTime(program: Launched, signal: NodeJS.Signals = 'SIGTERM'): Promise<Exit | string> {
  program.child.kill(signal);
  return Promise.race([program.exit, pause(12_000, 'it did not end', { ref: false })]);
}

/** The program below a shell that sets up its outputs. */
export function behindShell(redirection: string): readonly [string, ...string[]] {
  return ['sh', '-c', `exec "$@" ${redirection}`, 'sh', process.execPath, launcher];
}

/** What is in a log. Each of its whole lines must be JSON; the banner is passed over. */
export function countLogLines(log: string): { calls: number; told: Record<string, unknown>[]; dropped: number } {
  const lines = log
    .slice(0, log.lastIndexOf('\n') + 1)
    .replace(/\nL-Plate \d[^{]*Stop with Ctrl\+C\.\n\n/, '')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
  const told = lines.filter(({ dropped }) => dropped !== undefined);
  return {
    calls: lines.filter(({ route }) => route === '/healthz').length,
    told,
    dropped: told.reduce((sum, { dropped }) => sum + dropped, 0),
  };
}
