import assert from 'node:assert/strict';
import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { onSqlite, openEmpty } from '../support/engines.ts';
import { add, ids, refuse, refuseGroup } from '../support/full-disk.ts';

/** Runs a command where a small disk is mounted at `path`, seen by it alone and gone with it. */
function withSmallDisk(path: string, command: string[]): SpawnSyncReturns<string> {
  const asRoot = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'];
  const script = 'mount -t tmpfs -o size=1m tmpfs "$0" && exec "$@"';
  return spawnSync('unshare', [...asRoot, '--mount', 'sh', '-c', script, path, ...command], { encoding: 'utf8' });
}

const possible = withSmallDisk(tmpdir(), ['true']).status === 0;
const skip = possible ? false : 'NO SMALL DISK: none can be mounted here, so that no disk is really filled';
if (skip) console.error(skip);

onSqlite((engine) => {
  test('when the database may not grow, the group is refused, reads go on, and it heals', async (t) => {
    const database = await openEmpty(t, engine);
    await add(database, 'a', 10);
    await database.write((sql) => sql.get`pragma max_page_count = 30`);
    await refuseGroup(database);
    // SQLite takes back only this statement, and would go on.
    const many = database.write(
      (sql) => sql.run`insert into signing_keys (id, jwk, created_at)
        with recursive n (i) as (select 1 union all select i + 1 from n where i < 20000)
        select 'n' || i, 'x', 'now' from n`,
    );
    await refuse([add(database, 'b', 10), many]);
    assert.equal(await ids(database), 'a');
    await database.write((sql) => sql.get`pragma max_page_count = 1000000`);
    await add(database, 'e', 300_000);
    assert.equal(await ids(database), 'a e');
  });

  test('on a full disk the group is refused, reads go on, it heals, and all is there after a restart', {
    skip,
  }, async () => {
    const location = await engine.location();
    assert.ok('directory' in location);
    const program = join(import.meta.dirname, '../support/full-disk-process.ts');
    const { status, stderr } = withSmallDisk(location.directory, [process.execPath, program, location.directory]);
    assert.equal(status, 0, stderr);
  });
});
