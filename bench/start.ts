import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { scratchDirectory } from './cleanup.ts';
import { median } from './pairs.ts';
import { startLPlate } from './servers.ts';

export interface Started {
  /** Milliseconds from the start of the process to its first answer: the median. */
  firstAnswer: number;
  /** Megabytes in use when nothing has been asked of it. */
  idle: number;
}

/** Starts the program some times on a directory that is empty the first time. */
export async function starts(times: number): Promise<Started> {
  const took: number[] = [];
  let idle = 0;
  for (let time = 1; time <= times; time += 1) {
    const server = await startLPlate(join(scratchDirectory(), 'start'));
    took.push(server.startedIn);
    if (time === times) {
      await pause(2000);
      idle = (await server.usage()).memory;
    }
    await server.stop();
  }
  return { firstAnswer: median(took), idle };
}
