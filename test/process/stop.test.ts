import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { forEachEngineInFull, onSqlite } from '../support/engines.ts';
import { metric } from '../support/metric.ts';
import { launcher, type Program, refusesConnections, run, startProgram } from '../support/program.ts';
import { Receiver } from '../support/receiver.ts';
import { get, openUnread } from '../support/unread.ts';
import { until } from '../support/until.ts';

/** Milliseconds within which the program has ended (Graceful stop). */
const patience = 10_000;

/** The same for one that waits for nothing: well below the eight seconds that requests under way get. */
const promptly = 5_000;

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
async function endOf(program: Program, within = patience) {
  const late = pause(within, 'it did not end', { ref: false });
  return Promise.race([program.exit, late]);
}

forEachEngineInFull((engine) => {
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
      // Idle connections end a moment before the port is closed. Who calls in between is cut off.
      await until(() => refusesConnections(program), 'no connection is taken');
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

/** A parent in the way of tests in any language: it starts the program with a pipe, and is not asked when it ends. */
const parent = `const { spawn } = require('node:child_process');
spawn(process.execPath, process.argv.slice(1), { stdio: ['pipe', 'inherit', 'inherit'] });`;

forEachEngineInFull((engine) => {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    test(`Decisions, a fixture: with --end-with-stdin it ends cleanly when its parent ends by ${signal}`, async (t) => {
      const where = await engine.location();
      const started = await startProgram(t, where, {
        args: ['--end-with-stdin', ...('url' in where ? ['--workers', '2'] : [])],
        command: [process.execPath, '-e', parent, '--', launcher],
        family: true,
      });
      assert.equal((await fetch(`${started.url}/healthz`)).status, 200);
      started.child.kill(signal);
      // All that have its outputs must have ended: the program too.
      assert.deepEqual(await endOf(started), { code: null, signal });
      assert.ok(await refusesConnections(started));
      assert.equal(started.stderr(), 'L-Plate stops: its standard input has ended (--end-with-stdin)\n');
    });
  }
});

test('Decisions, a fixture: with --end-with-stdin and nothing at standard input it says so, and ends at once', async (t) => {
  const { code, stdout, stderr } = await run(t, { args: ['--end-with-stdin', '--data-dir', 'memory'] });
  assert.equal(code, 0, stderr);
  assert.match(stdout, / listens on /);
  assert.equal(stderr, 'L-Plate stops: its standard input has ended (--end-with-stdin)\n');
});

test('Decisions, a fixture: with --end-with-stdin a signal still stops it while standard input is open', async (t) => {
  const program = await startProgram(t, { directory: 'memory' }, { args: ['--end-with-stdin'], stdin: 'pipe' });
  program.child.kill('SIGTERM');
  assert.deepEqual(await endOf(program, promptly), { code: 0, signal: null });
  assert.equal(program.stderr(), '');
});

/** Reads the topic over a connection of its own; the program has read the request. `whole` is all that comes back. */
async function readTopic(t: TestContext, program: Program, token: string, query: string, accept: string, more = '') {
  const socket = await open(t, program);
  const whole = received(socket);
  const lines = [`GET /claims/v1/topics/claims.status-changed${query} HTTP/1.1`, 'Host: localhost'];
  lines.push('Expect: 100-continue');
  socket.write([...lines, `Authorization: Bearer ${token}`, `Accept: ${accept}`, '', more].join('\r\n'));
  await once(socket, 'data');
  return { whole };
}

async function postClaims(program: Program, token: string, path: string, json: object): Promise<{ id: string }> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const address = `${program.url}/claims/v1${path}`;
  const answer = await fetch(address, { method: 'POST', headers, body: JSON.stringify(json) });
  assert.ok(answer.ok, `${path} answered ${answer.status}`);
  return answer.json() as Promise<{ id: string }>;
}

forEachEngineInFull((engine) => {
  test('Decisions, start-up: streams end and waiting readers get their batch at once, with nothing cut off', async (t) => {
    const program = await startProgram(t, await engine.location());
    const { token } = await program.client();
    const fleet = await program.token('preset-fleet', program.secrets.fleetClientSecret);
    const behind = 'GET /insurer/v1/coverage-options HTTP/1.1\r\nHost: localhost\r\n\r\n';
    const streams = await Promise.all([
      ...Array.from({ length: 20 }, () => readTopic(t, program, fleet, '', 'text/event-stream')),
      ...Array.from({ length: 19 }, () => readTopic(t, program, token, '', 'text/event-stream')),
    ]);
    const withMore = await readTopic(t, program, token, '', 'text/event-stream', behind);
    const polls = await Promise.all(
      Array.from({ length: 10 }, () => readTopic(t, program, token, '?after=latest&wait=30', 'application/json')),
    );

    program.child.kill('SIGTERM');
    assert.deepEqual(await endOf(program, promptly), { code: 0, signal: null });
    for (const { whole } of streams) {
      const text = await whole;
      assert.match(text, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n/);
      assert.match(text, /\r\n\r\n[0-9a-f]+\r\nretry: 3000\n\r\n/);
      assert.ok(text.endsWith('\n\r\n0\r\n\r\n'), 'the stream was cut off');
    }
    assert.match(await withMore.whole, /\r\n0\r\n\r\nHTTP\/1\.1 200 OK\r\n(.+\r\n)+\r\n\{"options":\[/);
    for (const { whole } of polls) {
      assert.match(
        await whole,
        /\r\n\r\nHTTP\/1\.1 200 OK\r\n(.+\r\n)+\r\n\{"events":\[\],"next":"\d+-2","note":"[^"]+"\}$/,
      );
    }
    assert.equal(program.stderr(), '');
    const lines = program.stdout().match(/"route":"\/claims\/v1\/topics\/claims\.status-changed","status":200/g);
    assert.equal(lines?.length, 50, 'the last log lines are missing');
  });

  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    test(`Decisions, claims and events: a webhook that does not answer holds up no stop, and is called again after it (${signal})`, async (t) => {
      const where = await engine.location();
      const receiver = await Receiver.open(t);
      receiver.answer = () => (receiver.calls.length === 1 ? 'hang' : 204);
      const environment = { EVENTS_DUPLICATE_RATE: '0' };
      const program = await startProgram(t, where, { environment });
      const { token } = await program.client();
      const { id } = await postClaims(program, token, '/subscriptions', { url: receiver.url });
      await postClaims(program, token, `/subscriptions/${id}/test`, {});
      await receiver.until(1);

      program.child.kill(signal);
      const expected = signal === 'SIGTERM' ? { code: 0, signal: null } : { code: null, signal };
      assert.deepEqual(await endOf(program, promptly), expected);
      assert.equal(program.stderr(), '');

      const again = await startProgram(t, where, { environment });
      await receiver.until(2);
      await again.stop();
      assert.equal(new Set(receiver.eventIds).size, 1);
      assert.deepEqual(receiver.attempts, [1, 1], 'an attempt that was broken off was counted');
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

  test('Decisions, start-up: answers that nobody takes, and requests that wait behind them, do not keep it from ending', async (t) => {
    const program = await startProgram(t, await engine.location());
    const script = get('/docs/scalar.js').repeat(60);
    await openUnread(t, program.url, 5, script);
    while (!((await metric(program, 'lplate_buffered_bytes')) > 5 * 4e6)) await pause(500);
    program.child.kill('SIGTERM');
    assert.deepEqual(await endOf(program), { code: 0, signal: null });
    assert.equal(program.stderr(), '');
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
      const environment = { HOME: where.directory };
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
