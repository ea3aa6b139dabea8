import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { after, before, describe, type TestContext, test } from 'node:test';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { banner } from '../../../src/process/banner.ts';
import type { MyLessonView } from '../../../src/range/lessons/schemas.ts';
import { forEachEngineInFull } from '../../support/engines.ts';
import { send } from '../../support/http1.ts';
import { type LPlate, problem, startLPlate } from '../../support/lplate.ts';
import { until } from '../../support/receiver.ts';
import { restartable } from '../../support/restart.ts';
import { countStored } from '../../support/stored.ts';
import { idOf, logOf, trainerToken } from '../range.ts';
import { answer, type Learner, newLearner, newPlate, open, stateOf } from './lesson.ts';

const day = 24 * 60 * 60 * 1000;
const coverage = '/insurer/v1/coverage-options';

/** Solves a dozen lessons, two of them by a new token. */
async function solveSome({ lplate, id, secret, ...learner }: Learner): Promise<void> {
  const { bare } = learner;
  const token = await lplate.token(id, secret);
  const call: LPlate['call'] = (method, path, options = {}) => lplate.call(method, path, { token, ...options });
  for (const path of [coverage, '/insurer/v1/policies', '/vehicle-registry/v1?wsdl']) await bare('GET', path);
  await bare('POST', '/insurer/v1/demo-clients');
  const regNumber = newPlate();
  const { json } = await call('POST', '/policies', { json: { regNumber } });
  await call('POST', '/policies', { json: { regNumber } });
  await call('GET', '/policies/pol-00000000-0000-7000-8000-000000000000');
  const path = `/policies/${json.id}`;
  await call('PUT', path, { json: { holder: 'Ada Example' } });
  await call('GET', path);
  for (let time = 0; time < 2; time += 1) await call('POST', `${path}/cancel`);
  await call('PUT', path, { json: { holder: 'Bob Example' } });
  await answer({ lplate, id, secret, ...learner }, 'token-decoded', id);
}

forEachEngineInFull((engine) => {
  describe('lessons, taken and solved', () => {
    let lplate: LPlate;
    before(async () => {
      lplate = await startLPlate(engine);
    });
    after(() => lplate.close());

    test('Lessons: anybody can list them, in pages, and read one', async () => {
      const { json, headers } = await lplate.call('GET', '/range/v1/lessons?pageSize=2&page=2');
      deepEqual([json.items.length, json.page, json.totalPages], [2, 2, Math.ceil(json.totalItems / 2)]);
      match(headers.get('link') ?? '', /page=1&pageSize=2>; rel="prev"/);
      const [{ id }] = json.items;
      const one = await lplate.call('GET', `/range/v1/lessons/${id}`);
      deepEqual(one.json, json.items[0]);
      ok(!('judge' in one.json) && typeof one.json.hints === 'number');
      deepEqual(problem(await lplate.call('GET', '/range/v1/lessons/none')), [404, 'lesson-not-found']);
      deepEqual(problem(await lplate.call('GET', '/range/v1/lessons/toString')), [404, 'lesson-not-found']);
      deepEqual(problem(await lplate.call('GET', '/range/v1/lessons?page=0')), [400, 'validation-error']);
    });

    test('Lessons: a new client has solved only what made it', async () => {
      const { call } = await newLearner(lplate);
      const { json } = await call('GET', '/range/v1/me/lessons?pageSize=500');
      const solved = json.items.filter(({ state }: { state: string }) => state === 'solved');
      deepEqual(
        solved.map(({ id }: { id: string }) => id),
        ['credentials', 'token-by-json'],
      );
      ok(
        json.items.every(
          ({ misses, hintsTaken }: { misses: number; hintsTaken: [] }) => misses + hintsTaken.length === 0,
        ),
      );
    });

    test('Lessons: what was solved names the exchange that proves it, once and for all', async () => {
      const learner = await newLearner(lplate);
      const first = await learner.bare('GET', coverage);
      const solved = await stateOf(learner, 'coverage-options');
      deepEqual(
        [solved.state, solved.proof.exchangeId, solved.proof.method, solved.proof.path, solved.proof.status],
        ['solved', idOf(first), 'GET', coverage, 200],
      );
      lplate.clock.advance(60_000);
      await learner.bare('GET', coverage);
      deepEqual(await stateOf(learner, 'coverage-options'), solved);
    });

    test('Lessons: the address of a proof is the one that was called, without the personal prefix', async () => {
      const learner = await newLearner(lplate);
      await learner.bare('GET', '/vehicle-registry/v1?wsdl');
      equal((await stateOf(learner, 'wsdl')).proof.path, '/vehicle-registry/v1?wsdl');
    });

    test('Lessons: what was missing is told until the lesson is solved', async () => {
      const learner = await newLearner(lplate);
      const policies = '/insurer/v1/policies';
      await open(learner, 'wrong-scheme');
      await learner.bare('GET', policies, { token: 'wrong' });
      const near = await stateOf(learner, 'wrong-scheme');
      deepEqual([near.state, near.misses], ['started', 1]);
      match(near.lastMiss, /The scheme was Bearer/);
      await learner.bare('GET', policies, { headers: { Authorization: `Token ${learner.token}` } });
      const { state, misses, lastMiss } = await stateOf(learner, 'wrong-scheme');
      deepEqual([state, misses, lastMiss], ['solved', 1, null]);
    });

    test('Lessons: calls of the console solve nothing, and those that the learner wrote there by hand do', async () => {
      const learner = await newLearner(lplate);
      await learner.bare('GET', coverage, { headers: { 'L-Plate-Console': '1' } });
      equal((await stateOf(learner, 'coverage-options')).state, 'open');
      equal((await logOf(lplate, learner))[0].url, `/for/${learner.id}${coverage}`);
      await learner.bare('GET', coverage, { headers: { 'L-Plate-Console': 'by-hand' } });
      equal((await stateOf(learner, 'coverage-options')).state, 'solved');
    });

    test('Lessons: hints are taken one by one, and then there are no more', async () => {
      const learner = await newLearner(lplate);
      const taken: string[][] = [];
      for (let count = 0; count < 4; count += 1) {
        const { json, status } = await learner.call('POST', '/range/v1/me/lessons/no-header/hints');
        equal(status, 200);
        equal(json.state, 'started');
        taken.push(json.hintsTaken);
      }
      deepEqual(
        taken.map(({ length }) => length),
        [1, 2, 3, 3],
      );
      deepEqual((await stateOf(learner, 'no-header')).hintsTaken, taken[3]);
      const none = await learner.call('POST', '/range/v1/me/lessons/none/hints');
      deepEqual(problem(none), [404, 'lesson-not-found']);
    });

    test('Lessons: an answer is right, or is told what to look at and never the answer', async () => {
      const learner = await newLearner(lplate);
      const wrong = await answer(learner, 'token-decoded', 'demo-x');
      deepEqual([wrong.correct, wrong.lesson.state], [false, 'open']);
      ok(wrong.advice.length > 20 && !wrong.advice.includes(learner.id));
      const right = await answer(learner, 'token-decoded', `"${learner.id}"\n`);
      deepEqual([right.correct, right.advice, right.lesson.state], [true, null, 'solved']);
      const refusals = [
        [{ lesson: 'none', answer: 1 }, [404, 'lesson-not-found']],
        [{ lesson: 'credentials', answer: 1 }, [409, 'no-question']],
        [{ answer: 1 }, [400, 'validation-error']],
        [{ lesson: 'token-decoded' }, [400, 'validation-error']],
      ] as const;
      for (const [json, expected] of refusals) {
        deepEqual(problem(await learner.call('POST', '/range/v1/me/answers', { json })), expected);
      }
    });

    test('Lessons: who shares a client can look at lessons, but solves none', async () => {
      const token = await lplate.token('preset-fleet', lplate.config.fleetClientSecret as string);
      await lplate.call('GET', coverage, { token });
      const { json } = await lplate.call('GET', '/range/v1/me/lessons?pageSize=500', { token });
      ok(json.items.every(({ state }: { state: string }) => state === 'open'));
      for (const [path, sent] of [
        ['/range/v1/me/lessons/no-header/hints', {}],
        ['/range/v1/me/answers', { json: { lesson: 'token-decoded', answer: 'preset-fleet' } }],
      ] as const) {
        deepEqual(problem(await lplate.call('POST', path, { token, ...sent })), [409, 'preset-client']);
      }
    });

    test('Lessons: a reset of the client leaves what it solved', async () => {
      const learner = await newLearner(lplate);
      await learner.bare('GET', coverage);
      equal((await stateOf(learner, 'coverage-options')).state, 'solved');
      await learner.bare('GET', '/insurer/v1/policies');
      equal((await learner.call('POST', '/range/v1/me/reset')).status, 204);
      equal((await stateOf(learner, 'coverage-options')).state, 'solved');
      // Also what was called right before, and not judged yet.
      equal((await stateOf(learner, 'no-header')).state, 'solved');
      // What was before the reset proves nothing any more.
      const { correct, advice } = await answer(learner, 'token-decoded', learner.id);
      deepEqual([correct, /no token/.test(advice)], [false, true]);
    });

    test('Lessons: as server-sent events, those that were started or solved, and each one when it changes', async (t) => {
      const learner = await newLearner(lplate);
      const events = await watch(t, learner);
      await until(() => events().length === 2, 'what is solved');
      await learner.call('POST', '/range/v1/me/lessons/no-header/hints');
      await until(() => events().length === 3, 'the hint');
      await learner.bare('GET', '/insurer/v1/policies');
      await until(() => events().length === 4, 'the solution');
      deepEqual(
        events().map(({ id, state }) => [id, state]),
        [
          ['credentials', 'solved'],
          ['token-by-json', 'solved'],
          ['no-header', 'started'],
          ['no-header', 'solved'],
        ],
      );
      const head = await lplate.call('HEAD', '/range/v1/me/lessons', {
        token: learner.token,
        headers: { Accept: 'text/event-stream' },
      });
      equal(head.headers.get('content-type'), 'text/event-stream');
    });

    test('Lessons: the trainer sees who solved what, and who is stuck where for how long', async () => {
      const [quick, slow] = [await newLearner(lplate), await newLearner(lplate)];
      await quick.call('PATCH', '/range/v1/me', { json: { nickname: 'Quick' } });
      await quick.bare('GET', coverage);
      await slow.call('POST', '/range/v1/me/lessons/wrong-scheme/hints');
      await slow.bare('GET', '/insurer/v1/policies', { token: 'wrong' });
      // Judged before the time goes on.
      await slow.call('GET', '/range/v1/me');
      lplate.clock.advance(90_000);
      const { json } = await lplate.call('GET', '/range/v1/trainer/lessons?pageSize=500', { token: trainerToken });
      const [mine, other] = [quick, slow].map(({ id }) =>
        json.items.find(({ clientId }: { clientId: string }) => clientId === id),
      );
      deepEqual([mine.nickname, mine.solved, mine.lessons.length], ['Quick', 3, 3]);
      // It solved the one before that last, though others of the path are open.
      deepEqual([mine.current.id, mine.current.sign, mine.current.misses], ['token-by-form', 'next', 0]);
      deepEqual([other.solved, other.current.id, other.current.hints, other.current.misses], [2, 'wrong-scheme', 1, 1]);
      equal(other.current.sign, 'open');
      match(other.current.lastMiss, /The scheme was Bearer/);
      ok(other.current.seconds >= 90 && other.current.seconds < 100, `${other.current.seconds} s`);
      const second = await lplate.call('GET', '/range/v1/trainer/lessons?pageSize=1&page=2', { token: trainerToken });
      deepEqual([second.json.items.length, second.json.totalItems], [1, json.totalItems]);
      const beyond = await lplate.call('GET', '/range/v1/trainer/lessons?page=999', { token: trainerToken });
      deepEqual([beyond.json.items, beyond.json.totalItems], [[], json.totalItems]);
      deepEqual(problem(await quick.call('GET', '/range/v1/trainer/lessons')), [401, 'invalid-token']);
    });

    test('Lessons: a solved lesson says how many calls it took, since the one that solved another before', async () => {
      const learner = await newLearner(lplate);
      const callsOf = async (lesson: string) => {
        const { calls, shortestWay } = await stateOf(learner, lesson);
        return [calls, shortestWay];
      };
      deepEqual(
        [await callsOf('credentials'), await callsOf('create-policy')],
        [
          [1, 1],
          [null, null],
        ],
      );
      lplate.clock.advance(1);
      for (const regNumber of ['?', '??', newPlate()]) await learner.call('POST', '/policies', { json: { regNumber } });
      deepEqual(await callsOf('create-policy'), [3, 1]);
      lplate.clock.advance(1);
      // A call that solves one comes in the same batch as that which solves the next.
      await learner.bare('GET', coverage);
      lplate.clock.advance(1);
      await learner.bare('GET', '/insurer/v1/policies');
      deepEqual(
        [await callsOf('coverage-options'), await callsOf('no-header')],
        [
          [1, 1],
          [1, 1],
        ],
      );
      await answer(learner, 'token-decoded', learner.id);
      deepEqual(await callsOf('token-decoded'), [0, 1]);
    });

    test('Lessons: a month later, ten of the solved ones at random are taken again, and count anew', async () => {
      const learner = await newLearner(lplate);
      const begin = () => learner.call('POST', '/range/v1/me/month-later');
      const given = async () => (await learner.call('GET', '/range/v1/me/month-later')).json.items as MyLessonView[];
      const idsOf = (lessons: readonly { id: string }[]) => lessons.map(({ id }) => id);
      const certified = async () =>
        idsOf((await learner.call('GET', '/range/v1/me/certificate')).json.certificate.lessons);
      for (const id of ['credentials', 'token-by-json']) await learner.call('DELETE', `/range/v1/me/lessons/${id}`);
      deepEqual(problem(await begin()), [409, 'lesson-not-solved']);
      await solveSome(learner);
      const all = await certified();
      ok(all.length > 11, all.join());

      lplate.clock.advance(1000);
      deepEqual([(await given()).length, (await begin()).status], [0, 204]);
      const first = await given();
      deepEqual([first.length, new Set(idsOf(first)).size], [10, 10]);
      for (const { state, solvedBefore, calls } of first)
        deepEqual([state, typeof solvedBefore, calls], ['open', 'string', null]);
      deepEqual(await certified(), all, 'the certificate has them all');
      await begin();
      deepEqual(idsOf(await given()), idsOf(first), 'those that are open stay');

      const [left] = first;
      await learner.call('DELETE', `/range/v1/me/lessons/${left?.id}`);
      deepEqual(idsOf(await given()), idsOf(first).slice(1), 'one that is taken again by itself is none of them');
      await solveSome(learner);
      const again = await given();
      deepEqual(
        again.map(({ state }) => state),
        Array(9).fill('solved'),
      );
      ok(again.every(({ calls }) => calls !== null));
      deepEqual(await certified(), all);
      await begin();
      deepEqual(
        (await given()).map(({ state }) => state),
        Array(10).fill('open'),
      );
      deepEqual(problem(await lplate.call('POST', '/range/v1/me/month-later')), [401, 'missing-token']);
    });

    test('Lessons: the certificate is signed with a key of the service, and is no token', async () => {
      const learner = await newLearner(lplate);
      const nickname = '<b>Team</b>';
      await learner.call('PATCH', '/range/v1/me', { json: { nickname } });
      const { json } = await learner.call('GET', '/range/v1/me/certificate');
      const keys = createRemoteJWKSet(new URL(`${lplate.url}/.well-known/jwks.json`));
      const { payload, protectedHeader } = await jwtVerify(json.jws, keys);
      deepEqual({ ...payload }, json.certificate);
      equal(protectedHeader.typ, 'lplate-certificate+jwt');
      deepEqual(
        [json.certificate.sub, json.certificate.nickname, json.certificate.lessons.map(({ id }: { id: string }) => id)],
        [learner.id, nickname, ['credentials', 'token-by-json']],
      );
      deepEqual(json.certificate.capstones, []);
      deepEqual(problem(await lplate.call('GET', '/policies', { token: json.jws })), [401, 'invalid-token']);
      const accept = (Accept: string) => learner.call('GET', '/range/v1/me/certificate', { headers: { Accept } });
      const [compact, printed] = [await accept('application/jose'), await accept('text/html')];
      equal((await jwtVerify(compact.text, keys)).payload.sub, learner.id);
      match(printed.headers.get('content-security-policy') ?? '', /default-src 'none'/);
      equal((await jwtVerify(/<code>(eyJ[^<]*)</.exec(printed.text)?.[1] ?? '', keys)).payload.sub, learner.id);
      // It is kept as a file, where a link from the root would lead nowhere.
      const links = [...printed.text.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, link]) => link as string);
      for (const link of links) ok(/^(?:data:|#)/.test(link) || link.startsWith(lplate.config.publicUrl), link);
      ok(printed.text.includes('&#60;b&#62;Team') && printed.text.includes('Get credentials'), printed.text);
    });
  });

  test('Lessons: the issuer of a certificate is PUBLIC_URL, or the first address that the start announced, whatever Host was sent', async (t) => {
    for (const settings of [{}, { trustProxy: 1 }, { host: '0.0.0.0' }, { publicUrl: 'https://class.example' }]) {
      const lplate = await startLPlate(t, engine, settings);
      const [, expected = ''] =
        /^ {2}Insurer, REST .* (http.*)\/insurer\/v1$/m.exec(banner(lplate.config, lplate)) ?? [];
      ok(!('publicUrl' in settings) || expected === settings.publicUrl);
      const { id, token } = await lplate.client();
      const forwarded = {
        'X-Forwarded-Host': 'evil.example',
        'X-Forwarded-Proto': 'https',
        Forwarded: 'host=evil.example',
      };
      for (const host of ['evil.example', 'evil.example:8080', '127.0.0.1:1', '[::1]:8080']) {
        for (const path of [
          '/range/v1/me/certificate',
          `/for/${id}/range/v1/me/certificate`,
          `/range/v1/trainer/learners/${id}/certificate`,
        ]) {
          for (const accept of ['application/json', 'application/jose', 'text/html']) {
            const who = path.includes('trainer') ? trainerToken : token;
            const headers = { Host: host, Accept: accept, Authorization: `Bearer ${who}`, ...forwarded };
            const text = (await send(`http://localhost:${lplate.config.port}${path}`, { method: 'GET', headers })).text;
            const [, payload = ''] = /eyJ[\w-]+\.(eyJ[\w-]+)\./.exec(text) ?? [];
            equal(JSON.parse(Buffer.from(payload, 'base64url').toString()).iss, expected, `${host} ${path} ${accept}`);
            if (accept === 'application/json') equal(JSON.parse(text).certificate.iss, expected);
            if (accept === 'text/html' && !path.includes('trainer'))
              ok(text.includes(`the key is at ${expected}/.well-known/jwks.json`), text);
          }
        }
      }
    }
  });

  describe('lessons that outlive the program', () => {
    test('Lessons: a restart keeps what was solved, and what was called before counts', async (t) => {
      const place = await restartable(engine);
      const first = await place.start();
      const learner = await newLearner(first);
      const json = { regNumber: newPlate() };
      await learner.call('POST', '/policies', { json });
      await learner.bare('GET', coverage);
      await learner.call('POST', '/range/v1/me/lessons/no-header/hints');
      await first.close();
      const second = await place.start();
      t.after(() => second.close());
      const again: Learner = { ...learner, lplate: second };
      equal((await stateOf(again, 'coverage-options')).state, 'solved');
      equal((await stateOf(again, 'no-header')).hintsTaken.length, 1);
      // The token was got before the restart.
      equal((await answer(again, 'token-decoded', learner.id)).correct, true);
    });

    test('Lessons: all that is kept of a client goes with it', async (t) => {
      const lplate = await startLPlate(engine);
      t.after(() => lplate.close());
      const learner = await newLearner(lplate);
      await stateOf(learner, 'credentials');
      const kept = () => countStored(lplate, 'lesson_progress', `client_id = '${learner.id}'`);
      equal(await kept(), 2);
      lplate.clock.advance(day + 6 * 60_000);
      await lplate.housekeeping();
      equal(await kept(), 0);
    });
  });
});

/** The lessons that a stream has told of so far. */
async function watch(t: TestContext, { lplate, token }: Learner) {
  const controller = new AbortController();
  t.after(() => controller.abort());
  const headers = { Authorization: `Bearer ${token}`, Accept: 'text/event-stream' };
  const response = await fetch(`${lplate.url}/range/v1/me/lessons`, { headers, signal: controller.signal });
  let text = '';
  void (async () => {
    const decoder = new TextDecoder();
    for await (const piece of response.body ?? []) text += decoder.decode(piece, { stream: true });
  })().catch(() => {});
  return () =>
    [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data) as { id: string; state: string });
}
