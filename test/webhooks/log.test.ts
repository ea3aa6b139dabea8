import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Config } from '../../src/settings/config.ts';
import { instant } from '../../src/time/clock.ts';
import { hour, second } from '../../src/time/units.ts';
import { type Engine, forEachEngineInFull } from '../support/engines.ts';
import { eventFaults } from '../support/event-check.ts';
import { type LPlate, problem, startLPlate } from '../support/lplate.ts';
import { delayedReply, isSigned, type LoggedDelivery, Receiver, Subscriber } from '../support/receiver.ts';
import { drain } from '../support/topic.ts';

const tenMinutes = 600_000;

interface Stage {
  lplate: LPlate;
  receiver: Receiver;
  subscriber: Subscriber;
}

async function stage(t: TestContext, engine: Engine, settings?: Partial<Config>): Promise<Stage> {
  const lplate = await startLPlate(t, engine, { eventsDuplicateRate: 0, ...settings });
  const receiver = await Receiver.open(t);
  return { lplate, receiver, subscriber: await Subscriber.open(lplate, receiver.url) };
}

/** Days go by half at a time, so that the client is never idle for one. */
async function passDays({ lplate, subscriber }: Stage, days: number): Promise<void> {
  for (let half = 0; half < 2 * days; half += 1) {
    await subscriber.pass(12 * hour);
    await lplate.housekeeping();
  }
}

const numbers = (log: readonly LoggedDelivery[]) => log.map(({ number }) => number);
const statuses = (log: readonly LoggedDelivery[]) => log.map(({ status }) => status);

forEachEngineInFull((engine) => {
  test('Decisions, claims and events: a subscription shows its last delivery and why it failed, to its owner alone', async (t) => {
    const { lplate, receiver, subscriber } = await stage(t, engine);
    const replies = [404, 302, 'reset', 500, 401, 204] as const;
    receiver.answer = () => replies[receiver.calls.length - 1] ?? 204;
    const shown = async () => {
      const token = await lplate.token(subscriber.client.id, subscriber.client.secret);
      const one = await lplate.call('GET', subscriber.path, { token });
      const list = await lplate.call('GET', '/claims/v1/subscriptions', { token });
      assert.deepEqual(list.json.items, [one.json]);
      assert(!one.text.includes(subscriber.secret));
      return one.json.lastDelivery;
    };
    assert.equal(await shown(), undefined);
    await subscriber.claim(1);
    const seen = [];
    for (const seconds of [1, 5, 30, 120, 600, 1800]) {
      await subscriber.pass(seconds * second);
      const { number, status, responseStatus, failure, nextAttemptAt } = await shown();
      assert.equal(number === 1, status === 'pending', 'then the others follow at once');
      seen.push([status, responseStatus, failure, nextAttemptAt !== null]);
    }
    const answered = (code: number) => `The receiver answered ${code}, and only 2xx counts as delivered`;
    assert.deepEqual(seen, [
      ['pending', 404, `${answered(404)}: it takes no POST at this URL.`, true],
      ['pending', 302, `${answered(302)}: redirects are not followed.`, true],
      ['pending', null, 'No response: closed the connection.', true],
      ['pending', 500, `${answered(500)}.`, true],
      ['pending', 401, `${answered(401)}: it refused the call. Does it check the signature with this secret?`, true],
      ['delivered', 204, null, false],
    ]);
    const { token } = await lplate.client();
    assert.deepEqual(problem(await lplate.call('GET', subscriber.path, { token })), [404, 'subscription-not-found']);
  });

  test('Decisions, claims and events: the delivery log has each attempt with its answer and time, and when the next one comes', async (t) => {
    const { lplate, receiver, subscriber } = await stage(t, engine);
    const replies = [{ status: 503, body: 'the database is away' }, 'reset', 204] as const;
    receiver.answer = () => replies[receiver.calls.length - 1] ?? 204;
    const claimId = await subscriber.claim(1);
    const at = (seconds: number) => instant(Date.parse('2026-03-02T10:15:31.000Z') + seconds * second);
    const attempts = [
      { attempt: 1, attemptedAt: at(0), responseStatus: 503, responseBody: 'the database is away', error: null },
      { attempt: 2, attemptedAt: at(5), responseStatus: null, responseBody: null, error: 'closed the connection' },
      { attempt: 3, attemptedAt: at(35), responseStatus: 204, responseBody: null, error: null },
    ];
    const eventId = (at: number) => receiver.calls[at]?.event.eventId;
    const counts = (total: number, taken: number, refused: number, unanswered: number) => ({
      attemptCounts: { total, taken, refused, unanswered },
    });
    const refused = await subscriber.pass(second);
    const first = { number: 1, eventId: eventId(0), claimId, createdAt: at(0) };
    const once = { status: 'pending', attempts: attempts.slice(0, 1), ...counts(1, 0, 1, 0), nextAttemptAt: at(5) };
    assert.deepEqual(refused, [{ ...first, ...once }]);
    const broken = await subscriber.pass(5 * second);
    assert.deepEqual(broken[0], {
      ...first,
      status: 'pending',
      attempts: attempts.slice(0, 2),
      ...counts(2, 0, 1, 1),
      nextAttemptAt: at(35),
    });
    // The changes that came in the meantime wait.
    assert.deepEqual(statuses(broken), ['pending', 'waiting', 'waiting']);
    const [, waiting] = broken;
    assert.deepEqual([waiting?.attempts, waiting?.nextAttemptAt], [[], null]);
    const taken = await subscriber.pass(30 * second);
    assert.deepEqual(taken[0], { ...first, status: 'delivered', attempts, ...counts(3, 1, 1, 1), nextAttemptAt: null });
    assert.deepEqual(taken[1], {
      number: 2,
      eventId: eventId(3),
      claimId,
      status: 'delivered',
      attempts: [{ attempt: 1, attemptedAt: at(35), responseStatus: 204, responseBody: null, error: null }],
      ...counts(1, 1, 0, 0),
      nextAttemptAt: null,
      createdAt: at(5),
    });
    assert.deepEqual(statuses(taken), ['delivered', 'delivered', 'delivered']);
    const lines = lplate.log.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'webhook');
    assert.deepEqual(
      lines
        .slice(0, 3)
        .map(({ subscription, delivery, attempt, status, error }) => [
          subscription === subscriber.id,
          delivery,
          attempt,
          status ?? error,
        ]),
      attempts.map(({ attempt, responseStatus, error }) => [true, 1, attempt, responseStatus ?? error]),
    );
  });

  test('Decisions, REST conventions: the delivery log comes in pages, oldest first', async (t) => {
    const { subscriber } = await stage(t, engine);
    assert.deepEqual((await subscriber.call('GET', '/deliveries')).json, {
      items: [],
      page: 1,
      pageSize: 20,
      totalItems: 0,
      totalPages: 0,
    });
    for (let count = 0; count < 5; count += 1) await subscriber.call('POST', '/test');
    const page = async (query: string) => (await subscriber.call('GET', `/deliveries?${query}`)).json;
    const second = await page('page=2&pageSize=2');
    assert.deepEqual(numbers(second.items), [3, 4]);
    assert.deepEqual([second.totalItems, second.totalPages], [5, 3]);
    assert.deepEqual(numbers((await page('page=3&pageSize=2')).items), [5]);
    assert.deepEqual((await page('page=4&pageSize=2')).items, []);
    assert.deepEqual(numbers((await page('')).items), [1, 2, 3, 4, 5]);
    const { headers } = await subscriber.call('GET', '/deliveries?page=2&pageSize=2');
    const link = headers.get('link') ?? '';
    assert(link.includes(`${subscriber.path}/deliveries?page=3&pageSize=2>; rel="next"`), link);
    assert.deepEqual(problem(await subscriber.call('GET', '/deliveries?pageSize=0')), [400, 'validation-error']);
  });

  test('Decisions, claims and events: deliveries are kept for seven days, then go oldest first; numbers go on', async (t) => {
    const on = await stage(t, engine);
    const { lplate, receiver, subscriber } = on;
    for (let tests = 0; tests < 3; tests += 1) await subscriber.call('POST', '/test');
    await passDays(on, 3);
    await subscriber.call('POST', '/test');
    await passDays(on, 3.5);
    // The second is open again when its days are over, so those after it stay with it.
    receiver.answer = () => 500;
    await subscriber.call('POST', '/deliveries/2/redeliver');
    await subscriber.settled();
    const keptAfter = async (milliseconds: number) => {
      await subscriber.pass(milliseconds);
      await lplate.housekeeping();
      return numbers(await subscriber.log());
    };
    assert.deepEqual(await keptAfter(12 * hour - 1), [1, 2, 3, 4]);
    assert.deepEqual(await keptAfter(tenMinutes), [2, 3, 4]);
    assert.deepEqual(await keptAfter(hour - tenMinutes + 1), [2, 3, 4]);
    receiver.answer = () => 204;
    assert.deepEqual(await keptAfter(10 * hour), [4]);
    const { items, totalItems, totalPages } = (await subscriber.call('GET', '/deliveries?pageSize=1')).json;
    assert.deepEqual([numbers(items), totalItems, totalPages], [[4], 1, 1]);
    assert.deepEqual(problem(await subscriber.call('POST', '/deliveries/3/redeliver')), [404, 'delivery-not-found']);
    await passDays(on, 2.5);
    assert.deepEqual(await keptAfter(hour - 1), [4]);
    assert.deepEqual(await keptAfter(tenMinutes), []);
    assert.equal((await subscriber.call('POST', '/test')).json.number, 5);
  });

  test('Decisions, claims and events: bytes a client stores: of a delivery the first attempt and the latest four are kept, the others counted by how they ended', async (t) => {
    const { receiver, subscriber } = await stage(t, engine, { webhookCallsPerClient: 1000 });
    const replies = [204, 500, 'reset'] as const;
    receiver.answer = () => replies[receiver.calls.length % 3] ?? 204;
    await subscriber.call('POST', '/test');
    await subscriber.settled();
    for (let times = 0; times < 52; times += 1) {
      await subscriber.call('POST', '/deliveries/1/redeliver');
      await subscriber.settled();
    }
    const [{ attempts, attemptCounts } = assert.fail()] = await subscriber.log();
    assert.deepEqual(
      attempts.map(({ attempt, responseStatus }) => [attempt, responseStatus]),
      [
        [1, 500],
        [50, null],
        [51, 204],
        [52, 500],
        [53, null],
      ],
    );
    assert.deepEqual(attemptCounts, { total: 53, taken: 17, refused: 18, unanswered: 18 });
    assert.equal(receiver.attempts.at(-1), 53);
  });

  test('Decisions, claims and events: what was delivered is delivered again on request, once, with the same id and body', async (t) => {
    const { lplate, receiver, subscriber } = await stage(t, engine, { eventsDuplicateRate: 1 });
    await subscriber.claim();
    await subscriber.pass(3 * second);
    assert.equal(receiver.calls.length, 6);
    const { status, json } = await subscriber.call('POST', '/deliveries/2/redeliver');
    assert.deepEqual(
      [status, json.number, json.status, json.nextAttemptAt],
      [202, 2, 'pending', instant(lplate.clock.now())],
    );
    const [, log] = await subscriber.settled();
    assert.deepEqual([log?.status, log?.attempts.length, receiver.calls.length], ['delivered', 3, 7]);
    const [before, again] = [receiver.calls[3], receiver.calls[6]];
    assert.deepEqual([again?.body, again?.headers['webhook-id']], [before?.body, before?.headers['webhook-id']]);
    assert.equal(again?.headers['webhook-attempt'], '3');
    assert(again && isSigned(again, subscriber.secret));
  });

  test('Decisions, claims and events: on request what has failed, or pauses, is tried at once and then after the first pauses', async (t) => {
    const { lplate, receiver, subscriber } = await stage(t, engine, { webhookDisableHours: 0 });
    receiver.answer = () => 500;
    await subscriber.call('POST', '/test');
    await subscriber.settled();
    await subscriber.pass(5 * second);
    const redelivered = async () => {
      const calls = receiver.calls.length;
      assert.equal((await subscriber.call('POST', '/deliveries/1/redeliver')).json.status, 'pending');
      const [log] = await subscriber.settled();
      assert.equal(receiver.calls.length, calls + 1);
      assert.deepEqual([log?.status, log?.nextAttemptAt], ['pending', instant(lplate.clock.now() + 5 * second)]);
    };
    // It pauses for 30 seconds now.
    await subscriber.pass(10 * second);
    await redelivered();
    while ((await subscriber.log())[0]?.status === 'pending') await subscriber.pass(10 * hour);
    assert.equal(receiver.calls.length, 13);
    await redelivered();
    receiver.answer = () => 204;
    assert.deepEqual(statuses(await subscriber.pass(5 * second)), ['delivered']);
    assert.equal(receiver.attempts.at(-1), 15);
  });

  test('Decisions, claims and events: what is asked for during its last try has not failed with it', async (t) => {
    const { lplate, receiver, subscriber } = await stage(t, engine, { webhookDisableHours: 0 });
    const held = delayedReply();
    receiver.answer = () => (receiver.calls.length === 11 ? held.reply : 500);
    await subscriber.call('POST', '/test');
    await subscriber.settled();
    while (receiver.calls.length < 10) await subscriber.pass(6 * hour);
    lplate.clock.advance(10 * hour);
    await lplate.catchUp();
    await receiver.until(11);
    await subscriber.call('POST', '/deliveries/1/redeliver');
    held.give(500);
    const [delivery] = await subscriber.settled();
    assert.deepEqual(
      [delivery?.status, delivery?.nextAttemptAt],
      ['pending', instant(lplate.clock.now() + 5 * second)],
    );
  });

  test('Decisions, claims and events: what waits for an earlier event of its claim goes on waiting when it is asked for', async (t) => {
    const { receiver, subscriber } = await stage(t, engine);
    receiver.answer = () => 500;
    await subscriber.claim();
    await subscriber.pass(3 * second);
    const { status, json } = await subscriber.call('POST', '/deliveries/2/redeliver');
    assert.deepEqual([status, json.status, json.nextAttemptAt], [202, 'waiting', null]);
    assert.deepEqual(statuses(await subscriber.settled()), ['pending', 'waiting', 'waiting']);
    receiver.answer = () => 204;
    await subscriber.pass(5 * second);
    assert.deepEqual(
      receiver.eventIds.slice(1),
      (await subscriber.log()).map(({ eventId }) => eventId),
    );
  });

  test('Decisions, claims and events: a delivery that there is not can’t be asked for', async (t) => {
    const { receiver, subscriber } = await stage(t, engine);
    await subscriber.call('POST', '/test');
    await subscriber.settled();
    for (const number of ['0', '2', '01', '-1', '1.0', '1e0', 'x', '%00', '%20', '9999999999', '9'.repeat(400), '٣']) {
      const path = `/deliveries/${encodeURI(decodeURI(number))}/redeliver`;
      assert.deepEqual(problem(await subscriber.call('POST', path)), [404, 'delivery-not-found'], number);
    }
    await subscriber.settled();
    assert.equal(receiver.calls.length, 1);
  });

  test('Decisions, claims and events: a test event is signed and retried like any other, of the claim number that no claim has', async (t) => {
    const { lplate, receiver, subscriber } = await stage(t, engine);
    const twin = await Receiver.open(t);
    await Subscriber.open(lplate, twin.url, subscriber.client);
    receiver.answer = () => (receiver.calls.length === 1 ? 500 : 200);
    const { status, json } = await subscriber.call('POST', '/test');
    assert.deepEqual([status, json.number, json.status, json.claimId], [202, 1, 'pending', 'CLM-2026-000000']);
    await subscriber.settled();
    assert.deepEqual(statuses(await subscriber.pass(5 * second)), ['delivered']);
    const [first, retry] = receiver.calls;
    assert(first && retry && isSigned(first, subscriber.secret) && isSigned(retry, subscriber.secret));
    assert.deepEqual(eventFaults(first.event), []);
    assert.equal(first.event.data.claimId, json.claimId);
    assert.deepEqual(
      [retry.body, retry.headers['webhook-id'], json.eventId],
      [first.body, json.eventId, first.event.eventId],
    );
    assert.deepEqual(twin.calls, [], 'only the subscription that is tried gets it');
    assert.deepEqual((await drain(lplate, subscriber.client.token)).events, [], 'it is not on the topic');
  });
});
