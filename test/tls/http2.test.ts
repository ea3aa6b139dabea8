import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict';
import { once } from 'node:events';
import { type ClientHttp2Session, constants } from 'node:http2';
import { request as httpsRequest } from 'node:https';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Summary } from '../../src/range/exchanges/schemas.ts';
import { assertSound, identifierOf } from '../bad-input/wire.ts';
import { onSqlite } from '../support/engines.ts';
import {
  answerOf,
  ask,
  connectHttp2,
  demoToken,
  endHeaders,
  endStream,
  frame,
  frameTypes,
  headerBlock,
  preface,
  rawHttp2,
  startSecure,
} from '../support/http2.ts';
import { topicPath } from '../support/topic.ts';

const base = '/insurer/v1';
const json = { 'content-type': 'application/json' };
const post = (path: string, more: object = {}) => ({ ':method': 'POST', ':path': path, ...more });
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** The exchange of a request as its client sees it in its log. */
async function exchangeOf(session: ClientHttp2Session, token: string, id: string) {
  return (await ask(session, { ':path': `/range/v1/me/exchanges/${id}`, ...bearer(token) })).json;
}

onSqlite((engine) => {
  test('Operations: with a class authority one port speaks HTTP/2 and HTTP/1.1 by HTTPS, and answers are the same', async (t) => {
    const secure = await startSecure(t, engine);
    const { config, publicUrlGiven = config.publicUrlGiven } = { ...secure.lplate, ...{} };
    equal(publicUrlGiven, false);
    const session = connectHttp2(t, secure);
    const token = await demoToken(session);
    const created = await ask(session, post(`${base}/policies`, { ...json, ...bearer(token) }), '{"regNumber":"H2-1"}');
    equal(created.status, 201);
    const origin = `https://localhost:${config.port}`;
    match(created.headers.get('location') ?? '', new RegExp(`^${origin}/insurer/v1/policies/`));
    const location = new URL(created.headers.get('location') as string).pathname;
    const etag = created.headers.get('etag') as string;
    equal((await ask(session, { ':path': location, ...bearer(token), 'if-none-match': etag })).status, 304);
    const head = await ask(session, { ':method': 'HEAD', ':path': location, ...bearer(token) });
    deepEqual([head.status, head.text], [200, '']);
    const preflight = { ':method': 'OPTIONS', ':path': location, 'access-control-request-method': 'PUT' };
    equal((await ask(session, preflight)).status, 204);
    const read = await ask(session, { ':path': location, ...bearer(token) });
    const overHttp1 = await new Promise<string>((resolve, reject) => {
      const { port } = config;
      const options = {
        host: 'localhost',
        port,
        path: location,
        ca: secure.root,
        headers: bearer(token),
        agent: false,
      };
      httpsRequest(options, async (answer) => {
        equal(answer.httpVersion, '1.1');
        resolve((await answer.toArray()).join(''));
      })
        .on('error', reject)
        .end();
    });
    equal(overHttp1, read.text);
    const lines = secure.lplate.log.map((line) => JSON.parse(line));
    ok(
      lines.filter(({ requestId }) => requestId).every(({ address }) => /127\.0\.0\.1|::1/.test(address)),
      'an address is missing in the log',
    );
  });

  test('Operations: an exchange by HTTP/2 is in the log of its client as one by HTTP/1.1 is', async (t) => {
    const secure = await startSecure(t, engine);
    const session = connectHttp2(t, secure);
    const token = await demoToken(session);
    const body = '{"regNumber":"H2-2"}';
    const headers = { ...json, ...bearer(token), 'x-one': ['a', 'b'] };
    const created = await ask(session, post(`${base}/policies`, headers), body);
    const seen = await exchangeOf(session, token, created.headers.get('x-request-id') as string);
    deepEqual([seen.status, seen.end, seen.request.httpVersion], [201, 'answered', '2.0']);
    const names = seen.request.headers.map(({ name }: { name: string }) => name);
    ok(!names.some((name: string) => name.startsWith(':')), `${names}`);
    equal(seen.request.headers[0].name, 'host');
    equal(seen.request.body.text, body);
    const answered = Object.fromEntries(
      seen.response.headers.map((each: { name: string; value: string }) => [each.name, each.value]),
    );
    equal(answered.etag, created.headers.get('etag'));
    ok(answered.date);
    equal(seen.response.body.text, created.text);
  });

  test('Operations: a body without a length is taken, and what is sent twice is not chosen from', async (t) => {
    const secure = await startSecure(t, engine);
    const session = connectHttp2(t, secure);
    const token = await demoToken(session);
    const stream = session.request(post(`${base}/policies`, { ...json, ...bearer(token) }));
    stream.write('{"regNumber":');
    stream.end('"H2-3"}');
    equal((await answerOf(stream)).status, 201);
    const socket = await rawHttp2(t, secure);
    const twice = ['Bearer x', `Bearer ${token}`].map((value) => ['authorization', value] as const);
    const pseudo = { ':method': 'GET', ':path': `${base}/policies`, ':scheme': 'https', ':authority': 'localhost' };
    const head = headerBlock([...Object.entries(pseudo), ...twice]);
    socket.write(
      Buffer.concat([
        preface,
        frame(frameTypes.settings, 0, 0),
        frame(frameTypes.headers, endStream | endHeaders, 1, head),
      ]),
    );
    let text = '';
    while (!text.includes('"title"')) text += (await once(socket, 'data'))[0].toString('latin1');
    match(text, /"status":401/);
  });

  test('Limits: by HTTP/2 the same requests are refused as by HTTP/1.1', async (t) => {
    const secure = await startSecure(t, engine);
    const session = connectHttp2(t, secure, { maxSendHeaderBlockLength: 2 ** 20 } as never);
    const { publicUrl } = secure.lplate.config;
    const many = Object.fromEntries(Array.from({ length: 1001 }, (_, at) => [`x-${at}`, '']));
    const cases: [object, string | undefined, number, string][] = [
      [{ ':method': 'BREW', ':path': '/' }, undefined, 400, 'malformed-request'],
      [{ ':method': 'get', ':path': '/' }, undefined, 400, 'malformed-request'],
      [{ ':path': '/', 'x-long': 'x'.repeat(17_000) }, undefined, 431, 'headers-too-large'],
      [{ ':path': '/', ...many }, undefined, 431, 'headers-too-large'],
      [{ ':path': `/${'x'.repeat(8200)}` }, undefined, 414, 'uri-too-long'],
      [{ ':path': '/%zz' }, undefined, 400, 'malformed-request'],
      [{ ':path': '/nowhere' }, undefined, 404, 'not-found'],
      [{ ':method': 'DELETE', ':path': `${base}/coverage-options` }, undefined, 405, 'method-not-allowed'],
      [post(`${base}/auth/token`, json), 'x'.repeat(70_000), 413, 'payload-too-large'],
      [post(`${base}/auth/token`, json), '{', 400, 'malformed-json'],
      [post(`${base}/auth/token`, { 'content-type': 'text/plain' }), 'x', 415, 'unsupported-media-type'],
      [post(`${base}/auth/token`, { ...json, expect: '100-continue' }), '{', 400, 'malformed-json'],
      [post(`${base}/auth/token`, { ...json, expect: 'more' }), '{', 400, 'malformed-json'],
    ];
    for (const [headers, body, status, identifier] of cases) {
      const answer = await ask(session, headers as never, body);
      const name = JSON.stringify(headers).slice(0, 100);
      deepEqual([answer.status, identifierOf(answer)], [status, identifier], name);
      assertSound(answer, [publicUrl]);
    }
    const connecting = session.request({ ':method': 'CONNECT', ':authority': 'x:1' });
    equal(identifierOf(await answerOf(connecting)), 'malformed-request');
    const huge = ask(session, { ':path': '/', 'x-long': 'x'.repeat(70_000) });
    await rejects(huge);
    equal((await ask(connectHttp2(t, secure), { ':path': '/healthz' })).status, 200);
  });

  test('Limits: a body that breaks off by HTTP/2 does nothing; one that comes too slowly is answered with 408', async (t) => {
    const secure = await startSecure(t, engine, { requestTimeoutSeconds: 1 });
    const { lplate } = secure;
    const session = connectHttp2(t, secure);
    const token = await demoToken(session);
    const headers = post(`${base}/policies`, { ...json, ...bearer(token) });
    const short = session.request({ ...headers, 'content-length': 100 }).on('error', () => {});
    short.end('{"regNumber":"H2-4"}');
    await new Promise((resolve) => short.once('close', resolve));
    equal(short.rstCode, constants.NGHTTP2_PROTOCOL_ERROR);
    const gone = connectHttp2(t, secure);
    gone
      .request(headers)
      .on('error', () => {})
      .write('{"regNumber":"H2-4"}');
    await pause(50);
    gone.destroy();
    const list = await ask(session, { ':path': `${base}/policies`, ...bearer(token) });
    equal(list.json.totalItems, 0);
    const slow = session.request(headers);
    slow.write('{"regNumber":');
    const answered = answerOf(slow);
    await pause(50);
    lplate.clock.elapse(1000);
    const answer = await answered;
    deepEqual([answer.status, identifierOf(answer)], [408, 'request-timeout']);
    equal((await ask(session, { ':path': '/healthz' })).status, 200, 'the connection goes on');
  });

  test('Limits: by HTTP/2 64 requests may be unanswered; the next one is refused', async (t) => {
    const secure = await startSecure(t, engine);
    const session = connectHttp2(t, secure, { peerMaxConcurrentStreams: 200 });
    const token = await demoToken(session);
    const polls = Array.from({ length: 64 }, () => {
      const stream = session.request({ ':path': `${topicPath}?after=latest&wait=30`, ...bearer(token) });
      return stream.on('error', () => {});
    });
    await pause(300);
    equal(session.remoteSettings.maxConcurrentStreams, 64);
    equal(polls.filter(({ closed }) => closed).length, 0);
    // This client holds back what is too much until there is a place.
    const answer = ask(session, { ':path': '/healthz' });
    equal(await Promise.race([answer, pause(100)]), undefined);
    polls[0]?.close();
    equal((await answer.catch(() => ask(session, { ':path': '/healthz' }))).status, 200, 'there is a place');
    for (const poll of polls) poll.close();
  });

  test('Events: a stream of events works by HTTP/2, ends with its caller, and its log has what was sent', async (t) => {
    const secure = await startSecure(t, engine);
    const session = connectHttp2(t, secure);
    const token = await demoToken(session);
    const created = await ask(session, post(`${base}/policies`, { ...json, ...bearer(token) }), '{"regNumber":"H2-5"}');
    const stream = session.request({
      ':path': `${topicPath}?after=latest`,
      accept: 'text/event-stream',
      ...bearer(token),
    });
    let text = '';
    stream.setEncoding('utf8').on('data', (piece) => (text += piece));
    const [head] = await once(stream, 'response');
    equal(head[':status'], 200);
    const claim = { policyNumber: created.json.id };
    const claimed = await ask(session, post('/claims/v1/claims', { ...json, ...bearer(token) }), JSON.stringify(claim));
    equal(claimed.status, 201, claimed.text);
    while (!text.includes('"newStatus"')) {
      secure.lplate.clock.advance(1000);
      await secure.lplate.catchUp();
      await pause(20);
    }
    stream.close(constants.NGHTTP2_CANCEL);
    const id = head['x-request-id'] as string;
    for (;;) {
      const seen = await exchangeOf(session, token, id);
      if (seen.end === 'open') {
        await pause(20);
        continue;
      }
      deepEqual([seen.status, seen.end, seen.stream.end], [200, 'cut', 'caller-gone']);
      ok(seen.response.body.text.includes('"newStatus"'));
      break;
    }
  });

  test('The range: by HTTP/2 the drill cut-connections resets the stream, and the connection goes on', async (t) => {
    const session = connectHttp2(t, await startSecure(t, engine));
    const token = await demoToken(session);
    for (const when of ['before', 'middle']) {
      const drill = { name: 'cut-connections', parameters: { share: 1, when } };
      const started = await ask(
        session,
        post('/range/v1/me/drills', { ...json, ...bearer(token) }),
        JSON.stringify(drill),
      );
      equal(started.status, 201, started.text);
      const stream = session.request({ ':path': `${base}/policies`, ...bearer(token) });
      let bytes = 0;
      stream.on('data', (piece) => (bytes += piece.length));
      const [error] = await once(stream, 'error').catch((thrown) => [thrown]);
      equal(error.code, 'ERR_HTTP2_STREAM_ERROR');
      equal(stream.rstCode, constants.NGHTTP2_INTERNAL_ERROR);
      equal(bytes > 0, when === 'middle');
      const ended = { ':method': 'DELETE', ':path': '/range/v1/me/drills/cut-connections', ...bearer(token) };
      equal((await ask(session, ended)).status, 204);
    }
    equal((await ask(session, { ':path': `${base}/policies`, ...bearer(token) })).status, 200);
  });

  test('The range: by HTTP/2 the log has the status of an answer that was cut, also where the request had a body', async (t) => {
    const session = connectHttp2(t, await startSecure(t, engine));
    const token = await demoToken(session);
    const call = (path: string, body: object) =>
      ask(session, post(path, { ...json, ...bearer(token) }), JSON.stringify(body));
    await call('/range/v1/me/drills', { name: 'cut-connections', parameters: { share: 1, when: 'middle' } });
    await rejects(call(`${base}/policies`, { regNumber: 'CUT-1' }));
    const read = async () => {
      const { json } = await ask(session, { ':path': '/range/v1/me/exchanges', ...bearer(token) });
      return json.items.find(({ route }: Summary) => route === `${base}/policies`);
    };
    let seen = await read();
    while (!seen) seen = await read();
    deepEqual([seen.status, seen.end, seen.problem], [201, 'cut', null]);
  });
});
