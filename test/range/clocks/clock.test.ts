import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { describe, test } from 'node:test';
import { day, hour, minute, second } from '../../../src/time/units.ts';
import { forEachEngineInFull } from '../../support/engines.ts';
import { problem, sharedLPlate, startLPlate, type TestClient } from '../../support/lplate.ts';
import { logOf, trainerToken } from '../range.ts';
import { at, clientsOf, move, renew } from './clock.ts';

/* Each test moves the clock of one client, and shows that a second one sees none of it. */

forEachEngineInFull((engine) => {
  const lplate = sharedLPlate(engine, { eventsDuplicateRate: 0 });

  const { two, read, now } = clientsOf(() => lplate);

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
      const ofClient = Date.parse(refused.headers.get('date') ?? '');
      ok(Math.abs(ofClient - (now() - second + 3660 * second)) <= 2 * second, refused.headers.get('date') ?? 'no date');
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
