import module from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * What is compiled at one start is kept for the next: beside the packages, or, where this user can't write there, with
 * what other programs keep for the user. In neither place can another user write.
 */
export function keepCompiled() {
  const beside = fileURLToPath(new URL('../node_modules/.cache/l-plate', import.meta.url));
  const caches = process.env.XDG_CACHE_HOME || process.env.LOCALAPPDATA || join(homedir(), '.cache');
  const { FAILED } = module.constants.compileCacheStatus;
  const failed = (folder) => module.enableCompileCache(folder).status === FAILED;
  if (failed(beside)) failed(join(caches, 'l-plate'));
}
