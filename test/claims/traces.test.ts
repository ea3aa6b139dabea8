import { deepEqual, equal, match, notEqual } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { type TestContext, test } from 'node:test';
import { logOf } from '../range/range.ts';
import { forEachEngine } from '../support/engines.ts';
import { problem, startLPlate } from '../support/lplate.ts';
import { subscribed } from '../support/receiver.ts';
import { insure } from '../support/topic.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;
const another = `00-${'a'.repeat(32)}-00f067aa0ba902b7-00`;
const settings = { eventsHeartbeatSeconds: 3600, eventsDuplicateRate: 0 };

forEachEngine((engine) => {
  async function open(t: TestContext) {
    const lplate = await startLPlate(t, engine, settings);
    const { receiver, subscriber } = await subscribed(t, lplate);
    const { token } = subscriber.client;
    const policyNumber = await insure(lplate, token);
    const register = (headers: Record<string, string> = {}) =>
      lplate.call('POST', '/claims/v1/claims', { token, json: { policyNumber, paceSeconds: 1 }, headers });
    const three = async () => {
      for (let second = 0; second < 3; second += 1) await subscriber.pass(1000);
    };
    return { lplate, receiver, subscriber, token, register, three };
  }

  test('Decisions, traces: the trace of a claim’s registration goes on to its webhooks, each with a parent id of its own, and is found in the log', async (t) => {
    const { lplate, receiver, subscriber, register, three } = await open(t);
    await register({ traceparent });
    await three();
    await receiver.until(3);
    const handed = receiver.calls.map(({ headers }) => String(headers.traceparent));
    for (const each of handed) match(each, new RegExp(`^00-${traceId}-[\\da-f]{16}-01$`));
    equal(new Set([...handed, traceparent]).size, 4);
    const found = await logOf(lplate, subscriber.client, `?traceId=${traceId}`);
    deepEqual(
      found.map((each: { kind: string; traceId: string }) => [each.kind, each.traceId]),
      [...Array(3).fill(['delivery', traceId]), ['call', traceId]],
    );
    deepEqual(await logOf(lplate, subscriber.client, `?traceId=${'b'.repeat(32)}`), []);
  });

  test('Decisions, traces: without a traceparent none is made up; a malformed one is ignored and named, and so is one with a dash', async (t) => {
    const { lplate, receiver, subscriber, register, three } = await open(t);
    equal((await register()).headers.get('l-plate-ignored'), null);
    equal((await register({ traceparent })).headers.get('l-plate-ignored'), null);
    const malformed = await register({ traceparent: `00-${'0'.repeat(32)}-00f067aa0ba902b7-01` });
    deepEqual([malformed.status, malformed.headers.get('l-plate-ignored')], [201, 'header/traceparent']);
    const dashed = await register({ 'trace-parent': traceparent });
    deepEqual([dashed.status, dashed.headers.get('l-plate-ignored')], [201, 'header/trace-parent']);
    await three();
    await receiver.until(12);
    equal(receiver.calls.filter(({ headers }) => headers.traceparent !== undefined).length, 3);
    equal((await logOf(lplate, subscriber.client, `?traceId=${traceId}`)).length, 4);
    const calls = await logOf(lplate, subscriber.client, '?path=/claims/v1/claims');
    const remarked = calls.filter(({ remarks }) =>
      remarks.some((each: string) => /^Its traceparent is mal/.test(each)),
    );
    deepEqual(
      remarked.map(({ id }) => id),
      [malformed.headers.get('x-request-id')],
    );
  });

  test('Decisions, traces: tracestate goes on beside traceparent, and alone or malformed it is ignored and named', async (t) => {
    const { receiver, register, three } = await open(t);
    const state = (tracestate: string, more: Record<string, string> = { traceparent }) =>
      register({ ...more, tracestate });
    equal((await state('congo=t61rcWkgMzE , rojo=00f067aa0ba902b7')).headers.get('l-plate-ignored'), null);
    await three();
    await receiver.until(3);
    for (const { headers } of receiver.calls) {
      equal(String(headers.traceparent).split('-')[1], traceId);
      equal(headers.tracestate, 'congo=t61rcWkgMzE,rojo=00f067aa0ba902b7');
    }
    const secret = `eyJhbGciOiJFUzI1NiJ9.${'a'.repeat(40)}.${'b'.repeat(40)}`;
    for (const [answer, ignored] of [
      [await state('Congo=1'), 'header/tracestate'],
      [await state('congo=1', {}), 'header/tracestate'],
      [await register({ traceparent, 'trace-state': 'congo=1' }), 'header/trace-state'],
      [await state(`congo=${secret}`), null],
    ] as const)
      deepEqual([answer.status, answer.headers.get('l-plate-ignored')], [201, ignored]);
    await three();
    await receiver.until(15);
    deepEqual(
      receiver.calls.slice(3).flatMap(({ headers }) => headers.tracestate ?? []),
      [],
    );
  });

  test('Decisions, traces: the headers count in any case, combined where several came, and without white space', async (t) => {
    const { lplate, receiver, subscriber, token } = await open(t);
    const url = `${lplate.url}/claims/v1/subscriptions/${subscriber.id}/test`;
    const parent = ['traceparent', traceparent];
    const many = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => `bar${from + at}=1`).join();
    for (const [sent, trace, state] of [
      [['TRACEPARENT', traceparent, 'TraceState', 'foo=1'], traceId, 'foo=1'],
      [['TrAcEpArEnT', traceparent, 'TRACESTATE', 'foo=1'], traceId, 'foo=1'],
      [['trace.parent', traceparent, 'tracestate', 'foo=1'], undefined, undefined],
      [[...parent, 'trace.state', 'foo=1'], traceId, undefined],
      [['traceparent', `\t ${traceparent} \t`, 'tracestate', '\t foo=1 \t'], traceId, 'foo=1'],
      [[...parent, 'traceparent', another], undefined, undefined],
      [[...parent, 'traceparent', traceparent], undefined, undefined],
      [[...parent, 'tracestate', ''], traceId, undefined],
      [[...parent, 'tracestate', '', 'tracestate', 'foo=1', 'tracestate', ''], traceId, 'foo=1'],
      [
        [...parent, 'tracestate', 'foo=1,bar=2', 'tracestate', 'rojo=1', 'tracestate', 'a@b=3'],
        traceId,
        'foo=1,bar=2,rojo=1,a@b=3',
      ],
      [[...parent, 'tracestate', 'foo=1', 'tracestate', 'foo=2'], traceId, 'foo=1,foo=2'],
      [[...parent, 'tracestate', many(0, 20), 'tracestate', many(20, 32)], traceId, many(0, 32)],
      [[...parent, 'tracestate', many(0, 20), 'tracestate', many(20, 33)], traceId, undefined],
    ] as const) {
      const headers = ['Host', new URL(url).host, 'Authorization', `Bearer ${token}`, 'Content-Length', '0', ...sent];
      const count = receiver.calls.length + 1;
      const call = request(url, { method: 'POST', headers }).end();
      const [answer] = (await once(call, 'response')) as [IncomingMessage];
      answer.resume();
      equal(answer.statusCode, 202);
      await receiver.until(count);
      const { traceparent: handed, tracestate } = receiver.calls.at(-1)?.headers ?? {};
      deepEqual([handed?.split('-')[1], tracestate], [trace, state], sent.join(' '));
    }
  });

  test('Decisions, traces: a repeat under an Idempotency-Key keeps the trace of the first', async (t) => {
    const { receiver, register, three } = await open(t);
    const key = { 'Idempotency-Key': randomUUID() };
    await register({ ...key, traceparent });
    equal((await register({ ...key, traceparent: another })).headers.get('idempotency-replayed'), 'true');
    await three();
    await receiver.until(3);
    for (const { headers } of receiver.calls) equal(String(headers.traceparent).split('-')[1], traceId);
  });

  test('Decisions, traces: a test event is of the trace of the call that asked for it, on each attempt', async (t) => {
    const { lplate, receiver, subscriber, token } = await open(t);
    const path = `/claims/v1/subscriptions/${subscriber.id}`;
    const sent = await lplate.call('POST', `${path}/test`, { token, headers: { traceparent } });
    await receiver.until(1);
    await subscriber.settled();
    await lplate.call('POST', `${path}/deliveries/${sent.json.number}/redeliver`, { token });
    await receiver.until(2);
    const [first, second] = receiver.calls.map(({ headers }) => String(headers.traceparent));
    notEqual(first, second);
    for (const each of [first, second]) equal(String(each).split('-')[1], traceId);
    await subscriber.call('POST', '/test');
    await receiver.until(3);
    equal(receiver.calls.at(-1)?.headers.traceparent, undefined);
  });

  test('Decisions, traces: an exchange is read by the instance of its problem, and a trace id of another form is refused', async (t) => {
    const { lplate, token } = await open(t);
    const refused = await lplate.call('GET', '/policies/pol-1', { token, headers: { traceparent } });
    const path = '/range/v1/me/exchanges';
    const { json } = await lplate.call('GET', `${path}/${refused.json.instance}`, { token });
    deepEqual([json.id, json.traceId], [refused.headers.get('x-request-id'), traceId]);
    const wrong = await lplate.call('GET', `${path}?traceId=${traceparent}`, { token });
    deepEqual(problem(wrong), [400, 'validation-error']);
  });
});
