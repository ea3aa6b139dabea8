import { deepEqual, equal, match } from 'node:assert/strict';
import { describe, test } from 'node:test';
import { forEachEngine } from '../../support/engines.ts';
import { startLPlate } from '../../support/lplate.ts';
import { trainerToken } from '../range.ts';
import { answer, type Learner, newLearner, newPlate, open, stateOf } from './lesson.ts';

const list = '/insurer/v1/policies';

const ticksOf = async (learner: Learner, lesson: string) =>
  (await stateOf(learner, lesson)).steps.map(({ done }: { done: boolean }) => done);

async function insured({ call }: Learner): Promise<string> {
  return `${list}/${(await call('POST', list, { json: { regNumber: newPlate() } })).json.id}`;
}

const changed = ({ call }: Learner, path: string, holder = 'Ada Example') => call('PUT', path, { json: { holder } });

forEachEngine((engine) => {
  describe('the steps of lessons', () => {
    test('Lessons: a step ticks when its call was made, and names the exchange', async (t) => {
      const learner = await newLearner(await startLPlate(t, engine));
      deepEqual(await ticksOf(learner, 'update-policy'), [false, false]);
      const path = await insured(learner);
      const change = await changed(learner, path);
      const { state, steps } = await stateOf(learner, 'update-policy');
      deepEqual([state, steps[1]], ['started', { title: steps[1].title, done: false, exchange: null }]);
      deepEqual(
        [steps[0].done, steps[0].exchange.exchangeId, steps[0].exchange.path],
        [true, change.headers.get('x-request-id'), path],
      );
      await learner.call('GET', path);
      equal((await stateOf(learner, 'update-policy')).state, 'solved');
    });

    test('Lessons: a call that was refused before anybody looked at it gets a word of the open lesson alone', async (t) => {
      const lplate = await startLPlate(t, engine, { rateLimitPerMinute: 8 });
      const learner = await newLearner(lplate);
      const miss = async () => (await stateOf(learner, 'create-policy')).lastMiss;
      const create = (options: object) => learner.call('POST', list, { json: { regNumber: newPlate() }, ...options });
      const bare = () => lplate.call('POST', `/for/${learner.id}${list}`, { json: { regNumber: newPlate() } });
      // Nobody knows what it was for.
      await bare();
      equal(await miss(), null);
      await open(learner, 'create-policy');
      equal((await create({ json: { reg: 'X' } })).status, 400);
      match(await miss(), /request was refused/);
      await bare();
      match(await miss(), /it had no token/);
      await lplate.call('POST', `/for/${learner.id}${list}`, { token: 'nonsense', json: { regNumber: newPlate() } });
      match(await miss(), /its token was refused/);
      const token = await learner.lplate.token(learner.id, learner.secret, 'policies:read');
      equal((await create({ token })).status, 403);
      match(await miss(), /its token lacks a scope/);
      for (let status = 0; status !== 429; ) status = (await lplate.call('GET', list, { token: learner.token })).status;
      await create({ json: { reg: 'X' } });
      match(await miss(), /The limit was reached/);
    });

    test('Lessons: a lesson whose calls need no token does not ask for one', async (t) => {
      const learner = await newLearner(await startLPlate(t, engine));
      const lessons = ['token-by-json', 'retry-after', 'soap-lookup', 'scope-refused', 'create-policy'];
      for (const lesson of lessons) {
        await open(learner, lesson);
        await learner.bare('POST', list, { json: { regNumber: newPlate() } });
        const { lastMiss } = await stateOf(learner, lesson);
        equal(lastMiss?.includes('it had no token') ?? false, lesson === 'create-policy', lesson);
      }
    });

    test('Lessons: a call that a drill hit says nothing of a lesson that is not open', async (t) => {
      const lplate = await startLPlate(t, engine);
      const ada = await newLearner(lplate);
      const json = { name: 'unavailable', parameters: { retryAfter: 2 } };
      const misses = async (learner: Learner) => (await stateOf(learner, 'retry-unavailable')).misses;
      const twice = async ({ call }: Learner) => {
        for (const _ of [1, 2]) equal((await call('GET', list)).status, 503);
      };
      equal((await lplate.call('POST', '/range/v1/trainer/drills', { token: trainerToken, json })).status, 201);
      await twice(ada);
      equal(await misses(ada), 0);
      await open(ada, 'retry-unavailable');
      await twice(ada);
      equal(await misses(ada), 1);
    });

    test('Lessons: a lesson that is taken again is solved by new calls alone', async (t) => {
      const lplate = await startLPlate(t, engine);
      const learner = await newLearner(lplate);
      const path = await insured(learner);
      await changed(learner, path);
      await learner.call('GET', path);
      equal((await stateOf(learner, 'update-policy')).state, 'solved');
      lplate.clock.advance(1);
      equal((await learner.call('DELETE', '/range/v1/me/lessons/update-policy')).status, 204);
      const { state, steps, proof, solvedAt } = await stateOf(learner, 'update-policy');
      deepEqual(
        [state, steps.filter(({ done }: { done: boolean }) => done), proof, solvedAt],
        ['open', [], null, null],
      );
      await learner.call('GET', path);
      deepEqual(await ticksOf(learner, 'update-policy'), [false, false]);
      await changed(learner, path, 'Grace Example');
      await learner.call('GET', path);
      equal((await stateOf(learner, 'update-policy')).state, 'solved');
    });

    test('Lessons: a lesson that is taken again after many calls is solved by new ones, and they are logged', async (t) => {
      const lplate = await startLPlate(t, engine);
      const learner = await newLearner(lplate);
      for (let count = 0; count < 60; count += 1) await learner.call('GET', `${list}/pol-1`);
      equal((await stateOf(learner, 'unknown-policy')).state, 'solved');
      lplate.clock.advance(1);
      equal((await learner.call('DELETE', '/range/v1/me/lessons/unknown-policy')).status, 204);
      await learner.call('GET', `${list}/pol-2`);
      equal((await stateOf(learner, 'unknown-policy')).proof?.path, `${list}/pol-2`);
    });

    test('Lessons: a lesson that is taken again, or of which a hint was taken, is open: what is wrong gets a word', async (t) => {
      const lplate = await startLPlate(t, engine);
      const wrongSecret = (each: Learner, sent: object) =>
        lplate.call('POST', '/insurer/v1/auth/token', { json: { client_id: each.id, ...sent } });
      const wrong: Record<string, [(each: Learner) => Promise<unknown>, RegExp][]> = {
        'wrong-secret': [
          [(each) => wrongSecret(each, {}), /no secret at all/],
          [(each) => wrongSecret(each, { client_secret: each.secret }), /was the right one/],
        ],
        'unknown-policy': [
          [async (each) => each.call('GET', await insured(each)), /This policy exists/],
          [(each) => each.call('PUT', `${list}/pol-1`, { json: { holder: 'Ada' } }), /Read one/],
        ],
        'anothers-policy': [[(each) => each.call('GET', `${list}/pol-1`), /Nobody has a policy with this id/]],
        'create-policy': [[(each) => each.bare('POST', list, { json: { regNumber: newPlate() } }), /it had no token/]],
        'paced-calls': [
          [
            async (each) => {
              each.lplate.clock.advance(61_000);
              for (let calls = 0; calls < 6; calls += 1) await each.bare('GET', '/insurer/v1/limited/ping');
            },
            /in a row was refused/,
          ],
        ],
        'find-one': [[(each) => each.call('HEAD', list), /HEAD gives no body/]],
        'pages-while-creating': [
          [(each) => each.call('HEAD', list), /HEAD gives no body/],
          [
            async (each) => {
              for (let count = 0; count < 3; count += 1) await insured(each);
              for (let page = 1; page <= 6; page += 1) await each.call('GET', `${list}?page=${page}&pageSize=1`);
            },
            /Create one (?:while|before) you read/,
          ],
        ],
        'retried-create': [
          [
            async (each) => {
              const json = { regNumber: newPlate() };
              for (const _ of [1, 2]) await each.call('POST', list, { json });
            },
            /the same create twice/,
          ],
        ],
        'lost-update': [
          [async (each) => changed(each, await insured(each)), /without If-Match/],
          [
            async (each) => {
              const path = await insured(each);
              const tag = (await each.call('GET', path)).headers.get('etag') as string;
              await each.call('PUT', path, { headers: { 'If-Match': tag }, json: { holder: 'Ada' } });
            },
            /your If-Match had the latest ETag/,
          ],
        ],
        'not-modified': [
          [
            async (each) => {
              const path = await insured(each);
              for (const _ of [1, 2]) await each.call('GET', path);
            },
            /again without a condition/,
          ],
        ],
        'soap-lookup': [[(each) => each.call('GET', '/vehicle-registry/v2/vehicles/AB-1234'), /This was REST v2/]],
        'change-cancelled': [[async (each) => changed(each, await insured(each)), /is in force. Cancel it/]],
      };
      const begin: Record<string, (each: Learner, lesson: string) => Promise<unknown>> = {
        'by a hint': (each, lesson) => each.call('POST', `/range/v1/me/lessons/${lesson}/hints`),
        again: (each, lesson) => each.call('DELETE', `/range/v1/me/lessons/${lesson}`),
      };
      for (const [way, start] of Object.entries(begin)) {
        for (const [lesson, attempts] of Object.entries(wrong)) {
          for (const [attempt, says] of attempts) {
            const learner = await newLearner(lplate);
            await attempt(learner);
            lplate.clock.advance(1);
            await start(learner, lesson);
            await attempt(learner);
            match((await stateOf(learner, lesson)).lastMiss ?? '', says, `${lesson}, ${way}`);
          }
        }
      }
    });

    test('Lessons: what was cancelled before a lesson was taken again does not count for it, and that is said', async (t) => {
      const lplate = await startLPlate(t, engine);
      const learner = await newLearner(lplate);
      const path = await insured(learner);
      await learner.call('POST', `${path}/cancel`);
      await changed(learner, path);
      equal((await stateOf(learner, 'change-cancelled')).state, 'solved');
      lplate.clock.advance(1);
      await learner.call('DELETE', '/range/v1/me/lessons/change-cancelled');
      await changed(learner, path);
      match((await stateOf(learner, 'change-cancelled')).lastMiss ?? '', /your log has no call that cancelled it/);
    });

    test('Lessons: a question is the last step', async (t) => {
      const learner = await newLearner(await startLPlate(t, engine));
      await answer(learner, 'token-decoded', learner.id);
      const { steps } = await stateOf(learner, 'token-decoded');
      match(steps.at(-1).title, /^Send /);
      equal(steps.at(-1).done, true);
    });

    test('Lessons: a reset unticks what was done of a lesson that is not solved', async (t) => {
      const learner = await newLearner(await startLPlate(t, engine));
      await changed(learner, await insured(learner));
      deepEqual(await ticksOf(learner, 'update-policy'), [true, false]);
      equal((await learner.call('POST', '/range/v1/me/reset')).status, 204);
      deepEqual(await ticksOf(learner, 'update-policy'), [false, false]);
      equal((await stateOf(learner, 'create-policy')).state, 'solved');
    });

    test('Lessons: an attempt that has failed for good begins again', async (t) => {
      const learner = await newLearner(await startLPlate(t, engine));
      await open(learner, 'lost-update');
      const path = await insured(learner);
      const put = (ifMatch?: string) =>
        learner.call('PUT', path, { headers: ifMatch ? { 'If-Match': ifMatch } : {}, json: { holder: 'Ada' } });
      await put();
      equal((await put('"1-active"')).status, 412);
      deepEqual(await ticksOf(learner, 'lost-update'), [true, false, false]);
      await put();
      const { steps, lastMiss } = await stateOf(learner, 'lost-update');
      equal(steps[0].done, false);
      match(lastMiss, /Begin again/);
    });

    test('Lessons: a hint counts from the next call on, also before the first calls of its client were written', async (t) => {
      const lplate = await startLPlate(t, engine);
      const beginWithHint = async () => {
        for (let round = 0; round < 20; round += 1) {
          const learner = await newLearner(lplate);
          await learner.call('POST', '/range/v1/me/lessons/unknown-policy/hints');
          await learner.call('GET', `${list}?regNumber=${newPlate()}`);
          match((await stateOf(learner, 'unknown-policy')).lastMiss ?? 'nothing', /^You searched the list/);
        }
      };
      // So many that the calls of some are judged at this very moment.
      await Promise.all(Array.from({ length: 12 }, beginWithHint));
    });
  });
});
