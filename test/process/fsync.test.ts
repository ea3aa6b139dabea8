import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { onSqlite } from '../support/engines.ts';
import { launcher, startProgram } from '../support/program.ts';

const possible = spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0;
const skip = possible ? false : 'NO STRACE: whether a 201 leaves after its sync can not be watched here';
if (skip) console.error(skip);

onSqlite((engine) => {
  test('Durability: each 201 leaves after the sync of the log that holds its policy', { skip }, async (t) => {
    const where = await engine.location();
    assert.ok('directory' in where);
    const trace = join(where.directory, 'trace');
    const calls = 'trace=pwrite64,pwritev,pwritev2,fsync,fdatasync,write,writev,sendto,sendmsg';
    // A file for each thread, so that no line is torn; a page of the database is 4096 bytes.
    const strace = ['strace', '-ff', '-y', '-s', '4200', '-e', calls, '-o', trace] as const;
    const program = await startProgram(t, where, { command: [...strace, process.execPath, launcher], family: true });
    const clients = await Promise.all(Array.from({ length: 4 }, () => program.client()));
    const created: string[] = [];
    for (let round = 0; round < 8; round++) {
      const answers = await Promise.all(
        clients.map(({ token }, at) =>
          program.call('POST', '/policies', { token, json: { regNumber: `FS-${round}-${at}` } }),
        ),
      );
      for (const { status, json } of answers) {
        assert.equal(status, 201);
        created.push(json.id);
      }
    }
    // strace takes the signal for itself, so the program is asked by its own id.
    const pid = await programOf(program.child.pid as number);
    process.kill(pid, 'SIGTERM');
    await program.exit;

    const lines = (await readFile(`${trace}.${pid}`, 'utf8')).split('\n');
    for (const id of created) {
      const written = lines.findIndex((line) => /^pwrite.*l-plate\.db-wal>/.test(line) && line.includes(id));
      const answered = lines.findIndex(
        (line) =>
          /^(write|writev|sendto|sendmsg)\(\d+<socket:/.test(line) && /HTTP\/1\.1 201/.test(line) && line.includes(id),
      );
      assert.ok(written >= 0, `${id} never came to the log`);
      assert.ok(answered >= 0, `the answer with ${id} was not seen`);
      const synced = lines
        .slice(written, answered)
        .some((line) => /^f(data)?sync\(\d+<.*l-plate\.db-wal>\) += 0/.test(line));
      assert.ok(written < answered && synced, `the answer with ${id} left before its policy was synced`);
    }
    t.diagnostic(`${created.length} answers, each after the sync of its policy`);
  });
});

async function programOf(strace: number): Promise<number> {
  const children = await readFile(`/proc/${strace}/task/${strace}/children`, 'utf8');
  return Number(children.trim().split(' ')[0]);
}
