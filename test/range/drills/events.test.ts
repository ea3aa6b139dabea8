import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { DrillName } from '../../../src/active-drills.ts';
import { catalogue, drillNames } from '../../../src/range/drills/catalogue.ts';
import { minute } from '../../../src/time/units.ts';
import { type Via, vias } from '../../../src/webhooks/delivery.ts';
import { forEachEngineInFull } from '../../support/engines.ts';
import { eventFaults } from '../../support/event-check.ts';
import { type LPlate, startLPlate, type TestClient } from '../../support/lplate.ts';
import { isSigned, type ReceivedCall, Receiver, Subscriber, subscribed, until } from '../../support/receiver.ts';
import { TestRelay } from '../../support/relay.ts';
import { batch, claimOn, drain, EventStream, insure, pass, topicPath } from '../../support/topic.ts';
import { logOf, plain } from '../range.ts';

/** So rare that only news, or the end of a drill, can bring anything. */
const settings = { eventsHeartbeatSeconds: 3600, eventsDuplicateRate: 0 };

/** What is sent of three events: their numbers, or what is forged, with its signature, age and version. */
const drillsOfDeliveries: readonly (readonly [DrillName, object, readonly string[]])[] = [
  ['stop-events', {}, ['1', '2', '3']],
  ['duplicate-events', { times: 2 }, ['1', '1', '2', '2', '3', '3']],
  ['repeat-webhooks', {}, ['1', '1', '2', '2', '3', '3']],
  ['repeat-webhooks', { order: 'late' }, ['1', '2', '1', '3', '2']],
  ['repeat-webhooks', { sequence: ['pass', 'hit'] }, ['1', '2', '2', '3']],
  ['forged-webhooks', {}, ['1', 'forged unsigned', '2', 'forged unsigned', '3', 'forged unsigned']],
  ['forged-webhooks', { how: 'changed-body', sequence: ['hit'] }, ['1', 'forged unsigned', '2', '3']],
  ['forged-webhooks', { how: 'old-timestamp', sequence: ['hit'] }, ['1', 'forged old', '2', '3']],
  ['newer-events', {}, ['1 1.1', '2 1.1', '3 1.1']],
];

test('Decisions, drills: each drill that says something of webhooks is among those that are tried on each of their ways', () => {
  const told = drillNames.filter((name) => /webhook/i.test(catalogue[name].description));
  deepEqual(new Set(drillsOfDeliveries.map(([name]) => name)), new Set(told));
});

forEachEngineInFull((engine) => {
  async function start(lplate: LPlate, { token }: TestClient, name: string, parameters = {}, minutes = 5) {
    const json = { name, parameters, minutes };
    const answer = await lplate.call('POST', '/range/v1/me/drills', { token, json });
    equal(answer.status, 201, answer.text);
  }

  const end = (lplate: LPlate, client: TestClient, name: string) =>
    lplate.call('DELETE', `/range/v1/me/drills/${name}`, client);

  /** Three events for the client. */
  async function publish(lplate: LPlate, { token }: TestClient): Promise<void> {
    await claimOn(lplate, token, await insure(lplate, token), { paceSeconds: 1 });
    // What the fleet's claims have waiting comes first.
    await pass(lplate, 0);
    await pass(lplate, 3);
  }

  const ids = (events: readonly { eventId: string }[]) => events.map(({ eventId }) => eventId);

  test('Decisions, drills: event delivery stops, and the backlog comes when it ends, by DELETE or by itself', async (t) => {
    const lplate = await startLPlate(t, engine, settings);
    const [client, other] = [await lplate.client(), await lplate.client()];
    const stream = await EventStream.open(lplate.url, client.token);
    const others = await EventStream.open(lplate.url, other.token);
    t.after(() => [stream, others].map((each) => each.close()));
    await start(lplate, client, 'stop-events');
    for (const each of [client, other]) await publish(lplate, each);
    await others.until(() => others.received.length === 3);
    deepEqual((await batch(lplate, client.token)).events, []);
    match((await logOf(lplate, client)).at(0)?.remarks.at(0), /^Events were held back by the drill `stop-events`\.$/);
    const { next } = await batch(lplate, client.token);
    equal(stream.received.length, 0);
    const polled = batch(lplate, client.token, `?after=${next}&wait=30`);
    await end(lplate, client, 'stop-events');
    equal((await polled).events.length, 3);
    await stream.until(() => stream.received.length === 3);
    await start(lplate, client, 'stop-events', {}, 1);
    await publish(lplate, client);
    deepEqual((await batch(lplate, client.token, `?after=${stream.lastEventId}`)).events, []);
    lplate.clock.advance(minute);
    await stream.until(() => stream.received.length === 6);
    deepEqual(ids(stream.received.map(({ event }) => event)), ids((await drain(lplate, client.token)).events));
  });

  test('Decisions, drills: while event delivery stops, webhooks are not called', async (t) => {
    const lplate = await startLPlate(t, engine, settings);
    const { receiver, subscriber } = await subscribed(t, lplate);
    await start(lplate, subscriber.client, 'stop-events');
    await subscriber.claim();
    for (let second = 0; second < 4; second += 1) await pass(lplate, 1);
    equal(receiver.calls.length, 0);
    await end(lplate, subscriber.client, 'stop-events');
    await until(async () => {
      await pass(lplate, 1);
      return receiver.calls.length === 3;
    }, 'the backlog');
    deepEqual(receiver.attempts, [1, 1, 1]);
  });

  test('Decisions, drills: in a burst each event comes several times in a row, within limit, to the client alone', async (t) => {
    const lplate = await startLPlate(t, engine, settings);
    const { receiver, subscriber } = await subscribed(t, lplate);
    const { client } = subscriber;
    const other = await lplate.client();
    const stream = await EventStream.open(lplate.url, client.token);
    t.after(() => stream.close());
    await start(lplate, client, 'duplicate-events', { times: 4 });
    await subscriber.claim();
    await pass(lplate, 0);
    await pass(lplate, 3);
    const once = async () => [...new Set(ids((await batch(lplate, client.token)).events))];
    const expected = (await once()).flatMap((id) => Array(4).fill(id));
    equal(expected.length, 12);
    deepEqual(ids((await batch(lplate, client.token)).events), expected);
    deepEqual(ids((await batch(lplate, client.token, '?limit=9')).events), expected.slice(0, 8));
    deepEqual(ids((await drain(lplate, client.token, 'earliest', 4)).events), expected);
    equal((await batch(lplate, client.token, '?limit=1')).events.length, 1);
    await stream.until(() => stream.received.length === 12);
    deepEqual(ids(stream.received.map(({ event }) => event)), expected);
    await receiver.until(12);
    deepEqual(receiver.eventIds, expected);
    ok((await logOf(lplate, client)).some(({ drills }) => drills.includes('duplicate-events')));
    await publish(lplate, other);
    equal((await batch(lplate, other.token)).events.length, 3);
    await end(lplate, client, 'duplicate-events');
    equal((await batch(lplate, client.token)).events.length, 3);
  });

  test('Decisions, drills: streams are cut, those that are open too, and Last-Event-ID loses nothing', async (t) => {
    const lplate = await startLPlate(t, engine, settings);
    const [client, other] = [await lplate.client(), await lplate.client()];
    const open = await EventStream.open(lplate.url, client.token);
    const others = await EventStream.open(lplate.url, other.token);
    t.after(() => others.close());
    await publish(lplate, client);
    await open.until(() => open.received.length === 3);
    await start(lplate, client, 'cut-streams', { seconds: 1 });
    await open.end();
    const streams = [open];
    const received = () => streams.flatMap((stream) => stream.received.map(({ event }) => event));
    await publish(lplate, client);
    // However slow the machine is, in the end each has come, once.
    while (streams.length < 2 || received().length < 6) {
      const from = performance.now();
      const lastEventId = streams.at(-1)?.lastEventId as string;
      const stream = await EventStream.open(lplate.url, client.token, { lastEventId });
      streams.push(stream);
      await stream.end();
      ok(performance.now() - from >= 999);
    }
    deepEqual(ids(received()), ids((await drain(lplate, client.token)).events));
    equal(others.ended, false);
    const cut = (await logOf(lplate, client, `?path=${topicPath}`)).filter(({ drills }) => drills.length > 0);
    deepEqual(
      cut.map(({ remarks, end: how }) => [remarks.at(0), how]),
      Array(streams.length).fill(['Cut by the drill `cut-streams`.', 'cut']),
    );
  });

  test('Decisions, drills: a revocation of tokens cuts the streams that are open, and none that is opened with a new token', async (t) => {
    const lplate = await startLPlate(t, engine, settings);
    const [client, other] = [await lplate.client(), await lplate.client()];
    const open = await EventStream.open(lplate.url, client.token);
    const others = await EventStream.open(lplate.url, other.token);
    t.after(() => others.close());
    lplate.clock.advance(1000);
    await start(lplate, client, 'revoke-tokens');
    await open.end();
    const json = { client_id: client.id, client_secret: client.secret };
    const token = (await lplate.call('POST', '/auth/token', { json })).json.access_token;
    lplate.clock.advance(1000);
    const again = await EventStream.open(lplate.url, token);
    t.after(() => again.close());
    await start(lplate, { ...client, token }, 'duplicate-events');
    await publish(lplate, { ...client, token });
    await again.until(() => again.received.length > 0);
    deepEqual([again.ended, others.ended], [false, false]);
    const [cut] = (await logOf(lplate, { ...client, token }, `?path=${topicPath}`)).filter(({ drills }) =>
      drills.includes('revoke-tokens'),
    );
    deepEqual([cut?.remarks.at(0), cut?.end], ['Ended by the drill `revoke-tokens`.', 'cut']);
  });

  test('Decisions, drills: webhooks come again, at once or late, signed, and the log of deliveries counts them once', async (t) => {
    const lplate = await startLPlate(t, engine, settings);
    const [receiver, another] = [await Receiver.open(t), await Receiver.open(t)];
    const subscriber = await Subscriber.open(lplate, receiver.url);
    const other = await Subscriber.open(lplate, another.url);
    const { client } = subscriber;
    await start(lplate, client, 'repeat-webhooks');
    for (const each of [subscriber, other]) await each.claim();
    for (let second = 0; second < 3; second += 1) await subscriber.pass(1000);
    await receiver.until(6);
    const [a, b, c] = ids((await drain(lplate, client.token)).events);
    deepEqual(receiver.eventIds, [a, a, b, b, c, c]);
    await start(lplate, client, 'repeat-webhooks', { order: 'late' });
    await subscriber.claim();
    for (let second = 0; second < 3; second += 1) await subscriber.pass(1000);
    await receiver.until(11);
    const [d, e, f] = ids((await drain(lplate, client.token)).events).slice(3);
    deepEqual(receiver.eventIds.slice(6), [d, e, d, f, e]);
    for (const call of receiver.calls) ok(isSigned(call, subscriber.secret));
    deepEqual(new Set(receiver.attempts), new Set([1]));
    deepEqual(
      (await subscriber.log()).map(({ attemptCounts }) => attemptCounts.total),
      Array(6).fill(1),
    );
    await other.pass(1000);
    equal(another.calls.length, 3);
    await end(lplate, client, 'repeat-webhooks');
    await subscriber.claim();
    for (let second = 0; second < 3; second += 1) await subscriber.pass(1000);
    equal(receiver.calls.length, 14);
  });

  test('Decisions, drills: newer events have version 1.1 and a member more, in batches, streams and webhooks, signed as sent, until it ends', async (t) => {
    const lplate = await startLPlate(t, engine, settings);
    const { receiver, subscriber } = await subscribed(t, lplate);
    const { client } = subscriber;
    const stream = await EventStream.open(lplate.url, client.token);
    t.after(() => stream.close());
    await start(lplate, client, 'newer-events');
    await subscriber.claim();
    for (let second = 0; second < 3; second += 1) await subscriber.pass(1000);
    await receiver.until(3);
    await stream.until(() => stream.received.length === 3);
    const { events } = await batch(lplate, client.token);
    const streamed = stream.received.map(({ event }) => event);
    const called = receiver.calls.map(({ event }) => event);
    for (const event of [...events, ...streamed, ...called]) {
      deepEqual(eventFaults(event), []);
      ok(JSON.stringify(event).endsWith('"environment":"training"}'), JSON.stringify(event));
      equal(event.eventVersion, '1.1');
    }
    equal(events.length, 3);
    for (const call of receiver.calls) ok(isSigned(call, subscriber.secret));
    const [read] = await logOf(lplate, client, `?path=${topicPath}`);
    deepEqual(read.drills, ['newer-events']);
    await end(lplate, client, 'newer-events');
    const after = await batch(lplate, client.token);
    deepEqual([after.events[0]?.eventVersion, 'environment' in (after.events[0] ?? {})], ['1.0', false]);
    await subscriber.call('POST', '/test');
    await receiver.until(4);
    equal(receiver.calls.at(-1)?.event.eventVersion, '1.0');
  });

  test('Decisions, drills: a delivery that was taken is followed by a forged one, which a receiver that verifies refuses', async (t) => {
    const lplate = await startLPlate(t, engine, settings);
    const [receiver, another] = [await Receiver.open(t), await Receiver.open(t)];
    const subscriber = await Subscriber.open(lplate, receiver.url);
    const other = await Subscriber.open(lplate, another.url);
    const { client, secret } = subscriber;
    const pairs: Record<string, readonly [ReceivedCall, ReceivedCall]> = {};
    for (const how of ['wrong-secret', 'changed-body', 'old-timestamp']) {
      await start(lplate, client, 'forged-webhooks', { how });
      // Counted first: the call may come before the answer of this request.
      const count = receiver.calls.length;
      await subscriber.call('POST', '/test');
      await receiver.until(count + 2);
      pairs[how] = receiver.calls.slice(count) as [ReceivedCall, ReceivedCall];
    }
    for (const [real, forged] of Object.values(pairs)) {
      const ownId = forged.headers['webhook-id'] as string;
      notEqual(ownId, real.headers['webhook-id']);
      deepEqual(forged.event, { ...real.event, eventId: ownId });
      deepEqual(eventFaults(forged.event), []);
      deepEqual(Object.keys(forged.headers), Object.keys(real.headers));
      equal(forged.headers['webhook-attempt'], '1');
      ok(isSigned(real, secret));
    }
    const age = (how: string) => {
      const [real, forged] = (pairs[how] ?? []).map(({ headers }) => Number(headers['webhook-timestamp']));
      return Number(real) - Number(forged);
    };
    const forgedOf = (how: string) => pairs[how]?.[1] as ReceivedCall;
    deepEqual(['wrong-secret', 'changed-body', 'old-timestamp'].map(age), [0, 0, 600]);
    ok(isSigned(forgedOf('old-timestamp'), secret));
    ok(!isSigned(forgedOf('wrong-secret'), secret));
    ok(!isSigned(forgedOf('changed-body'), secret));
    ok(isSigned({ ...forgedOf('changed-body'), body: pairs['changed-body']?.[0].body as string }, secret));
    await other.call('POST', '/test');
    await another.until(1);
    await end(lplate, client, 'forged-webhooks');
    await subscriber.call('POST', '/test');
    await receiver.until(7);
    await other.settled();
    deepEqual([receiver.calls.length, another.calls.length], [7, 1]);
  });

  /** A client whose webhooks go this way, and what it was sent: for an inbox, what the log shows. */
  async function wayOf(t: TestContext, lplate: LPlate, via: Via) {
    const client = await lplate.client();
    if (via !== 'inbox') {
      const receiver = await Receiver.open(t);
      if (via === 'relay') await TestRelay.open(t, lplate, client);
      return { subscriber: await Subscriber.open(lplate, receiver.url, client, { via }), calls: () => receiver.calls };
    }
    const calls = async () => {
      const logged = (await logOf(lplate, client, '?kind=delivery')).reverse();
      return Promise.all(
        logged.map(async ({ id }): Promise<ReceivedCall> => {
          const { request } = (await lplate.call('GET', `/range/v1/me/exchanges/${id}`, client)).json;
          const named = request.headers.map(({ name, value }: Record<string, string>) => [name, value]);
          const body = request.body.text;
          return { method: 'POST', path: '', headers: Object.fromEntries(named), body, event: JSON.parse(body) };
        }),
      );
    };
    return { subscriber: await Subscriber.open(lplate, undefined, client, { via }), calls };
  }

  for (const via of vias) {
    test(`Decisions, drills: each drill of deliveries does the same to webhooks that go out by ${via}, and the log says so`, async (t) => {
      const lplate = await startLPlate(t, engine, settings);
      for (const [name, parameters, expected] of drillsOfDeliveries) {
        const { subscriber, calls } = await wayOf(t, lplate, via);
        const { client, secret } = subscriber;
        await start(lplate, client, name, parameters);
        await subscriber.claim();
        const held = name === 'stop-events';
        for (let second = 0; second < 3; second += 1) await (held ? pass(lplate, 1) : subscriber.pass(1000));
        if (held) {
          equal((await calls()).length, 0);
          await end(lplate, client, name);
        }
        await until(async () => {
          await pass(lplate, 1);
          return (await calls()).length >= expected.length;
        }, `${expected.length} calls: ${name}`);
        const seen = await calls();
        const own = [...new Set(ids((await drain(lplate, client.token)).events))];
        const sentAt = (call: ReceivedCall | undefined) => Number(call?.headers['webhook-timestamp']);
        const told = seen.map((call, at) => {
          const number = own.indexOf(call.event.eventId) + 1;
          const isOld = sentAt(seen[at - 1]) - sentAt(call) > 300;
          const what = [
            number || 'forged',
            isSigned(call, secret) || 'unsigned',
            isOld && 'old',
            call.event.eventVersion,
          ];
          return what.filter((each) => typeof each !== 'boolean' && each !== '1.0').join(' ');
        });
        deepEqual(told, expected, name);
        const logged = () => logOf(lplate, client, '?kind=delivery');
        await until(async () => (await logged()).length === expected.length, 'that all are in the log');
        // Of those that the drill sends besides.
        const extra = (await logged()).filter(({ drills }) => drills.length > 0);
        equal(extra.length, name.endsWith('-webhooks') ? expected.length - 3 : 0, name);
        for (const { drills } of extra) deepEqual(drills, [name]);
        const log = await subscriber.settled();
        deepEqual(new Set(log.map(({ status }) => status)), new Set(['delivered']));
      }
    });
  }

  test('Decisions, drills: what comes of a forged call is in the log with a remark, and changes no delivery', async (t) => {
    const lplate = await startLPlate(t, engine, settings);
    const { receiver, subscriber } = await subscribed(t, lplate);
    const { client } = subscriber;
    const forgedCalls = async () =>
      (await logOf(lplate, client, '?kind=delivery')).filter(({ drills }) => drills.length > 0).reverse();
    const replies = [401, 204, 500, 301, 'reset'] as const;
    await start(lplate, client, 'forged-webhooks');
    for (const [index, reply] of [...replies, 204 as const].entries()) {
      const isOld = index === replies.length;
      if (isOld) await start(lplate, client, 'forged-webhooks', { how: 'old-timestamp' });
      receiver.answer = () => (receiver.calls.length % 2 === 1 ? 204 : reply);
      await subscriber.call('POST', '/test');
      await until(async () => (await forgedCalls()).length === index + 1, 'that the forged call is in the log');
      await subscriber.pass(5000);
    }
    const log = await forgedCalls();
    deepEqual(
      log.map(({ remarks }) => plain(remarks).slice(1)),
      [
        ['The webhook refused it with 401, as it should.'],
        [
          'The webhook answered 204: the receiver did not check the webhook-signature. Anybody who knows its address could send it events.',
        ],
        ['The webhook answered 500: refuse what is forged with 4xx, since 5xx asks for it again.'],
        ['The webhook answered 301: redirects are not followed. Subscribe with the address itself.'],
        ['No answer: the receiver closed the connection.'],
        [
          'The webhook answered 204: the receiver did not check the webhook-timestamp. Who recorded a call could send it again at any time.',
        ],
      ],
    );
    for (const { drills, remarks, delivery } of log) {
      deepEqual([drills, remarks[0]], [['forged-webhooks'], 'Forged by the drill `forged-webhooks`.']);
      deepEqual([delivery.subscriptionId, delivery.attempt], [subscriber.id, 1]);
    }
    deepEqual(
      log.map(({ delivery }) => delivery.eventId),
      receiver.eventIds.filter((_, index) => index % 2 === 1),
    );
    equal(receiver.calls.length, 2 * log.length, 'none is retried');
    const deliveries = await subscriber.log();
    deepEqual(
      deliveries.map(({ status, attemptCounts }) => [status, attemptCounts.total, attemptCounts.taken]),
      Array(log.length).fill(['delivered', 1, 1]),
    );
    const { json } = await subscriber.call('GET');
    deepEqual([json.status, json.lastDelivery.responseStatus, json.lastDelivery.failure], ['active', 204, null]);
  });

  test('Decisions, drills: forged calls count against the calls a minute, and follow nothing that was not taken', async (t) => {
    const lplate = await startLPlate(t, engine, { ...settings, webhookCallsPerClient: 3 });
    const { receiver, subscriber } = await subscribed(t, lplate);
    await start(lplate, subscriber.client, 'forged-webhooks');
    receiver.answer = () => 503;
    await subscriber.call('POST', '/test');
    await receiver.until(1);
    // From when that try was saved on its pause runs.
    await subscriber.settled();
    receiver.answer = () => 204;
    await subscriber.pass(5000);
    await receiver.until(3);
    await subscriber.call('POST', '/test');
    await pass(lplate, 54);
    deepEqual(receiver.attempts, [1, 2, 1]);
    // One call is free now, which the delivery takes. What was forged for it is not sent later either.
    // A step at a time, each call to its end: when the next ones are free, too much time has passed.
    for (let second = 0; second < 6 && receiver.calls.length < 4; second += 1) await subscriber.pass(1000);
    await subscriber.settled();
    await pass(lplate, 60);
    deepEqual(receiver.attempts, [1, 2, 1, 1]);
    equal(new Set(receiver.eventIds).size, 3);
  });
});
