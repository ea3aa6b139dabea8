import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { SlidingWindow } from '../../src/http/limits/sliding-window.ts';
import { base, host } from '../bad-input/socket.ts';
import { keptConnections, send } from '../bad-input/wire.ts';
import { bytesInUse } from '../support/bytes-in-use.ts';
import { forEachEngine } from '../support/engines.ts';
import { startLPlate } from '../support/lplate.ts';

const megabyte = 2 ** 20;

test('Limits: a flood of 200,000 addresses is remembered within bounds, and forgotten within a minute', () => {
  const window = new SlidingWindow({ limit: 60 });
  const before = bytesInUse();
  for (let at = 0; at < 200_000; at += 1)
    window.admit(`2001:db8:${(at >> 16).toString(16)}:${at.toString(16)}::/64`, at / 100);
  assert.equal(window.keys, 100_000);
  assert(bytesInUse() - before < 64 * megabyte);
  for (let second = 0; second < 200; second += 1) window.admit('later', 62_000 + second * 1_000);
  assert.equal(window.keys, 1);
});

forEachEngine((engine) => {
  test('Limits: neither addresses nor tokens that are refused fill the memory', async (t) => {
    const lplate = await startLPlate(engine, { trustProxy: 1, rateLimitKey: 'client' });
    const agent = keptConnections(8);
    t.after(async () => {
      agent.destroy();
      await lplate.close();
    });
    const flood = async (requests: number) => {
      for (let at = 0; at < requests; at += 8) {
        await Promise.all(
          Array.from({ length: 8 }, () => {
            const [a, b, c, d] = randomBytes(4);
            const headers = {
              Authorization: `Bearer ${randomBytes(2_000).toString('hex')}`,
              'X-Forwarded-For': `${a}.${b}.${c}.${d}`,
            };
            return send(lplate, { method: 'GET', path: `${base}/policies`, headers }, agent);
          }),
        );
      }
    };
    await flood(500);
    lplate.log.length = 0;
    const before = bytesInUse();
    await flood(5_000);
    lplate.log.length = 0;
    assert(bytesInUse() - before < 10 * megabyte, `${(bytesInUse() - before) / megabyte} MiB more`);
  });

  test('Limits: a client that sends and never reads is not read from any further', async (t) => {
    const lplate = await startLPlate(t, engine);
    const before = bytesInUse();
    const socket = connect({ port: lplate.config.port, host: '127.0.0.1' });
    socket.on('error', () => {});
    await once(socket, 'connect');
    socket.pause();
    const request = `GET ${base}/openapi.yaml HTTP/1.1\r\n${host}\r\n`;
    const portion = request.repeat(1_000);
    let taken = 0;
    for (let sent = 0; sent < 300; sent += 1) socket.write(portion, (error) => (taken += error ? 0 : 1));
    for (let last = -1; last < taken; await pause(500)) last = taken;
    assert(taken < 200, `the server took ${taken} of 300 portions`);
    assert(bytesInUse() - before < 100 * megabyte, `${(bytesInUse() - before) / megabyte} MiB more`);
    socket.destroy();
    assert.equal((await send(lplate, { method: 'GET', path: `${base}/coverage-options` })).status, 200);
  });
});
