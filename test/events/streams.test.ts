import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { claimStatusChanged } from '../../src/claims/status-changed.ts';
import { TopicReader } from '../../src/events/topic-reader.ts';
import { hour } from '../../src/time/units.ts';
import { TestClock } from '../support/clock.ts';
import { checkAgainstDescription } from '../support/description.ts';
import { forEachEngineInFull, onPostgres } from '../support/engines.ts';
import { type LPlate, problem, startLPlate, startWithClient } from '../support/lplate.ts';
import { batch, claimOn, drain, EventStream, insure, pass, topicPath } from '../support/topic.ts';
import { testWithin } from '../support/within.ts';
import { Listener, longTimeout } from './listener.ts';

const test = testWithin(longTimeout);

/** So rare that only news can bring anything. */
const noHeartbeat = { eventsHeartbeatSeconds: 3600 };

/** A client with a claim that has made all its moves: three events. */
async function closedClaim(lplate: LPlate): Promise<{ token: string; policy: string }> {
  const { token } = await lplate.client();
  const policy = await insure(lplate, token);
  await claimOn(lplate, token, policy, { paceSeconds: 1 });
  // What the fleet's claims have waiting comes first.
  await pass(lplate, 0);
  await pass(lplate, 3);
  return { token, policy };
}

/** An answer that has to come because something happened, not because its time is over. */
async function soon<T>(answer: Promise<T>): Promise<T> {
  const late = new AbortController();
  const missed = pause(15_000, undefined, { signal: late.signal }).then(() => assert.fail('it was not woken'));
  return Promise.race([answer, missed]).finally(() => late.abort());
}

test('Events: news that come between a read and the wait that follows it end the wait at once', async () => {
  const reader = new TopicReader({
    ...{ topic: claimStatusChanged, clientId: 'demo-reader', clock: new TestClock(), milliseconds: hour },
    note: () => {},
  });
  reader.resetWakeUp();
  reader.wake();
  assert.equal(await soon(reader.wait(hour)), false);
  reader.resetWakeUp();
  const quiet = reader.wait(1);
  assert.equal(await quiet, true);
  const waiting = reader.wait(hour);
  reader.wake();
  assert.equal(await soon(waiting), false);
  reader.stop();
});

forEachEngineInFull((engine) => {
  test('Events: a stream says how to come back, and sends each event with its cursor and its payload on one line', async (t) => {
    const lplate = await startLPlate(t, engine, { ...noHeartbeat, eventsDuplicateRate: 0 });
    const { token } = await closedClaim(lplate);
    const { events, next } = await batch(lplate, token, '?limit=3');
    const listener = await Listener.open(lplate, token);
    t.after(() => listener.close());
    await listener.until(() => listener.heard.length === 3, 'three events');
    const { statusCode = 0, headers } = listener.answer;
    assert.equal(headers['content-type'], 'text/event-stream');
    assert.equal(headers['cache-control'], 'no-store, no-transform');
    assert.equal(headers['x-accel-buffering'], 'no');
    assert.equal(headers['content-length'], undefined);
    const answer = { status: statusCode, headers: new Headers(headers as Record<string, string>), json: undefined };
    await checkAgainstDescription(lplate.url, 'GET', topicPath, { ...answer, text: listener.text });
    const last = Number(next.split('-')[0]);
    const messages = events.map((event, at) => `id: ${last - 2 + at}-1\ndata: ${JSON.stringify(event)}\n\n`);
    assert.equal(listener.text, `retry: 3000\n${messages.join('')}`);
  });

  test('Events: Last-Event-ID resumes a stream and wins over after; an empty one counts for nothing', async (t) => {
    const lplate = await startLPlate(t, engine, { ...noHeartbeat, eventsDuplicateRate: 0 });
    const { token, policy } = await closedClaim(lplate);
    const { next } = await batch(lplate, token, '?limit=1');
    const { next: end } = await drain(lplate, token);
    const openings = {
      'the header alone': { from: { lastEventId: next }, events: 3 },
      'the header, and after that says less': { from: { lastEventId: next, after: end }, events: 3 },
      'the header, and after that says more': { from: { lastEventId: end, after: 'earliest' }, events: 1 },
      'the header, and after=latest': { from: { lastEventId: next, after: 'latest' }, events: 3 },
      'an empty header': { from: { lastEventId: '', after: next }, events: 3 },
      'after alone': { from: { after: next }, events: 3 },
      'after=latest': { from: { after: 'latest' }, events: 1 },
      nothing: { from: {}, events: 4 },
    };
    const streams = await Promise.all(
      Object.entries(openings).map(async ([what, { from, events }]) => {
        const stream = await EventStream.open(lplate.url, token, from);
        t.after(() => stream.close());
        return { what, stream, events };
      }),
    );
    // One more for all of them, so that none may end early.
    await claimOn(lplate, token, policy, { paceSeconds: 1 });
    await pass(lplate, 1);
    const all = (await drain(lplate, token)).events;
    for (const { what, stream, events } of streams) {
      await stream.until(() => stream.received.length >= events);
      assert.deepEqual(
        stream.received.map(({ event }) => event),
        all.slice(-events),
        what,
      );
    }
  });

  test('Errors, 1: a Last-Event-ID that is no cursor of this topic is refused, and so is after on a stream', async (t) => {
    const lplate = await startLPlate(t, engine, { ...noHeartbeat, streamsPerClient: 1 });
    const { token } = await closedClaim(lplate);
    const { next } = await drain(lplate, token);
    const refused = async (path: string, headers: Record<string, string>) => {
      const answer = await lplate.call('GET', path, { token, headers: { Accept: 'text/event-stream', ...headers } });
      assert.deepEqual(problem(answer), [400, 'validation-error'], JSON.stringify(headers));
      return answer.json.errors.map(({ detail, ...place }: { detail: string }) => {
        assert.ok(detail.length > 20);
        return place;
      });
    };
    const beyond = `${Number(next.split('-')[0]) + 1}-1`;
    const bad = ['x', '1', '1-', '-1', '1-0', '1-3', '01-1', '+1-1', '1.0-1', '1e3-1', '1-1 x', '1-1, 1-2', 'latest'];
    for (const id of [...bad, 'earliest', `${'9'.repeat(16)}-1`, '999999999999999-2', beyond]) {
      assert.deepEqual(await refused(topicPath, { 'Last-Event-ID': id }), [{ header: 'Last-Event-ID' }], id);
    }
    for (const after of ['x', '1-3', beyond]) {
      assert.deepEqual(await refused(`${topicPath}?after=${after}`, {}), [{ parameter: 'after' }], after);
    }
    // None of them has taken the only place.
    const stream = await EventStream.open(lplate.url, token, { lastEventId: next });
    stream.close();
  });

  test('Events: news reach a stream and a long poll that wait, without a sign of life and without being asked for', async (t) => {
    const { lplate, token } = await startWithClient(t, engine, { ...noHeartbeat, eventsDuplicateRate: 0 });
    const other = await lplate.client();
    const claimId = await claimOn(lplate, token, await insure(lplate, token), { paceSeconds: 5 });
    const stream = await EventStream.open(lplate.url, token, { after: 'latest' });
    const elsewhere = await EventStream.open(lplate.url, other.token, { after: 'latest' });
    t.after(() => [stream, elsewhere].map((each) => each.close()));
    let { next } = await batch(lplate, token, '?after=latest');
    for (let change = 1; change <= 3; change++) {
      const polled = batch(lplate, token, `?after=${next}&wait=30`);
      // The desk looks by itself; nobody calls it.
      lplate.clock.advance(5_000);
      const read = await soon(polled);
      assert.equal(read.events[0]?.data.claimId, claimId);
      next = read.next;
      await stream.until(() => stream.received.length === change);
    }
    assert.deepEqual([stream.comments, elsewhere.comments, elsewhere.received], [[], [], []]);
  });

  test('Events: where nothing moves, nothing that comes is an event to any client: a sign of life is a comment line', async (t) => {
    const { lplate, token } = await startWithClient(t, engine, { eventsHeartbeatSeconds: 1 });
    // The claims of the fleet have moved by then; nothing moves without the clock.
    await lplate.catchUp();
    const { next } = await batch(lplate, token, '?after=latest');
    const stream = await EventStream.open(lplate.url, token, { lastEventId: next });
    t.after(() => stream.close());
    await stream.until(() => stream.comments.length === 2);
    assert.deepEqual([stream.retry, stream.empty, stream.received], [3000, 0, []]);
    assert.deepEqual(stream.notes, ['There are no events after this cursor yet. earliest reads all that are kept.']);
  });

  test('Decisions, events: a batch or stream without events says why, in note or a comment', async (t) => {
    const lplate = await startLPlate(t, engine);
    // The first events of the fleet's claims move the cursors of all.
    await lplate.catchUp();
    const { token } = await lplate.client();
    const none =
      'There are no events yet: they report the status changes of the claims on your policies. A claim’s first event comes about 10 seconds after it was registered (its paceSeconds).';
    const latest =
      'latest is the position after the newest event: only events from now on follow. earliest reads all that are kept.';
    const behind = 'There are no events after this cursor yet. earliest reads all that are kept.';
    const { next } = await batch(lplate, token);
    for (const [after, note] of [
      ['earliest', none],
      ['latest', latest],
      [next, behind],
    ] as const) {
      assert.deepEqual(await batch(lplate, token, `?after=${after}`), { events: [], next, note });
      const stream = await EventStream.open(lplate.url, token, { after });
      t.after(() => stream.close());
      await stream.until(() => stream.notes.length > 0);
      assert.deepEqual([stream.notes, stream.empty], [[note], 0]);
    }
    const policy = await insure(lplate, token);
    await claimOn(lplate, token, policy, { paceSeconds: 1 });
    await pass(lplate, 2);
    const { note, events } = await batch(lplate, token);
    assert.deepEqual([note, events.length > 0], [undefined, true]);
    const stream = await EventStream.open(lplate.url, token, { after: 'earliest' });
    t.after(() => stream.close());
    await stream.until(() => stream.received.length > 0);
    assert.deepEqual(stream.notes, []);
  });

  test('Events, rule 3: a sign of life carries a fresh cursor, to go on from long after the old one expired', async (t) => {
    const { lplate, client } = await startWithClient(t, engine, { eventsHeartbeatSeconds: 1, eventsDuplicateRate: 0 });
    const policy = await insure(lplate, client.token);
    const { next: old } = await batch(lplate, client.token, '?after=latest');
    /** Days in which nothing happens to the client's claims, but to others'. */
    const sixDays = async () => {
      for (let hours = 0; hours < 6 * 24; hours += 16) {
        await pass(lplate, (16 * hour) / 1000);
        client.token = await lplate.token(client.id, client.secret);
      }
      await lplate.housekeeping();
    };
    await sixDays();
    const listener = await Listener.open(lplate, client.token, { lastEventId: old });
    t.after(() => listener.close());
    await listener.until(() => listener.signs.length > 0, 'a sign of life');
    assert.notEqual(listener.signs[0]?.id, undefined);
    await pass(lplate, 180);
    const { next: head } = await batch(lplate, client.token, '?after=latest');
    assert.notEqual(head, listener.signs[0]?.id);
    await listener.until(() => listener.signs.at(-1)?.id === head, 'a sign of life that is newer');
    // No event comes of it.
    assert.match(
      listener.text,
      /^retry: 3000\n: There are no events after this cursor yet\..*\n((: still here\n)|(id: \d+-2\n\n))+$/,
    );
    const ids = listener.signs.flatMap(({ id }) => id ?? []);
    assert.deepEqual(ids, [...new Set(ids)]);
    listener.close();

    await sixDays();
    const headers = { Accept: 'text/event-stream', 'Last-Event-ID': old };
    const expired = await lplate.call('GET', topicPath, { token: client.token, headers });
    assert.deepEqual(problem(expired), [410, 'cursor-expired']);
    const stream = await EventStream.open(lplate.url, client.token, { lastEventId: head });
    t.after(() => stream.close());
    const claimId = await claimOn(lplate, client.token, policy, { paceSeconds: 1 });
    await pass(lplate, 1);
    await stream.until(() => stream.received.length === 1);
    assert.equal(stream.received[0]?.event.data.claimId, claimId);
  });
});

onPostgres((engine) => {
  test('Events: news that another process publishes reach the readers of this one', async (t) => {
    const where = await engine.location();
    const shared = { ...engine, location: async () => where };
    const settings = { ...noHeartbeat, eventsDuplicateRate: 0, publicUrl: 'http://lplate.example' };
    // The desk of the second one sees nothing to do: its clock stands still.
    const here = await startLPlate(t, shared, settings, new TestClock());
    const there = await startLPlate(t, shared, settings, new TestClock());
    const { token } = await here.client();
    const claimId = await claimOn(here, token, await insure(here, token), { paceSeconds: 5 });
    const stream = await EventStream.open(there.url, token, { after: 'latest' });
    t.after(() => stream.close());
    let { next } = await batch(there, token, '?after=latest');
    for (let change = 1; change <= 3; change++) {
      const polled = batch(there, token, `?after=${next}&wait=30`);
      here.clock.advance(5_000);
      const read = await soon(polled);
      assert.equal(read.events[0]?.data.claimId, claimId);
      next = read.next;
      await stream.until(() => stream.received.length === change);
    }
  });
});
