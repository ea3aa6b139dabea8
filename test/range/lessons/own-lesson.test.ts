import { deepEqual, doesNotMatch, equal, match, ok, rejects } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { ClassFileData } from '../../../src/range/lessons/class-file.ts';
import { forEachEngine, onSqlite } from '../../support/engines.ts';
import { startLPlate } from '../../support/lplate.ts';
import { answer, type Learner, newLearner, newPlate, open, stateOf } from './lesson.ts';

type Own = NonNullable<ClassFileData['own']>[number];
type Call = NonNullable<Own['calls']>[number];

const list = '/insurer/v1/policies';

const lessonOf = (rest: Partial<Own>): Own => ({ id: 'mine', title: 'Mine', goal: 'Do it.', why: 'Because.', ...rest });

/** A call with everything that a file can ask of one. */
const full: Call = {
  method: 'POST',
  path: list,
  query: { trace: 'on-*' },
  headers: { 'X-Course': 'week *', 'idempotency-key': '*' },
  body: { '/holder': 'Ada*' },
  status: 201,
};

const headers = { 'X-Course': 'week 3', 'Idempotency-Key': 'k-1' };

/** Makes the full call, with something else in places. */
const made =
  (other: { headers?: Record<string, string>; json?: object; query?: string; body?: string; method?: string } = {}) =>
  ({ call }: Learner) => {
    const { json = { regNumber: newPlate(), holder: 'Ada Example' }, query = '?trace=on-1', method = 'POST' } = other;
    const sent = other.body === undefined ? { json } : { body: other.body };
    return call(method, `${list}${query}`, { ...sent, headers: other.headers ?? headers });
  };

const without = (name: keyof typeof headers) => Object.fromEntries(Object.entries(headers).filter(([n]) => n !== name));

/** What is sent, and what the learner is told: null where nothing is. */
const attempts: Readonly<Record<string, [(learner: Learner) => Promise<unknown>, RegExp | null]>> = {
  'no header': [made({ headers: without('X-Course') }), /^Your call had no header X-Course\.$/],
  'another value of a header': [
    made({ headers: { ...headers, 'X-Course': 'day 3' } }),
    /^The header X-Course of your call has another value than the one to send\.$/,
  ],
  'no parameter': [made({ query: '' }), /^Your call had no parameter trace in its query\.$/],
  'another value of a parameter': [made({ query: '?trace=off' }), /^The parameter trace in the query .* another value/],
  'no member': [made({ json: { regNumber: newPlate() } }), /^Your call had no member \/holder in its body\.$/],
  'another value of a member': [
    made({ json: { regNumber: newPlate(), holder: 'Bob' } }),
    /^The member \/holder in the body of your call has another value/,
  ],
  'no JSON': [
    made({ body: 'x', headers: { ...headers, 'Content-Type': 'application/json' } }),
    /neither JSON nor a form/,
  ],
  'a body that is too long': [
    made({ json: { regNumber: newPlate(), holder: 'Ada', note: 'x'.repeat(3000) } }),
    /too long to look into it/,
  ],
  'another method': [made({ method: 'PUT' }), /^The address is right, but you sent PUT\. Use another method\.$/],
  'another answer': [
    made({ json: { regNumber: '?', holder: 'Ada Example' } }),
    /^You sent what is asked for, but the answer was 400 validation-error\. Another answer is asked for\.$/,
  ],
  'two things missing': [made({ headers: {} }), null],
  'another address': [({ call }) => call('GET', '/insurer/v1/coverage-options'), null],
};

forEachEngine((engine) => {
  describe('lessons of a class’s own', () => {
    test('Lessons: one of its own looks at query, headers and body, and says what one call lacks', async (t) => {
      const lplate = await startLPlate(t, engine, { lessons: { own: [lessonOf({ calls: [full] })] } });
      for (const [lacking, [attempt, told]] of Object.entries(attempts)) {
        const learner = await newLearner(lplate);
        await open(learner, 'mine');
        await attempt(learner);
        const { state, lastMiss, misses } = await stateOf(learner, 'mine');
        deepEqual([state, misses], told ? ['started', 1] : ['open', 0], `${lacking}: ${lastMiss}`);
        if (told) match(lastMiss, told, lacking);
        for (const wanted of ['week', 'on-1', 'Ada', '201']) ok(!lastMiss?.includes(wanted), `${lacking}: ${lastMiss}`);
      }
      const learner = await newLearner(lplate);
      const solving = await made()(learner);
      const { state, proof, steps } = await stateOf(learner, 'mine');
      deepEqual([state, proof.exchangeId], ['solved', solving.headers.get('x-request-id')]);
      equal(steps[0].title, `POST ${list} with trace, X-Course, idempotency-key, /holder, answered with 201`);
    });

    test('Lessons: one of its own looks into a form, and at values of each kind', async (t) => {
      const form: Call = { path: '/insurer/v1/auth/token', body: { '/grant_type': 'client_*' }, status: 200 };
      const exact: Call = { path: list, body: { '/count': 3, '/deep/0': true, '/none': null, '/text': '3' } };
      const own = [lessonOf({ id: 'form', calls: [form] }), lessonOf({ id: 'exact', calls: [exact] })];
      const learner = await newLearner(await startLPlate(t, engine, { lessons: { own } }));
      const { id, secret, bare, call } = learner;
      await bare('POST', '/insurer/v1/auth/token', {
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        body: `grant_type=client_credentials&client_id=${id}&client_secret=${secret}`,
      });
      equal((await stateOf(learner, 'form')).state, 'solved');
      await open(learner, 'exact');
      const whole = { count: 3, deep: [true], none: null, text: '3' };
      for (const other of [{ count: '3' }, { deep: ['true'] }, { none: 0 }, { text: 3 }]) {
        await call('POST', list, { json: { ...whole, ...other } });
        const { state, lastMiss } = await stateOf(learner, 'exact');
        equal(state, 'started', JSON.stringify(other));
        match(lastMiss, /another value/);
      }
      await call('POST', list, { json: whole });
      equal((await stateOf(learner, 'exact')).state, 'solved');
    });

    test('Lessons: one of its own says that a call comes too early, and nothing of one that is made again', async (t) => {
      const calls: Call[] = [
        { title: 'List them', method: 'GET', path: list },
        { title: 'Create one', method: 'POST', path: list, status: 201 },
        { title: 'Read one', method: 'GET', path: `${list}/*`, status: 200 },
      ];
      const learner = await newLearner(await startLPlate(t, engine, { lessons: { own: [lessonOf({ calls })] } }));
      const create = () => learner.call('POST', list, { json: { regNumber: newPlate() } });
      await open(learner, 'mine');
      const { json } = await create();
      equal((await stateOf(learner, 'mine')).state, 'open', 'it has not begun');
      await learner.call('GET', list);
      await learner.call('GET', list);
      const { misses, steps } = await stateOf(learner, 'mine');
      deepEqual([misses, steps.map(({ done }: { done: boolean }) => done)], [0, [true, false, false]]);
      await learner.call('GET', `${list}/${json.id}`);
      equal((await stateOf(learner, 'mine')).lastMiss, 'This call comes too early. First: “Create one”.');
      await create();
      await learner.call('GET', `${list}/${json.id}`);
      equal((await stateOf(learner, 'mine')).state, 'solved');
    });

    test('Lessons: a question of one of its own counts after the calls, and its answer is shown to nobody', async (t) => {
      const asks = { question: 'Which header?', answers: ['If-Match', 42] };
      const calls: Call[] = [
        {
          method: 'PUT',
          path: `${list}/*`,
          headers: { 'If-Match': '*' },
          status: 412,
          misses: [{ path: list, says: 'x' }],
        },
      ];
      const lplate = await startLPlate(t, engine, { lessons: { own: [lessonOf({ calls, asks })] } });
      const learner = await newLearner(lplate);
      await open(learner, 'mine');
      const told = [(await answer(learner, 'mine', 'If-Match')).advice];
      equal(told[0], 'Make the calls first. The next one: “Call 1”.');
      const { json } = await learner.call('POST', list, { json: { regNumber: newPlate() } });
      const change = (sent = {}) =>
        learner.call('PUT', `${list}/${json.id}`, { json: { holder: 'Ada Example' }, headers: sent });
      await change();
      told.push((await stateOf(learner, 'mine')).lastMiss);
      equal(told[1], 'This call is nearly the one to make. One thing in it is missing.');
      await change({ 'If-Match': '"old"' });
      told.push((await answer(learner, 'mine', 'If-None-Match')).advice);
      for (const path of ['/range/v1/lessons', '/range/v1/me/lessons', '/range/v1/me/lessons/mine'])
        told.push((await learner.call('GET', path)).text);
      for (const each of told) doesNotMatch(each as string, /If-Match/);
      equal((await stateOf(learner, 'mine')).state, 'started');
      equal((await answer(learner, 'mine', ' "if-match"\n')).correct, true);
      deepEqual(
        (await stateOf(learner, 'mine')).steps.map(({ done }: { done: boolean }) => done),
        [true, true],
      );
      const other = await newLearner(lplate);
      equal((await answer(other, 'mine', 42)).correct, false);
      lplate.clock.advance(1);
      equal((await learner.call('DELETE', '/range/v1/me/lessons/mine')).status, 204);
      match((await answer(learner, 'mine', 'If-Match')).advice, /^Make the calls first/, 'taken again');
    });

    test('Lessons: one of its own that only asks is solved by its answer, also when it is taken again', async (t) => {
      const own = [lessonOf({ asks: { question: 'How much?', answers: [42], advice: 'Count once more.' } })];
      const learner = await newLearner(await startLPlate(t, engine, { lessons: { own } }));
      for (const time of ['first', 'second']) {
        equal((await answer(learner, 'mine', '24')).advice, 'Count once more.', time);
        equal((await answer(learner, 'mine', '42')).lesson.state, 'solved', time);
        equal((await learner.call('DELETE', '/range/v1/me/lessons/mine')).status, 204);
        equal((await stateOf(learner, 'mine')).state, 'open', time);
      }
    });

    test('Lessons: the file that the guide shows can be used, and its lessons are solved as it says', async (t) => {
      const guide = readFileSync(join(import.meta.dirname, '../../../docs/lessons.md'), 'utf8');
      const [, file = ''] = /^## For trainers.*?^```json\n(.*?)^```$/ms.exec(guide) ?? [];
      const learner = await newLearner(await startLPlate(t, engine, { lessons: JSON.parse(file) }));
      const insure = (sent: Record<string, string>) =>
        learner.call('POST', list, { json: { regNumber, holder: 'Ada Example' }, headers: sent });
      let regNumber = newPlate();
      await open(learner, 'our-first-policy');
      await insure({});
      const [, sentence = ''] = /“(Your call had [^”]*)”/.exec(guide) ?? [];
      equal((await stateOf(learner, 'our-first-policy')).lastMiss, sentence);
      regNumber = newPlate();
      await insure({ 'Idempotency-Key': 'first' });
      await insure({});
      equal((await stateOf(learner, 'our-first-policy')).state, 'solved');
      await open(learner, 'our-pages');
      await learner.call('GET', `${list}?page=1`);
      equal((await stateOf(learner, 'our-pages')).lastMiss, 'You chose a page. Choose how much is on it as well.');
      await learner.call('GET', `${list}?pageSize=1`);
      match((await answer(learner, 'our-pages', 'total')).advice, /not at its body/);
      equal((await answer(learner, 'our-pages', 'link')).lesson.state, 'solved');
    });
  });
});

onSqlite((engine) => {
  test('Lessons: the start tells at once what no call can fit in the lessons of a class’s own', async (t) => {
    const never: [Partial<Call>, RegExp][] = [
      [{ status: 299 }, /the status 299, with which no call is answered/],
      [{ status: '1xx' }, /the status 1xx, with which no call is answered/],
      [{ method: 'GET', path: list, status: 201 }, /the status 201, with which no call to \/insurer\/v1\/policies is/],
      [{ problem: 'no-such-thing-at-all' }, /the problem no-such-thing-at-all, which does not exist$/],
      [{ problem: 'lesson-not-found' }, /the problem lesson-not-found, with which no call is answered/],
      [{ path: list, problem: 'claim-not-found' }, /the problem claim-not-found, with which no call to/],
      [{ status: 200, problem: 'duplicate-policy' }, /the problem duplicate-policy, whose status is 409, not 200/],
      [{ path: '/insurer/v1/polices' }, /which nobody serves: did you mean/],
      [{ path: '/range/v1/me' }, /the path \/range\/v1\/me, whose calls are not in the log/],
      [{ method: 'DELETE', path: list }, /the method DELETE, which \/insurer\/v1\/policies does not take/],
      [{ method: 'GET', body: { '/x': '1' } }, /a body, of which nobody takes notice in a GET/],
      [{ headers: { 'X-Api-Key': 'abc' } }, /a value for the header X-Api-Key, which the log hides/],
      [{ body: { '/client_secret': 'abc' } }, /a value for the member \/client_secret, which the log hides/],
      [{ headers: { Accept: 'a', accept: 'b' } }, /the header accept twice/],
      [{ query: { access_token: 'abc' } }, /a value for the parameter access_token, which the log hides/],
      [{ misses: [{ status: 299, says: 'x' }], path: list }, /the miss 1 of the call 16 .* the status 299/],
    ];
    const own = [
      lessonOf({ calls: never.map(([call]) => call) }),
      lessonOf({ id: 'a', buildsOn: ['b'], calls: [{ status: 200 }] }),
      lessonOf({ id: 'b', buildsOn: ['c', 'mine'], calls: [{ status: 200 }] }),
      lessonOf({ id: 'c', buildsOn: ['a'], calls: [{ status: 200 }] }),
      lessonOf({ id: 'itself', buildsOn: ['itself', 'nonsense'], calls: [{ status: 200 }] }),
      lessonOf({ id: 'empty' }),
      lessonOf({
        id: 'long',
        calls: [
          { status: 200, count: 100 },
          { status: 200, count: 51 },
        ],
      }),
      lessonOf({ id: 'told', calls: [{ title: 'Get a 404', status: 404 }], asks: { question: '?', answers: ['404'] } }),
    ];
    await rejects(startLPlate(t, engine, { lessons: { own } }), (error: Error & { faults: string[] }) => {
      const places = [
        ...never.map(([, told]) => told),
        /^the lessons a, b, c build on each other in a circle$/,
        /^the lessons itself build on each other in a circle$/,
        /^the lesson itself builds on nonsense, which does not exist$/,
        /^the lesson empty has neither calls nor a question/,
        /^the lesson long asks for 151 calls, but lessons look back at the last 150$/,
        /^the lesson told gives its answer away: the title of the call 1 has it$/,
      ];
      for (const each of places)
        ok(
          error.faults.some((fault) => each.test(fault)),
          `${each}\n${error.faults.join('\n')}`,
        );
      equal(error.faults.length, places.length, error.faults.join('\n'));
      return true;
    });
  });

  test('Lessons: the start tells at once what is wrong with a lesson, whatever else in it has not its form', async (t) => {
    const calls = [{ header: { a: 'b' }, status: 299 }, 7, { body: { holder: 'x', '/x': {} } }, { status: '44x' }];
    const own = [
      { id: 'x', title: 7, calls, buildsOn: ['x', 'y'], asks: { question: '?', answers: [] } },
      { ...lessonOf({ id: 'x' }), calls: {} },
      { id: 7 },
      7,
    ];
    const lessons = { path: ['x', 'x', {}, 'credential'], own, wrong: true };
    await rejects(startLPlate(t, engine, { lessons }), (error: Error & { faults: string[] }) => {
      const told = [
        /^\/ must not have the member wrong/,
        /^\/path\/2 must be the id of a lesson, or a topic such as /,
        /must have the member goal$/,
        /must have the member why$/,
        /^\/own\/0\/title .* must be string: The title$/,
        /^\/own\/0\/calls\/0 .* must not have the member header: did you mean headers\?$/,
        /^\/own\/0\/calls\/1 .* must be object/,
        /^\/own\/0\/calls\/2\/body .* must not have the name holder: Members of the body/,
        /^\/own\/0\/calls\/2\/body\/~1x .* must be a value/,
        /^\/own\/0\/calls\/3\/status .* must be the status of the answer, such as/,
        /^\/own\/0\/asks\/answers .* fewer than 1/,
        /^\/own\/1\/calls .* must be array/,
        /^\/own\/2\/id must be string/,
        /^\/own\/3 must be object/,
        /^\/own has the id x, which another lesson or a capstone has$/,
        /^the lesson x builds on y, which does not exist: did you mean x\?$/,
        /^the lessons x build on each other in a circle$/,
        /^\/path has the lesson credential, which does not exist: did you mean credentials\?$/,
        /^\/path has the lesson x twice$/,
        /^the call 1 of the lesson x has the status 299/,
      ];
      for (const each of told)
        ok(
          error.faults.some((fault) => each.test(fault)),
          `${each}\n${error.faults.join('\n')}`,
        );
      const others = error.faults.filter((fault) => !told.some((each) => each.test(fault)));
      deepEqual(
        others.filter((fault) => !/^\/own\/[23] must have the member/.test(fault)),
        [],
      );
      return true;
    });
  });

  test('Lessons: the start takes what a call can fit, also a refusal that is meant', async (t) => {
    const calls: Call[] = [
      { method: 'DELETE', path: list, status: 405 },
      { method: 'OPTIONS', path: list, status: 204 },
      { path: '/insurer/v1/nothing', problem: 'not-found' },
      { path: '/insurer/v1/poli*', status: 200 },
      { status: 502 },
      { path: '/vehicle-registry/v1', problem: 'VehicleNotFound', status: 500 },
      { headers: { Authorization: 'Bearer *', 'X-Api-Key': '*' }, body: { '/client_secret': '*' } },
    ];
    await startLPlate(t, engine, { lessons: { own: [lessonOf({ calls })] } });
  });
});
