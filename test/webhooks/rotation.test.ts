import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { hour } from '../../src/time/units.ts';
import { TestClock } from '../support/clock.ts';
import { type Engine, forEachEngine } from '../support/engines.ts';
import { problem, startLPlate } from '../support/lplate.ts';
import { type ReceivedCall, Receiver, Subscriber } from '../support/receiver.ts';

/** The clock begins with the real time, by which the other library judges how old a call is. */
async function subscribed(t: TestContext, engine: Engine) {
  const lplate = await startLPlate(t, engine, { eventsDuplicateRate: 0 }, new TestClock(new Date().toISOString()));
  const receiver = await Receiver.open(t);
  return { lplate, receiver, subscriber: await Subscriber.open(lplate, receiver.url) };
}

const signaturesOf = ({ headers }: ReceivedCall) => (headers['webhook-signature'] ?? '').split(' ');

/** What a receiver of each secret would make of a call, at the time of the call. */
function expected({ headers, body }: ReceivedCall, ...secrets: string[]): string[] {
  const at = new Date(Number(headers['webhook-timestamp']) * 1000);
  return secrets.map((each) => new Webhook(each).sign(headers['webhook-id'] ?? '', at, body));
}

async function renew(subscriber: Subscriber): Promise<string> {
  const { status, json, text } = await subscriber.call('POST', '/secret');
  equal(status, 201, text);
  deepEqual(Object.keys(json).sort(), ['previousValidUntil', 'secret']);
  equal(Date.parse(json.previousValidUntil), subscriber.lplate.clock.now() + 24 * hour);
  return json.secret;
}

async function tested({ receiver, subscriber }: Awaited<ReturnType<typeof subscribed>>): Promise<ReceivedCall> {
  const before = receiver.calls.length;
  equal((await subscriber.call('POST', '/test')).status, 202);
  await receiver.until(before + 1);
  return receiver.calls[before] as ReceivedCall;
}

forEachEngine((engine) => {
  test('Decisions, rotation: for 24 hours a call is signed with both secrets of its subscription, then with the new one alone', async (t) => {
    const all = await subscribed(t, engine);
    const { lplate, subscriber } = all;
    const neighbour = await Subscriber.open(lplate, all.receiver.url, subscriber.client);
    deepEqual(signaturesOf(await tested(all)), expected(all.receiver.calls[0] as ReceivedCall, subscriber.secret));
    const fresh = await renew(subscriber);
    const both = await tested(all);
    deepEqual(signaturesOf(both), expected(both, fresh, subscriber.secret));
    for (const each of [fresh, subscriber.secret]) new Webhook(each).verify(both.body, both.headers);
    const other = await tested({ ...all, subscriber: neighbour });
    deepEqual(signaturesOf(other), expected(other, neighbour.secret), 'another subscription keeps its own');
    await subscriber.pass(24 * hour - 1000);
    const last = await tested(all);
    equal(signaturesOf(last).length, 2);
    await subscriber.pass(1000);
    const alone = await tested(all);
    deepEqual(signaturesOf(alone), expected(alone, fresh));
  });

  test('Decisions, rotation: two secrets sign at the most, and the 24 hours are those of the client’s own clock', async (t) => {
    const all = await subscribed(t, engine);
    const [second, third] = [await renew(all.subscriber), await renew(all.subscriber)];
    const call = await tested(all);
    deepEqual(signaturesOf(call), expected(call, third, second));
    const { client } = all.subscriber;
    await all.lplate.call('POST', '/range/v1/me/clock', { ...client, json: { advance: 'P1D' } });
    const later = await tested(all);
    deepEqual(signaturesOf(later), expected(later, third));
  });

  test('Decisions, rotation: the check of a signature tells of the secret before', async (t) => {
    const all = await subscribed(t, engine);
    const { lplate, subscriber } = all;
    await renew(subscriber);
    const { headers, body } = await tested(all);
    const question = { id: headers['webhook-id'], timestamp: headers['webhook-timestamp'], body };
    const [fresh, before] = (headers['webhook-signature'] ?? '').split(' ');
    const ask = async (signature = '') => {
      const token = await lplate.token(subscriber.client.id, subscriber.client.secret);
      const json = { ...question, signature };
      return (await lplate.call('POST', `${subscriber.path}/check-signature`, { token, json })).json;
    };
    for (const each of [fresh, headers['webhook-signature']])
      deepEqual(await ask(each), { valid: true, detail: 'The signature fits this id, this timestamp and this body.' });
    const held = await ask(before);
    equal(held.valid, true);
    match(held.detail, /with the secret before. It signs beside the new one until/);
    lplate.clock.advance(24 * hour);
    const ended = await ask(before);
    equal(ended.valid, false);
    match(ended.detail, /^It was made with the secret before, which ended at .*Take the new one\.$/);
  });

  test('Decisions, rotation: a call that the drill forged with another secret fits neither', async (t) => {
    const { lplate, receiver, subscriber } = await subscribed(t, engine);
    const fresh = await renew(subscriber);
    const json = { name: 'forged-webhooks', parameters: { how: 'wrong-secret' } };
    equal((await lplate.call('POST', '/range/v1/me/drills', { ...subscriber.client, json })).status, 201);
    await subscriber.call('POST', '/test');
    await receiver.until(2);
    const forged = receiver.calls[1] as ReceivedCall;
    const real = expected(forged, fresh, subscriber.secret);
    ok(signaturesOf(forged).every((each) => !real.includes(each)));
  });

  test('Decisions, rotation: only the owner gets a new secret, and thirty times an hour is the most', async (t) => {
    const { lplate, subscriber } = await subscribed(t, engine);
    const { path, client } = subscriber;
    const other = await lplate.client();
    deepEqual(problem(await lplate.call('POST', `${path}/secret`, other)), [404, 'subscription-not-found']);
    const none = await lplate.call('POST', '/claims/v1/subscriptions/sub-none/secret', client);
    deepEqual(problem(none), [404, 'subscription-not-found']);
    const reading = { token: await lplate.token(client.id, client.secret, 'claims:read') };
    deepEqual(problem(await lplate.call('POST', `${path}/secret`, reading)), [403, 'insufficient-scope']);
    for (let count = 0; count < 30; count += 1) await renew(subscriber);
    deepEqual(problem(await subscriber.call('POST', '/secret')), [429, 'rate-limit-exceeded']);
  });
});
