import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { forEachEngineInFull } from '../support/engines.ts';
import { type LPlate, problem, sign, startLPlate, type TestClient } from '../support/lplate.ts';
import { Receiver, Subscriber, until } from '../support/receiver.ts';
import { batch, claimOn, drain, EventStream, insure, pass, topicPath } from '../support/topic.ts';
import { at, day, dayOf, hour, minute, move, renew, second } from './clock.ts';
import { logOf, trainerToken } from './range.ts';

/* Each test moves the clock of one client, and shows that a second one sees none of it. */

forEachEngineInFull((engine) => {
  let lplate: LPlate;
  before(async () => {
    lplate = await startLPlate(engine, { eventsDuplicateRate: 0 });
  });
  after(() => lplate.close());

  /** Who moves its clock, and who does not. */
  async function two(): Promise<[TestClient, TestClient]> {
    return [await lplate.client(), await lplate.client()];
  }

  const create = ({ token }: TestClient, json: object) => lplate.call('POST', '/policies', { token, json });
  const read = ({ token }: TestClient, path: string) => lplate.call('GET', path, { token });
  const now = () => lplate.clock.now();
  let plates = 0;
  const plate = () => `CK-${1000 + ++plates}`;

  describe('The clock itself', () => {
    test('Decisions, the range: a client moves its own clock; the answer says how far, and that there is no way back', async () => {
      const [ahead, present] = await two();
      const moved = await lplate.call('POST', '/range/v1/me/clock', { token: ahead.token, json: { advance: 'PT61M' } });
      const expected = { now: at(now() + 61 * minute), present: at(now()), aheadSeconds: 3660 };
      const { note, ...clock } = moved.json;
      deepEqual(clock, expected);
      match(note, /nothing takes it back.*new client lives in the present/i);
      equal(moved.headers.get('date'), new Date(now() + 61 * minute).toUTCString());
      await renew(lplate, ahead);
      const shown = await read(ahead, '/range/v1/me/clock');
      deepEqual(shown.json, moved.json);
      equal((await read(present, '/range/v1/me/clock')).json.aheadSeconds, 0);
      // It goes on at the same pace.
      lplate.clock.advance(second);
      equal((await read(ahead, '/range/v1/me/clock')).json.now, at(now() + 61 * minute));
    });

    test('Decisions, the range: the log tells how far the clock was ahead at each call, also of one that was refused', async () => {
      const [ahead, present] = await two();
      const of = async (client: TestClient, answer: { headers: Headers }) =>
        (await read(client, `/range/v1/me/exchanges/${answer.headers.get('x-request-id')}`)).json.aheadSeconds;
      const old = { ...ahead };
      lplate.clock.advance(second);
      const before = await read(ahead, '/policies');
      lplate.clock.advance(second);
      await move(lplate, ahead, 'PT61M');
      lplate.clock.advance(second);
      const refused = await read(old, '/policies');
      lplate.clock.advance(second);
      await move(lplate, ahead, 'PT2M');
      equal(refused.status, 401);
      deepEqual([await of(ahead, before), await of(ahead, refused)], [undefined, 3660]);
      equal(await of(present, await read(present, '/policies')), undefined);
    });

    test('Decisions, the range: moves add up, and months and years are those of the client’s calendar', async () => {
      const [ahead] = await two();
      await move(lplate, ahead, 'P1M');
      await move(lplate, ahead, 'P1Y2M3W4DT5H6M7S');
      const expected = Temporal.Instant.fromEpochMilliseconds(now())
        .toZonedDateTimeISO('UTC')
        .add('P1M')
        .add('P1Y2M3W4DT5H6M7S');
      equal((await read(ahead, '/range/v1/me/clock')).json.now, at(expected.epochMilliseconds));
    });

    test('Decisions, the range: what is no duration ahead in whole numbers, or more than two years, is named and moves nothing', async () => {
      const [ahead] = await two();
      const bad: [unknown, RegExp][] = [
        ['', /is empty/],
        ['P', /is not a duration/],
        ['PT', /is not a duration/],
        ['P1DT', /is not a duration/],
        ['61M', /is not a duration/],
        ['an hour', /is not a duration/],
        ['PT1H ', /is not a duration/],
        ['PT1M\n', /is not a duration/],
        ['P1H', /T before hours/],
        ['pt61m', /capital letters/],
        ['-PT1H', /negative/],
        ['PT-1H', /negative/],
        ['+PT1H', /is not a duration/],
        ['PT0S', /no time at all/],
        ['P0Y0M0D', /no time at all/],
        ['PT1.5H', /whole numbers/],
        ['PT0,5S', /whole numbers/],
        ['P2Y1D', /more than 2 years/],
        ['P732D', /more than 2 years/],
        ['P999999999Y', /more than 2 years/],
        ['PT999999999S', /more than 2 years/],
        ['PT9999999999S', /is not a duration/],
        [`P${'1'.repeat(100)}D`, /60 are allowed/],
        ['P1Y/P1Y', /is not a duration/],
        ['P\u0000D', /is not a duration/],
        [3600, /must be a string/],
        [null, /must be a string/],
        [['PT1H'], /must be a string/],
      ];
      for (const [advance, expected] of bad) {
        const refused = await lplate.call('POST', '/range/v1/me/clock', { token: ahead.token, json: { advance } });
        deepEqual(problem(refused), [400, 'validation-error'], JSON.stringify(advance));
        equal(refused.json.errors[0].pointer, '/advance');
        match(refused.json.errors[0].detail, expected);
      }
      deepEqual(problem(await lplate.call('POST', '/range/v1/me/clock', { token: ahead.token, json: {} })), [
        400,
        'validation-error',
      ]);
      equal((await read(ahead, '/range/v1/me/clock')).json.aheadSeconds, 0);
      await move(lplate, ahead, 'P2Y');
    });

    test('Decisions, the range: all moves together come to ten years at the most', async () => {
      const [ahead] = await two();
      for (let years = 0; years < 10; years += 2) await move(lplate, ahead, 'P2Y');
      const more = await lplate.call('POST', '/range/v1/me/clock', { token: ahead.token, json: { advance: 'P1D' } });
      deepEqual(problem(more), [400, 'validation-error']);
      match(more.json.detail, /more than 10 years/);
    });

    test('Decisions, the range: a preconfigured client has no clock of its own', async () => {
      const [id, secret] = ['preset-fleet', 'test-fleet-secret'];
      const token = await lplate.token(id, secret);
      const refused = await lplate.call('POST', '/range/v1/me/clock', { token, json: { advance: 'PT1H' } });
      deepEqual(problem(refused), [409, 'preset-client']);
      equal((await lplate.call('GET', '/range/v1/me/clock', { token })).json.aheadSeconds, 0);
    });

    test('Decisions, the range: the trainer moves the clock of one client, or of all that are there', async () => {
      const [ahead, present] = await two();
      const path = `/range/v1/trainer/learners/${ahead.id}/clock`;
      const token = trainerToken;
      const moved = await lplate.call('POST', path, { token, json: { advance: 'P1D' } });
      equal(moved.json.aheadSeconds, 86_400, moved.text);
      deepEqual((await lplate.call('GET', path, { token })).json, moved.json);
      equal((await read(present, '/range/v1/me/clock')).json.aheadSeconds, 0);

      const all = await lplate.call('POST', '/range/v1/trainer/clock', { token, json: { advance: 'PT1S' } });
      equal(all.status, 200, all.text);
      ok(all.json.moved >= 2);
      equal((await lplate.call('GET', path, { token })).json.aheadSeconds, 86_401);
      equal((await read(present, '/range/v1/me/clock')).json.aheadSeconds, 1);
      const long = await lplate.call('POST', '/range/v1/trainer/clock', { token, json: { advance: 'P3Y' } });
      deepEqual(problem(long), [400, 'validation-error']);
      const later = await lplate.client();
      equal((await read(later, '/range/v1/me/clock')).json.aheadSeconds, 0);

      for (const id of ['demo-nobody', 'none', '%00', 'a'.repeat(200)]) {
        for (const method of ['GET', 'POST']) {
          const unknown = await lplate.call(method, `/range/v1/trainer/learners/${id}/clock`, {
            token,
            ...(method === 'POST' && { json: { advance: 'PT1S' } }),
          });
          deepEqual(problem(unknown), [404, 'client-not-found'], `${method} ${id}`);
        }
      }
      const fleet = await lplate.call('POST', '/range/v1/trainer/learners/preset-fleet/clock', {
        token,
        json: { advance: 'PT1S' },
      });
      deepEqual(problem(fleet), [409, 'preset-client']);
      deepEqual(problem(await lplate.call('POST', path, { token: present.token, json: { advance: 'PT1S' } })), [
        401,
        'invalid-token',
      ]);
    });
  });

  describe('Tokens', () => {
    test('Authentication, 1: a token expires an hour after it was issued, by the clock of its client', async () => {
      const [ahead, present] = await two();
      await lplate.call('POST', '/range/v1/me/clock', { token: ahead.token, json: { advance: 'PT59M59S' } });
      equal((await read(ahead, '/policies')).status, 200);
      await lplate.call('POST', '/range/v1/me/clock', { token: ahead.token, json: { advance: 'PT1S' } });
      const refused = await read(ahead, '/policies');
      deepEqual(problem(refused), [401, 'invalid-token']);
      const { iat } = claims(ahead.token);
      match(refused.json.detail, new RegExp(`expired at ${at(iat * 1000 + hour).replaceAll('.', '\\.')}`));
      equal((await read(present, '/policies')).status, 200);

      await renew(lplate, ahead);
      equal(claims(ahead.token).iat, Math.floor((now() + hour) / 1000));
      equal(claims(ahead.token).exp, claims(ahead.token).iat + 3600);
      equal((await read(ahead, '/policies')).status, 200);
      lplate.clock.advance(hour);
      deepEqual(problem(await read(ahead, '/policies')), [401, 'invalid-token']);
    });

    test('Decisions, the range: a token request is answered with the date of its client', async () => {
      const [ahead, present] = await two();
      await move(lplate, ahead, 'P10D');
      for (const [{ id, secret }, by] of [
        [ahead, 10 * day],
        [present, 0],
      ] as const) {
        const json = { client_id: id, client_secret: secret };
        const { headers } = await lplate.call('POST', '/auth/token', { json });
        if (by > 0) equal(headers.get('date'), new Date(now() + by).toUTCString());
        else ok(Math.abs(Date.parse(headers.get('date') as string) - Date.now()) < minute, 'as the system has it');
      }
    });
  });

  describe('Policies', () => {
    test('Decisions, policies: a policy begins on the client’s today, and a start is refused by that day', async () => {
      const [ahead, present] = await two();
      await move(lplate, ahead, 'P1M');
      const today = dayOf(Date.parse((await read(ahead, '/range/v1/me/clock')).json.now));
      const { json } = await create(ahead, { regNumber: plate() });
      equal(json.startDate, today);
      equal(json.createdAt, (await read(ahead, '/range/v1/me/clock')).json.now);
      const refused = await create(ahead, { regNumber: plate(), startDate: dayOf(now()) });
      match(refused.json.detail, new RegExp(`from ${today} \\(today`));
      equal((await create(ahead, { regNumber: plate(), startDate: dayOf(now() + 380 * day) })).status, 201);

      equal((await create(present, { regNumber: plate() })).json.startDate, dayOf(now()));
      equal((await create(present, { regNumber: plate(), startDate: dayOf(now()) })).status, 201);
      const form = { regNumber: plate(), startDate: 'tomorrow' };
      match((await create(ahead, form)).json.detail, new RegExp(today), 'an example of a date');
      match((await create(present, form)).json.detail, new RegExp(dayOf(now())));
    });

    test('Decisions, policies: a policy expires after its last day by its client’s clock, in reads, lists, tags and changes', async () => {
      const [ahead, present] = await two();
      const created = await Promise.all(
        [ahead, present].map((client) => create(client, { regNumber: plate(), coverageOption: 'MTPL-1M' })),
      );
      const [mine, other] = created.map(({ json }) => json.id);
      const tag = created[0]?.headers.get('etag');
      await move(lplate, ahead, 'P32D');
      const expired = await read(ahead, `/policies/${mine}`);
      equal(expired.json.status, 'expired');
      notEqual(expired.headers.get('etag') ?? `"2-expired"`, tag);
      equal((await read(ahead, '/policies')).json.items[0].status, 'expired');
      const { token } = ahead;
      deepEqual(problem(await lplate.call('PUT', `/policies/${mine}`, { token, json: { holder: 'A' } })), [
        409,
        'policy-immutable',
      ]);
      deepEqual(problem(await lplate.call('POST', `/policies/${mine}/cancel`, { token })), [409, 'policy-immutable']);
      const changed = await lplate.call('GET', `/policies/${mine}`, { token, headers: { 'If-None-Match': tag ?? '' } });
      equal(changed.status, 200);

      equal((await read(present, `/policies/${other}`)).json.status, 'active');
      const updated = await lplate.call('PUT', `/policies/${other}`, { token: present.token, json: { holder: 'A' } });
      equal(updated.json.status, 'updated');
      equal(updated.json.updatedAt, at(now()));
    });

    test('Endpoints, rule 1: whether another’s policy is in the way is judged by the clock of its owner', async () => {
      const [ahead, present] = await two();
      const [first, second] = [plate(), plate()];
      const lapsed = await create(ahead, { regNumber: first });
      const standing = await create(present, { regNumber: second });
      await move(lplate, ahead, 'P1Y1D');
      const check = async (regNumber: string) => {
        const body = JSON.stringify({ regNumber });
        const headers = { 'Content-Type': 'application/json', 'X-Signature': sign(body) };
        return (await lplate.call('POST', '/signed/policy-check', { body, headers })).json.insured;
      };
      equal(await check(first), false, 'it covers no day of its owner any more');
      equal(await check(second), true);
      const taken = await create(ahead, { regNumber: second });
      deepEqual(problem(taken), [409, 'duplicate-policy'], 'for its owner it is in force');
      const insured = await create(present, { regNumber: first });
      equal(insured.status, 201, insured.text);
      equal(insured.json.startDate, dayOf(now()));
      equal((await read(ahead, `/policies/${lapsed.json.id}`)).json.status, 'expired');
      equal((await read(present, `/policies/${standing.json.id}`)).json.status, 'active');
      equal(await check(first), true);
      deepEqual(problem(await create(ahead, { regNumber: first })), [409, 'duplicate-policy']);
    });
  });

  describe('Requests that are repeated', () => {
    test('Decisions, REST conventions: an answer is kept for 24 hours by the clock of its client', async () => {
      const [ahead, present] = await two();
      const keyed = async (client: TestClient) => {
        const json = { regNumber: client.id.slice(0, 20) };
        const { token } = client;
        return lplate.call('POST', '/policies', { token, json, headers: { 'Idempotency-Key': '"k"' } });
      };
      const firsts = [await keyed(ahead), await keyed(present)];
      deepEqual(
        firsts.map(({ status }) => status),
        [201, 201],
      );
      lplate.clock.advance(second);
      await move(lplate, ahead, 'PT23H');
      equal((await keyed(ahead)).text, firsts[0]?.text);
      await move(lplate, ahead, 'PT1H');
      deepEqual(problem(await keyed(ahead)), [409, 'duplicate-policy'], 'it is carried out');
      equal((await keyed(present)).text, firsts[1]?.text);

      // What is kept after the move is kept for as long.
      const after = (client: TestClient, regNumber: string) =>
        lplate.call('POST', '/policies', {
          token: client.token,
          json: { regNumber },
          headers: { 'Idempotency-Key': '"later"' },
        });
      lplate.clock.advance(second);
      const regNumber = plate();
      const kept = await after(ahead, regNumber);
      equal(kept.status, 201);
      lplate.clock.advance(second);
      equal((await after(ahead, regNumber)).text, kept.text);
    });
  });

  describe('Claims and events', () => {
    test('Decisions, claims: claims that are skipped move at the times at which they were due, in order; others stay', async () => {
      const [ahead, present] = await two();
      const [mine, other] = [
        await claimOn(lplate, ahead.token, await insure(lplate, ahead.token), { paceSeconds: 600 }),
        await claimOn(lplate, present.token, await insure(lplate, present.token), { paceSeconds: 600 }),
      ];
      const registered = now();
      await move(lplate, ahead, 'PT15M');
      await lplate.catchUp();
      const under = (await read(ahead, `/claims/v1/claims/${mine}`)).json;
      deepEqual([under.status, under.updatedAt], ['UNDER_REVIEW', at(registered + 10 * minute)]);
      // Half of the way was skipped, the rest passes.
      await pass(lplate, 299);
      equal((await read(ahead, `/claims/v1/claims/${mine}`)).json.status, 'UNDER_REVIEW');
      await pass(lplate, 1);
      equal((await read(ahead, `/claims/v1/claims/${mine}`)).json.status, 'APPROVED');
      await move(lplate, ahead, 'P1D');
      await lplate.catchUp();
      equal((await read(ahead, `/claims/v1/claims/${mine}`)).json.status, 'CLOSED');
      const { events } = await drain(lplate, ahead.token);
      deepEqual(
        events.map(({ data, occurredAt }) => [data.newStatus, occurredAt]),
        [
          ['UNDER_REVIEW', at(registered + 10 * minute)],
          ['APPROVED', at(registered + 20 * minute)],
          ['CLOSED', at(registered + 30 * minute)],
        ],
      );
      equal((await read(present, `/claims/v1/claims/${other}`)).json.status, 'REGISTERED');
      await pass(lplate, 300);
      const { json } = await read(present, `/claims/v1/claims/${other}`);
      deepEqual([json.status, json.updatedAt], ['UNDER_REVIEW', at(registered + 10 * minute)]);
    });

    test('Decisions, claims: one jump makes several moves, and a claim that is registered after it has its pace', async () => {
      const [ahead] = await two();
      const policy = await insure(lplate, ahead.token);
      const first = await claimOn(lplate, ahead.token, policy, { paceSeconds: 60 });
      await move(lplate, ahead, 'P1Y');
      await lplate.catchUp();
      equal((await read(ahead, `/claims/v1/claims/${first}`)).json.status, 'CLOSED');
      const registered = Date.parse((await read(ahead, '/range/v1/me/clock')).json.now);
      const second = await claimOn(lplate, ahead.token, policy, { paceSeconds: 60 });
      match(second, new RegExp(`^CLM-${at(registered).slice(0, 4)}-`), 'the year of its client');
      equal((await read(ahead, `/claims/v1/claims/${second}`)).json.registeredAt, at(registered));
      await pass(lplate, 59);
      equal((await read(ahead, `/claims/v1/claims/${second}`)).json.status, 'REGISTERED');
      await pass(lplate, 1);
      const { json } = await read(ahead, `/claims/v1/claims/${second}`);
      deepEqual([json.status, json.updatedAt], ['UNDER_REVIEW', at(registered + minute)]);
    });

    test('Events, rule 3: events are kept for seven days by the clock of the client that reads them', async () => {
      const [ahead, present] = await two();
      const starts = await Promise.all([ahead, present].map(({ token }) => batch(lplate, token, '?after=latest')));
      for (const { token } of [ahead, present]) {
        await claimOn(lplate, token, await insure(lplate, token), { paceSeconds: 1 });
      }
      await pass(lplate, 3);
      const readAfter = (client: TestClient, cursor = '') => read(client, `${topicPath}?after=${cursor}`);
      lplate.clock.advance(second);
      await move(lplate, ahead, 'P6DT23H');
      equal((await readAfter(ahead, starts[0]?.next)).json.events.length, 3);
      await move(lplate, ahead, 'PT1H');
      const gone = await readAfter(ahead, starts[0]?.next);
      deepEqual(problem(gone), [410, 'cursor-expired']);
      deepEqual((await drain(lplate, ahead.token)).events, []);
      equal((await readAfter(present, starts[1]?.next)).json.events.length, 3);

      // What comes then is kept.
      lplate.clock.advance(second);
      const { next } = await batch(lplate, ahead.token, '?after=latest');
      await claimOn(lplate, ahead.token, await insure(lplate, ahead.token), { paceSeconds: 1 });
      await pass(lplate, 3);
      equal((await readAfter(ahead, next)).json.events.length, 3);
      await lplate.housekeeping();
      equal((await readAfter(ahead, next)).json.events.length, 3);
      equal((await readAfter(present, starts[1]?.next)).json.events.length, 3);
    });

    test('Decisions, tokens: a stream goes on across a move, and ends if its token expires by it', async (t) => {
      const [ahead, present] = await two();
      const streams = [];
      for (const { token } of [ahead, present]) {
        const stream = await EventStream.open(lplate.url, token, { after: 'latest' });
        t.after(() => stream.close());
        streams.push(stream);
      }
      const [mine, other] = streams as [EventStream, EventStream];
      const policy = await insure(lplate, ahead.token);
      await claimOn(lplate, ahead.token, policy, { paceSeconds: 600 });
      const { token } = ahead;
      await lplate.call('POST', '/range/v1/me/clock', { token, json: { advance: 'PT10M' } });
      await lplate.catchUp();
      await mine.until(() => mine.received.length > 0);
      await lplate.call('POST', '/range/v1/me/clock', { token, json: { advance: 'PT50M' } });
      await mine.end();
      ok(!other.ended);
    });
  });

  describe('Webhooks', () => {
    test('Decisions, webhooks: retries come due when their time is skipped; what is shown is in the client’s time', async (t) => {
      const receiver = await Receiver.open(t);
      receiver.answer = () => 500;
      const [mine, other] = [await Subscriber.open(lplate, receiver.url), await Subscriber.open(lplate, receiver.url)];
      for (const subscriber of [mine, other]) {
        await subscriber.claim(600);
        equal((await subscriber.call('POST', '/test')).status, 202);
      }
      await lplate.catchUp();
      await receiver.until(2);
      for (const subscriber of [mine, other]) await subscriber.settled();
      const [before] = await mine.log();
      equal(before?.nextAttemptAt, at(now() + 5 * second));
      const client = { ...mine.client };
      await move(lplate, client, 'PT4S');
      equal((await mine.log())[0]?.nextAttemptAt, before?.nextAttemptAt, 'it is the same time, only nearer');
      await lplate.catchUp();
      equal(receiver.calls.length, 2);
      await move(lplate, client, 'PT1S');
      await lplate.catchUp();
      await receiver.until(3);
      await until(async () => (await mine.log())[0]?.attemptCounts.total === 2, 'the second attempt');
      const [after] = await mine.log();
      equal(after?.attempts[1]?.attemptedAt, at(now() + 5 * second));
      equal(after?.nextAttemptAt, at(now() + 35 * second));
      equal((await other.log())[0]?.attemptCounts.total, 1);
      equal((await mine.call('GET')).json.lastDelivery.nextAttemptAt, at(now() + 35 * second));
      const created = (await mine.call('GET')).json.createdAt;
      equal(created, at(now()), 'what was before keeps its time');

      // Receivers compare this with their own clocks, which are right.
      const sent = receiver.calls.map(({ headers }) => Number(headers['webhook-timestamp']));
      deepEqual(new Set(sent), new Set([Math.floor(now() / 1000)]));
    });

    test('Decisions, webhooks: a subscription is disabled after a day of failures by its client’s clock', async (t) => {
      const receiver = await Receiver.open(t);
      receiver.answer = () => 500;
      const [mine, other] = [await Subscriber.open(lplate, receiver.url), await Subscriber.open(lplate, receiver.url)];
      for (const subscriber of [mine, other]) await subscriber.call('POST', '/test');
      await lplate.catchUp();
      await until(() => receiver.calls.length >= 2, 'a call of each');
      const status = async (subscriber: Subscriber) => (await subscriber.call('GET')).json.status;
      const client = { ...mine.client };
      for (let half = 1; half <= 2; half += 1) {
        await until(async () => (await mine.log())[0]?.attemptCounts.total === half, `attempt ${half}`);
        equal(await status(mine), 'active');
        await move(lplate, client, 'PT12H');
        await lplate.catchUp();
      }
      await until(async () => (await status(mine)) === 'disabled', 'that it is disabled');
      equal((await mine.call('GET')).json.disabledAt, at(now() + day));
      equal(await status(other), 'active');
    });

    test('Decisions, webhooks: deliveries are kept as long as events are, by their client’s clock', async (t) => {
      const receiver = await Receiver.open(t);
      const [mine, other] = [await Subscriber.open(lplate, receiver.url), await Subscriber.open(lplate, receiver.url)];
      for (const subscriber of [mine, other]) {
        await subscriber.claim(1);
        await subscriber.call('POST', '/test');
      }
      for (let step = 0; step < 4; step += 1) {
        await pass(lplate, 1);
        for (const subscriber of [mine, other]) await subscriber.settled();
      }
      await lplate.housekeeping();
      deepEqual([(await mine.log()).length, (await other.log()).length], [4, 4]);
      lplate.clock.advance(second);
      await move(lplate, { ...mine.client }, 'P7D');
      const again = await mine.call('POST', '/deliveries/2/redeliver');
      deepEqual(problem(again), [404, 'delivery-not-found']);
      await lplate.housekeeping();
      deepEqual([(await mine.log()).length, (await other.log()).length], [0, 4]);
      equal((await other.call('POST', '/deliveries/2/redeliver')).status, 202);
    });
  });

  describe('What is kept', () => {
    test('Decisions, the range: what passed retention by its client’s clock is removed, and takes none of its bytes', async () => {
      const small = await startLPlate(engine, { storedBytesPerClient: 2500, eventsDuplicateRate: 0 });
      try {
        const [ahead, present] = [await small.client(), await small.client()];
        const claim = ({ token }: TestClient, policyNumber: string) =>
          small.call('POST', '/claims/v1/claims', { token, json: { policyNumber, paceSeconds: 1 } });
        const policies = [await insure(small, ahead.token), await insure(small, present.token)] as const;
        for (const [client, policy] of [
          [ahead, policies[0]],
          [present, policies[1]],
        ] as const) {
          while ((await claim(client, policy)).status === 201) await pass(small, 3);
          deepEqual(problem(await claim(client, policy)), [429, 'quota-exceeded']);
        }
        await move(small, ahead, 'P8D');
        await small.housekeeping();
        equal((await claim(ahead, policies[0])).status, 201);
        deepEqual(problem(await claim(present, policies[1])), [429, 'quota-exceeded']);
      } finally {
        await small.close();
      }
    });

    test('Decisions, starts and stops: what lies ahead since its client’s clock does is not taken for a step of the system’s clock', async (t) => {
      const receiver = await Receiver.open(t);
      const subscriber = await Subscriber.open(lplate, receiver.url);
      await move(lplate, { ...subscriber.client }, 'P3D');
      await subscriber.call('POST', '/test');
      await lplate.catchUp();
      await until(async () => (await subscriber.log())[0]?.status === 'delivered', 'it is delivered');
      const [before] = await subscriber.log();
      equal(before?.createdAt, at(now() + 3 * day));
      await lplate.housekeeping();
      for (let half = 0; half < 3; half += 1) {
        lplate.clock.advance(12 * hour);
        equal((await subscriber.call('GET')).status, 200);
      }
      await lplate.housekeeping();
      deepEqual(await subscriber.log(), [before]);
    });
  });

  describe('What stays in real time', () => {
    test('Decisions, the range: the day without use and the minute of the rate limits are real', async () => {
      const limited = await startLPlate(engine, { rateLimitPerMinute: 5, rateLimitKey: 'client' });
      try {
        const client = await limited.client();
        const call = () => limited.call('GET', '/policies', { token: client.token });
        for (let calls = 0; calls < 5; calls += 1) equal((await call()).status, 200);
        equal((await call()).status, 429);
        await limited.call('POST', '/range/v1/me/clock', { token: client.token, json: { advance: 'PT30M' } });
        equal((await call()).status, 429);
        const { token } = client;
        await limited.call('POST', '/range/v1/me/clock', { token, json: { advance: 'P2Y' } });
        await limited.housekeeping();
        limited.clock.advance(minute);
        await renew(limited, client);
        equal((await call()).status, 200);
        limited.clock.advance(25 * hour);
        await limited.housekeeping();
        const gone = { client_id: client.id, client_secret: client.secret };
        deepEqual(problem(await limited.call('POST', '/auth/token', { json: gone })), [401, 'invalid-client']);
      } finally {
        await limited.close();
      }
    });

    test('Decisions, the range: the log of calls and the program’s log lines have the real time', async () => {
      const [ahead] = await two();
      await lplate.call('POST', '/range/v1/me/clock', { token: ahead.token, json: { advance: 'PT58M' } });
      await read(ahead, '/policies');
      const [call] = await logOf(lplate, ahead);
      equal(call.startedAt, at(now()));
      match(call.remarks.join(), /token expires 120 s after this call/);
      const line = JSON.parse(lplate.log.findLast((each) => each.includes(ahead.id)) as string);
      equal(line.time, at(now()));
    });
  });
});

function claims(token: string): { iat: number; exp: number } {
  return JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString());
}
