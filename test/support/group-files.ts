import { glob, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/*
 * The test runner gives each file a process, which loads the program and compiles it anew: three quarters of the time of a
 * suite of many short files. So some files share a process, and run in it one after the other. Files that start programs
 * and wait for them share with each other alone. A process of its own has a file that says so:
 * // In a process of its own: why.
 * So has one with a hook outside of its tests, which may run before them in a process that loads others at once.
 */

/** Files of one process, about. A process costs 2 s of processor time until it is warm; with few processes, cores stay idle. */
const perGroup = 24;

/** The same of files that start programs, which wait most of their time. */
const perGroupOfPrograms = 5;

const alone = /^(?:\/\/ In a process of its own: |(?:test\.)?(?:before|after)\()/m;
const startsPrograms = /^test\/process\//;

interface Sized {
  readonly file: string;
  readonly length: number;
}

/**
 * Files for the test runner that load the files of `patterns`, written into `directory`; or those files themselves.
 *
 * @param root the folder that the patterns start from
 */
export async function groupFiles(root: string, patterns: readonly string[], directory: string): Promise<string[]> {
  const files: string[] = [];
  for await (const file of glob([...patterns], { cwd: root })) files.push(file.replaceAll('\\', '/'));
  const single: string[] = [];
  const programs: Sized[] = [];
  const others: Sized[] = [];
  for (const file of files.sort()) {
    const text = await readFile(join(root, file), 'utf8');
    if (alone.test(text)) single.push(file);
    else (startsPrograms.test(file) ? programs : others).push({ file, length: text.length });
  }
  // Those that wait begin first, beside some that work.
  const groups = [...share(programs, perGroupOfPrograms), ...share(others, perGroup)];
  const written = groups.map(async (group, at) => {
    const name = join(directory, `group-${at + 1}.test.mjs`);
    await writeFile(name, group.map((file) => `import '${pathToFileURL(join(root, file)).href}';\n`).join(''));
    return name;
  });
  return [...(await Promise.all(written)), ...single];
}

/** Groups that take about the same time: a long text runs long. */
function share(files: readonly Sized[], most: number): string[][] {
  const groups = Array.from({ length: Math.ceil(files.length / most) }, () => ({ files: [] as string[], length: 0 }));
  for (const { file, length } of files.toSorted((a, b) => b.length - a.length)) {
    const least = groups.reduce((a, b) => (b.length < a.length ? b : a));
    least.files.push(file);
    least.length += length;
  }
  return groups.map((group) => group.files);
}
