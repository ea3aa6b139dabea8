import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { onSqlite } from '../support/engines.ts';
import { olderNode } from '../support/older-node.ts';
import { launcherOfClone, refusesConnections, root, run, startProgram } from '../support/program.ts';

const older = olderNode();
const skip = older ? false : 'NO OLDER NODE.JS: what the launcher does under one can not be seen here';
if (skip) console.error(skip);

/** The launcher alone, as it lies in a clone before anything is installed. */
async function launcherAlone(t: TestContext): Promise<string> {
  const directory = await realpath(await mkdtemp(join(tmpdir(), 'l-plate-launcher-')));
  t.after(() => rm(directory, { recursive: true, force: true }));
  for (const name of ['package.json', 'bin']) await cp(join(root, name), join(directory, name), { recursive: true });
  return join(directory, 'bin/lplate.js');
}

test('Decisions, start-up: under an older Node.js without its own, the launcher says in one line what is needed', {
  skip,
}, async (t) => {
  const alone = await launcherAlone(t);
  const ended = await run(t, { command: [older as string, alone], args: ['--class'] });
  assert.deepEqual([ended.code, ended.stdout], [1, '']);
  assert.match(
    ended.stderr,
    /^L-Plate needs Node\.js 26 or newer; this is v\d+\.\d+\.\d+\. [^\n]*`npm start -- --class`[^\n]*\n$/,
  );
});

const handedOver = { command: [older as string, launcherOfClone] as const };

test('Decisions, start-up: under an older Node.js the program runs on its own, with the same outputs and exit codes', {
  skip,
}, async (t) => {
  const version = await run(t, { ...handedOver, args: ['--version'] });
  assert.deepEqual([version.code, version.stderr], [0, '']);
  assert.match(version.stdout, /^\d+\.\d+\.\d+\n$/);
  const refused = await run(t, { ...handedOver, args: ['--port', 'x'] });
  assert.deepEqual([refused.code, refused.stdout], [2, '']);
  assert.match(refused.stderr, /^L-Plate can't start\. --port: /);
});

onSqlite((engine) => {
  test('Decisions, start-up: under an older Node.js the program gets the signals, and ends with the launcher', {
    skip,
  }, async (t) => {
    const stopped = await startProgram(t, await engine.location(), handedOver);
    assert.deepEqual(await stopped.stop('SIGTERM'), { code: 0, signal: null });
    assert.ok(await refusesConnections(stopped));
    const orphaned = await startProgram(t, await engine.location(), handedOver);
    orphaned.child.kill('SIGKILL');
    // Its outputs are the launcher's: they are closed when it has ended, too.
    await orphaned.exit;
    assert.ok(await refusesConnections(orphaned));
  });

  /** A copy of the project with nothing but its set-up; npm and the build of the console only tell that they were asked. */
  async function bare(): Promise<{
    directory: string;
    setUp: (what: string) => { status: number | null; asked: string };
  }> {
    const where = await engine.location();
    assert.ok('directory' in where);
    const directory = await realpath(where.directory);
    for (const path of ['bin/setup.js', 'package.json', 'package-lock.json']) {
      await cp(join(root, path), join(directory, path));
    }
    await mkdir(join(directory, 'node_modules'));
    await mkdir(join(directory, 'console'));
    await writeFile(join(directory, 'console/build.js'), building);
    const npm = join(directory, 'npm.js');
    await writeFile(npm, 'console.log("npm", process.argv.slice(2).join(" "));');
    const setUp = (what: string) => {
      const env = { PATH: process.env.PATH, npm_execpath: npm };
      const args = [join(directory, 'bin/setup.js'), what];
      const { status, stdout, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
      assert.equal(stdout, '');
      return { status, asked: stderr };
    };
    return { directory, setUp };
  }

  const building = `export async function buildConsole() { console.error('looking at the console'); }`;
  const looking = 'looking at the console\n';

  test('Decisions, start-up: the first run installs from the lock file and says so; later runs do nothing', async () => {
    const { directory, setUp } = await bare();
    const first = setUp('run');
    assert.equal(first.status, 0);
    assert.match(
      first.asked,
      /^L-Plate: installing what it needs from package-lock\.json \(once\) …\nnpm ci .*--omit=dev\nlooking at the console\n$/,
    );
    assert.deepEqual(setUp('run'), { status: 0, asked: looking });
    const lock = createHash('sha256')
      .update(await readFile(join(directory, 'package-lock.json')))
      .digest('hex');
    assert.equal(await readFile(join(directory, 'node_modules/.l-plate-setup'), 'utf8'), `${lock} run`);
  });

  test('Decisions, start-up: tests bring their tools as well, which the program then does not take away', async () => {
    const { setUp } = await bare();
    setUp('run');
    const all = setUp('all');
    assert.match(all.asked, /installing everything .*\nnpm ci (?!.*--omit)/);
    assert.deepEqual(setUp('all'), { status: 0, asked: looking });
    assert.deepEqual(setUp('run'), { status: 0, asked: looking });
  });

  test('Decisions, start-up: another lock file is installed anew', async () => {
    const { directory, setUp } = await bare();
    setUp('run');
    await writeFile(join(directory, 'package-lock.json'), '{}');
    assert.match(setUp('run').asked, /npm ci/);
  });

  test('Decisions, start-up: a failed installation says so, is not taken for done, and ends with code 1', async () => {
    const { directory, setUp } = await bare();
    await writeFile(join(directory, 'npm.js'), 'process.exit(1)');
    for (let time = 0; time < 2; time++) {
      const failed = setUp('run');
      assert.equal(failed.status, 1);
      assert.match(failed.asked, /the installation failed/);
    }
  });

  test('Decisions, start-up: a console that can’t be built ends the set-up with one line and code 1', async () => {
    const { directory, setUp } = await bare();
    await writeFile(join(directory, 'console/build.js'), building.replace('console.error(', 'throw new Error('));
    const { status, asked } = setUp('run');
    assert.equal(status, 1);
    assert.match(asked, /\nL-Plate: the console could not be built: looking at the console\n$/);
  });
});
