// What `npm start`, `npm test` and the other scripts do first: install from the lock file, and build the console, unless
// that is done.
// `run` brings what the program needs, `all` the tools of tests and checks as well. Plain JavaScript: it runs on the
// machine's own Node.js, before the pinned one is there.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const stamp = `${root}node_modules/.l-plate-setup`;
const wanted = process.argv[2] === 'all' ? 'all' : 'run';
const lock = createHash('sha256')
  .update(readFileSync(`${root}package-lock.json`))
  .digest('hex');

const done = existsSync(stamp) ? readFileSync(stamp, 'utf8') : '';
if (done !== `${lock} all` && done !== `${lock} ${wanted}`) {
  console.error(
    `L-Plate: installing ${wanted === 'all' ? 'everything' : 'what it needs'} from package-lock.json (once) …`,
  );
  const npm = process.env.npm_execpath;
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  if (wanted === 'run') args.push('--omit=dev');
  const install = npm?.endsWith('.js')
    ? spawnSync(process.env.npm_node_execpath ?? process.execPath, [npm, ...args], {
        cwd: root,
        stdio: ['ignore', 2, 2],
      })
    : spawnSync('npm', args, { cwd: root, stdio: ['ignore', 2, 2], shell: process.platform === 'win32' });
  if (install.status !== 0) {
    console.error('L-Plate: the installation failed; npm says why above. Mend that and run the same command again.');
    process.exit(1);
  }
  writeFileSync(stamp, `${lock} ${wanted}`);
}

// Only now: the bundler has just been installed, perhaps.
const { buildConsole } = await import('../console/build.js');
try {
  await buildConsole();
} catch (error) {
  console.error(`L-Plate: the console could not be built: ${error.message}`);
  process.exit(1);
}
