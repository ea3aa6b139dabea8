import { deepEqual, equal } from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { lessonsOf } from '../../../src/range/lessons/lesson.ts';
import type { Proof } from '../../../src/range/lessons/proof.ts';
import { topics } from '../../../src/range/lessons/topics/index.ts';
import { pathsOfTopics, worksOn } from '../../../src/range/lessons/works-on.ts';
import { forEachEngineInFull } from '../../support/engines.ts';
import { type LPlate, startLPlate } from '../../support/lplate.ts';
import { trainerToken } from '../range.ts';
import { type Learner, newLearner, open } from './lesson.ts';

const lessons = lessonsOf(topics);
const start = Date.parse('2026-03-02T10:00:00.000Z');
const at = (minutes: number) => new Date(start + minutes * 60_000).toISOString();

const proof = (minutes: number): Proof => ({
  ...{ exchangeId: `${minutes}`, startedAt: at(minutes), method: 'GET', path: '/', status: 200 },
});

/** What a client did of a lesson, in minutes. */
interface Given {
  readonly solved?: number;
  /** When the call of its last step came. */
  readonly step?: number;
  readonly miss?: number;
  readonly hint?: number;
  readonly begun?: number;
}

function row({ solved, step = solved, miss, hint, begun }: Given) {
  const [changed = 0] = [solved, hint, begun, step, miss].filter((each) => each !== undefined).sort((a, b) => b - a);
  return {
    hints: hint === undefined ? 0 : 1,
    changedAt: at(changed),
    solvedAt: solved === undefined ? null : at(solved),
    steps: step === undefined ? null : JSON.stringify([proof(step)]),
    missProof: miss === undefined ? null : JSON.stringify(proof(miss)),
    begunAt: begun === undefined ? null : at(begun),
  };
}

/** The lesson that a client works on, and what shows it. `call`: the path of its last call, and when that was. */
function found(given: Readonly<Record<string, Given>>, call?: readonly [path: string, minutes: number]) {
  const done = new Map(Object.entries(given).map(([id, each]) => [id, row(each)]));
  const lastCall = call ? { at: at(call[1]), method: 'GET', path: call[0], status: 200, problem: null } : null;
  const { lesson, sign } = worksOn(lessons, done, { lastCall, open: null }) ?? {};
  return [lesson?.id, sign];
}

const policies = '/insurer/v1/policies';
const claims = '/claims/v1/claims';

describe('Decisions, classes: the lesson that a client works on', () => {
  test('is the one of the latest near miss, step or hint, wherever in the path it is', () => {
    deepEqual(found({ 'soap-fault': { miss: 5 }, 'token-by-form': { miss: 4 } }), ['soap-fault', 'near-miss']);
    deepEqual(found({ 'soap-fault': { miss: 4 }, 'token-by-form': { step: 5 } }), ['token-by-form', 'step']);
    deepEqual(found({ 'soap-fault': { hint: 6 }, 'token-by-form': { miss: 5 } }), ['soap-fault', 'hint']);
    deepEqual(found({ 'soap-fault': { hint: 4, miss: 7 }, 'token-by-form': { hint: 5 } }), ['soap-fault', 'near-miss']);
    deepEqual(found({ 'soap-fault': { begun: 4 }, 'token-by-form': { solved: 3 } }), ['soap-fault', 'taken-again']);
  });

  test('of one call a near miss says more than a step, and of several steps the next lesson of the path', () => {
    deepEqual(found({ 'cancel-twice': { step: 5 }, 'lost-update': { miss: 5 } }), ['lost-update', 'near-miss']);
    const both = { 'cancel-twice': { step: 5 }, 'change-cancelled': { step: 5 } };
    deepEqual(found({ 'update-policy': { solved: 4 }, ...both }), ['cancel-twice', 'step']);
    deepEqual(found({ 'cancel-twice': { solved: 5 }, 'change-cancelled': { step: 5, miss: 6 } }), [
      'change-cancelled',
      'near-miss',
    ]);
  });

  test('what it left for others, which it solved, and what a solving call did by the way, say nothing', () => {
    deepEqual(found({ 'token-by-form': { miss: 1 }, 'create-policy': { solved: 2 } }), ['duplicate-policy', 'next']);
    deepEqual(found({ 'create-policy': { solved: 2 }, 'lost-update': { step: 2 } }), ['duplicate-policy', 'next']);
    deepEqual(found({ 'create-policy': { solved: 2 }, 'lost-update': { miss: 2 } }), ['lost-update', 'near-miss']);
  });

  test('without a sign it is the first open one after what was solved last, and after the end the first of all', () => {
    deepEqual(found({}), ['credentials', 'next']);
    deepEqual(found({ 'read-policy': { solved: 1 }, 'create-policy': { solved: 2 } }), ['duplicate-policy', 'next']);
    const [last] = lessons.slice(-1).map(({ id }) => id);
    deepEqual(found({ [`${last}`]: { solved: 1 } }), ['credentials', 'next']);
    const all = new Map(lessons.map(({ id }) => [id, row({ solved: 1 })]));
    equal(worksOn(lessons, all, { lastCall: null, open: null }), undefined);
  });

  test('a last call that is no sign tells the topic; near misses hold for ten minutes against calls elsewhere', () => {
    deepEqual(found({}, [claims, 1]), ['claim-registered', 'call']);
    deepEqual(found({ 'claim-registered': { solved: 1 } }, [`${claims}/x`, 2]), ['claim-rejected', 'call']);
    deepEqual(found({ wsdl: { solved: 1 } }, ['/vehicle-registry/v1', 1]), ['soap-lookup', 'next']);
    deepEqual(found({ 'claim-rejected': { miss: 1 } }, [policies, 5]), ['claim-rejected', 'near-miss']);
    deepEqual(found({ 'claim-rejected': { miss: 1 } }, [policies, 11]), ['create-policy', 'call']);
    deepEqual(found({ 'claim-rejected': { miss: 1 } }, [claims, 60]), ['claim-rejected', 'near-miss']);
    deepEqual(found({ 'claim-rejected': { miss: 1 } }, ['/insurer/v1/nothing', 60]), ['claim-rejected', 'near-miss']);
    // Faults are met by any call.
    deepEqual(found({ 'retry-html': { miss: 1 } }, [policies, 60]), ['retry-html', 'near-miss']);
    deepEqual(found({ 'create-policy': { solved: 3 } }, [claims, 2]), ['duplicate-policy', 'next']);
  });

  test('each topic is in the table of what topics are about', () => {
    deepEqual(
      Object.keys(pathsOfTopics),
      topics.map(({ id }) => id),
    );
  });
});

forEachEngineInFull((engine) => {
  let lplate: LPlate;
  before(async () => {
    lplate = await startLPlate(engine);
  });
  after(() => lplate.close());

  test('Decisions, classes: the learner, the list of the trainer and the board tell the lesson that a client works on', async () => {
    const learner = await newLearner(lplate);
    const told = async () => {
      const get = async (path: string, token: string = trainerToken) =>
        (await lplate.call('GET', path, { token })).json;
      const mine = ({ items }: { items: { clientId: string }[] }) =>
        items.find(({ clientId }) => clientId === learner.id) as never as Record<'worksOn' | 'current', unknown>;
      const { worksOn } = await get('/range/v1/me', learner.token);
      deepEqual((await get(`/range/v1/trainer/learners/${learner.id}`)).worksOn, worksOn);
      deepEqual(mine(await get('/range/v1/trainer/learners')).worksOn, worksOn);
      const { id, title, sign, triedAt } = mine(await get('/range/v1/trainer/lessons')).current as never;
      deepEqual({ id, title, sign, at: triedAt }, worksOn);
      return [id, sign];
    };
    deepEqual(await told(), ['token-by-form', 'next']);
    lplate.clock.advance(60_000);
    // Neither a step nor a near miss of any lesson.
    await learner.call('GET', '/claims/v1/subscriptions');
    deepEqual(await told(), ['webhook-called', 'call']);
    lplate.clock.advance(60_000);
    await learner.call('POST', policies, { json: { reg: 'X' } });
    deepEqual(await told(), ['create-policy', 'near-miss']);
    lplate.clock.advance(60_000);
    await open(learner, 'wrong-scheme');
    await learner.bare('GET', policies, { headers: { Authorization: 'Bearer nonsense' } });
    deepEqual(await told(), ['wrong-scheme', 'open']);
    lplate.clock.advance(60_000);
    await learner.call('POST', '/range/v1/me/lessons/soap-fault/hints');
    deepEqual(await told(), ['soap-fault', 'open']);
    await learner.call('DELETE', '/range/v1/me/open-lesson');
    deepEqual(await told(), ['soap-fault', 'hint']);
    lplate.clock.advance(60_000);
    await learner.call('DELETE', '/range/v1/me/lessons/token-by-json');
    deepEqual(await told(), ['token-by-json', 'open']);
    const { json } = await lplate.call('GET', '/range/v1/trainer/learners', { token: trainerToken });
    const seen = json.items.find(({ clientId }: { clientId: string }) => clientId === learner.id);
    deepEqual([seen.lastCall.method, seen.lastCall.path, seen.lastCall.status], ['GET', policies, 401]);
    await learner.call('POST', '/range/v1/me/reset');
    equal((await learner.call('GET', '/range/v1/me')).json.lastCall, null);
  });

  test('Decisions, classes: of a class whose programs call in loops, each works on the lesson that it has open, and is marked for that alone', async (t) => {
    const asks = (id: string, call: object) => ({ id, title: id, goal: 'Do it.', why: 'Because.', calls: [call] });
    const own = [
      asks('our-vehicle', { method: 'GET', path: policies, query: { regNumber: 'ZZ*' } }),
      asks('our-cancelled', { method: 'GET', path: policies, query: { regNumber: '*', status: 'cancelled' } }),
      asks('our-pages', { method: 'GET', path: policies, query: { pageSize: '1' } }),
      asks('our-holder', { method: 'POST', path: policies, body: { '/holder': 'Ada*' } }),
      asks('our-closed', { method: 'GET', path: '/claims/v1/claims', query: { status: 'CLOSED' } }),
    ];
    const file = { path: [...topics.map(({ id: topic }) => ({ topic })), ...own.map(({ id }) => id)], own };
    const plate = await startLPlate(t, engine, { lessons: file });
    const get = (path: string) => (learner: Learner) => learner.call('GET', path);
    const programs: [lesson: string | undefined, loop: (learner: Learner) => Promise<unknown>, misses: number][] = [
      ['our-vehicle', get(policies), 2],
      ['our-cancelled', get(`${policies}?regNumber=AB-1`), 1],
      ['our-pages', get(`${policies}?pageSize=2`), 2],
      ['our-holder', get(`${policies}/pol-1`), 0],
      ['our-closed', get('/claims/v1/claims'), 1],
      ['read-policy', get(`${policies}/pol-1`), 2],
      ['long-poll', get('/claims/v1/topics/claims.status-changed'), 1],
      ['wsdl', get('/insurer/v1/coverage-options'), 0],
      [undefined, get(`${policies}/pol-1`), 0],
      [undefined, ({ call }) => call('PUT', `${policies}/pol-1`, { json: { holder: 'Ada' } }), 0],
      [undefined, ({ call }) => call('POST', `${policies}/pol-1/cancel`), 0],
      [undefined, ({ call }) => call('POST', `${policies}/pol-1`, { json: { holder: 'Ada' } }), 0],
      [undefined, ({ bare }) => bare('GET', '/insurer/v1/auth/token'), 0],
    ];
    const learners = await Promise.all(
      programs.map(async ([lesson, loop]) => {
        const learner = await newLearner(plate);
        if (lesson !== undefined) await open(learner, lesson);
        for (let round = 0; round < 4; round += 1) {
          await loop(learner);
          await learner.call('GET', `${policies}?regNumber=${round < 2 ? 'AB-1' : 'AB-2'}`);
          plate.clock.advance(1000);
        }
        return learner;
      }),
    );
    const board = async (path: string) => (await plate.call('GET', path, { token: trainerToken })).json.items;
    const [seen, standings] = [await board('/range/v1/trainer/learners'), await board('/range/v1/trainer/lessons')];
    for (const [at, [lesson, loop, misses]] of programs.entries()) {
      const isMine = ({ clientId }: { clientId: string }) => clientId === learners[at]?.id;
      const missed = standings.find(isMine).lessons.filter((each: { misses: number }) => each.misses > 0);
      deepEqual(
        missed.map((each: { id: string; misses: number }) => [each.id, each.misses]),
        misses > 0 ? [[lesson, misses]] : [],
        `${lesson} ${loop}`,
      );
      if (lesson === undefined) continue;
      const { id, sign } = seen.find(isMine).worksOn;
      deepEqual([id, sign], [lesson, 'open']);
    }
  });

  test('Decisions, classes: who has only made a client, or uses the console, has called nothing yet', async () => {
    const { json: client } = await lplate.call('POST', '/insurer/v1/demo-clients');
    const lastCall = async () =>
      (await lplate.call('GET', `/range/v1/trainer/learners/${client.client_id}`, { token: trainerToken })).json
        .lastCall;
    equal(await lastCall(), null);
    const headers = { 'L-Plate-Console': '1' };
    const { json } = await lplate.call('POST', '/insurer/v1/auth/token', { json: client, headers });
    await lplate.call('GET', policies, { token: json.access_token, headers });
    equal(await lastCall(), null);
    await lplate.call('GET', `${policies}?secret=none`, { token: json.access_token });
    const { at: when, ...call } = await lastCall();
    deepEqual(call, { method: 'GET', path: policies, status: 200, problem: null });
    equal(typeof when, 'string');
  });
});
