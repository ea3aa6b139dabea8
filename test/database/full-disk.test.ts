import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Database, DatabaseUnavailable } from '../../src/database/database.ts';
import { openDatabase } from '../../src/database/open.ts';
import { onSqlite, openEmpty } from '../support/engines.ts';

const add = (database: Database, id: string, size: number): Promise<number> =>
  database.write(
    (sql) => sql.run`insert into signing_keys (id, jwk, created_at) values (${id}, ${'x'.repeat(size)}, ${'now'})`,
  );

async function ids(database: Database): Promise<string> {
  const rows = await database.sql.all<{ id: string }>`select id from signing_keys order by id`;
  return rows.map(({ id }) => id).join(' ');
}

async function refuseGroup(database: Database): Promise<void> {
  const results = await Promise.allSettled([
    add(database, 'b', 10),
    add(database, 'c', 300_000),
    add(database, 'd', 10),
  ]);
  for (const result of results) {
    assert.ok(result.status === 'rejected' && result.reason instanceof DatabaseUnavailable);
  }
}

onSqlite((engine) => {
  test('when the database may not grow, the group is refused, reads go on, and it heals', async (t) => {
    const database = await openEmpty(t, engine);
    await add(database, 'a', 10);
    await database.write((sql) => sql.get`pragma max_page_count = 30`);
    await refuseGroup(database);
    assert.equal(await ids(database), 'a');
    await database.write((sql) => sql.get`pragma max_page_count = 1000000`);
    await add(database, 'e', 300_000);
    assert.equal(await ids(database), 'a e');
  });

  const disk = mkdtempSync(join(tmpdir(), 'l-plate-disk-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk]).status === 0;
  const skip = mounted ? false : 'NO SMALL DISK: a tmpfs can not be mounted here, so that no disk is really filled';
  if (skip) console.error(skip);
  test.after(() => {
    if (mounted) spawnSync('umount', [disk]);
    rmSync(disk, { recursive: true, force: true });
  });

  test('on a full disk the group is refused, reads go on, it heals, and all is there after a restart', {
    skip,
  }, async () => {
    const directory = join(disk, 'data');
    const ballast = join(disk, 'ballast');
    const database = await openDatabase({ directory });
    await add(database, 'a', 10);
    assert.throws(() => writeFileSync(ballast, Buffer.alloc(2_000_000)), /ENOSPC/);
    await refuseGroup(database);
    await refuseGroup(database);
    assert.equal(await ids(database), 'a');
    rmSync(ballast);
    await add(database, 'e', 100_000);
    assert.equal(await ids(database), 'a e');
    await database.close();
    const again = await openDatabase({ directory });
    assert.equal(await ids(again), 'a e');
    await again.close();
  });
});
