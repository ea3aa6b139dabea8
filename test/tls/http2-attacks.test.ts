// In a process of its own: a fault that nobody catches would end it.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import fc from 'fast-check';
import { bytesInUse } from '../support/bytes-in-use.ts';
import { onSqlite } from '../support/engines.ts';
import { chooseSeed, extent } from '../support/extent.ts';
import {
  ask,
  connectHttp2,
  demoToken,
  endHeaders,
  endStream,
  frame,
  headerBlock,
  preface,
  rawHttp2,
  type SecureLPlate,
  startSecure,
  frameTypes as types,
} from '../support/http2.ts';
import { topicPath } from '../support/topic.ts';

const settings = frame(types.settings, 0, 0);
const head = (path: string, more: [string, string][] = [], method = 'GET') =>
  headerBlock([[':method', method], [':path', path], [':scheme', 'https'], [':authority', 'localhost'], ...more]);
const get = (stream: number, path = '/healthz') => frame(types.headers, endStream | endHeaders, stream, head(path));
const number = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
/** All that its streams may send, without a word more. */
const widest = frame(types.settings, 0, 0, Buffer.concat([Buffer.of(0, 4), number(2 ** 31 - 1)]));
const wider = frame(types.window, 0, 0, number(2 ** 31 - 1 - 65_535));

/** Resolves when the service has closed the connection. */
const closed = (socket: TLSSocket) =>
  socket.closed ? Promise.resolve() : new Promise<void>((resolve) => socket.resume().once('close', () => resolve()));

/** The service still serves others, and nothing went wrong in it. */
async function assertServes(t: TestContext, secure: SecureLPlate): Promise<void> {
  equal((await ask(connectHttp2(t, secure), { ':path': '/healthz' })).status, 200);
  const lines = secure.lplate.log.map((line) => JSON.parse(line));
  deepEqual(
    lines.filter(({ status, level }) => status >= 500 || level > 30),
    [],
  );
}

async function cuts(t: TestContext, secure: SecureLPlate, reason: string): Promise<number> {
  secure.lplate.clock.elapse(1000);
  const { text } = await ask(connectHttp2(t, secure), { ':path': '/metrics' });
  return Number(new RegExp(`lplate_connections_cut_total\\{reason="${reason}"\\} (\\d+)`).exec(text)?.[1]);
}

onSqlite((engine) => {
  test('Limits: a caller that opens and resets streams again and again loses its connection', async (t) => {
    const secure = await startSecure(t, engine);
    const socket = await rawHttp2(t, secure);
    socket.write(Buffer.concat([preface, settings]));
    const reset = (stream: number) => frame(types.reset, 0, stream, number(8));
    for (let stream = 1; stream < 20_000 && !socket.closed; stream += 200) {
      const ids = Array.from({ length: 100 }, (_, at) => stream + 2 * at);
      socket.write(Buffer.concat(ids.flatMap((id) => [get(id), reset(id)])));
      await pause(1);
    }
    await closed(socket);
    const served = secure.lplate.log.filter((line) => line.includes('"/healthz"')).length;
    ok(served < 1500, `${served} requests were begun`);
    equal(await cuts(t, secure, 'protocol'), 1);
    await assertServes(t, secure);
  });

  test('Limits: a caller that has its streams reset by the service loses its connection too', async (t) => {
    const secure = await startSecure(t, engine);
    const socket = await rawHttp2(t, secure);
    socket.write(Buffer.concat([preface, settings]));
    for (let stream = 1; stream < 40_000 && !socket.closed; stream += 200) {
      const ids = Array.from({ length: 100 }, (_, at) => stream + 2 * at);
      // A window that grows by nothing is an error of the stream.
      socket.write(Buffer.concat(ids.flatMap((id) => [get(id), frame(types.window, 0, id, number(0))])));
      await pause(1);
    }
    await closed(socket);
    await assertServes(t, secure);
  });

  test('Limits: a caller that floods with frames loses its connection, or nothing grows', async (t) => {
    const secure = await startSecure(t, engine);
    const floods: Record<string, Buffer> = {
      pings: frame(types.ping, 0, 0, Buffer.alloc(8)),
      settings,
      priorities: frame(types.priority, 0, 1, Buffer.alloc(5)),
      windows: frame(types.window, 0, 0, number(1)),
      'unknown frames': frame(99, 0, 0, Buffer.alloc(100)),
    };
    const before = bytesInUse();
    for (const [name, flood] of Object.entries(floods)) {
      // Nobody reads what comes back.
      const socket = (await rawHttp2(t, secure)).pause();
      socket.write(Buffer.concat([preface, settings]));
      const piece = Buffer.concat(Array.from({ length: 1000 }, () => flood));
      for (let at = 0; at < 50 && !socket.destroyed && socket.writableLength < 10e6; at += 1) {
        socket.write(piece);
        await pause(0);
      }
      socket.destroy();
      ok(bytesInUse() - before < 100e6, name);
    }
    await assertServes(t, secure);
  });

  test('Limits: a head that never ends is cut off, however it is sent', async (t) => {
    const secure = await startSecure(t, engine, { requestTimeoutSeconds: 1, sendTimeoutSeconds: 1 });
    const begun = async () => {
      const socket = await rawHttp2(t, secure);
      socket.write(Buffer.concat([preface, settings, frame(types.headers, endStream, 1, head('/healthz'))]));
      return socket;
    };
    const flood = await begun();
    const more = frame(types.continuation, 0, 1, headerBlock([['x', 'x'.repeat(100)]]));
    flood.write(Buffer.concat(Array.from({ length: 10_000 }, () => more)));
    await closed(flood);
    const silent = await begun();
    const nothing = await rawHttp2(t, secure);
    silent.resume();
    nothing.resume();
    for (let second = 0; second < 50 && !(silent.closed && nothing.closed); second += 1) {
      secure.lplate.clock.elapse(1000);
      await pause(120);
    }
    await Promise.all([closed(silent), closed(nothing)]);
    await assertServes(t, secure);
  });

  test('Limits: a connection by HTTP/2 whose caller reads nothing is cut', async (t) => {
    const secure = await startSecure(t, engine, { sendTimeoutSeconds: 1 });
    const socket = (await rawHttp2(t, secure)).pause();
    const ids = Array.from({ length: 20 }, (_, at) => 1 + 2 * at);
    socket.write(Buffer.concat([preface, widest, wider, ...ids.map((id) => get(id, '/docs/scalar.js'))]));
    await pause(500);
    for (let second = 0; second < 30 && (await cuts(t, secure, 'stalled')) === 0; second += 1) await pause(120);
    // The connection, and on a busy machine some of its answers just before.
    const cut = await cuts(t, secure, 'stalled');
    ok(cut >= 1 && cut <= 1 + ids.length, String(cut));
    await closed(socket.resume());
    await assertServes(t, secure);
  });

  test('Limits: an answer that is left lying while others are read is reset; its connection goes on', async (t) => {
    const secure = await startSecure(t, engine, { sendTimeoutSeconds: 1 });
    const session = connectHttp2(t, secure);
    await once(session, 'connect');
    // Else what is left lying would hold up the others.
    session.setLocalWindowSize(2 ** 24);
    const left = session.request({ ':path': '/docs/scalar.js' }).on('error', () => {});
    await once(left, 'response');
    left.pause();
    for (let at = 0; at < 100 && !left.closed; at += 1) {
      equal((await ask(session, { ':path': '/healthz' })).status, 200);
      secure.lplate.clock.elapse(500);
      await pause(60);
    }
    ok(left.closed);
    equal(left.rstCode, 2);
    equal(await cuts(t, secure, 'stalled'), 1);
  });

  test('Limits: unread answers by HTTP/2 count as bytes that wait; above the limit the connections are cut', async (t) => {
    const secure = await startSecure(t, engine, { bufferLimitMegabytes: 16 });
    const sockets = await Promise.all(Array.from({ length: 8 }, () => rawHttp2(t, secure)));
    for (const socket of sockets) {
      socket.pause().write(Buffer.concat([preface, settings, get(1, '/docs/scalar.js'), get(3, '/docs/scalar.js')]));
    }
    while (!((await cuts(t, secure, 'buffer-limit')) > 0)) await pause(50);
    await assertServes(t, secure);
    for (const socket of sockets) socket.destroy();
  });

  test('Limits: a connection by HTTP/2 without requests is closed after 72 seconds; a stream keeps it', async (t) => {
    const secure = await startSecure(t, engine, { sendTimeoutSeconds: 1 });
    const [idle, busy] = [connectHttp2(t, secure), connectHttp2(t, secure)];
    await ask(idle, { ':path': '/healthz' });
    const token = await demoToken(busy);
    const poll = busy.request({ ':path': `${topicPath}?after=latest&wait=30`, authorization: `Bearer ${token}` });
    poll.resume();
    await pause(50);
    secure.lplate.clock.elapse(73_000);
    await once(idle, 'close');
    equal(busy.closed, false);
    poll.close();
  });

  test('Limits: what is no HTTP/2 ends its connection and does no harm', async (t) => {
    const secure = await startSecure(t, engine);
    const frames = fc.record({
      type: fc.oneof(fc.nat(12), fc.nat(255)),
      flags: fc.oneof(fc.constantFrom(0, 1, 4, 5, 8, 32), fc.nat(255)),
      stream: fc.oneof(fc.nat(9), fc.nat(2 ** 31 - 1)),
      payload: fc.oneof(
        fc.uint8Array({ maxLength: 60 }),
        fc.constantFrom(head('/'), head('/insurer/v1/auth/token', [], 'POST'), number(1), Buffer.alloc(8)),
      ),
    });
    const speech = fc.oneof(
      fc.uint8Array({ maxLength: 100 }).map((bytes) => Buffer.from(bytes)),
      fc
        .array(frames, { maxLength: 20 })
        .map((all) =>
          Buffer.concat([
            preface,
            settings,
            ...all.map(({ type, flags, stream, payload }) => frame(type, flags, stream, payload)),
          ]),
        ),
    );
    const property = fc.asyncProperty(speech, async (bytes) => {
      const socket = await rawHttp2(t, secure);
      socket.resume().write(bytes);
      await pause(2);
      socket.destroy();
    });
    await fc.assert(property, { numRuns: extent(40, 5000), seed: chooseSeed() });
    await pause(50);
    await assertServes(t, secure);
  });

  test('Operations: the program stops at once although connections are idle, or have not shaken hands', async (t) => {
    const secure = await startSecure(t, engine);
    const session = connectHttp2(t, secure);
    await ask(session, { ':path': '/healthz' });
    // Agrees on HTTP/2 and then never closes.
    const deaf = await rawHttp2(t, secure);
    deaf.write(Buffer.concat([preface, settings]));
    const silent = connectTcp(secure.lplate.config.port, '127.0.0.1').on('error', () => {});
    await once(silent, 'connect');
    const passing = setInterval(() => secure.lplate.clock.elapse(100), 100);
    t.after(() => clearInterval(passing));
    const begun = secure.lplate.clock.now();
    await secure.lplate.close();
    ok(secure.lplate.clock.now() - begun < 5000, 'it takes less than the time that connections are given');
    silent.destroy();
  });
});
