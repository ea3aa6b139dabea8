import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { connect as connectTls, createServer as createTlsServer } from 'node:tls';
import {
  afterRead,
  currentResponse,
  handleOf,
  keepCloseListeners,
  onTurn,
  parserOf,
  sentHead,
  stopParsing,
  tcpSocket,
} from '../../../src/http/connections/node-internals.ts';
import { issueAuthority } from '../../../src/tls/issue.ts';

/* After an upgrade of Node.js: run this file and test/bad-input, then set the version. */
const seenWith = 'v26.10.0';

const place = 'Decisions, the program: undocumented parts of Node.js:';

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly socket: Socket;
}

/** A bare server, a connection to it, and its requests in the order they came. */
async function serve(t: TestContext, onRequest: (exchange: Exchange) => void = () => {}, server = createServer()) {
  const exchanges: Exchange[] = [];
  const waiting = new Set<() => void>();
  server.on('request', (request, response) => {
    const exchange = { request, response, socket: request.socket };
    exchanges.push(exchange);
    onRequest(exchange);
    for (const wake of waiting) wake();
  });
  server.on('clientError', (_error, socket) => socket.destroy());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').resume();
  client.on('error', () => {});
  t.after(() => {
    client.destroy();
    server.close();
    server.closeAllConnections();
  });
  async function requests(count: number): Promise<Exchange[]> {
    while (exchanges.length < count) {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.add(resolve);
      await promise;
      waiting.delete(resolve);
    }
    return exchanges;
  }
  return { client, requests };
}

/** `once` would fail on the error that some ways to close bring. */
const closed = (socket: Socket) => new Promise<void>((resolve) => socket.once('close', () => resolve()));

const get = (path: string, headers = '') => `GET ${path} HTTP/1.1\r\nHost: h\r\n${headers}\r\n`;

test(`${place} they were seen with ${seenWith}`, () => {
  equal(process.version, seenWith, 'Node.js is another one: see that this file and test/bad-input pass, then set it');
});

test(`${place} the head of a response as it was sent`, async (t) => {
  const { client, requests } = await serve(t);
  client.write(get('/'));
  const [{ response }] = (await requests(1)) as [Exchange];
  equal(sentHead(response), '');
  response.writeHead(201, { 'X-One': '1' }).end('text');
  match(sentHead(response), /^HTTP\/1\.1 201 Created\r\nX-One: 1\r\nDate: [^\r]+\r\n(?:[\w-]+: [^\r]+\r\n)*\r\n$/);
});

test(`${place} the response that is due, and the turn of the one after it`, async (t) => {
  const { client, requests } = await serve(t);
  client.write(get('/1') + get('/2'));
  const [first, second] = (await requests(2)) as [Exchange, Exchange];
  equal(currentResponse(first.socket), first.response);
  equal(first.response.socket, first.socket);
  equal(second.response.socket, null);
  const turns: number[] = [];
  onTurn(second.response, () => turns.push(2));
  first.response.end();
  deepEqual(turns, []);
  await once(second.response, 'socket');
  deepEqual(turns, [2]);
  equal(currentResponse(first.socket), second.response);
  second.response.end();
  await once(second.response, 'close');
  equal(currentResponse(first.socket), undefined);
});

test(`${place} the request that arrives, and a parser that is stopped makes no further ones`, async (t) => {
  const { client, requests } = await serve(t, ({ request, socket }) => {
    equal(parserOf(socket)?.incoming, request);
    if (request.url === '/2') stopParsing(socket);
  });
  client.write(get('/1') + get('/2') + get('/3') + get('/4'));
  const all = await requests(2);
  const [{ socket }] = all as [Exchange];
  equal(parserOf(socket)?.incoming?.url, '/3', 'where it stops: of the next one only the head is read');
  client.destroy();
  await closed(socket);
  deepEqual(
    all.map(({ request }) => request.url),
    ['/1', '/2'],
  );
  equal(parserOf(socket), undefined);
});

test(`${place} what a read left over behind a request for an upgrade can be parsed`, async (t) => {
  const reads: [parsed: number | Error, bytes: number][] = [];
  const server: Server = createServer({
    shouldUpgradeCallback: ({ socket }) => {
      const parser = parserOf(socket);
      ok(parser);
      afterRead(parser, (parsed, bytes) => {
        reads.push([parsed, bytes.length]);
        return parser.execute(bytes.subarray(Number(parsed)));
      });
      return false;
    },
  });
  const { client, requests } = await serve(t, ({ response }) => response.end(), server);
  const asks = get('/1', 'Connection: Upgrade\r\nUpgrade: h2c\r\n');
  client.write(asks + get('/2'));
  const [, second] = await requests(2);
  equal(second?.request.url, '/2');
  deepEqual(reads, [[asks.length, asks.length + get('/2').length]]);
});

test(`${place} what the handle of a connection has sent`, async (t) => {
  const { client, requests } = await serve(t);
  client.write(get('/'));
  const [{ socket, response }] = (await requests(1)) as [Exchange];
  response.end('x'.repeat(1000));
  await once(response, 'close');
  const handle = handleOf(socket);
  ok(handle && Number.isInteger(handle.fd) && handle.fd > 2, `fd ${handle?.fd}`);
  ok(handle.bytesWritten > 1000 && handle.bytesWritten === socket.bytesWritten, `bytesWritten ${handle.bytesWritten}`);
  equal(handle.writeQueueSize, 0);
  client.destroy();
  await closed(socket);
  equal(handleOf(socket), undefined);
});

test(`${place} the listeners that CONNECT takes away can be put back`, async (t) => {
  const server = createServer();
  const restore = keepCloseListeners(server);
  const connected = once(server, 'connect');
  const { client, requests } = await serve(t, undefined, server);
  client.write(`${get('/')}CONNECT h:1 HTTP/1.1\r\nHost: h:1\r\n\r\n`);
  const [{ request, socket }] = (await requests(1)) as [Exchange];
  await connected;
  restore(socket);
  const told = new Promise<void>((resolve) => request.once('close', () => resolve()));
  request.on('error', () => {});
  socket.destroy();
  await told;
});

test(`${place} the connection by TCP below one by TLS, and its handle`, async (t) => {
  const { intermediate } = await issueAuthority('Test', { names: [], addresses: [] }, Date.now());
  const server = createTlsServer(intermediate).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const below = once(server, 'connection');
  const above = once(server, 'secureConnection');
  const { port } = server.address() as AddressInfo;
  const client = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false }).on('error', () => {});
  t.after(() => client.destroy());
  const [[tcp], [tls]] = await Promise.all([below, above]);
  equal(tcpSocket(tls), tcp);
  equal(tcpSocket(tcp), tcp);
  const before = handleOf(tls)?.bytesWritten ?? 0;
  tls.write('x'.repeat(1000));
  await once(client, 'data');
  ok((handleOf(tls)?.bytesWritten ?? 0) > before + 1000, 'what is sent is longer than what was written');
  tcp.resetAndDestroy();
  await closed(client);
});
