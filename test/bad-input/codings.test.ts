import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { onSqlite } from '../support/engines.ts';
import { type CallOptions, problem, sharedClient, sharedLPlate, sign } from '../support/lplate.ts';
import { envelope } from '../vehicle-registry/envelopes.ts';
import { parseXml, textAt } from '../vehicle-registry/xml.ts';
import { assertRefused, base, chunked, close, hearFrom, host, postHead } from './socket.ts';

/** One chunk, and the end. */
const chunk = (body: string) => `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
const codings = [
  'gzip, chunked',
  'GZIP,chunked',
  'identity, chunked',
  'x, y, chunked',
  'deflate\r\nTransfer-Encoding: chunked',
];

onSqlite((engine) => {
  const lplate = sharedLPlate(engine);
  const client = sharedClient(lplate);

  test('Decisions, REST conventions: a Transfer-Encoding other than chunked is malformed-request, whatever takes the body', async () => {
    const json = '{"regNumber": "TE-1000"}';
    for (const coding of codings) {
      const framing = `Transfer-Encoding: ${coding}\r\n`;
      await assertRefused(
        lplate,
        {
          'a body that is taken': postHead(client.token, framing) + chunk(json),
          'one that is ignored': `POST ${base}/demo-clients HTTP/1.1\r\n${host}${framing}\r\n${chunk('{}')}`,
          'none expected': `GET ${base}/coverage-options HTTP/1.1\r\n${host}${framing}\r\n0\r\n\r\n`,
          'no such path': `POST /nowhere HTTP/1.1\r\n${host}${framing}\r\n0\r\n\r\n`,
          'HTTP/1.0': `POST ${base}/demo-clients HTTP/1.0\r\nConnection: keep-alive\r\n${chunked}\r\n${chunk('{}')}`,
        },
        'malformed-request',
        0,
      );
    }
    const { token } = client;
    assert.equal((await lplate.call('GET', '/policies', { token })).json.totalItems, 0);
    for (const [at, coding] of ['chunked', 'Chunked', '  chunked  '].entries()) {
      const body = `{"regNumber": "TE-200${at}"}`;
      const framing = `Transfer-Encoding: ${coding}\r\n${close}`;
      const { statuses } = await hearFrom(lplate, postHead(token, framing) + chunk(body));
      assert.deepEqual(statuses, [201], coding);
    }
  });

  test('Decisions, vehicle registry: a Transfer-Encoding other than chunked is a fault', async () => {
    for (const coding of codings) {
      const head = `POST /vehicle-registry/v1 HTTP/1.1\r\n${host}Transfer-Encoding: ${coding}\r\n\r\n`;
      const { text, connection } = await soapOverSocket(head + chunk(envelope()));
      const at = (where: string) => textAt(parseXml(text), where);
      assert.equal(at('//e:Fault/faultcode'), 'soap:Client');
      assert.match(at('//e:Fault/faultstring') ?? '', /only supported Transfer-Encoding is chunked/);
      assert.equal(connection, 'close');
    }
  });

  test('Decisions, REST conventions: a body with a Content-Encoding is 415 and is not decoded; an ignored one is ignored', async () => {
    const { token } = client;
    const json = JSON.stringify({ regNumber: 'CE-1000', client_id: client.id, client_secret: client.secret });
    const packed = new Uint8Array(gzipSync(json));
    const call = (path: string, coding: string, body: CallOptions['body'] = packed, more = {}) => {
      const headers = { 'Content-Type': 'application/json', 'Content-Encoding': coding, ...more };
      return lplate.call('POST', path, { token, headers, ...(body !== undefined && { body }) });
    };
    for (const coding of ['gzip', 'GZIP', 'br', 'x-gzip', 'identity, gzip', 'a'.repeat(1_000)]) {
      for (const path of ['/policies', '/auth/token', '/claims/v1/claims']) {
        const answer = await call(path, coding);
        assert.deepEqual(problem(answer), [415, 'unsupported-media-type'], `${path} ${coding}`);
        assert.equal(answer.headers.get('accept-encoding'), 'identity');
        assert.deepEqual(answer.json.errors, [{ header: 'Content-Encoding', detail: 'must be absent' }]);
        assert(
          answer.json.detail.includes(`Content-Encoding: ${coding.slice(0, 20)}`) && answer.json.detail.length < 200,
        );
      }
      assert.equal((await call('/demo-clients', coding)).status, 201);
    }
    // The signature is over the bytes as they came, and comes first.
    const signed = { 'X-Signature': sign(packed) };
    assert.deepEqual(problem(await call('/signed/policy-check', 'gzip', packed, signed)), [
      415,
      'unsupported-media-type',
    ]);
    assert.deepEqual(problem(await call('/signed/policy-check', 'gzip')), [401, 'invalid-signature']);
    // A wrong media type says so, without a word of codings.
    const text = await lplate.call('POST', '/policies', {
      token,
      body: 'x',
      headers: { 'Content-Type': 'text/plain' },
    });
    assert.deepEqual([text.status, text.headers.get('accept-encoding')], [415, null]);
    assert.equal((await call('/policies', 'identity', json)).status, 201);
  });

  /** The body of the answer, which is no problem as `hearFrom` would have it. */
  async function soapOverSocket(bytes: string): Promise<{ text: string; connection: string | undefined }> {
    const { connect } = await import('node:net');
    const socket = connect({ port: lplate.config.port, host: '127.0.0.1' });
    socket.write(bytes);
    const answer = Buffer.concat(await socket.toArray()).toString('utf8');
    const [head = '', text = ''] = answer.split('\r\n\r\n');
    return { text, connection: /^connection: (.*)$/im.exec(head)?.[1] };
  }
});
