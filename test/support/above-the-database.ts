import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** Test files with rules that `npm test` shows on SQLite alone, but for those that run in full on both engines anyway. */
export async function onPostgresOnly(): Promise<string[]> {
  const inFull = (await texts('test/long/**/*.test.ts')).map(([, text]) => text).join();
  const files = await texts('test/!(foreign|cluster|long|walks)/**/*.test.ts', 'test/*.test.ts');
  return files
    .filter(([path, text]) => text.includes('forEachEngineInFull(') && !inFull.includes(`'../${path.slice(5)}'`))
    .map(([path]) => path);
}

async function texts(...patterns: string[]): Promise<[path: string, text: string][]> {
  const paths = await Array.fromAsync(glob(patterns, { cwd: root }));
  return Promise.all(paths.map(async (path) => [path, await readFile(join(root, path), 'utf8')] as [string, string]));
}
