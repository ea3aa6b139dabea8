import type { ChildProcess } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/*
 * Whatever ends this process, nothing of it stays: no process and no directory.
 */

const processes = new Set<ChildProcess>();
const directories: string[] = [];
let scratch: string | undefined;

export function endWithUs(child: ChildProcess): void {
  processes.add(child);
  child.on('exit', () => processes.delete(child));
}

/** A directory for this run, on the disk of the project: a temporary directory may be in memory, where a sync is free. */
export function scratchDirectory(): string {
  if (scratch === undefined) {
    const parent = join(import.meta.dirname, '../node_modules/.cache');
    mkdirSync(parent, { recursive: true });
    scratch = newDirectory(parent);
  }
  return scratch;
}

/** A directory on a disk that other users can enter, which the checkout need not be. */
export function openDirectory(): string {
  const directory = newDirectory(existsSync('/var/tmp') ? '/var/tmp' : tmpdir());
  chmodSync(directory, 0o711);
  return directory;
}

export function newDirectory(parent: string): string {
  const directory = mkdtempSync(join(parent, 'bench-'));
  directories.push(directory);
  return directory;
}

process.on('exit', () => {
  for (const child of processes) child.kill('SIGKILL');
  // A process that was just killed may still be writing there.
  for (const directory of directories) {
    rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(130));
