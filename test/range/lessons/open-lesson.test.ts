import { deepEqual, equal, match } from 'node:assert/strict';
import { describe, test } from 'node:test';
import { forEachEngine } from '../../support/engines.ts';
import { problem, startLPlate } from '../../support/lplate.ts';
import { until } from '../../support/receiver.ts';
import { logOf, trainerToken } from '../range.ts';
import { answer, type Learner, newLearner, newPlate, open, stateOf } from './lesson.ts';

const path = '/range/v1/me/open-lesson';
const list = '/insurer/v1/policies';
const hour = 3_600_000;

const openOf = async ({ call }: Learner) => (await call('GET', path)).json;

const wordOf = async (learner: Learner, lesson: string) => (await stateOf(learner, lesson)).lastWord;

const insured = ({ call }: Learner) => call('POST', list, { json: { regNumber: newPlate() } });

forEachEngine((engine) => {
  describe('the open lesson', () => {
    test('Lessons: a client opens one lesson, reads which one it is, and closes it', async (t) => {
      const lplate = await startLPlate(t, engine);
      const learner = await newLearner(lplate);
      deepEqual(await openOf(learner), { lessonId: null });
      const put = (lessonId: string) => learner.call('PUT', path, { json: { lessonId } });
      const first = await put('wsdl');
      deepEqual([first.status, first.json.lessonId, await openOf(learner)], [200, 'wsdl', first.json]);
      deepEqual(problem(await put('none')), [404, 'lesson-not-found']);
      deepEqual(problem(await put('credentials')), [409, 'lesson-solved']);
      equal((await openOf(learner)).lessonId, 'wsdl');
      equal((await put('soap-lookup')).status, 200);
      equal((await openOf(learner)).lessonId, 'soap-lookup');
      for (const _ of ['once', 'again']) equal((await learner.call('DELETE', path)).status, 204);
      deepEqual(await openOf(learner), { lessonId: null });
      const token = await lplate.token('preset-fleet', lplate.config.fleetClientSecret as string);
      for (const method of ['PUT', 'DELETE'])
        deepEqual(problem(await lplate.call(method, path, { token, json: { lessonId: 'wsdl' } })), [
          409,
          'preset-client',
        ]);
    });

    test('Lessons: a hint opens a lesson, and so does taking it again; a solved one stays closed', async (t) => {
      const lplate = await startLPlate(t, engine);
      const learner = await newLearner(lplate);
      await learner.call('POST', '/range/v1/me/lessons/wsdl/hints');
      equal((await openOf(learner)).lessonId, 'wsdl');
      lplate.clock.advance(1);
      await learner.call('DELETE', '/range/v1/me/lessons/token-by-json');
      equal((await openOf(learner)).lessonId, 'token-by-json');
      await learner.call('POST', '/range/v1/me/lessons/credentials/hints');
      equal((await openOf(learner)).lessonId, 'token-by-json');
    });

    test('Lessons: each call gets a word of the open lesson, and only a miss is counted as one', async (t) => {
      const learner = await newLearner(await startLPlate(t, engine));
      await open(learner, 'read-policy');
      equal(await wordOf(learner, 'read-policy'), null);
      const said = async (call: Promise<{ headers: Headers }>) => {
        const { headers } = await call;
        const { code, text, exchange } = await wordOf(learner, 'read-policy');
        equal(exchange.exchangeId, headers.get('x-request-id'));
        return [code, text];
      };
      deepEqual(await said(learner.call('GET', '/claims/v1/claims')), [
        'elsewhere',
        'The next step is: Read a policy by its id. This call was GET /claims/v1/claims, answered with 200.',
      ]);
      const created = insured(learner);
      deepEqual(await said(created), [
        'on-the-way',
        'The lesson needs such calls, but this one did no step. The next step is: Read a policy by its id.',
      ]);
      deepEqual(await said(learner.call('POST', list, { json: {} })), [
        'miss',
        'This call was refused with 400 validation-error. Its answer says why. The next step is: Read a policy by its id.',
      ]);
      match((await said(learner.bare('GET', list)))[1] as string, /^Nobody looked at this call: it had no token/);
      deepEqual(await said(learner.call('GET', list)), [
        'miss',
        'You listed your policies. Read one of them by its id.',
      ]);
      equal((await stateOf(learner, 'read-policy')).misses, 3);
      deepEqual(await said(learner.call('GET', `${list}/${(await created).json.id}`)), [
        'step',
        'Done: Read a policy by its id.',
      ]);
      deepEqual([(await stateOf(learner, 'read-policy')).state, await openOf(learner)], ['solved', { lessonId: null }]);
    });

    test('Lessons: a call that is not the next step is told so, whatever it lacked itself', async (t) => {
      const lplate = await startLPlate(t, engine);
      const learner = await newLearner(lplate);
      await open(learner, 'update-policy');
      const { json } = await insured(learner);
      await learner.call('PUT', `${list}/${json.id}`, { json: { holder: 'Ada Example' } });
      const next = 'The next step is: Read that policy by its id.';
      const token = await lplate.token(learner.id, learner.secret, 'policies:read');
      for (const [call, text] of [
        [
          () => learner.call('POST', list, { json: { regNumber: json.regNumber } }),
          `This call was refused with 409 duplicate-policy. Its answer says why. ${next}`,
        ],
        [
          () => learner.call('GET', '/claims/v1/claims', { token }),
          `${next} This call was GET /claims/v1/claims, answered with 403.`,
        ],
        [
          () => learner.call('POST', list, { token, json: { regNumber: newPlate() } }),
          'Nobody looked at this call: its token lacks a scope. The answer names it.',
        ],
        [
          () => learner.bare('POST', '/insurer/v1/demo-clients'),
          `This made another client: go on with the one that you have. ${next}`,
        ],
      ] as const) {
        await call();
        equal((await wordOf(learner, 'update-policy')).text, text);
      }
    });

    test('Lessons: a delivery that does no step leaves the word of the call before', async (t) => {
      const lplate = await startLPlate(t, engine);
      const learner = await newLearner(lplate);
      const { json } = await learner.call('POST', '/claims/v1/subscriptions', { json: { via: 'inbox' } });
      await open(learner, 'read-policy');
      await insured(learner);
      const word = await wordOf(learner, 'read-policy');
      await lplate.call('POST', `/claims/v1/subscriptions/${json.id}/test`, {
        token: learner.token,
        headers: { 'L-Plate-Console': '1' },
      });
      await until(async () => (await logOf(lplate, learner, '?kind=delivery')).length > 0, 'the delivery');
      deepEqual(await wordOf(learner, 'read-policy'), word);
    });

    test('Lessons: what the console calls gets no word, and a right answer closes the lesson', async (t) => {
      const learner = await newLearner(await startLPlate(t, engine));
      await open(learner, 'token-decoded');
      await learner.call('GET', list, { headers: { 'L-Plate-Console': '1' } });
      equal(await wordOf(learner, 'token-decoded'), null);
      await learner.call('GET', list);
      match((await wordOf(learner, 'token-decoded')).text, /next step is: Send the claim sub\./);
      await answer(learner, 'token-decoded', learner.id);
      deepEqual(await openOf(learner), { lessonId: null });
    });

    test('Lessons: a call that the log does not have gets a word if it says whose it is, but no look at the range does', async (t) => {
      const lplate = await startLPlate(t, engine);
      const learner = await newLearner(lplate);
      await newLearner(lplate);
      await open(learner, 'expired-policy');
      const next = 'The next step is: Move your clock past the last day of a policy, and get a new token.';
      const console = { headers: { 'L-Plate-Console': '1' } };
      const page = (path: string, headers: Record<string, string> = {}) => lplate.call('GET', path, { headers });
      for (const silent of [
        () => learner.call('GET', '/range/v1/me/exchanges'),
        () => learner.call('GET', '/range/v1/me/lessons/none'),
        () => learner.call('POST', '/range/v1/me/clock', { json: { advance: 'PT1M' }, ...console }),
        () => page('/docs'),
        () => page(`/for/${learner.id}/docs`, { 'Sec-Fetch-Site': 'same-origin' }),
        () => page(`/for/demo-${'0'.repeat(20)}/docs`),
      ]) {
        await silent();
        equal(await wordOf(learner, 'expired-policy'), null);
      }
      for (const [call, code, text] of [
        [
          () => page(`/for/${learner.id}/`),
          'elsewhere',
          `${next} This call was GET /, answered with a page for people.`,
        ],
        [
          () => learner.bare('GET', '/vehicle-registry/v1'),
          'elsewhere',
          /GET \/vehicle-registry\/v1, answered with a page/,
        ],
        [
          () => learner.lplate.call('GET', '/range/v1/me/policies', { token: learner.token }),
          'elsewhere',
          /^Nothing has the path \/range\/v1\/me\/policies\./,
        ],
        [
          () => learner.call('POST', '/range/v1/me/clock', { json: { advance: '-P1D' } }),
          'elsewhere',
          /POST \/range\/v1\/me\/clock, answered with 400\.$/,
        ],
        [
          () => learner.call('POST', '/range/v1/me/clock', { json: { advance: 'PT1M' } }),
          'on-the-way',
          `A call to /range does no step, but may prepare one. ${next}`,
        ],
      ] as [() => Promise<unknown>, string, string | RegExp][]) {
        await call();
        const word = await wordOf(learner, 'expired-policy');
        deepEqual([word.code, word.exchange], [code, null]);
        if (typeof text === 'string') equal(word.text, text);
        else match(word.text, text);
      }
      // The latest call gets the last word.
      await learner.call('POST', '/range/v1/me/clock', { json: { advance: 'PT1M' } });
      await insured(learner);
      equal((await wordOf(learner, 'expired-policy')).code, 'on-the-way');
      equal((await stateOf(learner, 'expired-policy')).misses, 0);
    });

    test('Lessons: what anybody may call gets a word of the only client at its address', async (t) => {
      const lplate = await startLPlate(t, engine);
      const [learner, next] = [await newLearner(lplate), 'The next step is: Read a policy by its id.'];
      await open(learner, 'read-policy');
      const said = async () => {
        const { code, text, exchange } = await wordOf(learner, 'read-policy');
        return [code, text, exchange];
      };
      const keys = '/.well-known/jwks.json';
      await lplate.call('GET', keys);
      deepEqual(await said(), ['elsewhere', `${next} This call was GET ${keys}, answered with 200.`, null]);
      await lplate.call('POST', '/insurer/v1/demo-clients', { headers: { 'L-Plate-Console': '1' } });
      const made = 'At your address another client was made. If that was you: go on with the one that you have.';
      const word = await said();
      match(word[1] as string, /GET/);
      lplate.clock.advance(hour / 2);
      await learner.call('GET', list);
      await lplate.call('POST', '/insurer/v1/demo-clients');
      deepEqual(await said(), ['elsewhere', `${made} ${next}`, null]);
      const before = await said();
      await lplate.call('GET', keys);
      deepEqual(await said(), before, 'of two nobody knows which');
    });

    test('Lessons: while one is open, others say nothing, and collect their steps', async (t) => {
      const lplate = await startLPlate(t, engine);
      const learner = await newLearner(lplate);
      await open(learner, 'wsdl');
      equal((await learner.call('POST', list, { json: { reg: 'X' } })).status, 400);
      await insured(learner);
      const { state, misses, lastWord } = await stateOf(learner, 'create-policy');
      deepEqual([state, misses, lastWord], ['solved', 0, null]);
      const { json } = await learner.call('GET', '/range/v1/me/exchanges?pageSize=300');
      const about = json.items.flatMap(({ notes = [] }) => notes.map(({ lesson }: { lesson?: string }) => lesson));
      deepEqual(
        about.filter((lesson: string | undefined) => lesson !== undefined && lesson !== 'wsdl'),
        [],
      );
      const board = await lplate.call('GET', '/range/v1/trainer/lessons?pageSize=500', { token: trainerToken });
      const mine = board.json.items.find(({ clientId }: { clientId: string }) => clientId === learner.id);
      deepEqual([mine.current.id, mine.current.sign], ['wsdl', 'open']);
    });

    test('Lessons: where none is open, only a call that was refused for what it says, and aims at one lesson, gets a word', async (t) => {
      const lplate = await startLPlate(t, engine);
      const learner = await newLearner(lplate);
      const misses = async () => {
        const { json } = await learner.call('GET', '/range/v1/me/lessons?pageSize=500');
        return json.items.filter(({ misses }: { misses: number }) => misses > 0).map(({ id }: { id: string }) => id);
      };
      await learner.bare('GET', list);
      await learner.call('GET', list, { token: 'nonsense' });
      await learner.call('HEAD', list);
      for (let page = 1; page <= 3; page += 1) await learner.call('GET', `${list}?page=${page}`);
      deepEqual(await misses(), []);
      await learner.call('POST', list, { json: { reg: 'X' } });
      deepEqual(await misses(), ['create-policy']);
    });

    test('Lessons: who asks again and again is told once', async (t) => {
      const learner = await newLearner(await startLPlate(t, engine));
      await open(learner, 'long-poll');
      for (let read = 0; read < 5; read += 1) await learner.call('GET', '/claims/v1/topics/claims.status-changed');
      const { misses, lastWord } = await stateOf(learner, 'long-poll');
      deepEqual([misses, lastWord.code], [1, 'miss']);
    });

    test('Lessons: the open lesson closes after two hours without a call', async (t) => {
      const lplate = await startLPlate(t, engine);
      const learner = await newLearner(lplate);
      const listed = async () => {
        learner.token = await lplate.token(learner.id, learner.secret);
        await learner.call('GET', list);
        await learner.call('GET', '/range/v1/me/lessons/wsdl');
      };
      await open(learner, 'wsdl');
      for (let hours = 0; hours < 3; hours += 1) {
        lplate.clock.advance(1.5 * hour);
        await listed();
      }
      equal((await openOf(learner)).lessonId, 'wsdl');
      const before = await wordOf(learner, 'wsdl');
      lplate.clock.advance(2 * hour);
      learner.token = await lplate.token(learner.id, learner.secret);
      deepEqual(await openOf(learner), { lessonId: null });
      await listed();
      deepEqual(await wordOf(learner, 'wsdl'), before);
    });

    test('Lessons: what is known of a client in memory follows when it opens and closes a lesson', async (t) => {
      const lplate = await startLPlate(t, engine);
      const learner = await newLearner(lplate);
      await learner.call('GET', list);
      equal((await stateOf(learner, 'wsdl')).lastWord, null);
      await open(learner, 'wsdl');
      await learner.call('GET', list);
      equal((await wordOf(learner, 'wsdl')).code, 'elsewhere');
      await learner.call('DELETE', path);
      const before = await wordOf(learner, 'wsdl');
      await learner.call('GET', list);
      deepEqual(await wordOf(learner, 'wsdl'), before);
    });
  });
});
