import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestClient } from '../support/lplate.ts';
import { smallDisk } from '../support/outputs.ts';
import { type Program, type ProgramAnswer, startProgram } from '../support/program.ts';
import { until } from '../support/until.ts';

let plates = 0;

/** Creates that reach the program together. */
function createGroup(program: Program, { token }: TestClient): Promise<ProgramAnswer[]> {
  const json = () => ({ regNumber: `FD-${++plates}`, holder: 'x'.repeat(100) });
  return Promise.all(Array.from({ length: 32 }, () => program.call('POST', '/policies', { token, json: json() })));
}

async function listed(program: Program, { token }: TestClient): Promise<string[]> {
  const ids: string[] = [];
  for (let page = 1; ; page++) {
    const { status, json } = await program.call('GET', `/policies?page=${page}&pageSize=500`, { token });
    assert.equal(status, 200, JSON.stringify(json));
    ids.push(...json.items.map(({ id }: { id: string }) => id));
    if (page >= json.totalPages) return ids.sort();
  }
}

test('Decisions, REST conventions: on a full disk writes answer 503 with Retry-After, reads go on, and writes do again when there is room', async (t) => {
  // Room for the database and for its write-ahead log, which reaches 4 MB before it is used again.
  const { disk, skip } = smallDisk('12m', t);
  if (skip) return t.skip(skip);
  const where = { directory: join(disk, 'data') };
  const ballast = join(disk, 'ballast');
  let program = await startProgram(t, where);
  const { port } = new URL(program.url);
  const client = await program.client();
  const acknowledged: string[] = [];
  const ready = async () =>
    (await fetch(`${program.url}/readyz`)).json() as Promise<{ status: unknown; detail: string }>;
  const keep = (answers: ProgramAnswer[]) => {
    for (const { status, headers, json } of answers) {
      if (status === 201) {
        acknowledged.push(json.id);
        continue;
      }
      assert.equal(status, 503, JSON.stringify(json));
      assert.match(json.type, /\/unavailable$/);
      assert.equal(headers.get('content-type'), 'application/problem+json');
      assert.match(headers.get('retry-after') ?? '', /^[1-9]\d*$/);
    }
    return answers.some(({ status }) => status === 503);
  };

  for (let time = 0; time < 2; time++) {
    assert.equal(keep(await createGroup(program, client)), false, 'a write was refused while there was room');
    assert.throws(() => writeFileSync(ballast, Buffer.alloc(13_000_000)), /ENOSPC/);
    let groups = 0;
    // The log of the database has some room of its own.
    while (!keep(await createGroup(program, client))) assert.ok(++groups < 200, 'the full disk was never noticed');
    // However often they ask: nothing is half done by a refusal.
    for (let again = 0; again < 3; again++) keep(await createGroup(program, client));
    await until(async () => (await ready()).status === 503, 'the node says that it is not ready');
    assert.match((await ready()).detail, /takes no writes now: its disk is full\.$/);
    assert.deepEqual(await listed(program, client), [...acknowledged].sort());
    const [id] = acknowledged;
    assert.equal((await program.call('GET', `/policies/${id}`, { token: client.token })).status, 200);
    rmSync(ballast);
    await until(async () => (await ready()).status !== 503, 'the node is ready again');
    assert.equal((await ready()).status, 'ready');
  }
  assert.equal(keep(await createGroup(program, client)), false, 'a write was refused when there was room again');

  program.child.kill('SIGKILL');
  await program.exit;
  program = await startProgram(t, where, { environment: { PORT: port } });
  assert.deepEqual(await listed(program, client), [...acknowledged].sort());
  assert.deepEqual(await program.stop(), { code: 0, signal: null });
  t.diagnostic(`${acknowledged.length} acknowledged, ${plates - acknowledged.length} refused`);
});
