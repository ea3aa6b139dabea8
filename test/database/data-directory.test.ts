import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readdir, readFile, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { openDatabase } from '../../src/database/open.ts';
import { StartupError } from '../../src/settings/startup-error.ts';
import { onSqlite } from '../support/engines.ts';

const program = join(import.meta.dirname, '../support/database-process.ts');

onSqlite((engine) => {
  async function directory(): Promise<string> {
    const location = await engine.location();
    assert.ok('directory' in location);
    return join(location.directory, 'data');
  }

  function openElsewhere(t: test.TestContext, path: string): { child: ChildProcess; said: Promise<string> } {
    const child = spawn(process.execPath, [program, JSON.stringify({ directory: path })], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    t.after(() => child.kill('SIGKILL'));
    return { child, said: once(child.stdout, 'data').then(([data]) => String(data).trim()) };
  }

  const mode = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8);

  async function refusal(path: string): Promise<string> {
    const error = await openDatabase({ directory: path }).then(
      () => assert.fail('it opened'),
      (error) => error,
    );
    assert.ok(error instanceof StartupError, String(error));
    assert.equal(error.exitCode, 1);
    assert.doesNotMatch(error.message, /\n/);
    return error.message;
  }

  const ways = 'Use that one, stop it with Ctrl+C, or start another one beside it';

  test('a directory in use by another process is refused with one line that names both, and what to do', async (t) => {
    const path = await directory();
    const first = openElsewhere(t, path);
    assert.equal(await first.said, 'open');
    const told = `L-Plate already runs with the data directory ${path} (process ${first.child.pid}). ${ways}`;
    assert.equal(await refusal(path), told);
    const { child, said } = openElsewhere(t, path);
    assert.equal(await said, told);
    if (child.exitCode === null) await once(child, 'exit');
    assert.equal(child.exitCode, 1);
  });

  test('a refused start says what is known of the one that runs, and nothing that could be something else', async (t) => {
    const path = await directory();
    const database = await openDatabase({ directory: path }, { address: 'http://localhost:8080' });
    t.after(() => database.close());
    const file = join(path, 'l-plate.process.json');
    const told = (who: string) => `L-Plate already runs with the data directory ${path}${who}. ${ways}`;
    assert.equal(await refusal(path), told(` (process ${process.pid}, http://localhost:8080)`));
    const written: [string, string][] = [
      [
        '{"process":7,"host":"another","address":"http://localhost:8081"}',
        ' (process 7, on another, http://localhost:8081)',
      ],
      ['{"process":7,"host":"a\\nb","address":"\\u001b[2J"}', ' (process 7)'],
      ['{"process":"7"}', ''],
      ['{', ''],
    ];
    for (const [text, who] of written) {
      await writeFile(file, text);
      assert.equal(await refusal(path), told(who));
    }
    await rm(file);
    await mkdir(file);
    assert.equal(await refusal(path), told(''));
  });

  test('a refused start does not free the lock of the one that runs', async (t) => {
    const path = await directory();
    const database = await openDatabase({ directory: path });
    t.after(() => database.close());
    await refusal(path);
    assert.match(await openElsewhere(t, path).said, /^L-Plate already runs with the data directory /);
  });

  test('the lock is free when the process was killed, and when the database was closed', async (t) => {
    const path = await directory();
    const { child, said } = openElsewhere(t, path);
    assert.equal(await said, 'open');
    child.kill('SIGKILL');
    await once(child, 'exit');
    const database = await openDatabase({ directory: path });
    await database.close();
    await (await openDatabase({ directory: path })).close();
  });

  test('whatever the umask, the directory is for its owner alone, and so are its files', async (t) => {
    const before = process.umask(0);
    t.after(() => process.umask(before));
    const path = await directory();
    const database = await openDatabase({ directory: path });
    assert.equal(await mode(path), '700');
    const files = (await readdir(path)).sort();
    const running = ['l-plate.db', 'l-plate.db-shm', 'l-plate.db-wal', 'l-plate.lock', 'l-plate.process.json'];
    assert.deepEqual(files, running);
    for (const file of files) assert.equal(await mode(join(path, file)), '600', file);
    await database.close();
    assert.ok(!(await readdir(path)).includes('l-plate.process.json'), 'who ran is still there');
  });

  test('a directory and files that were left open to others are closed to them', async () => {
    const path = await directory();
    await mkdir(path, { mode: 0o755 });
    await chmod(path, 0o755);
    for (const file of ['l-plate.db', 'l-plate.lock']) await writeFile(join(path, file), '', { mode: 0o644 });
    const database = await openDatabase({ directory: path });
    assert.equal(await mode(path), '700');
    for (const file of await readdir(path)) assert.equal(await mode(join(path, file)), '600', file);
    await database.close();
  });

  test('a directory that can not be used is refused in one line', async () => {
    const path = await directory();
    await mkdir(path);
    const file = join(path, 'file');
    await writeFile(file, '');
    assert.equal(await refusal(file), `The data directory ${file} can't be used: it is not a directory`);
    const below = join(file, 'below');
    assert.equal(await refusal(below), `The data directory ${below} can't be used: it is not a directory`);
    await chmod(path, 0o1777);
    assert.match(await refusal(path), /is a directory that all users share/);
    await chmod(path, 0o700);
    await writeFile(join(path, 'l-plate.db'), 'This is no database, but a text of some length. '.repeat(100));
    assert.match(await refusal(path), /file is not a database/);
  });

  const linux = process.platform === 'linux' ? false : 'only Linux has these';
  test('Decisions, start-up: data directory: where no directory can be made, the start is refused in one line', {
    skip: linux,
  }, async () => {
    for (const path of ['/proc/x', '/proc/self/x/y', '/dev/fd/x']) {
      assert.equal(
        await refusal(path),
        `The data directory ${path} can't be used: its file system does not allow new files`,
      );
    }
    assert.match(await refusal('/sys/x'), /: (permission denied|the file system is read-only)\. Choose one/);
    assert.match(await refusal('/dev/null/x'), /: it is not a directory$/);
  });

  test('Decisions, start-up: data directory: a link that leads nowhere is refused in one line', async () => {
    const path = await directory();
    await symlink(join(path, 'nowhere'), path);
    assert.match(await refusal(path), /is a link to a directory that is not there$|its links form a circle$/);
    const other = `${path}-other`;
    await symlink('/nowhere/at/all', other);
    const told = `The data directory ${other} can't be used: ${other} is a link to a directory that is not there`;
    assert.equal(await refusal(other), told);
  });

  const kinds: Record<string, [make: (path: string) => unknown, told: string]> = {
    'a directory': [(path) => mkdir(path), 'is not a file'],
    'a link that leads nowhere': [(path) => symlink('/nowhere/at/all', path), 'is a link to a file that is not there'],
    ...(linux ? {} : { 'a pipe': [(path: string) => spawnSync('mkfifo', [path]), 'is not a file'] }),
  };
  for (const [kind, [make, told]] of Object.entries(kinds)) {
    test(`Decisions, start-up: data directory: ${kind} in the place of a file is refused in one line, and nothing is changed`, async () => {
      for (const name of ['l-plate.db', 'l-plate.db-wal', 'l-plate.db-shm', 'l-plate.lock', 'secrets.json']) {
        const path = await directory();
        await mkdir(path);
        await chmod(path, 0o755);
        await make(join(path, name));
        assert.equal(await refusal(path), `${join(path, name)} ${told}`);
        assert.deepEqual(await readdir(path), [name]);
        assert.equal(await mode(path), '755');
      }
    });
  }

  /** A directory that was used: with a database, secrets, and some file beside the database. */
  async function used(suffix = ''): Promise<{ path: string; file: string; beside: string }> {
    const path = await directory();
    await (await openDatabase({ directory: path })).close();
    await writeFile(join(path, 'secrets.json'), '{}');
    const file = join(path, 'l-plate.db');
    if (suffix) await writeFile(file + suffix, 'what is not yet in the database');
    return { path, file, beside: file + suffix };
  }

  const advice = 'Restore a backup, or delete [^ ]+db, [^ ]+db-wal and [^ ]+db-shm to start with a new database.$';

  test('Decisions, start-up: data directory: a database that lost its data beside kept secrets is told, not begun anew', async () => {
    const { path, file } = await used();
    await truncate(file, 0);
    assert.match(await refusal(path), new RegExp(`^${file} is empty, but this directory was used before: .*${advice}`));
    await rm(file);
    const empty = new DatabaseSync(file);
    empty.exec('pragma journal_mode = wal');
    empty.close();
    assert.ok((await stat(file)).size > 0);
    assert.match(await refusal(path), new RegExp(`^${file} has no tables, but .*${advice}`));
  });

  test('Decisions, start-up: data directory: the log of a database that is empty or missing is not deleted', async () => {
    const { path, file, beside } = await used('-wal');
    await rm(join(path, 'secrets.json'));
    await truncate(file, 0);
    assert.match(await refusal(path), /l-plate\.db is empty, but /);
    await rm(file);
    assert.match(await refusal(path), /l-plate\.db is missing, but /);
    assert.equal(await readFile(beside, 'utf8'), 'what is not yet in the database');
    await rm(beside);
    await (await openDatabase({ directory: path })).close();
  });

  test('Decisions, start-up: data directory: one that is new, or whose database was deleted, begins without a word', async () => {
    const fresh = await directory();
    await mkdir(fresh);
    await writeFile(join(fresh, 'l-plate.db'), '');
    await (await openDatabase({ directory: fresh })).close();
    const { path, file } = await used();
    await rm(file);
    await (await openDatabase({ directory: path })).close();
    await (await openDatabase({ directory: path })).close();
  });

  const root = process.getuid?.() === 0 && 'root may read and write everything';
  test('a directory without the right to write is refused in one line', { skip: root }, async (t) => {
    const path = await directory();
    await mkdir(path);
    await chmod(path, 0o500);
    t.after(() => chmod(path, 0o700));
    const then = 'Choose one that this user can write to, or keep nothing';
    assert.equal(await refusal(path), `The data directory ${path} can't be used: permission denied. ${then}`);
    const below = join(path, 'below');
    assert.equal(await refusal(below), `The data directory ${below} can't be used: permission denied. ${then}`);
  });
});
