import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { onSqlite } from '../support/engines.ts';

const program = join(import.meta.dirname, '../support/acknowledge.ts');
const possible = spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0;
const skip = possible
  ? false
  : 'NO STRACE: whether a write is synced before it is acknowledged can not be watched here';
if (skip) console.error(skip);

onSqlite((engine) => {
  test('every write is in the log and synced before its promise resolves', { skip }, async () => {
    const location = await engine.location();
    assert.ok('directory' in location);
    const trace = join(location.directory, 'trace');
    const calls = 'trace=write,writev,pwrite64,pwritev,fsync,fdatasync';
    const { status, stderr } = spawnSync(
      'strace',
      ['-f', '-y', '-s', '40', '-e', calls, '-o', trace, process.execPath, program, location.directory],
      { encoding: 'utf8' },
    );
    assert.equal(status, 0, stderr);

    let acknowledged = 0;
    let written = 0;
    let synced = false;
    for (const line of (await readFile(trace, 'utf8')).split('\n')) {
      if (/ pwrite(v|64)\(\d+<.*l-plate\.db-wal>/.test(line)) {
        written++;
        synced = false;
      } else if (/ f(data)?sync\(\d+<.*l-plate\.db-wal>.* = 0$/.test(line)) {
        synced = true;
      } else if (/ write\(1<.*acknowledged/.test(line)) {
        assert.ok(written > 0, 'nothing was written to the log before this acknowledgement');
        assert.ok(synced, 'what was written to the log was not synced before this acknowledgement');
        acknowledged++;
        written = 0;
      }
    }
    assert.equal(acknowledged, 20);
  });
});
