import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { onPostgres } from '../support/engines.ts';
import { type Program, refusesConnections, startProgram } from '../support/program.ts';
import { until } from '../support/until.ts';
import { callAll, descendants, workers } from '../support/workers.ts';

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
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

onPostgres((engine) => {
  // At the same time: most of it is waiting for processes.
  describe('Workers', { concurrency: 8 }, () => {
    test('one that is killed is replaced, and the port answers all the while', async (t) => {
      const program = await startProgram(t, await engine.location(), workers);
      assert.equal((await callAll(program)).first, 2);
      const [killed] = descendants(program.child.pid);
      assert.ok(killed);
      process.kill(killed, 'SIGKILL');
      await until(() => !isAlive(killed), 'the killed worker is gone');
      await until(async () => {
        const { answered, first } = await callAll(program);
        assert.ok(answered > 0, 'nobody answers');
        return first === 1;
      }, 'a new one serves');
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
        await until(() => refusesConnections(program), 'no connection is taken');
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
      await until(() => !processes.some(isAlive), 'all are gone');
      assert.ok(await refusesConnections(program));
    });

    test('they do not outlive a first process that is killed', async (t) => {
      const program = await startProgram(t, await engine.location(), { ...workers, family: true });
      const processes = descendants(program.child.pid);
      assert.equal(processes.length, 2);
      program.child.kill('SIGKILL');
      await until(() => !processes.some(isAlive), 'the workers are gone');
      assert.ok(await refusesConnections(program));
    });
  });
});
