import { glob, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/*
 * The test runner gives each file a process, which loads the program and compiles it anew: three quarters of the time of a
 * suite of many short files. So some files share a process, and run in it one after the other. Alone are the files that
 * start programs and wait for them, and those that say so:
 * // In a process of its own: why.
 */

/** Files of one process, about. A process costs 2 s of processor time until it is warm; with few processes, cores stay idle. */
const perGroup = 20;

const alone = /^\/\/ In a process of its own: /m;
const startsPrograms = /^test\/process\//;

/**
 * Files for the test runner that load the files of `patterns`, written into `directory`; or those files themselves.
 *
 * @param root the folder that the patterns start from
 */
export async function groupFiles(root: string, patterns: readonly string[], directory: string): Promise<string[]> {
  const files: string[] = [];
  for await (const file of glob([...patterns], { cwd: root })) files.push(file.replaceAll('\\', '/'));
  const single: string[] = [];
  const shared: { file: string; length: number }[] = [];
  for (const file of files.sort()) {
    const text = await readFile(join(root, file), 'utf8');
    if (startsPrograms.test(file) || alone.test(text)) single.push(file);
    else shared.push({ file, length: text.length });
  }
  // The longest first, each to the group that has least: a long text runs long, and so all groups end together.
  shared.sort((a, b) => b.length - a.length);
  const groups = Array.from({ length: Math.ceil(shared.length / perGroup) }, () => ({ imports: '', length: 0 }));
  for (const { file, length } of shared) {
    const least = groups.reduce((a, b) => (b.length < a.length ? b : a));
    least.imports += `import '${pathToFileURL(join(root, file)).href}';\n`;
    least.length += length;
  }
  const written = groups.map(async ({ imports }, at) => {
    const group = join(directory, `group-${at + 1}.test.mjs`);
    await writeFile(group, imports);
    return group;
  });
  // The longest begin first.
  return [...(await Promise.all(written)), ...single];
}
