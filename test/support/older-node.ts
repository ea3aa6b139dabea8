import { spawnSync } from 'node:child_process';
import { delimiter, join } from 'node:path';

/** The folders of this machine's programs, without those that npm adds. */
export const machinePath = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((path) => !path.includes('node_modules'))
  .join(delimiter);

/** A Node.js of this machine, 20 or newer, that is too old for L-Plate itself. */
export function olderNode(): string | undefined {
  return machinePath
    .split(delimiter)
    .map((path) => join(path, 'node'))
    .find((node) => {
      const { stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' });
      const version = Number(/^v(\d+)/.exec(stdout ?? '')?.[1] ?? 26);
      return version >= 20 && version < 26;
    });
}
