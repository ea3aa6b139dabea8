import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { scratchDirectory } from './cleanup.ts';
import { median } from './pairs.ts';

const appends = 300;

/** Milliseconds that one append to a file and its sync take on the disk the databases are on: the median. */
export function syncTime(): number {
  const path = join(scratchDirectory(), 'sync');
  const file = openSync(path, 'a');
  const page = Buffer.alloc(4096, 1);
  const times: number[] = [];
  for (let append = 0; append < appends; append += 1) {
    const begun = performance.now();
    writeSync(file, page);
    fdatasyncSync(file);
    times.push(performance.now() - begun);
  }
  closeSync(file);
  rmSync(path);
  return median(times);
}
