import { deepEqual, equal, match } from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { banner, type Launch, launch, launcher, run } from '../support/program.ts';

/* The users and volumes that platforms for containers give a program. */

const noMounts = spawnSync('unshare', ['--mount', 'true']).status === 0 ? false : 'nothing can be mounted here';

/** Whether another user can start what lies in this folder: those above it may be closed, as one of `mktemp -d` is. */
const isReachable = () => spawnSync(process.execPath, ['--version'], { uid: 1000, gid: 1000 }).status === 0;

function reasonToSkip(): string | false {
  if (process.getuid?.() !== 0) return 'only root can start a program as another user';
  return isReachable() ? false : 'no other user can reach this folder: one above it is closed to others';
}

const skip = reasonToSkip();

/** One that no machine knows, as OpenShift gives. */
const unknown = 1_000_650_000;

async function volume(t: TestContext, owner: number, group: number, mode: number): Promise<string> {
  const place = await mkdtemp(join(tmpdir(), 'l-plate-volume-'));
  t.after(() => rm(place, { recursive: true, force: true }));
  await chmod(place, 0o711);
  const path = join(place, 'data');
  await mkdir(path);
  await chown(path, owner, group);
  await chmod(path, mode);
  return path;
}

async function starts(t: TestContext, path: string, user: number, ...more: string[]): Promise<void> {
  const launched = launch(t, { args: ['--data-dir', path, ...more], user });
  await banner(launched);
  launched.child.kill('SIGTERM');
  deepEqual(await launched.exit, { code: 0, signal: null });
}

test('Start-up, data directory: a volume that is open to a group is taken, though its mode can’t be changed', {
  skip,
}, async (t) => {
  for (const mode of [0o2770, 0o770]) await starts(t, await volume(t, 0, 1000, mode), 1000);
});

test('Start-up, data directory: files of another user that a group may write are taken, though their modes can’t be changed', {
  skip,
}, async (t) => {
  const path = await volume(t, 0, 1000, 0o2770);
  await starts(t, path, 0, '--tls', 'self');
  // As Kubernetes does with `fsGroup`.
  equal(spawnSync('chgrp', ['-R', '1000', path]).status, 0);
  equal(spawnSync('chmod', ['-R', 'g+rwX', path]).status, 0);
  await starts(t, path, 1000, '--tls', 'self');
});

test('Start-up, data directory: one that others can read is refused with what is wrong and the folder that works, and stays empty', {
  skip,
}, async (t) => {
  for (const mode of [0o2775, 0o777, 0o2777]) {
    const path = await volume(t, 0, 1000, mode);
    const { code, stderr } = await run(t, { args: ['--data-dir', path], user: 1000 });
    equal(code, 1);
    match(
      stderr,
      new RegExp(`${path} is open to other users \\(mode ${mode.toString(8)}\\), and .* its owner is user 0\\.`),
    );
    match(stderr, new RegExp(`--data-dir ${path}/l-plate`));
    deepEqual(await readdir(path), []);
    await starts(t, join(path, 'l-plate'), 1000);
  }
});

test('Start-up, data directory: where the folder that is named would be open too, how to mount the file system is said', {
  skip,
}, async (t) => {
  const path = join(await volume(t, 0, 0, 0o777), 'l-plate');
  await mkdir(path);
  await chmod(path, 0o777);
  const { code, stderr } = await run(t, { args: ['--data-dir', path], user: 1000 });
  equal(code, 1);
  match(stderr, /mode 777\), and its file system .* Mount it with modes of 0700 .* or keep the data on another one$/m);
});

/** A root that can only be read, and a tmpfs at a path, seen by the program alone. */
function readOnlyRoot(path: string, options: string, user: number): Pick<Launch, 'command' | 'family'> {
  const script = `mount --make-rprivate / && mount -t tmpfs -o ${options} tmpfs '${path}' && mount -o remount,bind,ro / &&
    exec setpriv --reuid=${user} --regid=${user} --clear-groups "$@"`;
  return { command: ['unshare', '--mount', 'sh', '-c', script, 'sh', process.execPath, launcher], family: true };
}

test('Start-up: on a root that can only be read it runs in memory or on a tmpfs of its user, and says what to do about any other place', {
  skip: skip || noMounts,
}, async (t) => {
  const path = await volume(t, 0, 0, 0o755);
  for (const [options, dataDir] of [
    [`mode=0700,uid=${unknown}`, path],
    ['mode=0755', 'memory'],
    // As Docker mounts one, and Kubernetes.
    ['mode=1777', join(path, 'l-plate')],
    ['mode=0777', join(path, 'l-plate')],
  ] as const) {
    const launched = launch(t, { args: ['--data-dir', dataDir], ...readOnlyRoot(path, options, unknown) });
    await banner(launched);
    launched.child.kill('SIGTERM');
    deepEqual(await launched.exit, { code: 0, signal: null }, launched.stderr());
  }
  for (const [options, dataDir, told] of [
    ['mode=1777', path, /all users share\. Choose one .*\/data\/l-plate/],
    ['mode=0777', path, /Use a folder in it.*\/data\/l-plate/],
    ['mode=0755', path, /permission denied.*--data-dir memory/],
    ['mode=0755', '/l-plate-data', /the file system is read-only.*--data-dir memory/],
  ] as const) {
    // That it can only be read is told to whom it would belong.
    const user = dataDir === path ? unknown : 0;
    const { code, stderr } = await run(t, { args: ['--data-dir', dataDir], ...readOnlyRoot(path, options, user) });
    equal(code, 1);
    match(stderr, told);
  }
});

test('Start-up: a user that the system does not know, without a home, can start it', { skip }, async (t) => {
  for (const environment of [{}, { HOME: '' }, { HOME: '/' }, { XDG_CACHE_HOME: 'relative' }]) {
    const { code, stderr } = await run(t, { args: ['--version'], user: unknown, environment });
    deepEqual([code, stderr], [0, ''], JSON.stringify(environment));
  }
  await starts(t, await volume(t, unknown, 0, 0o700), unknown);
  await starts(t, 'memory', unknown);
});
