import assert from 'node:assert/strict';
import { performance } from 'node:perf_hooks';
import { type TestContext, test } from 'node:test';
import { day } from '../../src/time/units.ts';
import { type Engine, forEachEngineInFull } from '../support/engines.ts';
import { type Answer, type LPlate, problem, startLPlate } from '../support/lplate.ts';
import { batch, claimOn, insure, pass, topicPath } from '../support/topic.ts';

/** Far less than the longest wait, and far more than a slow machine needs to answer. */
const early = 15_000;

async function started(t: TestContext, engine: Engine): Promise<LPlate> {
  const lplate = await startLPlate(t, engine, { eventsDuplicateRate: 0 });
  // The fleet's claims stand still from here on, until the clock moves.
  await lplate.catchUp();
  return lplate;
}

interface Poll {
  /** The answer, and how many milliseconds it took. */
  readonly answer: Promise<Answer & { took: number }>;
  over: boolean;
}

/** A batch that waits. When this resolves, the server has had time to begin. */
async function poll(lplate: LPlate, token: string, query: string): Promise<Poll> {
  const begun = performance.now();
  const call = lplate.call('GET', `${topicPath}?${query}`, { token });
  const started: Poll = {
    over: false,
    answer: call.then((answer) => ({ ...answer, took: performance.now() - begun })),
  };
  const end = () => {
    started.over = true;
  };
  started.answer.then(end, end);
  // Its answer comes after the poll was taken in.
  for (let turn = 0; turn < 3; turn += 1) await lplate.call('GET', '/claims/v1/claims', { token });
  return started;
}

/** Of a batch without events after a cursor. */
const note = 'There are no events after this cursor yet. earliest reads all that are kept.';

forEachEngineInFull((engine) => {
  test('Decisions, long poll: wait is 0 to 30; other values are 400 and named', async (t) => {
    const lplate = await started(t, engine);
    const { token } = await lplate.client();
    await claimOn(lplate, token, await insure(lplate, token), { paceSeconds: 1 });
    await pass(lplate, 1);
    for (const value of ['-1', '31', '1.5', '1e1', '030', '', 'yes', '1%00', '99999999999999999999']) {
      const answer = await lplate.call('GET', `${topicPath}?wait=${value}`, { token });
      assert.deepEqual(problem(answer), [400, 'validation-error'], value);
      assert.equal(answer.json.errors[0].parameter, 'wait');
    }
    for (const value of [0, 1, 30]) assert.equal((await batch(lplate, token, `?wait=${value}`)).events.length, 1);
  });

  test('Decisions, long poll: what there is comes at once, and without wait so does nothing', async (t) => {
    const lplate = await started(t, engine);
    const { token } = await lplate.client();
    await claimOn(lplate, token, await insure(lplate, token), { paceSeconds: 1 });
    await pass(lplate, 2);
    for (const [query, events] of [
      ['wait=30', 2],
      ['wait=30&limit=1', 1],
      ['after=latest', 0],
      ['after=latest&wait=0', 0],
    ] as const) {
      const answer = await (await poll(lplate, token, query)).answer;
      assert.equal(answer.json.events.length, events, query);
      assert(answer.took < early, query);
    }
  });

  test('Decisions, long poll: it is answered when an event comes, to all who wait, with that event', async (t) => {
    const lplate = await started(t, engine);
    const { token } = await lplate.client();
    const id = await claimOn(lplate, token, await insure(lplate, token), { paceSeconds: 60 });
    const { next } = await batch(lplate, token);
    const polls = [];
    for (const after of [next, next, 'latest', 'earliest']) {
      polls.push(await poll(lplate, token, `after=${after}&wait=30`));
    }
    assert(
      polls.every(({ over }) => !over),
      'nobody is answered before',
    );
    await pass(lplate, 60);
    for (const { answer } of polls) {
      const { status, json, took } = await answer;
      assert.equal(status, 200);
      assert.deepEqual(
        json.events.map(({ data }: { data: object }) => data),
        [
          {
            claimId: id,
            policyNumber: json.events[0].data.policyNumber,
            previousStatus: 'REGISTERED',
            newStatus: 'UNDER_REVIEW',
            statusReason: null,
          },
        ],
      );
      assert(took < early);
      assert.deepEqual((await batch(lplate, token, `?after=${json.next}`)).events, []);
    }
  });

  test('Decisions, long poll: when the seconds are over it is answered without events, not before', async (t) => {
    const lplate = await started(t, engine);
    const { token } = await lplate.client();
    const { next } = await batch(lplate, token);
    const { status, json, took } = await (await poll(lplate, token, `after=${next}&wait=1`)).answer;
    assert.deepEqual([status, json], [200, { events: [], next, note }]);
    assert(took > 950 && took < early, `${took} ms`);
  });

  test('Decisions, long poll: another client’s events don’t answer it, and its next goes past them', async (t) => {
    const lplate = await started(t, engine);
    const [one, other] = [await lplate.client(), await lplate.client()];
    const policy = await insure(lplate, other.token);
    for (let at = 0; at < 5; at += 1) await claimOn(lplate, other.token, policy, { paceSeconds: 1 });
    const { next } = await batch(lplate, one.token);
    const waiting = await poll(lplate, one.token, `after=${next}&wait=2`);
    await pass(lplate, 3);
    assert.equal((await batch(lplate, other.token)).events.length, 15);
    const { json, took } = await waiting.answer;
    assert.deepEqual(json.events, []);
    assert(took > 1_950, `${took} ms`);
    assert.notEqual(json.next, next);
    assert.deepEqual(json, await batch(lplate, one.token, `?after=${json.next}`));
    assert.equal(json.next, (await batch(lplate, one.token, '?after=latest')).next);
  });

  test('Decisions, tokens: a long poll ends when its token expires', async (t) => {
    const lplate = await started(t, engine);
    const { token } = await lplate.client();
    lplate.clock.advance(3_600_000 - 400);
    const { status, json, took } = await (await poll(lplate, token, 'after=latest&wait=30')).answer;
    assert.deepEqual([status, json.events], [200, []]);
    assert(took > 350 && took < early, `${took} ms`);
    lplate.clock.advance(400);
    const refused = await lplate.call('GET', `${topicPath}?after=${json.next}&wait=30`, { token });
    assert.deepEqual(problem(refused), [401, 'invalid-token']);
  });

  test('Decisions, tokens: a long poll whose token expired while the clock was moved tells no more', async (t) => {
    const lplate = await started(t, engine);
    const { token } = await lplate.client();
    await claimOn(lplate, token, await insure(lplate, token), { paceSeconds: 3600 });
    const waiting = await poll(lplate, token, 'after=latest&wait=30');
    lplate.clock.advance(3_600_000);
    await lplate.catchUp();
    const { status, json, took } = await waiting.answer;
    assert.deepEqual([status, json.events], [200, []]);
    assert(took < early, `${took} ms`);
  });

  test('Decisions, tokens: a long poll whose client is removed tells nothing more: 401', async (t) => {
    const lplate = await started(t, engine);
    const { token } = await lplate.client();
    // Without a claim: the desk would move it when the day has passed, maybe before the client is removed.
    const waiting = await poll(lplate, token, 'after=latest&wait=2');
    lplate.clock.advance(day + 300_000);
    await lplate.housekeeping();
    const answer = await waiting.answer;
    assert.deepEqual(problem(answer), [401, 'invalid-token']);
    assert.match(answer.json.detail, /removed/);
  });

  test('Decisions, start-up: when the program stops, those who wait get their answer', async (t) => {
    const lplate = await started(t, engine);
    const { token } = await lplate.client();
    const { next } = await batch(lplate, token);
    const polls = [];
    for (let at = 0; at < 5; at += 1) polls.push(await poll(lplate, token, `after=${next}&wait=30`));
    await lplate.close();
    for (const { answer } of polls) {
      const { status, json, took } = await answer;
      assert.deepEqual([status, json], [200, { events: [], next, note }]);
      assert(took < early);
    }
  });
});
