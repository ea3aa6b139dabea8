import { once } from 'node:events';
import type { Ready } from '../../src/process/ready.ts';
import type { Launched } from './program.ts';

/** What a program that was started with `--ready json` says when it listens. */
export async function readyOf({ child, stdout, stderr, exit }: Launched): Promise<Ready> {
  let ended = false;
  exit.then(() => (ended = true));
  while (!stdout().includes('\n')) {
    if (ended) throw new Error(`L-Plate did not start: ${stderr()}`);
    await Promise.race([exit, once(child.stdout as NodeJS.ReadableStream, 'data')]);
  }
  return JSON.parse(stdout());
}
