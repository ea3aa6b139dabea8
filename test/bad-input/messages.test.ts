import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onSqlite } from '../support/engines.ts';
import { startWithClient } from '../support/lplate.ts';
import { assertRefused, base, chunked, close, get, hearFrom, host, length, postHead } from './socket.ts';
import { identifierOf } from './wire.ts';

/*
 * What RFC 9112 asks of whoever reads a message, section by section, where raw-socket.test.ts has no case of it. Targets and
 * hosts are also in test/http/requests/absolute-url.test.ts.
 */

const line = (text: string) => `${text}\r\n${host}${close}\r\n`;
const path = `${base}/coverage-options`;

/** Heads without a body that are read. */
const read = {
  '2.2: an empty line before it': `\r\n${get(close)}`,
  '5: names of headers in any case': `GET ${path} HTTP/1.1\r\nhOST: localhost\r\ncONNECTION: close\r\n\r\n`,
  '5.1: no blank before a value, and many around it': `GET ${path} HTTP/1.1\r\nHost:localhost\r\nConnection: \t close \t\r\n\r\n`,
  '5.1: blanks around the host': `GET ${path} HTTP/1.1\r\nHost: \t localhost \t\r\n${close}\r\n`,
  '5.1: an empty value': get(`X:\r\n${close}`),
  '5.5: bytes over 127 in a value': get(`X: \xe9\xff\r\n${close}`),
};

/** How the body {} may come: what frames it, and its bytes. */
const framed = {
  '6.1: the name of the coding in any case': ['Transfer-Encoding: Chunked\r\n', '2\r\n{}\r\n0\r\n\r\n'],
  '6.2: a length with zeros before it': ['Content-Length: 002\r\n', '{}'],
  '6.2: a length between blanks': ['Content-Length: \t2 \t\r\n', '{}'],
  '7.1: a size in large letters': [chunked, 'A\r\n{        }\r\n0\r\n\r\n'],
  '7.1: a size in small letters': [chunked, 'a\r\n{        }\r\n0\r\n\r\n'],
  '7.1: sizes with zeros before them': [chunked, '0002\r\n{}\r\n000\r\n\r\n'],
  '7.1: many chunks': [chunked, '1\r\n{\r\n1\r\n}\r\n0\r\n\r\n'],
  '7.1.1: extensions that nobody knows': [chunked, '2;a;b=c\r\n{}\r\n0;d\r\n\r\n'],
  '7.1.1: an extension in quotes': [chunked, '2;a="b;c"\r\n{}\r\n0\r\n\r\n'],
  '7.1.2: a trailer is no header': [chunked, '2\r\n{}\r\n0\r\nHost: evil.example\r\nContent-Type: text/plain\r\n\r\n'],
} as const;

const refusedHeads = {
  '2.2: a blank before the first header': `GET ${path} HTTP/1.1\r\n X: y\r\n${host}${close}\r\n`,
  '2.2: a tab before the first header': `GET ${path} HTTP/1.1\r\n\tX: y\r\n${host}${close}\r\n`,
  '2.3: the protocol in small letters': line(`GET ${path} http/1.1`),
  '2.3: a version of three digits': line(`GET ${path} HTTP/1.10`),
  '2.3: a version with a zero before it': line(`GET ${path} HTTP/01.1`),
  '2.3: a version with a comma': line(`GET ${path} HTTP/1,1`),
  '3: a blank before the method': line(` GET ${path} HTTP/1.1`),
  '3: a blank behind the version': line(`GET ${path} HTTP/1.1 `),
  '3: a tab behind the method': line(`GET\t${path} HTTP/1.1`),
  '3.2: the same Host twice': get(`${host}${close}`),
  '3.2: a list of hosts': `GET ${path} HTTP/1.1\r\nHost: localhost, localhost\r\n${close}\r\n`,
  '3.2: a whole URL without Host': `GET http://localhost${path} HTTP/1.1\r\n${close}\r\n`,
  '5: a blank in the name of a header': get(`X Y: z\r\n${close}`),
  '5: a bracket in the name of a header': get(`X(Y): z\r\n${close}`),
  '5: a byte over 127 in the name of a header': get(`X\xe9: z\r\n${close}`),
  '5.5: a control character in a value': get(`X: \x01\r\n${close}`),
  '5.5: DEL in a value': get(`X: \x7f\r\n${close}`),
};

const refusedBodies = {
  '6.1: two codings': [`${chunked}${chunked}`, '2\r\n{}\r\n0\r\n\r\n'],
  '6.1: chunked twice': ['Transfer-Encoding: chunked, chunked\r\n', '2\r\n{}\r\n0\r\n\r\n'],
  '6.1: an empty coding': ['Transfer-Encoding:\r\n', '2\r\n{}\r\n0\r\n\r\n'],
  '6.1: a parameter of chunked': ['Transfer-Encoding: chunked;a=b\r\n', '2\r\n{}\r\n0\r\n\r\n'],
  '6.2: two lengths behind a blank': ['Content-Length: 2 2\r\n', '{}'],
  '6.2: a length with a point': ['Content-Length: 2.0\r\n', '{}'],
  '7.1: a blank behind a size': [chunked, '2 \r\n{}\r\n0\r\n\r\n'],
  '7.1: a blank before a size': [chunked, ' 2\r\n{}\r\n0\r\n\r\n'],
  '7.1: a size with 0x': [chunked, '0x2\r\n{}\r\n0\r\n\r\n'],
  '7.1: nothing behind a chunk': [chunked, '2\r\n{}0\r\n\r\n'],
  '7.1: a line feed behind a chunk': [chunked, '2\r\n{}\n0\r\n\r\n'],
  '7.1.1: a line feed in an extension': [chunked, '2;a\n{}\r\n0\r\n\r\n'],
  '7.1.1: a carriage return in an extension': [chunked, '2;a\rb\r\n{}\r\n0\r\n\r\n'],
  '7.1.2: a trailer without colon': [chunked, '2\r\n{}\r\n0\r\nX y\r\n\r\n'],
} as const;

const bytes = (text: string) => Buffer.from(text, 'latin1');

onSqlite((engine) => {
  test('Decisions, REST conventions: messages that RFC 9112 allows are read, and get one answer', async (t) => {
    const { lplate, token } = await startWithClient(t, engine);
    for (const [name, head] of Object.entries(read))
      assert.deepEqual((await hearFrom(lplate, bytes(head))).statuses, [200], name);
    for (const [name, [framing, body]] of Object.entries(framed)) {
      const { answers } = await hearFrom(lplate, bytes(`${postHead(token, `${framing}${close}`)}${body}`));
      // An object without members was read: one is missing.
      assert.deepEqual(answers.map(identifierOf), ['validation-error'], name);
    }
  });

  test('Decisions, REST conventions: messages that RFC 9112 wants refused are malformed-request, and the connection ends', async (t) => {
    const { lplate, token } = await startWithClient(t, engine);
    const next = get();
    const speeches = [
      ...Object.entries(refusedHeads),
      ...Object.entries(refusedBodies).map(([name, [framing, body]]) => [name, `${postHead(token, framing)}${body}`]),
      ['6.1: a coding in HTTP/1.0', postHead(token, chunked).replace('HTTP/1.1', 'HTTP/1.0')],
    ].map(([name, text = '']) => [name, bytes(`${text}${next}`)]);
    await assertRefused(lplate, Object.fromEntries(speeches), 'malformed-request', 0);
  });

  test('Decisions, REST conventions: a body without a length is none, and what follows is the next request', async (t) => {
    const { lplate, token } = await startWithClient(t, engine);
    const { answers } = await hearFrom(lplate, `${postHead(token, '')}${get(close)}`);
    assert.deepEqual(
      answers.map(({ status, json }) => [status, json.type?.split('/').at(-1)]),
      [
        [400, 'malformed-json'],
        [200, undefined],
      ],
    );
    const zero = await hearFrom(lplate, `${postHead(token, length(0))}${get(close)}`);
    assert.deepEqual(zero.statuses, [400, 200]);
  });
});
