import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { assetPath } from '../../src/http/assets.ts';
import { onSqlite } from '../support/engines.ts';
import { launcher, type Program, startProgram } from '../support/program.ts';
import { get, manyGets, memoryOf, openUnread } from '../support/unread.ts';

const tellKept = join(import.meta.dirname, '../support/tell-kept.ts');

/** Bytes that one connection sends ahead: what one read of a socket holds. */
const sentAhead = 65_000;

/** Requests that a connection may send ahead without being cut. */
const notTooMany = 60;

/** Megabytes that the connections may add. */
const mayAdd = 100;

/** Megabytes that may be left of those when what nobody needs any more is collected. */
const mayKeep = 40;

/** Milliseconds that `/healthz` may take beside them: several times what it takes on a busy machine of two cores. */
const slowestAllowed = 1000;

/** Asks `/healthz` and looks at the memory again and again for so long. */
async function watch(program: Program, seconds: number): Promise<{ memory: number; slowest: number }> {
  let [memory, slowest] = [0, 0];
  for (const end = performance.now() + seconds * 1000; performance.now() < end; await pause(100)) {
    const asked = performance.now();
    const answer = await fetch(`${program.url}/healthz`, { signal: AbortSignal.timeout(30_000) });
    assert.equal(answer.status, 200);
    await answer.text();
    slowest = Math.max(slowest, performance.now() - asked);
    memory = Math.max(memory, memoryOf(program.child.pid as number));
  }
  return { memory, slowest };
}

async function flood(t: TestContext, program: Program, count: number, bytes: string, seconds: number) {
  await watch(program, 1);
  const before = memoryOf(program.child.pid as number);
  const opening = openUnread(t, program.url, count, bytes);
  const { memory, slowest } = await watch(program, seconds);
  for (const socket of await opening) socket.destroy();
  t.diagnostic(
    `${count} connections: ${Math.round(memory - before)} MB more, /healthz within ${Math.round(slowest)} ms`,
  );
  return { added: memory - before, slowest };
}

async function assertSmall(t: TestContext, program: Program, bytes: string): Promise<void> {
  const { added, slowest } = await flood(t, program, 60, bytes, 8);
  assert.ok(added < mayAdd, `${Math.round(added)} MB more`);
  assert.ok(slowest < slowestAllowed, `/healthz took ${Math.round(slowest)} ms`);
}

/** Megabytes that are left when the program has collected its garbage. */
async function kept(program: Program): Promise<number> {
  const told = () => [...program.stdout().matchAll(/^kept: (\d+) bytes$/gm)];
  const before = told().length;
  program.child.kill('SIGUSR2');
  while (told().length === before) await pause(10);
  return Number(told().at(-1)?.[1]) / 1e6;
}

/** A client with 500 policies, and the request for all of them on one page. */
async function manyPolicies(program: Program) {
  const { token } = await program.client();
  for (let number = 0; number < 500; number += 1) {
    await program.call('POST', '/policies', { token, json: { regNumber: `UN-${number}`, holder: 'x'.repeat(100) } });
  }
  const path = '/insurer/v1/policies?pageSize=500';
  return { token, path, request: get(path, `Authorization: Bearer ${token}\r\n`) };
}

async function floodWithPages(t: TestContext, program: Program) {
  const { token, path, request } = await manyPolicies(program);
  // The same pages, read by those who behave: what V8 then takes for its young objects, any load makes it take.
  for (let round = 0; round < notTooMany; round += 1) {
    const answers = Array.from({ length: 8 }, () => program.call('GET', path.replace('/insurer/v1', ''), { token }));
    for (const { status } of await Promise.all(answers)) assert.equal(status, 200);
  }
  const seen = await flood(t, program, 60, request.repeat(notTooMany), 8);
  assert.equal((await program.stop()).code, 0);
  return seen;
}

onSqlite((engine) => {
  const own = ['/problems', assetPath('console'), '/guides/operations.md', '/metrics', '/docs/scalar.js'];
  for (const path of [...own, '/insurer/v1/coverage-options']) {
    test(`Limits: 60 connections that ask for ${path} and read nothing add less than ${mayAdd} MB`, async (t) => {
      // The limit of the specification: nearly all calls of the limited path are refused.
      const environment = { RATE_LIMIT_PER_MINUTE: '60' };
      const program = await startProgram(t, await engine.location(), { environment });
      await (await fetch(`${program.url}${path}`)).arrayBuffer();
      await assertSmall(t, program, manyGets(path, sentAhead));
      await assertSmall(t, program, get(path).repeat(notTooMany));
      assert.equal((await program.stop()).code, 0);
    });
  }

  test(`Limits: 60 connections that ask for 60 pages of 500 policies each and read nothing add less than ${mayAdd} MB`, async (t) => {
    // What was not collected yet counts, and is more on a busy machine: the least of three programs tells what is kept.
    for (let attempt = 1; ; attempt += 1) {
      const { added, slowest } = await floodWithPages(t, await startProgram(t, await engine.location()));
      assert.ok(slowest < slowestAllowed, `/healthz took ${Math.round(slowest)} ms`);
      if (added < mayAdd) break;
      assert.ok(attempt < 3, `${Math.round(added)} MB more`);
    }
  });

  test(`Limits: a program that has just started keeps less than ${mayKeep} MB for 60 connections that ask for 60 such pages each and read nothing`, async (t) => {
    const command = [process.execPath, '--import', tellKept, launcher] as const;
    const program = await startProgram(t, await engine.location(), { command });
    const { request } = await manyPolicies(program);
    const before = await kept(program);
    const sockets = await openUnread(t, program.url, 60, request.repeat(notTooMany));
    const seen: number[] = [];
    for (let look = 0; look < 8; look += 1) {
      await pause(1000);
      seen.push((await kept(program)) - before);
    }
    for (const socket of sockets) socket.destroy();
    t.diagnostic(`kept besides, second by second: ${seen.map(Math.round).join(', ')} MB`);
    assert.ok(Math.max(...seen) < mayKeep, `${Math.round(Math.max(...seen))} MB`);
  });

  test('Limits: 220 connections that read nothing do not end the program', async (t) => {
    const program = await startProgram(t, await engine.location());
    for (const path of ['/problems', '/metrics', '/docs/scalar.js', '/insurer/v1/openapi.yaml']) {
      await flood(t, program, 220, manyGets(path, sentAhead), 10);
    }
    assert.equal(program.child.exitCode, null);
    assert.equal((await program.stop()).code, 0);
    assert.equal(program.stderr(), '');
  });
});
