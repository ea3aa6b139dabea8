import { existsSync } from 'node:fs';
import module from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Loads a module of the program: its source in a clone, what was compiled of it in the package. */
export function load(name) {
  keepCompiled();
  const inClone = existsSync(new URL('../src', import.meta.url));
  return import(inClone ? `../src/${name}.ts` : `../dist/${name}.js`);
}

/**
 * What is compiled at one start is kept for the next: beside the packages, or, where this user can't write there, with
 * what other programs keep for the user. In neither place can another user write.
 */
function keepCompiled() {
  const beside = fileURLToPath(new URL('../node_modules/.cache/l-plate', import.meta.url));
  const caches = process.env.XDG_CACHE_HOME || process.env.LOCALAPPDATA || join(homedir(), '.cache');
  const { FAILED } = module.constants.compileCacheStatus;
  const failed = (folder) => module.enableCompileCache(folder).status === FAILED;
  if (failed(beside)) failed(join(caches, 'l-plate'));
}
