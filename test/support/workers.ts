import { execFileSync } from 'node:child_process';
import type { Launch, Program } from './program.ts';

/** Two processes on one port. */
export const workers: Launch = { args: ['--workers', '2'] };

/** The processes that a process started, and those that they started. */
export function descendants(pid: number | undefined): number[] {
  const table = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' });
  const pairs = table.trim().split('\n');
  const children = pairs.map((line) => line.trim().split(/\s+/).map(Number)).filter(([, parent]) => parent === pid);
  return children.flatMap(([child = 0]) => [child, ...descendants(child)]);
}

/**
 * Calls the port a few times, each on a new connection, which finds all processes, as they take turns. Each of them
 * counts our calls for itself. Returns how many were answered, and how many were the first that their process counted.
 */
export async function callAll({ url }: Program): Promise<{ answered: number; first: number }> {
  const found = { answered: 0, first: 0 };
  for (let call = 0; call < 8; call += 1) {
    const options = `${url}/insurer/v1/coverage-options`;
    const answer = await fetch(options, { headers: { Connection: 'close' } }).catch(() => undefined);
    if (!answer) continue;
    await answer.text();
    const left = (name: string) => Number(answer.headers.get(`ratelimit-${name}`));
    found.answered += 1;
    if (left('remaining') === left('limit') - 1) found.first += 1;
  }
  return found;
}
