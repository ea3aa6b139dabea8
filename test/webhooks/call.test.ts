import assert from 'node:assert/strict';
import { getEventListeners, once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { systemRandomness } from '../../src/randomness.ts';
import { type CallResult, callWebhook, newSecret, signature, type WebhookCall } from '../../src/webhooks/call.ts';
import { findTarget } from '../../src/webhooks/target.ts';

const home = [{ address: '127.0.0.1', family: 4 }] as const;
const body = '{"data":{"holder":"Zoë"}}';

/** Posts to the port by a name that no resolver knows, unless told otherwise. */
function post(port: number, call: Partial<WebhookCall> = {}): Promise<CallResult> {
  const url = new URL(`http://checked.example:${port}/hooks`);
  return callWebhook({ url, addresses: home, headers: {}, body, timeoutMs: 10_000, ...call });
}

async function listen(t: TestContext, server: Server, host = '127.0.0.1'): Promise<number> {
  server.listen(0, host);
  await once(server, 'listening');
  t.after(() => server.close());
  return (server.address() as AddressInfo).port;
}

interface Received {
  request: IncomingMessage;
  body: string;
}

/** A subscriber as it should be: reads the whole, then answers. */
function subscriber(answer = (response: ServerResponse) => void response.writeHead(204).end()) {
  const received: Received[] = [];
  const listener = async (request: IncomingMessage, response: ServerResponse) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    received.push({ request, body: Buffer.concat(pieces).toString() });
    answer(response);
  };
  return { received, listener };
}

/** A server that does what it likes with each connection, and the connections it has had. */
async function rogue(t: TestContext, behave: (socket: Socket) => void): Promise<{ port: number; sockets: Socket[] }> {
  const sockets: Socket[] = [];
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    behave(socket);
  });
  t.after(() => sockets.forEach((socket) => void socket.destroy()));
  return { port: await listen(t, server), sockets };
}

/** Says the text once the request begins to come. */
const saying = (text: string) => (socket: Socket) => void socket.once('data', () => socket.write(text));

/** The other side of every connection goes, and nothing of the call stays behind. */
async function assertLeft(sockets: Socket[], signal?: AbortSignal): Promise<void> {
  for (const socket of sockets) {
    const gone = () => socket.readableEnded || socket.destroyed;
    for (socket.resume(); !gone(); ) await pause(1);
  }
  for (let tries = 0; signal && tries < 100 && getEventListeners(signal, 'abort').length > 0; tries++) await pause(1);
  if (signal) assert.equal(getEventListeners(signal, 'abort').length, 0);
}

test('Decisions, claims and events: a delivery carries a signature that another library verifies', async (t) => {
  const { received, listener } = subscriber();
  const port = await listen(t, createHttpServer(listener));
  const secret = newSecret(systemRandomness);
  const id = '0b7c1e5e-6f0e-4a3a-9d55-5e7f6a9d1c11';
  const now = Math.floor(Date.now() / 1000);
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': String(now),
    'webhook-signature': signature(secret, id, now, body),
  };
  assert.deepEqual(await post(port, { headers }), { status: 204 });
  const [{ request, body: arrived } = assert.fail()] = received;
  assert.deepEqual(new Webhook(secret).verify(arrived, request.headers as Record<string, string>), JSON.parse(body));
  assert.throws(() =>
    new Webhook(newSecret(systemRandomness)).verify(arrived, request.headers as Record<string, string>),
  );
  assert.throws(() => new Webhook(secret).verify(`${arrived} `, request.headers as Record<string, string>));
});

test('Decisions, claims and events: signatures and secrets have the form of the Standard Webhooks specification', () => {
  // The example that the specification's libraries are tested with.
  const known = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const signed = signature(known, 'msg_p5jXN8AQM9LWM0D4loKWxJek', 1614265330, '{"test": 2432232314}');
  assert.equal(signed, 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  const secrets = Array.from({ length: 100 }, () => newSecret(systemRandomness));
  for (const secret of secrets) assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  assert.equal(new Set(secrets).size, 100);
});

test('Decisions, claims and events: a delivery is a POST of exactly this JSON, to this path and host', async (t) => {
  const { received, listener } = subscriber();
  const port = await listen(t, createHttpServer(listener));
  const url = new URL(`http://Checked.example:${port}/a%20b?c=d&e='f'`);
  assert.deepEqual(await post(port, { url, headers: { 'webhook-id': '1', 'content-type': 'text/plain' } }), {
    status: 204,
  });
  const [{ request, body: arrived } = assert.fail()] = received;
  assert.deepEqual([request.method, request.url, arrived], ['POST', '/a%20b?c=d&e=%27f%27', body]);
  const { connection, ...headers } = request.headers;
  assert.deepEqual(headers, {
    host: `checked.example:${port}`,
    'webhook-id': '1',
    'content-type': 'application/json',
    'content-length': '26',
    'user-agent': 'L-Plate',
  });
  assert.equal(connection, 'close');
  assert(!process.getActiveResourcesInfo().includes('Timeout'), 'a timer is left behind');
});

test('Decisions, claims and events: the address that was checked is called, whatever the URL leads to', async (t) => {
  const { received, listener } = subscriber();
  const port = await listen(t, createHttpServer(listener));
  // A name that leads here, then elsewhere: it is asked for once.
  const answers = [['127.0.0.1'], ['192.0.2.1']];
  const url = new URL(`http://rebinding.example:${port}/`);
  const addresses = await findTarget(url, { allowed: [], loopback: true }, async () => answers.shift() ?? []);
  assert('length' in addresses);
  assert.deepEqual(await post(port, { url, addresses }), { status: 204 });
  assert.equal(answers.length, 1);
  // Nor is an address in the URL believed.
  for (const host of ['192.0.2.1', '[2001:db8::1]', 'localhost']) {
    assert.deepEqual(await post(port, { url: new URL(`http://${host}:${port}/`) }), { status: 204 });
  }
  const hosts = received.map(({ request }) => request.headers.host?.replace(`:${port}`, ''));
  assert.deepEqual(hosts, ['rebinding.example', '192.0.2.1', '[2001:db8::1]', 'localhost']);
  assert.deepEqual(await post(port, { addresses: [] }), { error: 'could not be reached' });
});

test('Decisions, claims and events: of several checked addresses the next is tried when one refuses', async (t) => {
  const { listener } = subscriber();
  const port = await listen(t, createHttpServer(listener));
  const addresses = [{ address: '::1', family: 6 }, ...home] as const;
  assert.deepEqual(await post(port, { addresses }), { status: 204 });
});

test('Decisions, claims and events: a redirect is an answer like any other, and is not followed', async (t) => {
  const elsewhere = subscriber();
  const secret = await listen(t, createHttpServer(elsewhere.listener));
  for (const status of [300, 301, 302, 303, 307, 308]) {
    const { received, listener } = subscriber((response) => {
      response.writeHead(status, { Location: `http://127.0.0.1:${secret}/`, Refresh: '0' }).end();
    });
    assert.deepEqual(await post(await listen(t, createHttpServer(listener))), { status });
    assert.equal(received.length, 1);
  }
  assert.equal(elsewhere.received.length, 0);
});

test('Decisions, claims and events: of the body of an answer the first KiB is read, and the connection is left', async (t) => {
  const { port, sockets } = await rogue(t, (socket) => {
    const flood = () => {
      while (socket.writable && socket.write('x'.repeat(65_536)));
    };
    socket.on('drain', flood).once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      flood();
    });
  });
  assert.deepEqual(await post(port), { status: 200, responseBody: 'x'.repeat(1024) });
  await assertLeft(sockets);
});

test('Decisions, claims and events: what is kept of an answer is text that has no half character and no signature', async (t) => {
  const signed = { headers: { 'webhook-signature': 'v1,c2lnbmF0dXJl' } };
  const answers: [send: (response: ServerResponse) => void, kept: string | undefined][] = [
    [(response) => response.end('no such claim'), 'no such claim'],
    [(response) => response.end(), undefined],
    [(response) => response.end(`${'x'.repeat(1023)}é`), 'x'.repeat(1023)],
    [(response) => response.end(Buffer.from([0x61, 0xff, 0x00, 0x62])), 'a\ufffd\0b'],
    [(response) => response.end('got v1,c2lnbmF0dXJl'), 'got (signature)'],
    [(response) => response.write('begun, but never ended'), 'begun, but never ended'],
  ];
  for (const [send, kept] of answers) {
    const port = await listen(
      t,
      createHttpServer((_request, response) => void send(response)),
    );
    assert.deepEqual(await post(port, signed), { status: 200, ...(kept !== undefined && { responseBody: kept }) });
  }
});

const ok = 'HTTP/1.1 200 OK\r\n';
const interim = 'HTTP/1.1 100 Continue\r\n\r\n';
const large = 'x'.repeat(30_000_000);
const later = { timeoutMs: 300 };
const tooLate = { error: 'did not answer within 0.3 s' };
const broken = { error: 'closed the connection' };
const noTls = { error: 'failed the TLS handshake, which https needs' };
const noHttp = { error: 'did not answer in HTTP' };
const tooLong = { error: 'answered with headers that are too long' };

/** What a server may do, and what is said of it. */
const rogues: Record<string, [(socket: Socket) => void, CallResult, Partial<WebhookCall>?]> = {
  'a plain answer': [saying(`${ok}\r\n`), { status: 200 }],
  'a good answer, then rubbish': [saying(`${ok}Content-Length: 0\r\n\r\n\0\0rubbish`), { status: 200 }],
  'two answers': [saying(`${ok}Content-Length: 0\r\n\r\n`.repeat(2)), { status: 200 }],
  'an answer before the body': [(socket) => socket.write(`${ok}\r\n`), { status: 200 }, { body: large }],
  'a few interim answers': [
    saying(`${interim.repeat(2)}HTTP/1.1 103 Hints\r\nLink: x\r\n\r\n${ok}\r\n`),
    { status: 200 },
  ],
  'an endless row of interim answers': [saying(interim.repeat(1_000)), { error: 'sent too many interim responses' }],
  'only an interim answer': [saying(interim), tooLate, later],
  'another protocol': [saying('HTTP/1.1 101 OK\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\nabc'), { status: 101 }],
  silence: [(socket) => socket.resume(), tooLate, later],
  'an unread request': [() => {}, tooLate, { ...later, body: large }],
  'headers by drops': [
    async (socket) => {
      socket.resume().write(`${ok}X-Drop: `);
      while (!socket.destroyed && socket.writable) await pause(20).then(() => socket.write('x'));
    },
    tooLate,
    later,
  ],
  'a reset at once': [(socket) => socket.resetAndDestroy(), broken],
  'a reset after the request': [(socket) => socket.once('data', () => socket.resetAndDestroy()), broken],
  'an end at once': [(socket) => socket.resume().end(), broken],
  'an end in the status line': [(socket) => socket.resume().end('HTTP/1.1 20'), broken],
  'an end in the headers': [(socket) => socket.resume().end(`${ok}Content-Le`), broken],
  'a reset in the body': [(socket) => socket.once('data', () => socket.resetAndDestroy()), broken, { body: large }],
  'a reset in the headers': [
    (socket) => socket.resume().write(`${ok}Content-Le`, () => setTimeout(() => socket.resetAndDestroy(), 20)),
    broken,
  ],
  'another protocol from the start': [saying('SSH-2.0-OpenSSH_9.2p1 root:hunter2\r\n'), noHttp],
  zeros: [saying('\0'.repeat(1_000)), noHttp],
  'a request': [saying('GET / HTTP/1.1\r\nHost: x\r\n\r\n'), noHttp],
  'two lengths': [saying(`${ok}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`), noHttp],
  'a header that is none': [saying(`${ok}no colon here\r\n\r\n`), noHttp],
  'a header without end': [saying(`${ok}X: ${large}`), tooLong],
  'headers without end': [saying(`${ok}${'X: y\r\n'.repeat(100_000)}`), tooLong],
};
for (const [name, [behave, outcome, call]] of Object.entries(rogues)) {
  test(`Decisions, claims and events: a delivery outlives a subscriber's bad manners: ${name}`, async (t) => {
    const { port, sockets } = await rogue(t, behave);
    const { signal } = new AbortController();
    assert.deepEqual(await post(port, { signal, ...call }), outcome);
    await assertLeft(sockets, signal);
  });
}

test('Decisions, claims and events: whatever bytes come back, a delivery ends with a status or a known reason', async (t) => {
  let [answer, reset]: [Uint8Array[], boolean] = [[], false];
  const { port } = await rogue(t, (socket) => {
    socket.once('data', () => {
      for (const piece of answer) socket.write(piece);
      if (reset) socket.resetAndDestroy();
      else socket.end();
    });
  });
  const words = ['HTTP/1.1 ', 'HTTP/1.0 ', '200', '100', '101', ' OK', '\r\n', '\r\n\r\n', ok, interim, 'x: y\r\n'];
  words.push('Upgrade: x\r\n', 'Connection: upgrade\r\n', 'Transfer-Encoding: chunked\r\n', 'Content-Length: 5\r\n');
  const piece = fc.oneof(
    fc.constantFrom(...words).map((word) => Buffer.from(word)),
    fc.uint8Array({ maxLength: 20 }),
  );
  const known = new Set([broken.error, noHttp.error]);
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 12 }), fc.boolean(), async (...given) => {
      [answer, reset] = given;
      const outcome = await post(port);
      assert('status' in outcome || known.has(outcome.error), JSON.stringify(outcome));
    }),
    { numRuns: 300 },
  );
});

test('Decisions, claims and events: a port where nobody listens is told as such', async (t) => {
  const server = createServer();
  const port = await listen(t, server);
  server.close();
  await once(server, 'close');
  assert.deepEqual(await post(port), { error: 'refused the connection' });
});

test('Decisions, claims and events: a delivery can be broken off, before and while it runs', async (t) => {
  const stopped = { error: 'was cancelled: the service stopped' };
  const stop = new AbortController();
  const { port, sockets } = await rogue(t, (socket) => socket.once('data', () => stop.abort()));
  assert.deepEqual(await post(port, { signal: stop.signal }), stopped);
  assert.deepEqual(await post(port, { signal: AbortSignal.abort() }), stopped);
  await assertLeft(sockets);
  assert(sockets.length <= 2);
});

/** Its own issuer, for `hooks.example` and 127.0.0.1, until 2126. The key guards nothing. */
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgL5u85GENQjugcCUP
G06cb9Q5PH6JwOkm04xPfeBIQNShRANCAASP+SdlQCfu/ufpJznaIJzT5QlwUvNv
Zw717n2CxHEzsuFYVSfDnWQSfQTsiQIAV83uzdzxGvf5etvEwNgIXzZS
-----END PRIVATE KEY-----`;
const cert = `-----BEGIN CERTIFICATE-----
MIIBqDCCAU2gAwIBAgIUM00WV21wp1DB2bK1GTMUEoxAQYkwCgYIKoZIzj0EAwIw
GDEWMBQGA1UEAwwNaG9va3MuZXhhbXBsZTAgFw0yNjExMjEwNDIzMjZaGA8yMTI2
MTAyODA0MjMyNlowGDEWMBQGA1UEAwwNaG9va3MuZXhhbXBsZTBZMBMGByqGSM49
AgEGCCqGSM49AwEHA0IABI/5J2VAJ+7+5+knOdognNPlCXBS829nDvXufYLEcTOy
4VhVJ8OdZBJ9BOyJAgBXze7N3PEa9/l628TA2AhfNlKjczBxMB0GA1UdDgQWBBT3
QtwFwTBol1hnejbNxIcvx4I7xTAfBgNVHSMEGDAWgBT3QtwFwTBol1hnejbNxIcv
x4I7xTAPBgNVHRMBAf8EBTADAQH/MB4GA1UdEQQXMBWCDWhvb2tzLmV4YW1wbGWH
BH8AAAEwCgYIKoZIzj0EAwIDSQAwRgIhAIn8vD/APMXSW945URZ+Ndxih6K0EQS6
toMm/0x/1RevAiEA7VFsxZoMcHpi8nq8VBkzGg6SnysiuZkFwvk1P55uOZQ=
-----END CERTIFICATE-----`;

test('Decisions, claims and events: over https the certificate must be valid for the host of the URL', async (t) => {
  const { received, listener } = subscriber();
  const server = createHttpsServer({ key, cert }, listener);
  const names: unknown[] = [];
  server.on('secureConnection', ({ servername }) => names.push(servername));
  const port = await listen(t, server);
  const secure = (host: string) => post(port, { url: new URL(`https://${host}:${port}/hooks`) });
  const invalid = { error: 'has a certificate that is not valid' };
  assert.deepEqual(await secure('hooks.example'), invalid);
  // The variable turns the check off for a whole process, but not here.
  t.after(() => delete process.env.NODE_TLS_REJECT_UNAUTHORIZED);
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
  assert.deepEqual(await secure('hooks.example'), invalid);
  assert.equal(received.length, 0);

  const trusted = getCACertificates();
  t.after(() => setDefaultCACertificates(trusted));
  setDefaultCACertificates([...trusted, cert]);
  names.length = 0;
  for (const host of ['hooks.example', 'hooks.example.', '127.0.0.1'])
    assert.deepEqual(await secure(host), { status: 204 }, host);
  assert.deepEqual(names, ['hooks.example', 'hooks.example', false]);
  assert.equal(received[0]?.request.headers.host, `hooks.example:${port}`);
  for (const host of ['other.example', '192.0.2.1', '[2001:db8::1]'])
    assert.deepEqual(await secure(host), invalid, host);
  assert.equal(received.length, 3);
  // One that wants a certificate of its caller says so after the handshake.
  const wanting = createHttpsServer({ key, cert, requestCert: true, rejectUnauthorized: true }, listener);
  assert.deepEqual(await post(0, { url: new URL(`https://hooks.example:${await listen(t, wanting)}/`) }), noTls);
});

test('Decisions, claims and events: a subscriber that does not speak TLS is told so, and outlived', async (t) => {
  const plain = await listen(t, createHttpServer(subscriber().listener));
  const secure = (port: number) => ({ url: new URL(`https://hooks.example:${port}/`) });
  assert.deepEqual(await post(plain, secure(plain)), noTls);
  const cases: [(socket: Socket) => void, CallResult][] = [
    [saying('\0'.repeat(1_000)), noTls],
    // A fatal alert: no common context for a handshake.
    [(socket) => void socket.once('data', () => socket.write(Buffer.from('15030300020228', 'hex'))), noTls],
    [(socket) => socket.resetAndDestroy(), broken],
    [(socket) => socket.resume().end(), broken],
    [(socket) => socket.resume(), tooLate],
  ];
  for (const [behave, outcome] of cases) {
    const { port, sockets } = await rogue(t, behave);
    assert.deepEqual(await post(port, { ...secure(port), ...(outcome === tooLate && later) }), outcome);
    await assertLeft(sockets);
  }
});
