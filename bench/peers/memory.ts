import { readdirSync, readFileSync } from 'node:fs';

/** Megabytes of a process and all that it started, by Linux's /proc. Shared pages count by their share. */
export function memoryOf(first: number): number {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        // The name of a program may have spaces and brackets in it.
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
        return [{ pid: Number(name), parent: Number(stat.slice(stat.lastIndexOf(')')).split(' ')[2]) }];
      } catch {
        // It has just ended.
        return [];
      }
    });
  const found = [first];
  for (const pid of found) found.push(...parents.filter(({ parent }) => parent === pid).map((each) => each.pid));
  return found
    .map((pid) => /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1])
    .reduce((sum, kilobytes) => sum + Number(kilobytes) / 1024, 0);
}
