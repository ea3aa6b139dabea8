import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writePages } from './pages.ts';

/*
 * npm run site: the site in dist/site, as plain files. Installs what builds it, once. With SITE_BASE=/path/ it is for a
 * server that has it at that path.
 */

const here = import.meta.dirname;
const stamp = join(here, 'node_modules/.l-plate-site');
const lock = createHash('sha256')
  .update(readFileSync(join(here, 'package-lock.json')))
  .digest('hex');

function run(file: string, args: readonly string[]): void {
  const { status } = spawnSync(file, args, {
    cwd: here,
    stdio: 'inherit',
    shell: file === 'npm' && process.platform === 'win32',
  });
  if (status !== 0) throw new Error(`${file} ${args.join(' ')} failed`);
}

if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== lock) {
  run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']);
  writeFileSync(stamp, lock);
}
await writePages();
run(process.execPath, [join(here, 'node_modules/vitepress/bin/vitepress.js'), 'build']);
