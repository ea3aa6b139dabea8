import assert from 'node:assert/strict';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { administer, forEachEngineInFull, onPostgres } from '../support/engines.ts';
import { type LPlate, problem, startLPlate, startWithClient } from '../support/lplate.ts';
import { batch, claimOn, insure, pass, topicPath } from '../support/topic.ts';
import { until } from '../support/until.ts';
import { testWithin } from '../support/within.ts';
import { dial, Listener, longTimeout, openTogether, streamRequest, timersNow } from './listener.ts';

const test = testWithin(longTimeout);

/** So rare that it can't be what ends a stream. */
const noHeartbeat = { eventsHeartbeatSeconds: 3600 };

const tokenLifetime = 3600;

const asStream = { Accept: 'text/event-stream' };

/** The next stream of the client is refused. */
async function assertFull(lplate: LPlate, token: string): Promise<void> {
  const answer = await lplate.call('GET', topicPath, { token, headers: asStream });
  assert.deepEqual(problem(answer), [429, 'quota-exceeded']);
}

/** How many calls a client has left in this minute. */
async function callsLeft(lplate: LPlate, token: string): Promise<number> {
  const { headers } = await lplate.call('GET', '/claims/v1/claims', { token });
  return Number(headers.get('RateLimit-Remaining'));
}

/** A long poll that has arrived: it is counted. */
async function openPoll(lplate: LPlate, token: string): Promise<{ answer: ReturnType<typeof batch> }> {
  let left = await callsLeft(lplate, token);
  const answer = batch(lplate, token, '?after=latest&wait=30');
  for (;;) {
    const now = await callsLeft(lplate, token);
    if (now < left - 1) return { answer };
    left = now;
  }
}

forEachEngineInFull((engine) => {
  test('Decisions, clients: a stream and a long poll end when their token expires', async (t) => {
    const { lplate, token } = await startWithClient(t, engine, noHeartbeat);
    lplate.clock.advance((tokenLifetime - 1) * 1000);
    const listener = await Listener.open(lplate, token, { after: 'latest' });
    const polled = batch(lplate, token, '?after=latest&wait=30');
    await until(() => listener.end !== undefined, 'the end of the stream');
    assert.equal(listener.end, 'whole');
    const late = pause(15_000, undefined, { ref: false });
    assert.deepEqual((await Promise.race([polled, late]))?.events, []);
  });

  test('Decisions, clients: once its token has expired, a stream brings no event any more', async (t) => {
    const { lplate, token } = await startWithClient(t, engine, { eventsHeartbeatSeconds: 1, eventsDuplicateRate: 0 });
    const policy = await insure(lplate, token);
    await claimOn(lplate, token, policy, { paceSeconds: 1 });
    await pass(lplate, 3);
    const listener = await Listener.open(lplate, token);
    await listener.until(() => listener.heard.length === 3, 'three events');
    await claimOn(lplate, token, policy, { paceSeconds: 1800 });
    await pass(lplate, tokenLifetime);
    await until(() => listener.end !== undefined, 'the end of the stream');
    assert.equal(listener.end, 'whole');
    assert.equal(listener.heard.length, 3);
  });

  test('Decisions, start-up: at the stop of the program all streams and long polls end in good order', async (t) => {
    const lplate = await startLPlate(engine, { ...noHeartbeat, streamsPerClient: 25 });
    let closed: Promise<void> | undefined;
    t.after(() => closed ?? lplate.close());
    const [one, other] = [await lplate.client(), await lplate.client()];
    const listeners = [
      ...(await openTogether(lplate, one.token, 25)),
      ...(await openTogether(lplate, other.token, 25)),
    ];
    const polls = await Promise.all([one, other].map(({ token }) => openPoll(lplate, token)));
    closed = lplate.close();
    await closed;
    // Those that are still open after some seconds would be cut.
    await until(() => listeners.every(({ end }) => end), 'the end of the streams');
    assert.deepEqual(
      listeners.map(({ end }) => end),
      listeners.map(() => 'whole'),
    );
    for (const { answer } of polls) assert.deepEqual((await answer).events, []);
  });

  test('Decisions, clients: a client has so many streams at the most, and its place is free however one closes', async (t) => {
    const cap = 3;
    const { lplate, token } = await startWithClient(t, engine, { ...noHeartbeat, streamsPerClient: cap });
    const other = await lplate.client();

    const sent = async (text: string) => {
      const socket = await dial(lplate);
      socket.write(text);
      return socket;
    };
    const answered = async (text: string) => {
      const socket = await sent(text);
      await once(socket, 'data');
      return socket;
    };
    /** Each takes a place, or tries to, and leaves. */
    const ways: Record<string, () => Promise<unknown>> = {
      'it is closed': async () => (await answered(streamRequest(token))).destroy(),
      'it is reset': async () => (await answered(streamRequest(token))).resetAndDestroy(),
      'it is half closed': async () => (await answered(streamRequest(token))).resume().end(),
      'it is closed before its first byte': async () => (await sent(streamRequest(token))).destroy(),
      'it is closed in the middle of its answer': async () => {
        const socket = await sent(streamRequest(token));
        await new Promise((resolve) => setImmediate(resolve));
        socket.resetAndDestroy();
      },
      'two of them on one connection are closed': async () =>
        (await answered(streamRequest(token).repeat(2))).destroy(),
      'its cursor is refused': () => lplate.call('GET', `${topicPath}?after=999999999-1`, { token, headers: asStream }),
      'its Last-Event-ID is refused': () =>
        lplate.call('GET', topicPath, { token, headers: { ...asStream, 'Last-Event-ID': 'x' } }),
      'it is asked for by HEAD': () => lplate.call('HEAD', topicPath, { token, headers: asStream }),
    };
    for (const [how, leave] of Object.entries(ways)) {
      for (let times = 0; times <= cap; times++) await leave();
      const streams = await openTogether(lplate, token, cap).catch((error) => assert.fail(`${how}: ${error}`));
      await assertFull(lplate, token);
      for (const each of await openTogether(lplate, other.token, cap)) each.close();
      // The others of its streams stay where they are.
      streams[0]?.close();
      const [one] = await openTogether(lplate, token, 1);
      await assertFull(lplate, token);
      assert.deepEqual([one?.end, ...streams.slice(1).map(({ end }) => end)], [undefined, undefined, undefined]);
      for (const each of [one, ...streams]) each?.close();
    }
  });

  test('Decisions, claims and events: 200 streams that were closed leave nothing behind', async (t) => {
    const many = 200;
    const { lplate, token } = await startWithClient(t, engine, { ...noHeartbeat, streamsPerClient: many });
    const quiet = timersNow(engine);
    for (let round = 0; round < 2; round++) {
      const streams = await openTogether(lplate, token, many);
      await assertFull(lplate, token);
      assert.equal(quiet(), false);
      for (const each of streams) each.close();
    }
    await until(quiet, 'the end of their timers');
  });

  test('Decisions, claims and events: HEAD asks for the headers of a stream, and opens none', async (t) => {
    const { lplate, token } = await startWithClient(t, engine, noHeartbeat);
    for (const id of ['x', '999999999-1']) {
      const refused = await lplate.call('HEAD', topicPath, { token, headers: { ...asStream, 'Last-Event-ID': id } });
      assert.equal(refused.status, 400, `a bad cursor is refused as by GET: ${id}`);
    }
    const { status, headers, text } = await lplate.call('HEAD', topicPath, { token, headers: asStream });
    assert.deepEqual([status, headers.get('content-type'), text], [200, 'text/event-stream', '']);
  });
});

onPostgres((engine) => {
  test('Decisions, clients: a stream and a long poll end when their client is removed', async (t) => {
    const where = await engine.location();
    assert.ok('url' in where);
    const {
      lplate,
      client: { id, token },
    } = await startWithClient(t, { ...engine, location: async () => where }, { eventsHeartbeatSeconds: 1 });
    const other = await lplate.client();
    const listener = await Listener.open(lplate, token, { after: 'latest' });
    const stays = await Listener.open(lplate, other.token, { after: 'latest' });
    t.after(() => stays.close());
    const polled = lplate.call('GET', `${topicPath}?after=latest&wait=3`, { token });
    await listener.until(() => listener.signs.length > 0, 'a sign of life');
    await administer(`delete from clients where id = '${id}'`, where.url);
    await until(() => listener.end !== undefined, 'the end of the stream');
    assert.equal(listener.end, 'whole');
    assert.deepEqual(problem(await polled), [401, 'invalid-token']);
    assert.equal(stays.end, undefined);
  });
});
