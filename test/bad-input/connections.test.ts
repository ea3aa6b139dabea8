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
  const lplate = sharedLPlate(engine, { requestTimeoutSeconds: 1 });
  const client = sharedClient(lplate);

  const hear = (pieces: Pieces, speech?: Speech) => hearFrom(lplate, pieces, speech);
  const refused = (speeches: Record<string, Pieces>, identifier: string, before = 0) =>
    assertRefused(lplate, speeches, identifier, before);
  const post = (framing: string) => postHead(client.token, framing);

  test('Decisions, REST conventions: a request that was refused before its body broke gets no second answer', async () => {
    const early = (framing: string) => `POST ${base}/policies HTTP/1.1\r\n${host}${framing}\r\n\r\n`;
    for (const pieces of [
      [early('Transfer-Encoding: chunked'), 'zz\r\n', 'more'],
      [`${early('Transfer-Encoding: chunked')}zz\r\n`],
      [early('Content-Length: 5'), '{'],
    ]) {
      const { answers, end } = await hear(pieces, { pause: 30 });
      assert.deepEqual([...answers.map(identifierOf), end], ['missing-token', 'closed']);
    }
  });

  test('Limits: a sender that is too slow is cut off with request-timeout', async () => {
    const slow = {
      'nothing at all': [],
      'half a line': 'GET / HT',
      'HTTP/0.9': 'GET /\r\n',
      'headers without end': get().slice(0, -2),
      'half a body': `${post(length(10))}{}`,
      'half a chunk': `${post(chunked)}5\r\n{}`,
    };
    await Promise.all(Object.entries(slow).map(([name, pieces]) => refused({ [name]: pieces }, 'request-timeout')));
    const drip = Array.from({ length: 14 }, (_, at) => `X-${at}: y\r\n`);
    const dripping = await hear([get().slice(0, -2), ...drip], { pause: 150 });
    assert.equal(identifierOf(dripping.answers[0] as never), 'request-timeout');
    assert.equal(dripping.answers.length, 1);
  });

  test('Limits: connections that are half-closed, reset or dropped in the middle do no harm', async () => {
    for (const text of ['', 'GET', get().slice(0, -2), post(length(10)), `${post(length(10))}{}`]) {
      const half = await hear(text, { finish: 'half-close' });
      assert(half.end !== 'open');
      assert.deepEqual(half.answers.map(identifierOf), text ? ['malformed-request'] : []);
    }
    const body = '{"regNumber": "HALF-1"}';
    const whole = `${post(length(body.length))}${body}`;
    assert.notEqual((await hear(whole, { finish: 'half-close' })).end, 'open');
    const connecting = `CONNECT x:1 HTTP/1.1\r\n${host}\r\n`;
    const pieces = [whole, get(), newClient, post(length(10)), post(length(99999)), connecting, 'BREW\r\n', '\0'];
    for (const text of [
      ...pieces,
      `${newClient}${connecting}`,
      `${connecting}${'x'.repeat(1_000_000)}`,
      `${newClient}BREW\r\n\r\n`,
    ]) {
      for (const pause of [0, 5]) await hear([text, 'x'], { finish: 'reset', pause });
      await Promise.all(Array.from({ length: 10 }, () => hear(text, { finish: 'reset' })));
    }
  });

  test('Limits: a slow sender that sent whole requests before gets their answers first', async () => {
    await refused({ 'an unfinished body': `${newClient}${get()}${post(length(9))}{}` }, 'request-timeout', 2);
  });

  test('Errors, 1: nothing of all this is an internal error, each refusal left its line, and the server answers', async () => {
    const lines = lplate.log.map((line) => JSON.parse(line));
    assert.deepEqual(linesFrom(lplate, 50), []);
    assert(lines.some(({ problem, route, address }) => problem === 'request-timeout' && route === '(none)' && address));
    assert.deepEqual((await hear(get(close))).statuses, [200]);
  });
});
