import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { onPostgres } from '../support/engines.ts';
import { freePort, testSecrets } from '../support/lplate.ts';
import { type Launch, type Program, refusesConnections, run, startProgram } from '../support/program.ts';

const given = {
  HMAC_SECRET: testSecrets.hmacSecret,
  READER_CLIENT_SECRET: testSecrets.readerClientSecret,
  FLEET_CLIENT_SECRET: testSecrets.fleetClientSecret,
};
const workers: Launch = { args: ['--workers', '2'] };

/** The processes that a process started, and those that they started. */
function descendants(pid: number | undefined): number[] {
  const table = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' });
  const pairs = table.trim().split('\n');
  const children = pairs.map((line) => line.trim().split(/\s+/).map(Number)).filter(([, parent]) => parent === pid);
  return children.flatMap(([child = 0]) => [child, ...descendants(child)]);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const started = Date.now();
  while (!(await holds())) {
    assert.ok(Date.now() - started < 20_000, `it did not come about: ${what}`);
    await pause(50);
  }
}

/**
 * Calls the port a few times, each on a new connection, which finds all processes, as they take turns. Each of them
 * counts our calls for itself. Returns how many were answered, and how many were the first that their process counted.
 */
async function callAll({ url }: Program): Promise<{ answered: number; first: number }> {
  const found = { answered: 0, first: 0 };
  for (let call = 0; call < 8; call += 1) {
    const options = `${url}/insurer/v1/coverage-options`;
    const answer = await fetch(options, { headers: { Connection: 'close' } }).catch(() => undefined);
    if (!answer) continue;
    await answer.text();
    const left = (name: string) => Number(answer.headers.get(`ratelimit-${name}`));
    found.answered += 1;
    if (left('remaining') === left('limit') - 1) found.first += 1;
  }
  return found;
}

/** The one line of a start that is refused, which no worker says again. */
async function refusal(t: TestContext, code: number, environment: Record<string, string>): Promise<string> {
  const ended = await run(t, { ...workers, environment: { ...given, ...environment } });
  assert.deepEqual([ended.code, ended.stdout], [code, ''], ended.stderr);
  assert.match(ended.stderr, /^L-Plate can't start\. [^\n]+\n$/);
  return ended.stderr;
}

/** A request under way: all of it but the last character of its body, which is returned. */
async function half(t: TestContext, program: Program, token: string) {
  const body = JSON.stringify({ regNumber: 'WO-0001' });
  const socket = connect(Number(new URL(program.url).port), '127.0.0.1');
  t.after(() => socket.destroy());
  const lines = ['POST /insurer/v1/policies HTTP/1.1', 'Host: localhost', `Authorization: Bearer ${token}`];
  lines.push('Content-Type: application/json', `Content-Length: ${body.length}`, 'Expect: 100-continue', '', '');
  socket.setEncoding('utf8').on('error', () => {});
  socket.write(lines.join('\r\n'));
  await once(socket, 'data');
  socket.write(body.slice(0, -1));
  let text = '';
  socket.on('data', (part) => (text += part));
  return { socket, rest: body.slice(-1), answer: once(socket, 'close').then(() => text) };
}

test('Workers: more than one is refused on the embedded database, with one line and code 2', async (t) => {
  assert.match(await refusal(t, 2, {}), /--workers: more than one needs PostgreSQL/);
});

test('Workers: what keeps the first from starting is said once, and its exit code is that of the program', async (t) => {
  const DATABASE_URL = `postgres://someone:pass-word@127.0.0.1:${await freePort()}/none`;
  assert.match(await refusal(t, 1, { DATABASE_URL }), /can't be used: .*ECONNREFUSED/);
  assert.match(await refusal(t, 2, { DATABASE_URL, HMAC_SECRET: '' }), /set HMAC_SECRET as well/);
});

onPostgres((engine) => {
  // At the same time: most of it is waiting for processes.
  describe('Workers', { concurrency: 8 }, () => {
    test('a port in use ends the start with one line and code 1', async (t) => {
      const where = await engine.location();
      assert.ok('url' in where);
      const other = createServer().listen(0, '127.0.0.1');
      t.after(() => other.close());
      await once(other, 'listening');
      const { port } = other.address() as { port: number };
      assert.match(await refusal(t, 1, { PORT: String(port), DATABASE_URL: where.url }), /is in use\./);
    });

    test('two processes serve one port, behind one banner', async (t) => {
      const program = await startProgram(t, await engine.location(), workers);
      assert.equal(descendants(program.child.pid).length, 2);
      assert.deepEqual(await callAll(program), { answered: 8, first: 2 });
      // A token of either is good for both.
      const { token } = await program.client();
      for (let call = 0; call < 4; call += 1) {
        const headers = { Connection: 'close', Authorization: `Bearer ${token}` };
        assert.equal((await fetch(`${program.url}/insurer/v1/policies`, { headers })).status, 200);
      }
      assert.deepEqual(await program.stop(), { code: 0, signal: null });
      assert.equal(program.stdout().match(/is ready and listens on/g)?.length, 1);
      assert.equal(program.stderr(), '');
    });

    test('one that is killed is replaced, and the port answers all the while', async (t) => {
      const program = await startProgram(t, await engine.location(), workers);
      assert.equal((await callAll(program)).first, 2);
      const [killed] = descendants(program.child.pid);
      assert.ok(killed);
      process.kill(killed, 'SIGKILL');
      await until('the killed worker is gone', () => !isAlive(killed));
      await until('a new one serves', async () => {
        const { answered, first } = await callAll(program);
        assert.ok(answered > 0, 'nobody answers');
        return first === 1;
      });
      assert.deepEqual(await callAll(program), { answered: 8, first: 0 });
      assert.deepEqual(await program.stop(), { code: 0, signal: null });
    });

    const ways = {
      'SIGTERM to the first process': ({ child }: Program) => child.kill('SIGTERM'),
      'Ctrl+C, which reaches every process,': ({ child }: Program) => process.kill(-(child.pid as number), 'SIGINT'),
    };
    for (const [way, ask] of Object.entries(ways)) {
      test(`${way} ends all of them after the requests under way, with code 0`, async (t) => {
        const program = await startProgram(t, await engine.location(), { ...workers, family: true });
        const processes = descendants(program.child.pid);
        const { token } = await program.client();
        const request = await half(t, program, token);
        ask(program);
        await until('no connection is taken', () => refusesConnections(program));
        request.socket.write(request.rest);
        assert.match(await request.answer, /^HTTP\/1\.1 201 /);
        assert.deepEqual(await program.exit, { code: 0, signal: null });
        assert.deepEqual(processes.filter(isAlive), []);
        assert.equal(program.stderr(), '');
      });
    }

    test('SIGTERM to npm start ends all of them', async (t) => {
      const where = await engine.location();
      const environment = { HOME: process.env.TMPDIR ?? '/tmp', WORKERS: '2' };
      const command = ['npm', 'start', '--ignore-scripts', '--no-update-notifier', '--logs-max=0'] as const;
      const program = await startProgram(t, where, { command, environment, family: true });
      const processes = descendants(program.child.pid);
      assert.ok(processes.length >= 3, 'npm, the first process and two workers');
      program.child.kill('SIGTERM');
      await until('all are gone', () => !processes.some(isAlive));
      assert.ok(await refusesConnections(program));
    });

    test('they do not outlive a first process that is killed', async (t) => {
      const program = await startProgram(t, await engine.location(), { ...workers, family: true });
      const processes = descendants(program.child.pid);
      assert.equal(processes.length, 2);
      program.child.kill('SIGKILL');
      await until('the workers are gone', () => !processes.some(isAlive));
      assert.ok(await refusesConnections(program));
    });
  });
});
