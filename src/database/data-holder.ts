import { readFileSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { writePrivateFile } from '../settings/private-file.ts';

/*
 * Who holds a data directory, for the message of a start that is refused because of it. The lock alone decides; the file
 * only tells, so nothing fails where it can't be written or read.
 */

export interface Holder {
  readonly process: number;
  /** Only where it is another machine: there the number of the process says little. */
  readonly host: string | undefined;
  readonly address: string | undefined;
}

/** To be called by the process that has the lock. */
export function tellHolder(file: string, address: string | undefined): void {
  try {
    writePrivateFile(file, `${JSON.stringify({ process: process.pid, host: hostname(), address })}\n`);
  } catch {
    // A second start then can't say who has the directory.
  }
}

/** Undefined if the file does not say it. */
export function readHolder(file: string): Holder | undefined {
  try {
    const { process, host, address } = JSON.parse(readFileSync(file, 'utf8'));
    if (!Number.isInteger(process)) return undefined;
    return {
      process,
      host: isShown(host) && host !== hostname() ? host : undefined,
      address: isShown(address) ? address : undefined,
    };
  } catch {
    return undefined;
  }
}

/** On one line of a terminal. */
function isShown(value: unknown): value is string {
  return typeof value === 'string' && /^[\x21-\x7e]{1,300}$/.test(value);
}

export function leaveHolder(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // The next process that has the lock writes its own.
  }
}
