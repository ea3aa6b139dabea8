import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { assetPath } from '../../src/http/assets.ts';
import { type Engine, onSqlite } from '../support/engines.ts';
import { kept, otherErrors, tellingKept } from '../support/kept.ts';
import { type Program, startProgram } from '../support/program.ts';
import { get, manyGets, openUnread } from '../support/unread.ts';

/** Bytes that one connection sends ahead: what one read of a socket holds. */
const sentAhead = 65_000;

/** Requests that a connection may send ahead without being cut. */
const notTooMany = 60;

/** Megabytes that the connections may add to what is left when the garbage is collected. */
const mayKeep = 100;

/** Milliseconds that `/healthz` may take beside them: many times what it takes, other tests run on the machine. */
const slowestAllowed = 5000;

const startTold = async (t: TestContext, engine: Engine, environment: Record<string, string> = {}) =>
  startProgram(t, await engine.location(), {
    command: tellingKept,
    environment,
  });

/** Asks `/healthz` again and again for so many seconds, and looks once a second at what is kept. */
async function watch(program: Program, seconds: number): Promise<{ most: number; slowest: number }> {
  let [most, slowest] = [0, 0];
  for (let second = 0; second < seconds; second += 1) {
    for (const end = performance.now() + 1000; performance.now() < end; await pause(100)) {
      const asked = performance.now();
      const answer = await fetch(`${program.url}/healthz`, { signal: AbortSignal.timeout(30_000) });
      assert.equal(answer.status, 200);
      await answer.text();
      slowest = Math.max(slowest, performance.now() - asked);
    }
    most = Math.max(most, await kept(program));
  }
  return { most, slowest };
}

/** Opens so many connections, which send the bytes and read nothing. */
async function flood(t: TestContext, program: Program, count: number, bytes: string, seconds: number) {
  const before = await kept(program);
  const opening = openUnread(t, program.url, count, bytes);
  const { most, slowest } = await watch(program, seconds);
  for (const socket of await opening) socket.destroy();
  t.diagnostic(`${count} connections: ${Math.round(most - before)} MB more, /healthz within ${Math.round(slowest)} ms`);
  return { added: most - before, slowest };
}

async function assertSmall(t: TestContext, program: Program, bytes: string): Promise<void> {
  const { added, slowest } = await flood(t, program, 60, bytes, 6);
  assert.ok(added < mayKeep, `${Math.round(added)} MB more`);
  assert.ok(slowest < slowestAllowed, `/healthz took ${Math.round(slowest)} ms`);
}

/** The request for 500 policies on one page, of a client that has them. */
async function requestOfMany(program: Program): Promise<string> {
  const { token } = await program.client();
  for (let number = 0; number < 500; number += 1) {
    await program.call('POST', '/policies', { token, json: { regNumber: `UN-${number}`, holder: 'x'.repeat(100) } });
  }
  return get('/insurer/v1/policies?pageSize=500', `Authorization: Bearer ${token}\r\n`);
}

onSqlite((engine) => {
  const own = ['/problems', assetPath('console'), '/guides/operations.md', '/metrics', '/docs/scalar.js'];
  for (const path of [...own, '/insurer/v1/coverage-options']) {
    test(`Limits: 60 connections that ask for ${path} and read nothing add less than ${mayKeep} MB`, async (t) => {
      // The limit of the specification: nearly all calls of the limited path are refused.
      const program = await startTold(t, engine, { RATE_LIMIT_PER_MINUTE: '60' });
      await (await fetch(`${program.url}${path}`)).arrayBuffer();
      await assertSmall(t, program, manyGets(path, sentAhead));
      await assertSmall(t, program, get(path).repeat(notTooMany));
      assert.equal((await program.stop()).code, 0);
    });
  }

  test(`Limits: 60 connections that ask for 60 pages of 500 policies each and read nothing add less than ${mayKeep} MB`, async (t) => {
    const program = await startTold(t, engine);
    await assertSmall(t, program, (await requestOfMany(program)).repeat(notTooMany));
    assert.equal((await program.stop()).code, 0);
  });

  test('Limits: 220 connections that read nothing do not end the program', async (t) => {
    const program = await startTold(t, engine);
    for (const path of ['/problems', '/metrics', '/docs/scalar.js', '/insurer/v1/openapi.yaml']) {
      await flood(t, program, 220, manyGets(path, sentAhead), 6);
    }
    assert.equal(program.child.exitCode, null);
    assert.equal((await program.stop()).code, 0);
    assert.equal(otherErrors(program), '');
  });
});
