import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { base, close, get, hearFrom, host, length, postHead } from '../../bad-input/socket.ts';
import { forEachEngineInFull, onSqlite } from '../../support/engines.ts';
import { type LPlate, startLPlate, startWithClient } from '../../support/lplate.ts';
import { metric } from '../../support/metric.ts';
import { topicPath } from '../../support/topic.ts';
import { openUnread } from '../../support/unread.ts';
import { until } from '../../support/until.ts';

/** A script of 4.3 MB. Two of them are more than the operating system takes for a reader that takes nothing. */
const large = `GET /docs/scalar.js HTTP/1.1\r\n${host}\r\n`;

const cuts = (lplate: LPlate, reason: string) => metric(lplate, `lplate_connections_cut_total{reason="${reason}"}`);

const cutLines = (lplate: LPlate) =>
  lplate.log.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'connection cut');

function create(token: string, regNumber: string): string {
  const body = JSON.stringify({ regNumber });
  return postHead(token, length(body.length)) + body;
}

const list = (token: string, more = '') =>
  `GET ${base}/policies HTTP/1.1\r\n${host}Authorization: Bearer ${token}\r\n${more}\r\n`;

/** A long poll, which keeps its connection busy until somebody has a reason to end it. */
const busy = (token: string) =>
  `GET ${topicPath}?after=latest&wait=30 HTTP/1.1\r\n${host}Authorization: Bearer ${token}\r\n\r\n`;

async function totalOf(lplate: LPlate, token: string): Promise<number> {
  return (await lplate.call('GET', '/policies', { token })).json.totalItems;
}

/** A caller that reads what comes, until the connection is closed in whatever way. */
function caller(t: TestContext, { config }: LPlate): { socket: Socket; closed: Promise<void> } {
  const socket = connect(config.port, '127.0.0.1').on('error', () => {});
  t.after(() => socket.destroy());
  return { socket: socket.resume(), closed: new Promise((resolve) => socket.on('close', () => resolve())) };
}

/** Reads what three requests for the script bring; false when the connection is cut before. */
function hearWhole(socket: Socket): Promise<boolean> {
  let bytes = 0;
  return new Promise((resolve) => {
    socket.on('data', (piece) => {
      bytes += piece.length;
      if (bytes > 3 * 4.3e6) resolve(true);
    });
    socket.on('close', () => resolve(false)).resume();
  });
}

/** A caller that sends and reads nothing. */
async function unread(t: TestContext, { url }: LPlate, bytes: string): Promise<Socket> {
  const [socket] = await openUnread(t, url, 1, bytes);
  return socket as Socket;
}

forEachEngineInFull((engine) => {
  test('Limits: 64 requests sent at once, some with bodies, are taken one after the other and answered in order', async (t) => {
    const { lplate, token } = await startWithClient(t, engine);
    const requests = Array.from({ length: 31 }, (_, at) => create(token, `PIPE-${at}`) + list(token)).join('');
    const whole = `${requests}${get()}${list(token, close)}`;
    for (const pieces of [whole, whole.match(/.{1,700}/gs) as string[]]) {
      const before = await totalOf(lplate, token);
      const { answers, end } = await hearFrom(lplate, pieces);
      assert.equal(end, 'closed');
      assert.equal(answers.length, 64);
      for (let at = 0; at < 31; at += 1) {
        const [created, listed] = answers.slice(2 * at);
        assert.equal(created?.json.regNumber, before === 0 ? `PIPE-${at}` : undefined);
        assert.equal(
          listed?.json.totalItems,
          before === 0 ? at + 1 : 31,
          'a list saw more or less than came before it',
        );
      }
    }
  });

  test('Limits: a connection with more than 64 unanswered requests is cut, and those that waited are not handled', async (t) => {
    const { lplate, token } = await startWithClient(t, engine);
    const waiting = Array.from({ length: 63 }, (_, at) => create(token, `MANY-${at}`)).join('');
    const { socket, closed } = caller(t, lplate);
    socket.write(busy(token) + waiting);
    await pause(300);
    assert.equal(socket.closed, false, '64 are not too many');
    socket.write(get().repeat(50));
    await closed;
    assert.equal(await cuts(lplate, 'unanswered'), 1);
    assert.deepEqual(
      cutLines(lplate).map(({ address, reason }) => [address, reason]),
      [['127.0.0.1', 'unanswered']],
    );
    assert.equal(await totalOf(lplate, token), 0);
  });

  test('Limits: a request whose connection is gone before its turn is not handled', async (t) => {
    const { lplate, token } = await startWithClient(t, engine);
    for (const leave of ['destroy', 'resetAndDestroy'] as const) {
      const { socket } = caller(t, lplate);
      socket.write(busy(token) + create(token, 'GONE-1').repeat(5));
      await pause(200);
      socket[leave]();
    }
    const isPoll = (line: string) => line.includes(`"route":"${topicPath}"`);
    await until(() => lplate.log.filter(isPoll).length === 2, 'the end of both connections');
    assert.equal(await totalOf(lplate, token), 0);
  });
});

onSqlite((engine) => {
  test('Limits: a connection whose waiting requests have more than 1 MiB is cut', async (t) => {
    const { lplate, token } = await startWithClient(t, engine);
    const { socket, closed } = caller(t, lplate);
    const body = ' '.repeat(60_000);
    socket.write(busy(token));
    for (let count = 0; count < 40; count += 1) socket.write(postHead(token, length(body.length)) + body);
    await closed;
    assert.equal(await cuts(lplate, 'unanswered'), 1);
  });

  test('Limits: a connection that takes nothing for SEND_TIMEOUT_SECONDS is cut, whatever it sends meanwhile', async (t) => {
    const lplate = await startLPlate(t, engine, { sendTimeoutSeconds: 20 });
    const idle = await unread(t, lplate, '');
    const quick = await unread(t, lplate, get());
    const stalled = await unread(t, lplate, large.repeat(3));
    await until(async () => (await metric(lplate, 'lplate_buffered_bytes')) > 4e6, 'an answer that waits');
    // The connections are looked at once a second, by the clock of the machine.
    await pause(2500);
    lplate.clock.advance(15_000);
    stalled.write(get());
    await pause(2500);
    assert.deepEqual(cutLines(lplate), [], 'it is cut too early');
    stalled.write(get());
    lplate.clock.advance(5000);
    await until(() => cutLines(lplate).length > 0, 'the cut');
    assert.equal(await cuts(lplate, 'stalled'), 1);
    assert.equal(await metric(lplate, 'lplate_buffered_bytes'), 0);
    assert.deepEqual(
      cutLines(lplate).map(({ address, reason }) => [address, reason]),
      [['127.0.0.1', 'stalled']],
    );
    for (const socket of [idle, quick]) {
      socket.write(get(close));
      await once(socket.resume(), 'end');
    }
  });

  // Elsewhere progress is seen only in steps of a megabyte and more.
  test('Limits: the answers of a slow but steady reader are whole', {
    skip: process.platform !== 'linux',
  }, async (t) => {
    const lplate = await startLPlate(t, engine, { sendTimeoutSeconds: 1 });
    const script = Buffer.from(await (await fetch(`${lplate.url}/docs/scalar.js`)).arrayBuffer());
    const reader = await unread(t, lplate, large + large.replace('\r\n\r\n', `\r\n${close}\r\n`));
    const heard: Buffer[] = [];
    // 64 KB in 60 ms of the clock: the operating system makes room in larger steps than a second.
    while (!reader.closed) {
      const piece = reader.read() as Buffer | null;
      if (piece) heard.push(piece);
      lplate.clock.advance(60);
      await pause(20);
    }
    const bodies = Buffer.concat(heard);
    const first = bodies.indexOf('\r\n\r\n') + 4;
    assert.ok(bodies.subarray(first, first + script.length).equals(script));
    assert.ok(bodies.subarray(-script.length).equals(script));
    assert.deepEqual(cutLines(lplate), []);
  });

  test('Limits: when more than BUFFER_LIMIT_MEGABYTES wait, those that took nothing for longest are cut first', async (t) => {
    const lplate = await startLPlate(t, engine, { bufferLimitMegabytes: 10 });
    const open = async (count: number) => {
      const socket = await unread(t, lplate, large.repeat(3));
      await until(async () => (await metric(lplate, 'lplate_buffered_bytes')) > count * 4e6, 'an answer that waits');
      // So that a look at it comes before there are others.
      await pause(1500);
      return socket;
    };
    await (await fetch(`${lplate.url}/docs/scalar.js`)).arrayBuffer();
    const sockets = [await open(1), await open(2)];
    assert.deepEqual(cutLines(lplate), []);
    sockets.push(await unread(t, lplate, large.repeat(3)));
    await until(() => cutLines(lplate).length > 0, 'a cut');
    assert.equal(await cuts(lplate, 'buffer-limit'), 1);
    assert.ok((await metric(lplate, 'lplate_buffered_bytes')) < 10e6);
    assert.deepEqual(await Promise.all(sockets.map(hearWhole)), [false, true, true]);
  });
});
