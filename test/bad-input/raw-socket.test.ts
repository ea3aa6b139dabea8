import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Engine, forEachEngineInFull } from '../support/engines.ts';
import { linesFrom, sharedClient, sharedLPlate } from '../support/lplate.ts';
import {
  assertRefused,
  base,
  chunked,
  close,
  get,
  hearFrom,
  host,
  length,
  newClient,
  type Pieces,
  postHead,
  type Speech,
} from './socket.ts';
import { identifierOf } from './wire.ts';

forEachEngineInFull((engine: Engine) => {
  const lplate = sharedLPlate(engine);
  const client = sharedClient(lplate);

  const hear = (pieces: Pieces, speech?: Speech) => hearFrom(lplate, pieces, speech);
  const refused = (speeches: Record<string, Pieces>, identifier: string, before = 0) =>
    assertRefused(lplate, speeches, identifier, before);
  const post = (framing: string) => postHead(client.token, framing);

  test('Decisions, REST conventions: bytes that are no HTTP request are malformed-request', async () => {
    await refused(
      {
        'plain words': 'hello\r\n\r\n',
        'control characters': '\0\x01\x02\r\n\r\n',
        'a TLS client hello': Buffer.from('16030100c8010000c40303', 'hex'),
        'an SSH greeting': 'SSH-2.0-OpenSSH_9.9\r\n',
        SMTP: 'EHLO example\r\n',
        'the preface of HTTP/2': ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', Buffer.from('000000040000000000', 'hex')],
        'HTTP/9.9': `GET / HTTP/9.9\r\n${host}\r\n`,
        'HTTP/0.9 with a path that is none': 'GET x\r\n\r\n',
        'no version': `GET / \r\n${host}\r\n`,
        'another protocol': `GET / HTTQ/1.1\r\n${host}\r\n`,
        'an unknown method': `BREW / HTTP/1.1\r\n${host}\r\n`,
        'a method in small letters': `get / HTTP/1.1\r\n${host}\r\n`,
        'a method without end': 'A'.repeat(100_000),
        'a space in the URL': `GET /a b HTTP/1.1\r\n${host}\r\n`,
        'a NUL in the URL': `GET /a\0b HTTP/1.1\r\n${host}\r\n`,
        'bytes over 127 in the URL': `GET /\xff\xfe HTTP/1.1\r\n${host}\r\n`,
        'a URL that begins with a letter': `GET insurer HTTP/1.1\r\n${host}\r\n`,
        'bare line feeds': `GET ${base}/coverage-options HTTP/1.1\nHost: x\n\n`,
        'bare carriage returns': `GET ${base}/coverage-options HTTP/1.1\rHost: x\r\r`,
        'a header without colon': get('nonsense\r\n'),
        'a header without name': get(': x\r\n'),
        'a space before the colon': get('X : y\r\n'),
        'a folded header': get('X: y\r\n z\r\n'),
        'a NUL in a header': get('X: y\0z\r\n'),
        'a carriage return in a header': get('X: y\rz\r\n'),
        CONNECT: `CONNECT x:443 HTTP/1.1\r\n${host}\r\n`,
        'CONNECT with bytes after it': `CONNECT x:443 HTTP/1.1\r\n${host}\r\n${'\x16'.repeat(300_000)}`,
      },
      'malformed-request',
    );
  });

  test('Decisions, REST conventions: a body whose length is doubtful is malformed-request, and never read two ways', async () => {
    const smuggled = `GET ${base}/openapi.yaml HTTP/1.1\r\n${host}\r\n`;
    await refused(
      {
        'length and chunks': `${post(`Content-Length: 6\r\n${chunked}`)}0\r\n\r\n${smuggled}`,
        'chunks and length': `${post(`${chunked}Content-Length: 6\r\n`)}0\r\n\r\n${smuggled}`,
        'two lengths': `${post('Content-Length: 2\r\nContent-Length: 40\r\n')}{}${smuggled}`,
        'the same length twice': `${post('Content-Length: 2\r\nContent-Length: 2\r\n')}{}`,
        'a list of lengths': `${post('Content-Length: 2, 2\r\n')}{}`,
        'a negative length': `${post('Content-Length: -2\r\n')}{}`,
        'a length with a sign': `${post('Content-Length: +2\r\n')}{}`,
        'a hexadecimal length': `${post('Content-Length: 0x2\r\n')}{}`,
        'a length in words': `${post('Content-Length: two\r\n')}{}`,
        'an empty length': `${post('Content-Length:\r\n')}{}`,
        'a length over 64 bits': `${post('Content-Length: 99999999999999999999999\r\n')}{}`,
        'an unknown coding': `${post('Transfer-Encoding: xchunked\r\n')}0\r\n\r\n`,
        'chunked not last': `${post('Transfer-Encoding: chunked, gzip\r\n')}0\r\n\r\n`,
        'chunked hidden by a tab': `${post('Transfer-Encoding:\x0bchunked\r\n')}0\r\n\r\n`,
        identity: `${post('Transfer-Encoding: identity\r\n')}{}`,
        'a chunk size that is no number': `${post(chunked)}zz\r\n{}\r\n0\r\n\r\n`,
        'a negative chunk size': `${post(chunked)}-2\r\n{}\r\n0\r\n\r\n`,
        'a chunk size over 64 bits': `${post(chunked)}fffffffffffffffff\r\n{}\r\n0\r\n\r\n`,
        'a chunk longer than its size': `${post(chunked)}1\r\n{}\r\n0\r\n\r\n`,
        'chunks after bare line feeds': `${post(chunked)}2\n{}\n0\n\n`,
        'a broken second chunk': [`${post(chunked)}2\r\n{}\r\n`, 'zz\r\n'],
        'an endless chunk extension': `${post(chunked)}2;a=${'b'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`,
        'Content-Length as a trailer': `${post(chunked)}2\r\n{}\r\n0\r\nContent-Length: 5\r\n\r\n`,
      },
      'malformed-request',
    );
  });

  test('Decisions, REST conventions: request line and headers of more than 16 KiB are headers-too-large', async () => {
    await refused(
      {
        'one long header': get(`X: ${'y'.repeat(17_000)}\r\n`),
        'a header of megabytes': get(`X: ${'y'.repeat(20_000_000)}\r\n`),
        'a header without end': `GET / HTTP/1.1\r\n${'x'.repeat(100_000)}`,
        'a URL without end': `GET /${'x'.repeat(100_000)}`,
        'many headers': get('a: b\r\n'.repeat(1_100)),
        'many short headers': get('a:\r\n'.repeat(50_000)),
        trailers: `${post(chunked)}2\r\n{}\r\n0\r\nX: ${'y'.repeat(17_000)}\r\n\r\n`,
      },
      'headers-too-large',
    );
    const { answers } = await hear(get(`${close}${'a: b\r\n'.repeat(900)}`));
    assert.equal(answers[0]?.status, 200);
  });

  test('Decisions, REST conventions: HTTP/1.1 without a Host header is malformed-request; HTTP/1.0 needs none', async () => {
    for (const path of [`${base}/coverage-options`, '/', '/nowhere', '/%zz', `${base}/nowhere`]) {
      const { answers } = await hear(`GET ${path} HTTP/1.1\r\n${close}\r\n`);
      assert.deepEqual(answers.map(identifierOf), ['malformed-request'], path);
      // Below an interface it is counted, like any refusal.
      assert.equal(answers[0]?.headers.has('ratelimit-remaining'), path.startsWith(base), path);
    }
    const { answers, end } = await hear(`GET ${base}/coverage-options HTTP/1.0\r\n\r\n`);
    assert.deepEqual([answers[0]?.status, end], [200, 'closed']);
    const unnamed = await hear(`GET ${base}/coverage-options HTTP/1.1\r\nHost:\r\n${close}\r\n`);
    assert.deepEqual(unnamed.statuses, [200]);
  });

  test('Decisions, REST conventions: two Host headers are malformed-request', async () => {
    const { answers } = await hear(`GET ${base}/coverage-options HTTP/1.1\r\n${host}Host: elsewhere\r\n${close}\r\n`);
    assert.deepEqual(answers.map(identifierOf), ['malformed-request']);
  });

  test('Decisions, targets: a whole URL is taken by its path, * by OPTIONS only, a fragment and other forms never', async () => {
    const expected = {
      [`GET http://localhost${base}/coverage-options`]: 200,
      [`GET HTTP://elsewhere:1${base}/coverage-options?a=b`]: 200,
      'GET http://localhost': 200,
      [`DELETE http://localhost${base}/coverage-options`]: 405,
      [`GET http://localhost${base}/nowhere`]: 404,
      [`GET http://localhost${base}/policies/%zz`]: 400,
      'GET http://localhost?a': 200,
      'OPTIONS http://localhost': 204,
      'GET http://': 400,
      'GET http:///healthz': 400,
      'GET http://user@localhost/healthz': 400,
      'GET http://localhost:65536/healthz': 400,
      'GET ftp://localhost/': 400,
      'OPTIONS *': 204,
      'OPTIONS *?a': 400,
      'OPTIONS /*': 404,
      'GET *': 400,
      'POST *': 400,
      'GET /healthz#f': 400,
      'GET /healthz?a#': 400,
      'GET /#/traffic': 400,
      'GET /docs#f': 400,
      'OPTIONS /docs#f': 400,
      [`GET ${base}/coverage-options#f`]: 400,
      'GET http://localhost#f': 400,
    };
    for (const [line, status] of Object.entries(expected)) {
      const { answers } = await hear(`${line} HTTP/1.1\r\n${host}${close}\r\n`);
      assert.deepEqual(
        answers.map((answer) => answer.status),
        [status],
        line,
      );
    }
  });

  test('Decisions, REST conventions: Expect and Upgrade do not get in the way of an answer', async () => {
    const upgrade =
      'Connection: Upgrade, close\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: eA==\r\n';
    for (const more of [`Expect: x\r\n${close}`, `Expect: 100-continue, x\r\n${close}`, upgrade]) {
      assert.deepEqual(
        (await hear(get(more))).statuses.filter((status) => status !== 100),
        [200],
        more,
      );
    }
    const body = '{"regNumber": "EXPECT-1"}';
    const expecting = await hear([post(`${length(body.length)}Expect: 100-continue\r\n${close}`), body], {
      pause: 50,
    });
    assert.deepEqual(expecting.statuses, [100, 201]);
    const h2c = 'Connection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAM\r\n';
    assert.deepEqual((await hear(`${post(length(2) + h2c)}{}`)).statuses, [400]);
    const tooMuch = await hear(post(`${length(70_000)}Expect: 100-continue\r\n${close}`));
    assert.deepEqual(tooMuch.answers.map(identifierOf), ['payload-too-large']);
  });

  test('Limits: a body that is still being sent does not keep the sender from reading the 413', async () => {
    const megabytes = Buffer.alloc(20_000_000, ' ');
    for (const pieces of [
      [post(length(megabytes.length)), megabytes, get(close)],
      [post(chunked), `${megabytes.length.toString(16)}\r\n`, megabytes, '\r\n0\r\n\r\n', get(close)],
    ]) {
      const { answers, end } = await hear(pieces);
      assert.deepEqual(
        [identifierOf(answers[0] as never), answers[1]?.status, end],
        ['payload-too-large', 200, 'closed'],
      );
    }
  });

  test('Decisions, REST conventions: requests sent ahead of a broken one get their own answers first', async () => {
    const two = newClient + get();
    await refused(
      { 'no HTTP': `${two}BREW!\r\n\r\n${two}`, CONNECT: `${two}CONNECT x:1 HTTP/1.1\r\n${host}\r\n` },
      'malformed-request',
      2,
    );
    await refused({ 'a broken body': `${two}${post(chunked)}zz\r\n${two}` }, 'malformed-request', 2);
    await refused({ 'long headers': `${two}${get(`X: ${'y'.repeat(20_000)}\r\n`)}` }, 'headers-too-large', 2);
    const { answers } = await hear(`${two}BREW!\r\n\r\n${two}`);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [201, 200, 400],
    );
  });

  test('Errors, 1: nothing of all this is an internal error, each refusal left its line, and the server answers', async () => {
    const lines = lplate.log.map((line) => JSON.parse(line));
    assert.deepEqual(linesFrom(lplate, 50), []);
    for (const problem of ['malformed-request', 'headers-too-large']) {
      const line = lines.find((each) => each.problem === problem && each.route === '(none)');
      assert(line?.requestId && line.address === '127.0.0.1', problem);
    }
    assert.deepEqual((await hear(get(close))).statuses, [200]);
  });
});
