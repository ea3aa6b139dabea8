import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { forEachEngine, onSqlite } from '../support/engines.ts';
import { freePort } from '../support/lplate.ts';
import { type Program, startProgram } from '../support/program.ts';

/** Seconds within which the program has ended (Graceful stop). */
const patience = 10_000;

async function open(t: TestContext, { url }: Program): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  t.after(() => socket.destroy());
  await once(socket, 'connect');
  socket.setEncoding('utf8').on('error', () => {});
  return socket;
}

/**
 * A request that creates a policy, under way: the program has read its headers, and lacks the last character of its
 * body, which is returned.
 */
async function sendHalf(socket: Socket, token: string, regNumber: string): Promise<string> {
  const body = JSON.stringify({ regNumber });
  const lines = ['POST /insurer/v1/policies HTTP/1.1', 'Host: localhost', `Authorization: Bearer ${token}`];
  lines.push('Content-Type: application/json', `Content-Length: ${body.length}`, 'Expect: 100-continue', '', '');
  socket.write(lines.join('\r\n'));
  const [told] = await once(socket, 'data');
  assert.equal(told, 'HTTP/1.1 100 Continue\r\n\r\n');
  socket.write(body.slice(0, -1));
  return body.slice(-1);
}

async function received(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (part) => (text += part));
  await new Promise((resolve) => socket.on('close', resolve));
  return text;
}

/** The end of the program, which must come in time. */
async function endOf(program: Program) {
  const late = pause(patience, 'it did not end', { ref: false });
  return Promise.race([program.exit, late]);
}

async function refusesConnections(program: Program): Promise<boolean> {
  const socket = connect(Number(new URL(program.url).port), '127.0.0.1');
  const refused = await Promise.race([
    once(socket, 'connect').then(() => false),
    once(socket, 'error').then(() => true),
  ]).catch(() => true);
  socket.destroy();
  return refused;
}

forEachEngine((engine) => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    test(`Decisions, start-up: on ${signal} no connection is taken, running requests get their answers, exit code 0`, async (t) => {
      const where = await engine.location();
      const program = await startProgram(t, where);
      const { port } = new URL(program.url);
      const { token } = await program.client();
      const silent = await open(t, program);
      const idle = await open(t, program);
      idle.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
      await once(idle, 'data');
      const running = await Promise.all(
        Array.from({ length: 8 }, async (_, at) => {
          const socket = await open(t, program);
          return { socket, rest: await sendHalf(socket, token, `ST-${at}`), answer: received(socket) };
        }),
      );
      const closed = [received(silent), received(idle)];

      program.child.kill(signal);
      await Promise.all(closed);
      assert.ok(await refusesConnections(program), 'it still takes connections');
      for (const { socket, rest } of running) socket.write(rest);
      const ids = await Promise.all(
        running.map(async ({ answer }) => {
          const text = await answer;
          assert.match(text, /^HTTP\/1\.1 201 /);
          return JSON.parse(text.split('\r\n\r\n')[1] ?? '').id;
        }),
      );
      assert.deepEqual(await endOf(program), { code: 0, signal: null });
      assert.equal(program.stderr(), '');
      assert.match(
        program.stdout(),
        /"route":"\/insurer\/v1\/policies","status":201/,
        'the last log lines are missing',
      );

      const again = await startProgram(t, where, { environment: { PORT: port } });
      const { json } = await again.call('GET', '/policies', { token });
      assert.deepEqual(json.items.map(({ id }: { id: string }) => id).sort(), ids.sort());
      await again.stop();
    });
  }
});

onSqlite((engine) => {
  test('Decisions, start-up: a request that never comes whole does not keep the program from ending', async (t) => {
    const program = await startProgram(t, await engine.location());
    const { token } = await program.client();
    const [body, headers] = [await open(t, program), await open(t, program)];
    headers.write('GET /healthz HTTP/1.1\r\nHo');
    await sendHalf(body, token, 'ST-0001');
    program.child.kill('SIGTERM');
    assert.deepEqual(await endOf(program), { code: 0, signal: null });
  });

  test('Decisions, start-up: asked again after a moment, the program ends at once; twice in one moment counts once', async (t) => {
    const program = await startProgram(t, await engine.location());
    const { token } = await program.client();
    const socket = await open(t, program);
    await sendHalf(socket, token, 'ST-0002');
    program.child.kill('SIGINT');
    program.child.kill('SIGTERM');
    await pause(1_000);
    assert.equal(program.child.exitCode, null, 'it did not wait for the request');
    program.child.kill('SIGINT');
    assert.deepEqual(await endOf(program), { code: 1, signal: null });
  });

  const ways = {
    'SIGTERM to npm start': ({ child }: Program) => child.kill('SIGTERM'),
    // A terminal sends it to npm, the shell and the program alike.
    'Ctrl+C at npm start': ({ child }: Program) => process.kill(-(child.pid as number), 'SIGINT'),
  };
  for (const [way, ask] of Object.entries(ways)) {
    test(`Decisions, start-up: ${way} ends the program, and not only npm`, async (t) => {
      const where = await engine.location();
      assert.ok('directory' in where);
      // npm keeps a log in the home directory. Its set-up before the start is left out.
      const environment = { HOME: where.directory, PORT: String(await freePort()) };
      const command = ['npm', 'start', '--ignore-scripts', '--no-update-notifier'] as const;
      const data = { directory: `${where.directory}/data` };
      const program = await startProgram(t, data, { command, environment, family: true });
      const { token } = await program.client();
      const socket = await open(t, program);
      const rest = await sendHalf(socket, token, 'ST-0003');
      const answer = received(socket);
      ask(program);
      await pause(1_000);
      socket.write(rest);
      assert.match(await answer, /^HTTP\/1\.1 201 /);
      assert.notEqual(await endOf(program), 'it did not end');
      assert.ok(await refusesConnections(program), 'it still takes connections');
      // The lock of the data directory is free again.
      assert.deepEqual(await (await startProgram(t, data)).stop(), { code: 0, signal: null });
    });
  }
});
