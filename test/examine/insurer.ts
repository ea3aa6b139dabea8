import { spawn, spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';
import { root } from '../support/program.ts';

/* The tests' own insurer, in Python: the service that examinations are tested with. */

export const noPython = spawnSync('python3', ['--version']).status !== 0 && 'NO PYTHON: its insurer is not examined';
if (noPython) console.error(`\n*** ${noPython} ***\n`);

/** Starts a program that serves an insurer, waits until it listens, and ends it after `work`. */
export async function withInsurer<Result>(
  [file, ...args]: readonly [string, ...string[]],
  environment: Record<string, string>,
  work: (url: string) => Promise<Result>,
): Promise<Result> {
  const { PATH = '' } = process.env;
  const child = spawn(file, args, {
    cwd: root,
    env: { PATH, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    for await (const line of createInterface(child.stdout)) {
      const port = /^ready (\d+)$/.exec(line)?.[1];
      if (port !== undefined) return await work(`http://127.0.0.1:${port}/insurer/v1`);
    }
    throw new Error(`${file} ${args.join(' ')} ended before it listened`);
  } finally {
    child.kill('SIGKILL');
  }
}

/** @param mutant the rule that is broken; without: none */
export function withPythonInsurer<Result>(mutant: string | undefined, work: (url: string) => Promise<Result>) {
  const broken = mutant === undefined ? undefined : { MUTANT: mutant };
  return withInsurer(['python3', '-B', 'test/examine/insurer.py', '0'], { ...broken }, work);
}
