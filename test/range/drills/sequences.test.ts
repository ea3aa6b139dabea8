import { deepEqual, doesNotMatch, equal, match } from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { minute } from '../../../src/time/units.ts';
import { forEachEngine } from '../../support/engines.ts';
import { type LPlate, problem, sharedLPlate, startLPlate, type TestClient } from '../../support/lplate.ts';
import { subscribed } from '../../support/receiver.ts';
import { restartable } from '../../support/restart.ts';
import { countStored } from '../../support/stored.ts';
import { listed, trainerToken } from '../range.ts';

const mine = '/range/v1/me/drills';

async function start(lplate: LPlate, { token }: TestClient, name: string, parameters: object) {
  const answer = await lplate.call('POST', mine, { token, json: { name, parameters } });
  equal(answer.status, 201, answer.text);
  return answer.json;
}

async function statuses(lplate: LPlate, client: TestClient, calls: number): Promise<number[]> {
  const found: number[] = [];
  while (found.length < calls) found.push((await lplate.call('GET', '/policies', client)).status);
  return found;
}

forEachEngine((engine) => {
  describe('drills with a sequence', () => {
    const lplate = sharedLPlate(engine);

    const left = async (client: TestClient, name = 'unavailable') =>
      (await lplate.call('GET', `${mine}/${name}`, client)).json.left;

    test('Decisions, drills: calls meet a sequence in their order, what is left is shown, and after it all pass or are hit', async () => {
      for (const [sequenceThen, after] of [
        [undefined, 200],
        ['pass', 200],
        ['hit', 503],
      ] as const) {
        const client = await lplate.client();
        const sequence = ['hit', 'hit', 'pass', 'hit'];
        const drill = await start(lplate, client, 'unavailable', { sequence, sequenceThen });
        equal(drill.parameters.share, undefined);
        deepEqual([drill.left, await left(client)], [sequence, sequence]);
        deepEqual(await statuses(lplate, client, 3), [503, 503, 200]);
        deepEqual(await left(client), ['hit']);
        deepEqual(await statuses(lplate, client, 4), [503, after, after, after]);
        deepEqual(await left(client), []);
      }
    });

    test('Decisions, drills: one that is started anew has its whole sequence, and several have each their own', async () => {
      const client = await lplate.client();
      await start(lplate, client, 'unavailable', { sequence: ['hit'] });
      deepEqual(await statuses(lplate, client, 2), [503, 200]);
      await start(lplate, client, 'unavailable', { sequence: ['pass', 'hit'] });
      await start(lplate, client, 'html-from-a-proxy', { sequence: ['hit', 'pass', 'hit'] });
      const headers = { Authorization: `Bearer ${client.token}` };
      const met: number[] = [];
      while (met.length < 4) met.push((await fetch(`${lplate.url}/insurer/v1/policies`, { headers })).status);
      deepEqual(met, [502, 503, 502, 200]);
      await lplate.call('DELETE', `${mine}/html-from-a-proxy`, client);
      equal((await start(lplate, client, 'unavailable', {})).left, undefined);
    });

    test('Decisions, drills: with calls a drill concerns these alone, of a personal prefix, with HEAD and a last slash too', async () => {
      const client = await lplate.client();
      const calls = ['GET /insurer/v1/policies', 'GET /insurer/v1/policies/{policyId}'];
      await start(lplate, client, 'unavailable', { sequence: ['pass', 'pass', 'pass', 'hit', 'hit'], calls });
      const status = async (path: string, method = 'GET') => {
        const headers = { Authorization: `Bearer ${client.token}` };
        return (await fetch(`${lplate.url}${path}`, { method, headers })).status;
      };
      deepEqual(
        [
          await status('/claims/v1/claims'),
          await status('/insurer/v1/policies', 'POST'),
          await status('/insurer/v1/policies', 'HEAD'),
          await status('/insurer/v1/policies/'),
          await status(`/for/${client.id}/insurer/v1/policies`),
          await status('/vehicle-registry/v2/vehicles/AB-1234'),
          await status('/insurer/v1/policies/none'),
          await status('/insurer/v1/policies', 'HEAD'),
        ],
        [200, 400, 200, 200, 200, 200, 503, 503],
      );
      // A share counts them too.
      await start(lplate, client, 'unavailable', { calls: ['POST /insurer/v1/policies'] });
      deepEqual([await status('/insurer/v1/policies'), await status('/insurer/v1/policies', 'POST')], [200, 503]);
    });

    test('Decisions, drills: requests for a token and SOAP are calls that a drill can concern', async () => {
      const client = await lplate.client();
      const soap = 'POST /vehicle-registry/v1';
      const calls = ['POST /insurer/v1/auth/token', soap];
      await start(lplate, client, 'unavailable', { sequence: ['pass', 'hit', 'pass', 'hit'], calls });
      const json = { client_id: client.id, client_secret: client.secret };
      const token = async (wrong = {}) =>
        (await lplate.call('POST', '/auth/token', { json: { ...json, ...wrong } })).status;
      const service = async () =>
        (await fetch(`${lplate.url}/for/${client.id}/vehicle-registry/v1`, { method: 'POST' })).text();
      deepEqual([await token({ client_secret: 'wrong' }), await token(), await token()], [401, 200, 503]);
      const [first, second] = [await service(), await service()];
      doesNotMatch(first, /The drill/);
      match(second, /The drill unavailable is on/);
    });

    test('Decisions, drills: calls that are refused before their client is known take no turn, invalid ones and repeats do', async () => {
      const client = await lplate.client();
      await start(lplate, client, 'unavailable', { sequence: ['pass', 'pass', 'pass', 'pass', 'hit'] });
      const create = async (json: object) => {
        const headers = { 'Idempotency-Key': 'one' };
        return (await lplate.call('POST', '/policies', { token: client.token, headers, json })).status;
      };
      equal((await lplate.call('GET', '/policies', { token: 'wrong' })).status, 401);
      equal((await lplate.call('GET', '/nowhere', client)).status, 404);
      const json = { regNumber: 'SQ-1' };
      deepEqual([await create({ regNumber: 1 }), await create(json), await create(json)], [400, 201, 201]);
      deepEqual(await left(client), ['pass', 'hit']);
      deepEqual(await statuses(lplate, client, 2), [200, 503]);
    });

    test('Decisions, drills: any sequence meets any row of calls in its order, whatever comes in between', async () => {
      const client = await lplate.client();
      const other = await lplate.client();
      const turn = fc.constantFrom('hit', 'pass');
      const call = fc.constantFrom('counted', 'counted', 'unknown', 'unconcerned', 'looked', 'of another');
      await fc.assert(
        fc.asyncProperty(
          fc.array(turn, { minLength: 1, maxLength: 20 }),
          fc.option(turn, { nil: undefined }),
          fc.array(call, { maxLength: 26 }),
          async (sequence, sequenceThen, row) => {
            const calls = ['GET /insurer/v1/policies'];
            await start(lplate, client, 'unavailable', { sequence, sequenceThen, calls });
            const wanted = [...sequence];
            for (const each of row) {
              if (each === 'unknown') equal((await lplate.call('GET', '/policies', { token: 'wrong' })).status, 401);
              else if (each === 'unconcerned')
                equal((await lplate.call('GET', '/claims/v1/claims', client)).status, 200);
              else if (each === 'looked') deepEqual(await left(client), wanted);
              else if (each === 'of another') equal((await lplate.call('GET', '/policies', other)).status, 200);
              else {
                const met = wanted.shift() ?? sequenceThen ?? 'pass';
                equal((await lplate.call('GET', '/policies', client)).status, met === 'hit' ? 503 : 200);
              }
            }
            deepEqual(await left(client), wanted);
          },
        ),
        { numRuns: 20 },
      );
    });

    test('Decisions, drills: of a drill of all clients each has a sequence of its own', async () => {
      const [one, two] = [await lplate.client(), await lplate.client()];
      const common = '/range/v1/trainer/drills';
      const json = { name: 'unavailable', parameters: { sequence: ['hit', 'pass', 'hit'] } };
      const started = await lplate.call('POST', common, { token: trainerToken, json });
      deepEqual([started.status, started.json.left], [201, undefined]);
      deepEqual(await statuses(lplate, one, 2), [503, 200]);
      // One of its own comes first, and the common one goes on after it.
      await start(lplate, one, 'unavailable', { sequence: ['pass', 'hit'] });
      deepEqual(await statuses(lplate, one, 2), [200, 503]);
      await lplate.call('DELETE', `${mine}/unavailable`, one);
      deepEqual([await left(one), await left(two)], [['hit'], ['hit', 'pass', 'hit']]);
      deepEqual(await statuses(lplate, one, 2), [503, 200]);
      deepEqual(await statuses(lplate, two, 4), [503, 200, 503, 200]);
      deepEqual(
        (await listed(lplate, common, trainerToken)).map((drill) => drill.left),
        [undefined],
      );
      equal((await lplate.call('DELETE', `${common}/unavailable`, { token: trainerToken })).status, 204);
    });

    test('Decisions, drills: a sequence and calls that can’t be meant are refused, with what to send', async () => {
      const { token } = await lplate.client();
      const refused = async (parameters: object, name = 'unavailable') => {
        const answer = await lplate.call('POST', mine, { token, json: { name, parameters } });
        deepEqual(problem(answer), [400, 'validation-error'], JSON.stringify(parameters));
        return answer.json.detail as string;
      };
      const sequence = ['hit'];
      match(
        await refused({ sequence, share: 1 }),
        /^parameters\/sequence: takes the place of share\. Send one of the two/,
      );
      match(await refused({ sequence: [] }), /sequence: has too few entries: \[\]/);
      match(await refused({ sequence: Array(21).fill('hit') }), /sequence: has 21 entries, and 20 are allowed/);
      match(
        await refused({ sequence: ['hit', 'hits'] }),
        /sequence\/1: must be one of hit, pass.* Did you mean "hit"\?/,
      );
      match(await refused({ sequence: 'hit' }), /sequence: must be an array, not a string/);
      match(
        await refused({ sequenceThen: 'hit' }),
        /sequenceThen: says what comes after a sequence, and there is none/,
      );
      match(await refused({ sequence, sequenceThen: 'stop' }), /sequenceThen: must be one of pass, hit/);
      match(await refused({ sequence }, 'short-tokens'), /sequence: is not a parameter of the drill short-tokens/);
      match(await refused({ calls: ['GET /insurer/v1/policies'] }, 'repeat-webhooks'), /calls: is not a parameter/);
      match(await refused({ calls: [] }), /calls: has too few entries/);
      match(await refused({ calls: Array.from({ length: 11 }, (_, at) => `GET /${at}`) }), /calls: has 11 entries/);
      const twice = ['GET /insurer/v1/policies', 'GET /insurer/v1/policies'];
      match(await refused({ calls: twice }), /calls: has an entry twice/);
      match(await refused({ calls: ['x'.repeat(201)] }), /calls\/0: has 201 characters/);
      for (const [call, meant] of [
        ['POST /insurer/v1/policy', 'POST /insurer/v1/policies'],
        ['post /insurer/v1/policies', 'POST /insurer/v1/policies'],
        ['HEAD /insurer/v1/policies', 'GET /insurer/v1/policies'],
        ['/insurer/v1/policies', undefined],
        ['GET /insurer/v1/policies/{id}', 'GET /insurer/v1/policies/{policyId}'],
        ['GET /range/v1/me', undefined],
        ['GET /insurer/v1/openapi.yaml', undefined],
        ['GET /insurer/v1/policies?page=2', undefined],
        ['%', undefined],
        ['', undefined],
      ] as const) {
        const detail = await refused({ calls: ['GET /insurer/v1/policies', call] });
        match(detail, /^parameters\/calls\/1: is no call that drills hit/);
        if (meant) equal(detail.endsWith(`Did you mean "${meant}"?`), true, detail);
      }
    });
  });

  test('Decisions, drills: deliveries meet a sequence, in the order in which the receiver took them', async (t) => {
    const lplate = await startLPlate(t, engine, { eventsHeartbeatSeconds: 3600, eventsDuplicateRate: 0 });
    const { receiver, subscriber } = await subscribed(t, lplate);
    await start(lplate, subscriber.client, 'repeat-webhooks', { sequence: ['hit', 'pass', 'hit'] });
    await subscriber.claim();
    for (let second = 0; second < 3; second += 1) await subscriber.pass(1000);
    await receiver.until(5);
    const [a, b, c] = [...new Set(receiver.eventIds)];
    deepEqual(receiver.eventIds, [a, a, b, c, c]);
    deepEqual((await lplate.call('GET', `${mine}/repeat-webhooks`, subscriber.client)).json.left, []);
    await start(lplate, subscriber.client, 'repeat-webhooks', { sequence: ['pass'] });
    await start(lplate, subscriber.client, 'forged-webhooks', { sequence: ['pass', 'hit'] });
    await subscriber.claim();
    for (let second = 0; second < 3; second += 1) await subscriber.pass(1000);
    await receiver.until(9);
    equal(new Set(receiver.eventIds).size, 7);
  });

  test('Decisions, drills: what is left of a sequence outlives a restart, and its row goes with the drill', async (t) => {
    const place = await restartable(engine);
    const first = await place.start();
    const [client, gone] = [await first.client(), await first.client()];
    await start(first, client, 'unavailable', { sequence: ['hit', 'hit', 'pass', 'hit'] });
    await start(first, gone, 'unavailable', { sequence: ['hit'] });
    deepEqual(await statuses(first, client, 2), [503, 503]);
    deepEqual(await statuses(first, gone, 1), [503]);
    await first.close();
    const second = await place.start({}, first.clock);
    t.after(() => second.close());
    deepEqual((await second.call('GET', `${mine}/unavailable`, client)).json.left, ['pass', 'hit']);
    deepEqual(await statuses(second, client, 4), [200, 503, 200, 200]);
    equal(await countStored(second, 'drill_turns'), 2);
    equal((await second.call('DELETE', '/range/v1/me', gone)).status, 204);
    equal(await countStored(second, 'drill_turns'), 1);
    second.clock.advance(5 * minute - 1);
    await second.housekeeping();
    equal(await countStored(second, 'drill_turns'), 1);
    second.clock.advance(1);
    await second.housekeeping();
    equal(await countStored(second, 'drill_turns'), 0);
  });
});
