import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { day, hour } from '../../src/time/units.ts';
import { TestClock } from '../support/clock.ts';
import { type Engine, forEachEngineInFull } from '../support/engines.ts';
import { type LPlate, problem, startLPlate, type TestClient } from '../support/lplate.ts';
import { restartable } from '../support/restart.ts';
import { countStored } from '../support/stored.ts';
import { batch, claimOn, drain, EventStream, insure, pass, topicPath } from '../support/topic.ts';
import { publishMany } from './published.ts';

const retention = 7 * day;
const settings = { eventsDuplicateRate: 0 };

/** The three events of a claim, published together. */
interface Published {
  claimId: string;
  /** The place right before them. */
  before: string;
  /** Those right after the first and after the last. */
  within: string;
  after: string;
  eventId: string;
}

async function started(t: TestContext, engine: Engine): Promise<LPlate> {
  const lplate = await startLPlate(t, engine, settings);
  await lplate.catchUp();
  return lplate;
}

const askToken = (lplate: LPlate, { id, secret }: TestClient) => lplate.token(id, secret);

/** Lets time pass to the millisecond. The client is used every day, so that it stays. Returns a token of it. */
async function outlast(lplate: LPlate, client: TestClient, milliseconds: number): Promise<string> {
  for (let left = milliseconds; left > 0; left -= day / 2) {
    lplate.clock.advance(Math.min(left, day / 2));
    await askToken(lplate, client);
  }
  return askToken(lplate, client);
}

/** Publishes the events of a new claim. */
async function publish(lplate: LPlate, client: TestClient): Promise<Published> {
  const token = await askToken(lplate, client);
  const { next: before } = await batch(lplate, token, '?after=latest');
  const claimId = await claimOn(lplate, token, await insure(lplate, token), { paceSeconds: 1 });
  await pass(lplate, 3);
  const { events, next: within } = await batch(lplate, token, `?after=${before}&limit=1`);
  const { next: after } = await batch(lplate, token, `?after=${within}&limit=2`);
  assert.equal(events[0]?.data.claimId, claimId);
  return { claimId, before, within, after, eventId: events[0].eventId };
}

/** The event that comes first after a place, or from the beginning, as a batch and as a stream tell it. */
async function firstRead(lplate: LPlate, t: TestContext, token: string, place: string): Promise<string> {
  const { events } = await batch(lplate, token, `?after=${place}&limit=1`);
  const ids = [events[0]?.eventId];
  const ways = [{ after: place }, ...(place === 'earliest' ? [] : [{ lastEventId: place }])];
  for (const way of ways) {
    const stream = await EventStream.open(lplate.url, token, way);
    t.after(() => stream.close());
    await stream.until(() => stream.received.length > 0);
    stream.close();
    ids.push(stream.received[0]?.event.eventId);
  }
  assert.deepEqual(new Set(ids).size, 1, 'batch and stream agree');
  return String(ids[0]);
}

/** Whichever way one goes on from there, the cursor has expired. */
async function assertExpired(lplate: LPlate, token: string, cursor: string): Promise<void> {
  for (const query of [`?after=${cursor}`, `?after=${cursor}&wait=30&limit=1`]) {
    assert.deepEqual(problem(await lplate.call('GET', topicPath + query, { token })), [410, 'cursor-expired']);
  }
  assert.equal((await lplate.call('HEAD', `${topicPath}?after=${cursor}`, { token })).status, 410);
  for (const way of [{ after: cursor }, { lastEventId: cursor }]) {
    const opened = EventStream.open(lplate.url, token, way);
    opened.then((stream) => stream.close()).catch(() => {});
    await assert.rejects(opened, /^Error: 410 .*cursor-expired/);
  }
}

forEachEngineInFull((engine) => {
  for (const tidied of [false, true]) {
    const when = tidied ? 'after housekeeping' : 'before housekeeping has come round';
    test(`Events, rule 3, and Limits: an event can be read for 7 days to the millisecond, ${when}`, async (t) => {
      const lplate = await started(t, engine);
      const client = await lplate.client();
      const first = await publish(lplate, client);
      const publishedAt = lplate.clock.now();
      const second = await publish(lplate, client);
      let token = await outlast(lplate, client, publishedAt + retention - 1 - lplate.clock.now());
      if (tidied) await lplate.housekeeping();
      for (const place of ['earliest', first.before]) {
        assert.equal(await firstRead(lplate, t, token, place), first.eventId, `the last millisecond: ${place}`);
      }
      token = await outlast(lplate, client, 1);
      if (tidied) await lplate.housekeeping();
      await assertExpired(lplate, token, first.within);
      // What follows it is there, also for those who had read it.
      for (const place of ['earliest', first.after]) {
        assert.equal(await firstRead(lplate, t, token, place), second.eventId, place);
      }
      assert.equal(lplate.clock.now() - publishedAt, retention);
    });
  }

  test('Events, rule 3: where all events were removed, batch and stream say so and how to go on, and not that there were none', async (t) => {
    const lplate = await started(t, engine);
    const client = await lplate.client();
    const told = async (token: string) => {
      const { note = '' } = await batch(lplate, token);
      const stream = await EventStream.open(lplate.url, token, { after: 'earliest' });
      t.after(() => stream.close());
      await stream.until(() => stream.notes.length > 0);
      stream.close();
      assert.deepEqual(stream.notes, [note]);
      return note;
    };
    const none = /^There are no events yet: they report /;
    assert.match(await told(await askToken(lplate, client)), none);
    const other = await lplate.client();
    await claimOn(lplate, other.token, await insure(lplate, other.token), { paceSeconds: 3600 });
    assert.match(await told(other.token), none, 'registered, but not changed');
    await publish(lplate, client);
    for (const tidied of [false, true]) {
      const later = await outlast(lplate, client, retention);
      if (tidied) await lplate.housekeeping();
      const removed = await told(later);
      for (const part of [/no events any more/, /7 days/, /after=latest, then read the claims list/])
        assert.match(removed, part);
    }
    const fresh = await lplate.client();
    assert.match(await told(fresh.token), none, 'others had some');
    const last = await outlast(lplate, client, 1);
    await lplate.call('POST', '/range/v1/me/drills', { token: last, json: { name: 'stop-events' } });
    await publish(lplate, client).catch(() => {});
    assert.match(await told(last), none, 'held back are not removed');
  });

  test('Events, rule 3: who was away too long is told how to go on, and comes to the same claims that way', async (t) => {
    const lplate = await started(t, engine);
    const client = await lplate.client();
    const { before, claimId } = await publish(lplate, client);
    const token = await outlast(lplate, client, retention);
    const refused = await lplate.call('GET', `${topicPath}?after=${before}`, { token });
    assert.deepEqual(problem(refused), [410, 'cursor-expired']);
    for (const word of ['7 days', before, 'GET /claims', 'latest']) assert(refused.json.detail.includes(word), word);

    const { next } = await batch(lplate, token, '?after=latest');
    const { items } = (await lplate.call('GET', '/claims/v1/claims', { token })).json;
    const known = new Map(items.map((claim: { claimId: string; status: string }) => [claim.claimId, claim.status]));
    assert(known.has(claimId));
    const fresh = await claimOn(lplate, token, await insure(lplate, token), { paceSeconds: 1 });
    await pass(lplate, 3);
    const { events } = await drain(lplate, token, next);
    for (const { data } of events) known.set(data.claimId, data.newStatus);
    const claims = (await lplate.call('GET', '/claims/v1/claims', { token })).json.items;
    assert.deepEqual(
      [...known],
      claims.map((claim: { claimId: string; status: string }) => [claim.claimId, claim.status]),
    );
    assert.equal(known.get(fresh), 'CLOSED');
  });

  test('Decisions, claims and events: the days count from publication, not from when the change happened', async (t) => {
    const { start } = await restartable(engine);
    const clock = new TestClock();
    const first = await start(settings, clock);
    const client = await first.client();
    await claimOn(first, client.token, await insure(first, client.token), { paceSeconds: 3600 });
    const happened = clock.now() + hour;
    // What the fleet owes at the start is published by then, so the cursor is as old as the last event.
    await first.catchUp();
    const { next: before } = await batch(first, client.token, '?after=latest');
    await first.close();
    // A day at the most: the client is not used meanwhile.
    clock.advance(20 * hour);
    const lplate = await start(settings, clock);
    t.after(() => lplate.close());
    await lplate.catchUp();
    const published = clock.now();
    let token = await outlast(lplate, client, happened + retention - clock.now());
    const { events } = await drain(lplate, token, before);
    assert.deepEqual(
      events.map(({ occurredAt }) => Date.parse(occurredAt) - happened),
      [0, hour, 2 * hour],
    );
    token = await outlast(lplate, client, published + retention - 1 - clock.now());
    assert.equal((await drain(lplate, token, before)).events.length, 3);
    token = await outlast(lplate, client, 1);
    assert.deepEqual((await drain(lplate, token)).events, []);
  });

  test('Decisions, claims and events: a reader that has no events of its own for a month never expires, if it reads', async (t) => {
    const lplate = await started(t, engine);
    const client = await lplate.client();
    const { next: start } = await batch(lplate, client.token, '?after=latest');
    let next = start;
    for (let passed = 0; passed < 30; passed += 6) {
      const token = await outlast(lplate, client, 6 * day);
      // The fleet goes on publishing.
      await lplate.catchUp();
      await lplate.housekeeping();
      const read = await batch(lplate, token, `?after=${next}`);
      assert.deepEqual(read.events, []);
      assert.notEqual(read.next, next, 'it moves on with the topic');
      next = read.next;
    }
    const token = await askToken(lplate, client);
    const late = await lplate.call('GET', `${topicPath}?after=${start}`, { token });
    assert.deepEqual(
      problem(late),
      [410, 'cursor-expired'],
      'one that does not read expires, though it missed nothing',
    );
  });

  test('Events, rule 3: housekeeping removes what is past its days, however much it is, and leaves the rest', async (t) => {
    const { start, location } = await restartable(engine);
    const lplate = await start(settings);
    t.after(() => lplate.close());
    await lplate.catchUp();
    const client = await lplate.client();
    const { next: old } = await batch(lplate, client.token, '?after=latest');
    // The time of these is ten seconds on.
    await publishMany(location, client.id, 2500);
    lplate.clock.advance(10_000);
    const expiry = lplate.clock.now() + retention;
    const kept = await publish(lplate, client);
    const mine = `client_id = '${client.id}'`;
    await outlast(lplate, client, expiry - 1 - lplate.clock.now());
    await lplate.housekeeping();
    assert.equal(await countStored(lplate, 'events', mine), 2503);
    const token = await outlast(lplate, client, 1);
    await lplate.housekeeping();
    assert.equal(await countStored(lplate, 'events', mine), 3);
    assert.equal((await batch(lplate, token)).events[0]?.eventId, kept.eventId);
    assert.deepEqual(problem(await lplate.call('GET', `${topicPath}?after=${old}`, { token })), [
      410,
      'cursor-expired',
    ]);
  });

  test('Decisions, claims and events: when all events are gone, also over a restart, cursors go on where they were', async (t) => {
    const { start } = await restartable(engine);
    const clock = new TestClock();
    const first = await start(settings, clock);
    await first.catchUp();
    const client = await first.client();
    const { after: cursor } = await publish(first, client);
    const { next: last } = await batch(first, await askToken(first, client), '?after=latest');
    clock.advance(retention);
    await first.housekeeping();
    await first.close();
    const again = await start(settings, clock);
    t.after(() => again.close());
    const newcomer = await again.client();
    const known = await batch(again, newcomer.token, '?after=latest');
    const fresh = await publish(again, newcomer);
    const number = (text: string) => Number(text.split('-')[0]);
    assert(number(known.next) >= number(last), `${known.next} after ${last}`);
    assert(number(fresh.within) > number(cursor), `${fresh.within} after ${cursor}`);
  });
});
