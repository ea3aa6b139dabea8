import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { dial, Listener, openTogether, streamRequest } from '../events/listener.ts';
import { type Engine, forEachEngineInFull } from '../support/engines.ts';
import { takingTurns } from '../support/extent.ts';
import { linesFrom, sharedClient, sharedLPlate, startLPlate } from '../support/lplate.ts';
import { claimOn, insure, pass, topicPath as topic } from '../support/topic.ts';
import { until } from '../support/until.ts';
import { chunked, host, length } from './socket.ts';
import { identifierOf, sendAgain } from './wire.ts';

const noCursors = [
  ...['', '%20', '0', '-1', '1-', '-1-1', '1-0', '1-3', '1-11', '01-1', '1-1-1', '1.0-1', '1e3-1', '0x1-1', '+1-1'],
  ...['Earliest', 'LATEST', 'earliest%20', 'null', '1-1%00', '%00', '1-1,2-1', '%D9%A1-1', '1%E2%80%931', '__proto__'],
  ...['1000000000000000-1', `${'9'.repeat(8_000)}-1`, '9007199254740993-2', '1-1%0Aid:2-1'],
];

const json = 'application/json; charset=utf-8';

/** What asks for a stream, and what for JSON, up to the longest header that is read. */
const accepts = {
  'text/event-stream': [
    ...['text/event-stream', 'TEXT/Event-Stream', 'text/*', 'text/event-stream;q=0.1', 'text/event-stream, */*;q=0.9'],
    ...['text/html, text/event-stream', ',,text/event-stream,,', 'text/event-stream;q=1.0, application/json;q=0.5'],
    `${'text/html,'.repeat(1_100)}text/event-stream`,
    `${'a/b;c="\\"",'.repeat(1_000)}text/event-stream`,
  ],
  [json]: [
    ...['', ' ', ',', ';', '/', '*', '*/*', 'text', 'text/', '/event-stream', 'text/event-stream;q=0', 'text/html'],
    ...['application/json, text/event-stream', 'text/event-stream;q=0.1, */*', 'text/event-stream;charset=utf-8;q=0'],
    ...[
      '"text/event-stream"',
      'text/event-streams',
      'text/event-stream;q=zz',
      '\xff',
      '__proto__/x',
      'a/b;__proto__=c',
    ],
    ...['constructor', 'text/event-stream\t;\tq\t=\t0', 'q=1', ';q=1', '*/*;q=9e999', 'text/*;q=-1'],
    ...[',', ' ', ';', '/', '"', ',"', '";', '*/*,', 'a/b;c=d;', 'a/b;c=",', '=', '\\"'].map((each) =>
      each.repeat(11_000 / each.length),
    ),
    `a/b;c="${'\\'.repeat(11_000)}`,
    `a/b;c="${',x'.repeat(5_500)}`,
    `*/*;q=${'1'.repeat(11_000)}`,
  ],
};

/** Sends the request and waits for the beginning of its stream. */
async function begun(socket: Socket, request: string): Promise<string> {
  let text = '';
  const take = (part: Buffer) => (text += part.toString('latin1'));
  socket.on('data', take).write(request);
  await until(() => text.includes('retry: 3000\n'), 'a stream');
  socket.off('data', take);
  return text;
}

const oddIds = ['0', '1', '-1', 'earliest', 'latest', '0-3', '01-1', '1-1, 1-1', '\xff\xfe', '{}', '999999999999999-2'];

forEachEngineInFull((engine: Engine) => {
  const lplate = sharedLPlate(engine, { eventsDuplicateRate: 0, eventsHeartbeatSeconds: 1, streamsPerClient: 3 });
  const client = sharedClient(lplate);
  const kept = sendAgain(lplate);
  const bearer = () => ({ Authorization: `Bearer ${client.token}` });
  const get = (path: string, headers: object = {}) =>
    kept({ method: 'GET', path, headers: { ...bearer(), ...headers } });

  /** Waits until the client may open as many streams as ever. */
  const vacant = async () => {
    for (const each of await openTogether(lplate, client.token, 3)) each.close();
  };

  before(async () => {
    const policy = await insure(lplate, client.token);
    await claimOn(lplate, client.token, policy, { paceSeconds: 1 });
    await pass(lplate, 3);
  });
  test('Decisions, claims and events: after, limit and wait are taken once and in their form, everything else is 400', async () => {
    for (const cursor of noCursors) {
      const answer = await get(`${topic}?after=${cursor}`);
      assert.equal(identifierOf(answer), 'validation-error', cursor.slice(0, 60));
      assert.equal(answer.json.errors[0].parameter, 'after');
    }
    const head = Number((await get(`${topic}?after=latest`)).json.next.split('-')[0]);
    for (const cursor of [`${head + 1}-1`, `${head + 1}-2`, '999999999999999-1']) {
      const answer = await get(`${topic}?after=${cursor}`);
      assert.deepEqual([answer.status, answer.json.errors[0].parameter], [400, 'after'], cursor);
    }
    for (const [name, values] of Object.entries({
      limit: [
        '0',
        '501',
        '01',
        '-1',
        '1.0',
        '1e2',
        '+5',
        '',
        '%20',
        '%D9%A1',
        '99999999999999999999',
        'NaN',
        '9'.repeat(8_000),
      ],
      wait: ['31', '00', '-0', '-1', '0.5', '1e1', '', '2147483648', 'true', '5s', '%00', 'Infinity'],
    })) {
      for (const value of values) {
        const answer = await get(`${topic}?after=latest&${name}=${value}`);
        assert.equal(identifierOf(answer), 'validation-error', `${name}=${value.slice(0, 60)}`);
        assert.equal(answer.json.errors[0].parameter, name);
      }
      assert.equal(identifierOf(await get(`${topic}?${name}=1&${name}=1`)), 'validation-error');
    }
    assert.equal(identifierOf(await get(`${topic}?after=0-2&after=0-2`)), 'validation-error');
    const all = await get(`${topic}?after=x&limit=0&wait=99`);
    assert.deepEqual(all.json.errors.map(({ parameter }: { parameter: string }) => parameter).sort(), [
      ...['after', 'limit', 'wait'],
    ]);
    for (const query of [
      '',
      '?limit=500&wait=0',
      '?limit=1',
      '?after=0-1',
      '?after=0-2&limit=500',
      '?wait=30',
      '?from=x',
    ]) {
      assert.equal((await get(topic + query)).status, 200, query);
    }
    // HEAD asks for the headers only, and does not wait for what it would not be sent.
    assert.equal(
      (await kept({ method: 'HEAD', path: `${topic}?after=latest&wait=30`, headers: bearer() })).status,
      200,
    );
  });

  test('Decisions, claims and events: whatever Accept says, the answer is a stream if that is preferred, else a batch', async () => {
    for (const [type, values] of Object.entries(accepts)) {
      for (const Accept of values) {
        const head = await kept({ method: 'HEAD', path: topic, headers: { ...bearer(), Accept } });
        assert.deepEqual([head.status, head.headers.get('content-type')], [200, type], Accept.slice(0, 60));
        if (type.startsWith('application')) assert.equal((await get(topic, { Accept })).json.events.length, 3);
      }
    }
    const two = await kept({
      method: 'HEAD',
      path: topic,
      headers: { ...bearer(), Accept: ['text/html', 'text/event-stream'] },
    });
    assert.equal(two.headers.get('content-type'), 'text/event-stream');
    assert.equal((await kept({ method: 'HEAD', path: topic, headers: bearer() })).headers.get('content-type'), json);
  });

  test('Decisions, claims and events: a Last-Event-ID that is no cursor is refused by its name, and a batch ignores it', async () => {
    for (const id of [...oddIds, '1-1'.repeat(3_600), ['1-1', '1-1']]) {
      const shown = String(id).slice(0, 60);
      const refused = await get(topic, { Accept: 'text/event-stream', 'Last-Event-ID': id });
      assert.equal(identifierOf(refused), 'validation-error', shown);
      assert.equal(refused.json.errors[0].header, 'Last-Event-ID', shown);
      assert.equal((await get(topic, { 'Last-Event-ID': id })).json.events.length, 3, shown);
    }
    for (const id of ['', ' ', '\t']) {
      const socket = await dial(lplate);
      const request = streamRequest(client.token, '').replace('\r\n\r\n', `\r\nLast-Event-ID:${id}\r\n\r\n`);
      assert.match(await begun(socket, request), /^data: .+\n\nid: .+\ndata: .+\n\nid: .+\ndata: /m);
      socket.destroy();
    }
    await vacant();
  });

  test('Decisions, claims and events: streams and waiting readers that are reset, half-closed or dropped leave nothing behind', async () => {
    const poll = streamRequest(client.token, '?after=latest&wait=30').replace('text/event-stream', '*/*');
    const stream = streamRequest(client.token);
    const post = `POST /claims/v1/claims HTTP/1.1\r\n${host}Authorization: Bearer ${client.token}\r\n`;
    const connecting = `CONNECT x:1 HTTP/1.1\r\n${host}\r\n`;
    const behind = {
      nothing: '',
      'another stream': stream,
      'a waiting reader': poll,
      'many requests': `GET ${topic} HTTP/1.1\r\n${host}\r\n`.repeat(500),
      'half a request': stream.slice(0, -2),
      'half a body': `${post}${length(10)}\r\n{}`,
      'no HTTP': 'BREW!\r\n\r\n',
      CONNECT: connecting,
      'a stream and CONNECT': stream + connecting,
      'a broken chunk': `${post}${chunked}\r\nzz\r\n`,
    };
    const waits = takingTurns(0, 20);
    for (const more of Object.values(behind)) {
      for (const first of [stream, poll]) {
        for (const end of ['reset', 'half-close', 'drop'] as const) {
          for (const wait of waits()) {
            const socket = await dial(lplate);
            socket.resume().write(first + more);
            if (wait > 0) await pause(wait);
            if (end === 'reset') socket.resetAndDestroy();
            else if (end === 'half-close') socket.end();
            else socket.destroy();
            // A waiting reader is answered late, and what has hung up half-way hears that.
            if (end === 'half-close') await pause(5);
            socket.destroy();
          }
        }
      }
      await vacant();
    }
    assert.equal((await get(topic)).json.events.length, 3);
  });

  test('Decisions, claims and events: what is sent behind a stream is answered after it, in order, and does not spoil it', async (t) => {
    const token = await lplate.token(client.id, client.secret);
    const after = `GET /insurer/v1/coverage-options HTTP/1.1\r\n${host}\r\n`;
    const socket = await dial(lplate);
    t.after(() => socket.destroy());
    let text = await begun(socket, streamRequest(token) + after + after);
    socket.on('data', (part) => (text += part));
    await pass(lplate, 3600);
    await until(() => text.split('"options":').length === 3, 'both answers');
    const [stream = '', ...answers] = text.split('HTTP/1.1 200 OK\r\n').slice(1);
    assert(stream.endsWith('\n\r\n0\r\n\r\n'), 'the stream is not whole');
    assert.equal(answers.length, 2);
  });

  test('Limits: a request for the topic that never comes whole is cut off, and a stream that goes on is not', async (t) => {
    const impatient = await startLPlate(t, engine, { requestTimeoutSeconds: 1 });
    const { token } = await impatient.client();
    const whole = await Listener.open(impatient, token, { after: 'latest' });
    const [policyNumber, wait] = [await insure(impatient, token), streamRequest(token, '?after=latest&wait=30')];
    for (const request of [streamRequest(token), wait.replace('text/event-stream', '*/*')]) {
      const socket = await dial(impatient);
      let text = '';
      socket.setEncoding('latin1').on('data', (part) => (text += part));
      socket.write(request.replace('\r\n\r\n', `\r\n${length(10)}\r\n{}`));
      await until(() => socket.closed, 'the end of the connection');
      // Nothing is put into the midst of an answer that has begun.
      assert.equal(text.split('HTTP/1.1 ').length, 2, text);
    }
    await claimOn(impatient, token, policyNumber, { paceSeconds: 1 });
    await pass(impatient, 3);
    await whole.until(() => whole.heard.length >= 3, 'three events');
    whole.close();
  });

  test('Errors, 1: nothing of all this is an internal error, each request left its line, and the server answers', async () => {
    const lines = lplate.log.map((line) => JSON.parse(line));
    assert.deepEqual(linesFrom(lplate, 40), []);
    assert(lines.filter(({ route, cut }) => route === topic && cut).length > 100);
    assert.equal((await get('/insurer/v1/coverage-options')).status, 200);
  });
});
