import { deepEqual, equal, match, rejects } from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { test } from 'node:test';
import { onPostgres, onSqlite } from '../support/engines.ts';
import { startLPlate } from '../support/lplate.ts';
import { startProgram } from '../support/program.ts';
import { workers } from '../support/workers.ts';

const there = Object.values(networkInterfaces()).some((found) => found?.some(({ address }) => address === '::1'));
const skip = there ? false : 'NO IPv6: this machine has no ::1';
if (skip) console.error(skip);

const live = async (host: string, port: string | number) => (await fetch(`http://${host}:${port}/healthz`)).status;

onSqlite((engine) => {
  test('Decisions, start-up: localhost is both loopbacks, by one server that ends with its connections', {
    skip,
  }, async (t) => {
    const program = await startProgram(t, await engine.location());
    const { port } = new URL(program.url);
    for (const host of ['127.0.0.1', '[::1]', 'localhost']) equal(await live(host, port), 200, host);
    const idle = connect(Number(port), '::1');
    await once(idle, 'connect');
    idle.write('GET /healthz HTTP/1.1\r\nHost: [::1]\r\n\r\n');
    match(String((await once(idle, 'data'))[0]), /^HTTP\/1\.1 200/);
    const ended = once(idle, 'close');
    deepEqual(await program.stop(), { code: 0, signal: null });
    await ended;
  });

  test('Decisions, start-up: an address is that address alone', { skip }, async (t) => {
    const program = await startProgram(t, await engine.location(), { environment: { HOST: '127.0.0.1' } });
    await rejects(live('[::1]', new URL(program.url).port));
  });

  test('Decisions, start-up: another program at ::1 is told, and 127.0.0.1 serves', { skip }, async (t) => {
    const other = createServer((_, response) => response.writeHead(418).end()).listen(0, '::1');
    t.after(() => other.close());
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    const program = await startProgram(t, await engine.location(), { environment: { PORT: String(port) } });
    match(
      program.stdout(),
      new RegExp(`^Another program has port ${port} of ::1, .* use http://127\\.0\\.0\\.1:${port}$`, 'm'),
    );
    deepEqual([await live('127.0.0.1', port), await live('[::1]', port)], [200, 418]);
    deepEqual(await program.stop(), { code: 0, signal: null });
  });

  test('Decisions, start-up: who calls by both loopbacks is one caller, and a proxy is one proxy', {
    skip,
  }, async (t) => {
    for (const trustProxy of [false as const, ['127.0.0.1'], ['10.0.0.0/8', '127.0.0.0/8']]) {
      const { config } = await startLPlate(t, engine, { trustProxy });
      const left = async (host: string) => {
        const headers = { 'X-Forwarded-For': '192.0.2.1' };
        const answer = await fetch(`http://${host}:${config.port}/insurer/v1/limited/ping`, { headers });
        return answer.headers.get('ratelimit-remaining');
      };
      deepEqual([await left('127.0.0.1'), await left('[::1]'), await left('localhost')], ['4', '3', '2']);
      const { port } = config;
      const own = await fetch(`http://[::1]:${port}/insurer/v1/limited/ping`);
      equal(own.headers.get('ratelimit-remaining'), trustProxy ? '4' : '1');
    }
  });

  test('Decisions, start-up: HTTPS and HTTP/2 are served at ::1 as well', { skip }, async (t) => {
    const { config } = await startLPlate(t, engine, { tls: 'self' });
    const session = connectHttp2(`https://[::1]:${config.port}`, { rejectUnauthorized: false });
    t.after(() => session.destroy());
    const [headers] = await once(
      session.request({ ':path': '/healthz', ':authority': `localhost:${config.port}` }),
      'response',
    );
    equal(headers[':status'], 200);
  });
});

onPostgres((engine) => {
  test('Workers: localhost is both loopbacks', { skip }, async (t) => {
    const program = await startProgram(t, await engine.location(), workers);
    const { port } = new URL(program.url);
    for (let call = 0; call < 4; call += 1) equal(await live('[::1]', port), 200);
    deepEqual(await program.stop(), { code: 0, signal: null });
  });
});
