import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openDatabase } from '../../src/database/open.ts';
import { StartupError } from '../../src/startup-error.ts';
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

  test('a directory in use by another process is refused with one line that names it', async (t) => {
    const path = await directory();
    assert.equal(await openElsewhere(t, path).said, 'open');
    assert.equal(await refusal(path), `The data directory ${path} is in use by another process`);
    const { child, said } = openElsewhere(t, path);
    assert.equal(await said, `The data directory ${path} is in use by another process`);
    if (child.exitCode === null) await once(child, 'exit');
    assert.equal(child.exitCode, 1);
  });

  test('a refused start does not free the lock of the one that runs', async (t) => {
    const path = await directory();
    const database = await openDatabase({ directory: path });
    t.after(() => database.close());
    await refusal(path);
    assert.match(await openElsewhere(t, path).said, /in use by another process/);
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
    assert.deepEqual(files, ['l-plate.db', 'l-plate.db-shm', 'l-plate.db-wal', 'l-plate.lock']);
    for (const file of files) assert.equal(await mode(join(path, file)), '600', file);
    await database.close();
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

  const root = process.getuid?.() === 0 && 'root may read and write everything';
  test('a directory without the right to write is refused in one line', { skip: root }, async (t) => {
    const path = await directory();
    await mkdir(path);
    await chmod(path, 0o500);
    t.after(() => chmod(path, 0o700));
    assert.equal(await refusal(path), `The data directory ${path} can't be used: permission denied`);
    const below = join(path, 'below');
    assert.equal(await refusal(below), `The data directory ${below} can't be used: permission denied`);
  });
});
