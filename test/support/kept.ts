import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { launcher, type Program } from './program.ts';

/** The command of a program of which `kept` can be asked. */
export const tellingKept = [process.execPath, '--import', join(import.meta.dirname, 'tell-kept.ts'), launcher] as const;

const line = /^kept: (\d+) bytes\n/gm;

/**
 * Megabytes that are left when a program has collected its garbage. What the operating system counts would have room for
 * garbage besides, which is more on a busy machine.
 */
export async function kept(program: Program): Promise<number> {
  const told = () => [...program.stderr().matchAll(line)];
  const before = told().length;
  program.child.kill('SIGUSR2');
  while (told().length === before) await pause(10);
  return Number(told().at(-1)?.[1]) / 1e6;
}

/** What else it wrote to the standard error. */
export const otherErrors = (program: Program): string => program.stderr().replaceAll(line, '');
