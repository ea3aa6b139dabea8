import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { launch, run, startProgram } from '../support/program.ts';

async function scratch(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'l-plate-backup-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** Runs `--backup`. */
const backUp = (t: TestContext, from: string, to: string, environment: Record<string, string> = {}) =>
  run(t, { args: ['--backup', to], environment: { DATA_DIR: from, ...environment } });

/** Every file below a directory, with its mode. */
async function modesOf(directory: string): Promise<Record<string, string>> {
  const paths = ['.', ...(await readdir(directory, { recursive: true }))].toSorted();
  const modes = paths.map(async (path) => [path, ((await lstat(join(directory, path))).mode & 0o777).toString(8)]);
  return Object.fromEntries(await Promise.all(modes));
}

/** A data directory that a service has used and left. */
async function usedDirectory(t: TestContext, place: string): Promise<string> {
  const directory = join(place, 'data');
  await (await startProgram(t, { directory })).stop();
  return directory;
}

const whole = {
  ...{ '.': '700', 'l-plate.db': '600', 'secrets.json': '600', tls: '700' },
  ...{ 'tls/ca.pem': '600', 'tls/intermediate-key.pem': '600', 'tls/intermediate.pem': '600' },
  ...{ 'tls/server-key.pem': '600', 'tls/server.pem': '600' },
};

test('Operations, backup: while a service writes, a copy has all it acknowledged, is one moment, and a service starts from it', async (t) => {
  const place = await scratch(t);
  const [from, to] = [join(place, 'data'), join(place, 'copies/one')];
  const secure = await startProgram(t, { directory: from }, { args: ['--tls', 'self'] });
  await secure.stop();
  const first = await startProgram(t, { directory: from });
  const { token } = await first.client();
  const create = (at: number) =>
    first.call('POST', '/policies', { token, json: { regNumber: `BK-${at}`, holder: 'Ada' } });
  const before: string[] = [];
  for (let at = 0; at < 20; at += 1) before.push((await create(at)).json.id);
  let [ended, made] = [false, before.length];
  const writing = (async () => {
    while (!ended) equal((await create(made++)).status, 201);
  })();
  const { code, stdout, stderr } = await backUp(t, from, to);
  ended = true;
  await writing;
  ok(made > before.length);
  deepEqual([code, stderr], [0, '']);
  match(stdout, /^The data of \S+data are copied to \S+one: .*--data-dir \S+one\n$/s);
  deepEqual(await modesOf(to), whole);
  // What the service keeps besides is its own alone.
  const left = (await readdir(from, { recursive: true })).filter((name) => !(name in whole));
  deepEqual(left.toSorted(), ['l-plate.db-shm', 'l-plate.db-wal', 'l-plate.lock', 'l-plate.process.json']);
  const copied = new DatabaseSync(join(to, 'l-plate.db'));
  deepEqual(
    {
      ...copied.prepare('select sum(policy_count) - (select count(*) from policies) as difference from clients').get(),
    },
    { difference: 0 },
  );
  copied.close();

  equal((await first.stop()).code, 0);
  const restored = await startProgram(t, { directory: to }, { args: ['--tls', 'self'] });
  const fingerprint = (text: string) => /fingerprint \(SHA-256\) +(\S+)/.exec(text)?.[1];
  equal(fingerprint(restored.stdout()), fingerprint(secure.stdout()));
  await restored.stop();
  const second = await startProgram(t, { directory: to });
  deepEqual(second.secrets, first.secrets);
  for (const id of before) equal((await second.call('GET', `/policies/${id}`, { token })).status, 200, id);
});

test('Operations, backup: also of a service that is stopped or was killed, whose database it does not change', async (t) => {
  const place = await scratch(t);
  const from = join(place, 'data');
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    const program = await startProgram(t, { directory: from });
    const { id } = await program.client();
    await program.stop(signal);
    const database = await readFile(join(from, 'l-plate.db'));
    equal((await backUp(t, from, join(place, signal))).code, 0);
    ok(database.equals(await readFile(join(from, 'l-plate.db'))), signal);
    ok(existsSync(join(place, signal, 'secrets.json')));
    const copied = new DatabaseSync(join(place, signal, 'l-plate.db'));
    t.after(() => copied.close());
    equal(copied.prepare('select count(*) as found from clients where id = ?').get(id)?.found, 1, signal);
  }
});

test('Operations, backup: a place that can’t be used is refused in one line, and nothing in it is changed', async (t) => {
  const place = await scratch(t);
  const from = await usedDirectory(t, place);
  await mkdir(join(place, 'full'));
  await writeFile(join(place, 'full/mine'), 'mine');
  await writeFile(join(place, 'file'), 'mine');
  await symlink(from, join(place, 'link'));
  await symlink(join(place, 'nowhere'), join(place, 'dangling'));
  await mkdir(join(place, 'shared'));
  await chmod(join(place, 'shared'), 0o1777);
  await mkdir(join(place, 'begun'));
  await writeFile(join(place, 'begun/l-plate.unfinished-backup'), '');
  const before = await modesOf(place);
  for (const [to, code, told] of [
    ['full', 2, /full is not empty\. Choose a new directory/],
    ['file', 2, /file is not a directory/],
    ['file/below', 1, /below can't be made: it is not a directory/],
    ['data', 2, /data is in the data directory/],
    ['data/backup', 2, /is in the data directory/],
    ['link/backup', 2, /is in the data directory/],
    ['full/../data/a/b', 2, /is in the data directory/],
    ['dangling', 1, /is a link to a directory that is not there/],
    ['shared', 1, /shared is a directory that all users share/],
    ['begun', 2, /begun has a backup that was not finished, or is being made/],
    ['x'.repeat(300), 1, /its name is too long/],
  ] as const) {
    const ended = await backUp(t, from, join(place, to));
    deepEqual([ended.code, ended.stdout], [code, ''], `${to}: ${ended.stderr}`);
    match(ended.stderr, /^The backup was not made\. [^\n]+\n$/);
    match(ended.stderr, told);
    deepEqual(await modesOf(place), before, to);
  }
  match((await backUp(t, from, '')).stderr, /--backup: "" is not valid; use the path of a directory/);
  await mkdir(join(place, 'empty'), { mode: 0o755 });
  equal((await backUp(t, from, join(place, 'empty'))).code, 0);
  equal((await modesOf(join(place, 'empty')))['.'], '700');
});

test('Operations, backup: without a data directory it says what to copy instead', async (t) => {
  const place = await scratch(t);
  const to = join(place, 'copy');
  await mkdir(join(place, 'empty'));
  for (const [from, environment, code, told] of [
    [join(place, 'none'), {}, 1, /none is not there.*--data-dir/],
    [join(place, 'empty'), {}, 1, /empty has no database.*--data-dir/],
    ['memory', {}, 2, /keeps nothing/],
    [place, { SEED: '1', DATA_DIR: '' }, 2, /keeps nothing/],
    [place, { DATABASE_URL: 'postgres://l:p@127.0.0.1:1/l' }, 2, /in PostgreSQL.*pg_dump .*everything but the secrets/],
  ] as const) {
    const ended = await backUp(t, from, to, environment);
    deepEqual([ended.code, ended.stdout], [code, ''], ended.stderr);
    match(ended.stderr, /^The backup was not made\. [^\n]+\n$/);
    match(ended.stderr, told);
    ok(!existsSync(to));
  }
});

test('Operations, backup: what breaks off is no backup: no start takes it, and no later one is made in it', async (t) => {
  const place = await scratch(t);
  const from = await usedDirectory(t, place);
  const source = new DatabaseSync(join(from, 'l-plate.db'));
  source.exec('create table ballast (text)');
  source.prepare('insert into ballast values (zeroblob(?))').run(200_000_000);
  source.close();
  const to = join(place, 'copy');
  const { child, exit } = launch(t, { args: ['--backup', to], environment: { DATA_DIR: from } });
  while (!existsSync(join(to, 'l-plate.db'))) await pause(1);
  child.kill('SIGKILL');
  await exit;
  const started = await run(t, { environment: { DATA_DIR: to } });
  equal(started.code, 1);
  match(started.stderr, /copy is a backup that was not finished: it lacks data\. Delete it/);
  match((await backUp(t, from, to)).stderr, /not finished/);
  match((await backUp(t, to, join(place, 'other'))).stderr, /copy is a backup that was not finished/);
});

test('Operations, backup: on a full disk nothing is left, and it is told', async (t) => {
  const place = await scratch(t);
  const from = await usedDirectory(t, place);
  const disk = join(place, 'disk');
  await mkdir(disk);
  const size = (await stat(join(from, 'l-plate.db'))).size;
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${Math.floor(size / 2)},mode=700`, 'tmpfs', disk]).status !== 0) {
    return t.skip('no tmpfs can be mounted here');
  }
  try {
    for (const to of [disk, join(disk, 'copy')]) {
      const { code, stderr } = await backUp(t, from, to);
      deepEqual([code, stderr], [1, `The backup was not made. ${to} can't be made: the disk is full\n`]);
      deepEqual(await readdir(disk), []);
    }
  } finally {
    spawnSync('umount', [disk]);
  }
});
