import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** Where `makePackage` puts it. */
export const madePackage = join(root, 'dist/package');

let isMade: boolean | undefined;

/** Makes the package, once for all tests of a run. @returns whether it is there */
export function makePackage(): boolean {
  isMade ??= spawnSync(process.execPath, ['package/build.js'], { cwd: root, stdio: 'inherit' }).status === 0;
  return isMade;
}
