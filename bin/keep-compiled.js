import module from 'node:module';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * What is compiled at one start is kept for the next: beside the packages, or, where this user can't write there, with
 * what other programs keep for the user. In neither place can another user write.
 */
export function keepCompiled() {
  const beside = fileURLToPath(new URL('../node_modules/.cache/l-plate', import.meta.url));
  const { FAILED } = module.constants.compileCacheStatus;
  const failed = (folder) => module.enableCompileCache(folder).status === FAILED;
  if (!failed(beside)) return;
  const caches = ofUser();
  // A relative path would mean any folder that one happens to be in.
  if (isAbsolute(caches)) failed(join(caches, 'l-plate'));
}

/** Empty for a user without a home, as containers have them. */
function ofUser() {
  const { XDG_CACHE_HOME, LOCALAPPDATA } = process.env;
  try {
    return XDG_CACHE_HOME || LOCALAPPDATA || join(homedir(), '.cache');
  } catch {
    return '';
  }
}
