import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { test } from 'node:test';
import { machinePath } from '../support/older-node.ts';
import { root } from '../support/program.ts';
import { toolTest } from './support/tool-test.ts';
import { call, home } from './support/tools.ts';

/* What the repository's host does with it: workflows, and a workspace in the browser. */

toolTest(['github.com/rhysd/actionlint'], 'Decisions, the package: nothing is found in a workflow', async () => {
  const folder = join(root, '.github/workflows');
  const files = (await readdir(folder)).map((name) => join(folder, name));
  assert.ok(files.length >= 2);
  await call(join(home('go'), 'actionlint'), ['-no-color', ...files]);
});

// The user of the image of the workspace.
const user = 1000;
const skip =
  spawnSync(process.execPath, ['--version'], { uid: user }).status === 0 ? false : 'NO right to be another user';
if (skip) console.error(`\n*** ${skip}: the workspace is not tried ***\n`);

test('Decisions, the package: in a new clone, its user makes the workspace', { skip }, async (t) => {
  const workspace = JSON.parse(await readFile(join(root, '.devcontainer/devcontainer.json'), 'utf8'));
  const folder = await mkdtemp(join(tmpdir(), 'l-plate-workspace-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const clone = join(folder, 'clone');
  await call('git', ['clone', '--quiet', root, clone]);
  await call('chown', ['-R', `${user}:${user}`, folder]);
  const PATH = `${dirname(process.execPath)}${delimiter}${machinePath}`;
  const made = spawnSync('sh', ['-c', workspace.postCreateCommand], {
    cwd: clone,
    uid: user,
    gid: user,
    encoding: 'utf8',
    env: { ...process.env, HOME: folder, npm_config_cache: join(folder, 'npm'), PATH },
  });
  assert.equal(made.status, 0, made.stderr);
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  assert.ok(made.stdout.trim().endsWith(version), made.stdout);
});
