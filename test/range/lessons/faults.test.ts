import { equal, rejects } from 'node:assert/strict';
import { until } from '../../support/receiver.ts';
import { EventStream, topicPath } from '../../support/topic.ts';
import { listed } from '../range.ts';
import { type Learner, newLearner, newPlate, open, stateOf, testLessons } from './lesson.ts';
import {
  assertMissed,
  assertUntold,
  batch,
  ended,
  move,
  newClaim,
  nextArrival,
  receiveEvents,
  streamed,
} from './topic.ts';

const claimList = '/claims/v1/claims';
const policies = '/insurer/v1/policies';

const drill = ({ call }: Learner, name: string, parameters = {}) =>
  call('POST', '/range/v1/me/drills', { json: { name, parameters } });

const end = ({ call }: Learner, name: string) => call('DELETE', `/range/v1/me/drills/${name}`);

interface Sent {
  readonly method?: string;
  readonly json?: unknown;
  readonly key?: string | undefined;
  readonly signal?: AbortSignal;
}

/** A call whose answer may be anything. Resolves without one if it was cut. */
async function broken({ lplate, token }: Learner, path: string, { method = 'GET', json, key, signal }: Sent = {}) {
  const headers = new Headers({ Authorization: `Bearer ${token}` });
  if (json !== undefined) headers.set('Content-Type', 'application/json');
  if (key !== undefined) headers.set('Idempotency-Key', key);
  const body = json === undefined ? null : JSON.stringify(json);
  try {
    const response = await fetch(lplate.url + path, { method, headers, body, signal: signal ?? null });
    await response.text();
    return response;
  } catch {
    return undefined;
  }
}

const kept = ({ lplate, token }: Learner) => listed(lplate, '/range/v1/me/exchanges', token);

/** Seconds pass. */
const wait = ({ lplate }: Learner, seconds: number) => lplate.clock.advance(seconds * 1000);

/** A list of claims that is refused with 503, with a pause after each try, and then succeeds. */
async function retried(learner: Learner, pauses: readonly number[], path = claimList) {
  await drill(learner, 'unavailable', { retryAfter: 2 });
  for (const [at, pause] of pauses.entries()) {
    await learner.call('GET', path);
    wait(learner, pause);
    if (at === pauses.length - 1) await end(learner, 'unavailable');
  }
  return learner.call('GET', path);
}

/** A list of claims that comes so many seconds after it was asked for. */
async function delayed(learner: Learner, seconds: number) {
  await drill(learner, 'delay', { fromMs: 300 });
  const arrived = nextArrival();
  const called = learner.call('GET', claimList);
  await arrived;
  wait(learner, seconds);
  await called;
}

/** A list of claims that is HTML from a proxy, and is asked for again after so many seconds. */
async function afterHtml(learner: Learner, seconds: number) {
  await drill(learner, 'html-from-a-proxy');
  await broken(learner, claimList);
  wait(learner, seconds);
  await end(learner, 'html-from-a-proxy');
  return learner.call('GET', claimList);
}

/** A call that waits in the drill `delay`, hung up after some seconds. The drill has ended then. */
async function hungUp(learner: Learner, seconds = 3, path = claimList, sent: Sent = {}, fromMs = 20_000) {
  await drill(learner, 'delay', { fromMs });
  const controller = new AbortController();
  const arrived = nextArrival();
  const called = broken(learner, path, { ...sent, signal: controller.signal });
  await arrived;
  // By then its token has been checked.
  await kept(learner);
  await kept(learner);
  wait(learner, seconds);
  controller.abort();
  await called;
  await until(async () => (await kept(learner)).some((each) => each.end === 'cut'), 'the end of the call');
  await end(learner, 'delay');
}

const regNumber = () => ({ regNumber: newPlate() });

interface Create {
  readonly when?: 'before' | 'middle';
  readonly keys?: readonly [string | undefined, string | undefined];
  readonly json?: readonly [object, object];
}

function oneKey(): readonly [string, string] {
  const key = newPlate();
  return [key, key];
}

/** A create that is cut, and repeated after the drill. */
async function cutCreate(learner: Learner, { when = 'middle', keys = oneKey(), json }: Create = {}) {
  const same = regNumber();
  const [first, second] = json ?? [same, same];
  await drill(learner, 'cut-connections', { when });
  await broken(learner, policies, { method: 'POST', json: first, key: keys[0] });
  await end(learner, 'cut-connections');
  return broken(learner, policies, { method: 'POST', json: second, key: keys[1] });
}

/** A create whose answer can't be read. */
async function unreadable(learner: Learner, json: object = regNumber()) {
  await drill(learner, 'bad-json');
  return broken(learner, policies, { method: 'POST', json });
}

/** A stream that the drill cuts. It brings the events of a claim that has moved by so many steps. */
async function cutStream(learner: Learner, steps = 2) {
  if (steps > 0) await newClaim(learner);
  await move(learner, steps);
  await drill(learner, 'cut-streams', { seconds: 1 });
  const stream = await EventStream.open(learner.lplate.url, learner.token);
  await stream.end();
  await ended(learner, stream);
  await end(learner, 'cut-streams');
  return stream;
}

testLessons(
  {
    'retry-unavailable': {
      async solve(learner) {
        const other = await newLearner(learner.lplate);
        await other.call('GET', claimList);
        await retried(other, [2, 3, 5]);
        equal((await stateOf(other, 'retry-unavailable')).state, 'solved');
        return retried(learner, [2, 2.5, 4, 8]);
      },
      alsoSolvedBy: { 'the shortest way, a timer that is early': (learner) => retried(learner, [1.95, 3, 5]) },
      misses: {
        'a refusal in the end': (learner) => retried(learner, [2, 3, 5], `${claimList}?page=0`),
        'two tries': (learner) => retried(learner, [2, 3]),
        'at once': async (learner) => {
          await drill(learner, 'unavailable', { retryAfter: 2 });
          for (let call = 0; call < 7; call += 1) await learner.call('GET', claimList);
          equal((await stateOf(learner, 'retry-unavailable')).misses, 1);
        },
        'one wrong pause, and no more': async (learner) => {
          await drill(learner, 'unavailable', { retryAfter: 2 });
          for (const pause of [2, 2, 4, 8]) {
            await learner.call('GET', claimList);
            wait(learner, pause);
          }
          equal((await stateOf(learner, 'retry-unavailable')).misses, 1);
        },
        'the third pause is too short': async (learner) => {
          await drill(learner, 'unavailable', { retryAfter: 2 });
          for (const pause of [2, 4, 2]) {
            await learner.call('GET', claimList);
            wait(learner, pause);
          }
          equal((await stateOf(learner, 'retry-unavailable')).steps[0].done, true);
          await learner.call('GET', claimList);
        },
        'the call: a receiver of their own refuses': async (learner) => {
          const received = await receiveEvents(learner, 503);
          await newClaim(learner);
          await move(learner, 1);
          await until(async () => (await kept(learner)).some(({ status }) => status === 503), 'a refusal');
          await move(learner, 1);
          await received(2);
        },
        'no success': async (learner) => {
          await drill(learner, 'unavailable', { retryAfter: 1 });
          for (const pause of [1, 2, 3, 4]) {
            await learner.call('GET', claimList);
            wait(learner, pause);
          }
          await end(learner, 'unavailable');
          await broken(learner, claimList, { method: 'POST' });
        },
        'not as long as Retry-After': async (learner) => {
          await retried(learner, [1.9, 3, 5]);
        },
        'each pause: only the last one is long': async (learner) => {
          await retried(learner, [0, 3, 300]);
        },
        'each pause: only the first one is wrong, and the last one': async (learner) => {
          await retried(learner, [0, 3, 3]);
        },
        'pauses of the same length': async (learner) => {
          await retried(learner, [2, 2, 2]);
        },
        'the last pause is shorter': async (learner) => {
          await retried(learner, [2, 4, 4.3]);
        },
        'a new vehicle each time': async (learner) => {
          await drill(learner, 'unavailable', { retryAfter: 1 });
          for (const pause of [1, 2, 3]) {
            await learner.call('POST', '/policies', { json: { regNumber: newPlate() } });
            wait(learner, pause);
          }
        },
        'other calls': async (learner) => {
          await drill(learner, 'unavailable', { retryAfter: 1 });
          for (const pause of [1, 2, 3]) {
            await learner.call('GET', `${claimList}?page=${pause}`);
            await learner.call('GET', `${claimList}/CLM-2026-00000${pause}`);
            await broken(learner, claimList, { method: 'POST', json: { pause } });
            await broken(learner, claimList, { method: 'HEAD' });
            wait(learner, pause);
          }
          await end(learner, 'unavailable');
          await learner.call('GET', claimList);
          const claim = await newClaim(learner);
          await learner.call('GET', `${claimList}/${claim}`);
        },
        'clearly longer pauses': (learner) => retried(learner, [2.1, 2.3, 4]),
        'the same call twice': async (learner) => {
          await drill(learner, 'unavailable', { retryAfter: 1 });
          for (const query of ['', '?page=1']) await learner.call('GET', `${claimList}${query}`);
        },
        'one and the same call': async (learner) => {
          await drill(learner, 'unavailable', { retryAfter: 1 });
          for (const query of ['', '?page=1', '?pageSize=2']) await learner.call('GET', `${claimList}${query}`);
        },
        'the same call, after one try': async (learner) => {
          await drill(learner, 'unavailable', { retryAfter: 1 });
          await learner.call('GET', claimList);
          await end(learner, 'unavailable');
          await learner.call('GET', policies);
        },
        'the same call in the end': async (learner) => {
          await drill(learner, 'unavailable', { retryAfter: 1 });
          for (const pause of [1, 2, 4]) {
            await learner.call('GET', claimList);
            wait(learner, pause);
          }
          await end(learner, 'unavailable');
          await learner.call('GET', policies);
        },
        'a success in between': async (learner) => {
          await retried(learner, [2]);
          await retried(learner, [4, 8]);
        },
        'cut in the end': async (learner) => {
          await drill(learner, 'unavailable', { retryAfter: 1 });
          for (const pause of [1, 2, 3]) {
            await learner.call('GET', claimList);
            wait(learner, pause);
          }
          await end(learner, 'unavailable');
          await drill(learner, 'cut-connections', { when: 'middle' });
          await broken(learner, claimList);
        },
      },
      remarks: {
        'clearly longer pauses': /2\.1 s and then 2\.3 s\. Let each pause be clearly longer/,
        'two tries': /^The call succeeded after it was refused only twice\./,
        'one and the same call': /^These refusals were of different calls\./,
        'the same call in the end': /^This is another call than the one that was refused\./,
        'a success in between': /^The call succeeded after it was refused only twice\./,
        'at once': /^You waited no time, and Retry-After asked for 2 s\. Begin again: end the drill/,
        'one wrong pause, and no more': /2\.0 s and then 2\.0 s\. .* Begin again: end the drill/,
        'the third pause is too short': /4\.0 s and then 2\.0 s\. .* Begin again: end the drill/,
        'not as long as Retry-After': /You waited 1\.9 s, and Retry-After asked for 2 s\. Begin again: have/,
        'each pause: only the last one is long':
          /^The call succeeded, but a pause before was wrong\. You waited no time, .* Begin again: have/,
        'each pause: only the first one is wrong, and the last one': /^You waited 3\.0 s and then 3\.0 s/,
        'pauses of the same length': /2\.0 s and then 2\.0 s\. Let each pause be clearly longer/,
        'the last pause is shorter': /4\.0 s and then 4\.3 s/,
        'the same call twice': /^These refusals were of different calls\./,
        'a new vehicle each time': /of different calls/,
        'other calls': /This is another call than the one that was/,
        'the same call, after one try': /This call was not refused with/,
      },
      done: {
        'a refusal in the end': 1,
        'the same call in the end': 1,
        'no success': 1,
        'other calls': 1,
        'cut in the end': 1,
      },
    },

    'late-answer': {
      async solve(learner) {
        await hungUp(learner);
        return learner.call('GET', claimList);
      },
      alsoSolvedBy: {
        'ten seconds': async (learner) => {
          await hungUp(learner, 10);
          await learner.call('GET', claimList);
        },
        'one policy': async (learner) => {
          const { headers } = await learner.call('POST', policies, { json: regNumber() });
          const { pathname } = new URL(headers.get('location') as string);
          await hungUp(learner, 3, pathname);
          await learner.call('GET', pathname);
        },
      },
      misses: {
        'too late': async (learner) => {
          await hungUp(learner, 15);
          await learner.call('GET', claimList);
        },
        'another call': async (learner) => {
          await hungUp(learner);
          await learner.call('GET', '/policies');
        },
        'not once more': async (learner) => {
          await hungUp(learner);
          await drill(learner, 'unavailable');
          await learner.call('GET', claimList);
        },
        'a create': async (learner) => {
          const json = regNumber();
          await hungUp(learner, 3, policies, { method: 'POST', json });
          await learner.call('POST', '/policies', { json });
        },
        'a create, and no more': (learner) => hungUp(learner, 3, policies, { method: 'POST', json: regNumber() }),
        'a GET': (learner) => hungUp(learner, 3, claimList, { method: 'HEAD' }),
        'a GET once more': async (learner) => {
          await hungUp(learner);
          await broken(learner, claimList, { method: 'HEAD' });
        },
        'a GET once more, but POST': async (learner) => {
          await hungUp(learner);
          await broken(learner, claimList, { method: 'POST', json: {} });
        },
        'a delay': (learner) => hungUp(learner, 3, `${topicPath}?after=latest&wait=20`, {}, 0),
        'some seconds': async (learner) => {
          await hungUp(learner, 0.09);
          await learner.call('GET', claimList);
        },
        'hung up: it was cut': async (learner) => {
          await drill(learner, 'cut-connections');
          await drill(learner, 'delay', { fromMs: 1 });
          await broken(learner, claimList);
          await end(learner, 'cut-connections');
          await end(learner, 'delay');
          await learner.call('GET', claimList);
        },
        'not hung up': async (learner) => {
          await drill(learner, 'delay', { fromMs: 1 });
          await learner.call('GET', claimList);
          await end(learner, 'delay');
          await learner.call('GET', claimList);
        },
        'cut by another drill': async (learner) => {
          await drill(learner, 'cut-connections');
          await broken(learner, claimList);
          await end(learner, 'cut-connections');
          await learner.call('GET', claimList);
        },
        'waited for': (learner) => delayed(learner, 11),
        'not long': (learner) => delayed(learner, 10),
        'waited for in the end': async (learner) => {
          await hungUp(learner);
          await delayed(learner, 11);
        },
        'another call, later': async (learner) => {
          await hungUp(learner);
          await learner.call('POST', '/policies', { json: regNumber() });
          await learner.call('GET', '/policies');
        },
        'late for another reason': async (learner) => {
          const arrived = nextArrival();
          const called = batch(learner, '?wait=1');
          await arrived;
          wait(learner, 11);
          await called;
        },
      },
      remarks: {
        'waited for': /You waited 11\.0 s/,
        'waited for in the end': /You waited 11\.0 s/,
        'not long': /^The answer came after 10\.0 s, so there was no reason to give up/,
        'not hung up': /^The answer came after no time, so there was no reason to give up/,
        'too late': /^You gave up after 15\.0 s/,
        'a delay': /^This call waits for events by itself/,
        'some seconds': /^You gave up after 0\.1 s/,
        'a create': /^You repeated a call that may change something/,
        'a GET': /^You gave up on a HEAD\./,
        'a create, and no more': /^You gave up on a call that may change something/,
        'another call': /^This is another call than the one that you gave up on/,
        'a GET once more': /^You gave up on a GET, and this was a HEAD/,
        'a GET once more, but POST': /^You gave up on a GET, and this was a POST/,
        'another call, later': /This is another call than the one that you/,
        'hung up: it was cut': /The drill delay did not hit this call/,
        'cut by another drill': /The drill delay did not hit this call/,
        'late for another reason': /The drill delay did not hit this call/,
      },
      done: {
        'a GET once more': 1,
        'a GET once more, but POST': 1,
        'another call': 1,
        'another call, later': 1,
        'not once more': 1,
        'waited for in the end': 1,
      },
    },

    'retry-html': {
      solve: (learner) => afterHtml(learner, 1),
      alsoSolvedBy: { 'a timer that is early': (learner) => afterHtml(learner, 0.95) },
      misses: {
        'at once': (learner) => afterHtml(learner, 0.5),
        'HTML again, at once': async (learner) => {
          await drill(learner, 'html-from-a-proxy');
          for (let call = 0; call < 2; call += 1) await broken(learner, claimList);
        },
        'another call, later': async (learner) => {
          await drill(learner, 'html-from-a-proxy');
          await broken(learner, claimList);
          await end(learner, 'html-from-a-proxy');
          await learner.call('POST', '/policies', { json: regNumber() });
          await learner.call('GET', '/policies');
        },
        'HTML again': async (learner) => {
          await drill(learner, 'html-from-a-proxy');
          await broken(learner, claimList);
          wait(learner, 1);
          await broken(learner, claimList);
        },
        'another call': async (learner) => {
          await drill(learner, 'html-from-a-proxy');
          await broken(learner, claimList);
          wait(learner, 1);
          await end(learner, 'html-from-a-proxy');
          await learner.call('GET', '/policies');
        },
        'a call that only reads': async (learner) => {
          const json = regNumber();
          await drill(learner, 'html-from-a-proxy', { when: 'after' });
          await broken(learner, policies, { method: 'POST', json });
          wait(learner, 1);
          await end(learner, 'html-from-a-proxy');
          equal((await learner.call('POST', policies, { json })).status, 409);
        },
        'the same create': async (learner) => {
          const json = regNumber();
          await learner.call('POST', policies, { json });
          await drill(learner, 'html-from-a-proxy');
          await broken(learner, policies, { method: 'POST', json: regNumber() });
          await end(learner, 'html-from-a-proxy');
          equal((await learner.call('POST', policies, { json })).status, 409);
        },
        'a call that succeeds': async (learner) => {
          await drill(learner, 'html-from-a-proxy');
          await broken(learner, `${policies}/pol-x`);
          wait(learner, 1);
          await end(learner, 'html-from-a-proxy');
          await learner.call('GET', `${policies}/pol-x`);
        },
        'the same body': async (learner) => {
          const json = regNumber();
          await drill(learner, 'html-from-a-proxy', { when: 'after' });
          await broken(learner, policies, { method: 'POST', json });
          wait(learner, 1);
          await end(learner, 'html-from-a-proxy');
          await learner.call('POST', policies, { json });
          await learner.call('POST', policies, { json: regNumber() });
        },
        'a webhook of their own': async (learner) => {
          const received = await receiveEvents(learner, 502, 204);
          await newClaim(learner);
          await move(learner, 1);
          await until(async () => (await kept(learner)).some(({ status }) => status === 502), 'a refusal');
          await move(learner, 1);
          await received(2);
          await until(async () => (await kept(learner)).some(({ status }) => status === 204), 'a delivery');
        },
        'no HTML': async (learner) => {
          await learner.call('GET', claimList);
          wait(learner, 1);
          await learner.call('GET', claimList);
        },
      },
      remarks: {
        'a call that succeeds': /^HTML is gone, but now the call was refused with 404/,
        'the same body': /^The body is another one than that of the call that HTML answered/,
        'at once': /You asked again after 0\.5 s/,
        'HTML again, at once': /You asked again after no time/,
        'HTML again': /^HTML came again, since the drill is still on/,
        'another call': /^This is another call than the one that HTML answered/,
        'a call that only reads': /^The call was refused with 409/,
        'another call, later': /This is another call than the one that HTML/,
        'no HTML': /This answer was no page in HTML\. Is the/,
      },
      done: {
        'a call that succeeds': 1,
        'the same body': 1,
        'a call that only reads': 1,
        'the same create': 1,
        'at once': 1,
        'HTML again, at once': 1,
        'HTML again': 1,
        'another call': 1,
        'another call, later': 1,
      },
    },

    'retry-cut': {
      solve: async (learner) => (await cutCreate(learner)) as Response,
      misses: {
        'no key': async (learner) => {
          equal((await cutCreate(learner, { keys: [undefined, undefined] }))?.status, 409);
        },
        'a key on the second': async (learner) => {
          await cutCreate(learner, { keys: [undefined, 'two'] });
        },
        'a key on the first only': async (learner) => {
          await cutCreate(learner, { keys: ['one', undefined] });
        },
        'another key': async (learner) => {
          await cutCreate(learner, { keys: ['one', 'two'] });
        },
        'cut before it was done': async (learner) => {
          equal((await cutCreate(learner, { when: 'before' }))?.status, 201);
        },
        'another create': async (learner) => {
          await cutCreate(learner, { keys: ['one', 'two'], json: [regNumber(), regNumber()] });
        },
        'another body': async (learner) => {
          equal((await cutCreate(learner, { json: [regNumber(), regNumber()] }))?.status, 422);
        },
        'another body, of a create that was not cut': async (learner) => {
          for (let call = 0; call < 2; call += 1) {
            await broken(learner, policies, { method: 'POST', json: regNumber(), key: 'one' });
          }
        },
        'cut, and no more': async (learner) => {
          await drill(learner, 'cut-connections');
          await broken(learner, policies, { method: 'POST', json: regNumber(), key: 'one' });
        },
        'cut without a key, and no more': async (learner) => {
          await drill(learner, 'cut-connections', { when: 'middle' });
          await broken(learner, policies, { method: 'POST', json: regNumber() });
        },
        'refused both times': async (learner) => {
          equal((await cutCreate(learner, { json: [{}, {}] }))?.status, 400);
        },
        'another call that was cut': async (learner) => {
          const json = regNumber();
          await drill(learner, 'cut-connections', { when: 'middle' });
          await broken(learner, '/insurer/v1/signed/policy-check', { method: 'POST', json });
          await end(learner, 'cut-connections');
          await broken(learner, policies, { method: 'POST', json });
        },
        'cut again': async (learner) => {
          const json = regNumber();
          await drill(learner, 'cut-connections', { when: 'middle' });
          for (let call = 0; call < 2; call += 1) await broken(learner, policies, { method: 'POST', json, key: 'one' });
          await until(async () => (await kept(learner)).filter((each) => each.end === 'cut').length === 2, 'two cuts');
        },
        'not cut': async (learner) => {
          const json = regNumber();
          for (let call = 0; call < 2; call += 1) await broken(learner, policies, { method: 'POST', json, key: 'one' });
        },
        'not cut, when the drill is known': async (learner) => {
          await drill(learner, 'cut-connections', { when: 'middle' });
          await broken(learner, policies);
          await end(learner, 'cut-connections');
          const sent = { method: 'POST', json: regNumber(), key: newPlate() };
          for (let call = 0; call < 2; call += 1) await broken(learner, policies, sent);
        },
        'the right name of the header': async (learner) => {
          const sent = (name: string) =>
            fetch(learner.lplate.url + policies, {
              method: 'POST',
              headers: { Authorization: `Bearer ${learner.token}`, 'Content-Type': 'application/json', [name]: 'one' },
              body: JSON.stringify(json),
            }).then((response) => response.text());
          const json = regNumber();
          await drill(learner, 'cut-connections', { when: 'middle' });
          await rejects(sent('Idempotency-Keys'));
          await end(learner, 'cut-connections');
          await sent('Idempotency-Keys');
        },
        'a new plate': async (learner) => {
          const json = regNumber();
          await learner.call('POST', policies, { json });
          await cutCreate(learner, { json: [json, json] });
        },
        'a drill that cuts': async (learner) => {
          const sent = { method: 'POST', json: regNumber(), key: newPlate() };
          await drill(learner, 'delay', { fromMs: 20_000, when: 'after' });
          const controller = new AbortController();
          const arrived = nextArrival();
          const called = broken(learner, policies, { ...sent, signal: controller.signal });
          await arrived;
          // By then the policy has been created.
          await kept(learner);
          await kept(learner);
          controller.abort();
          await called;
          await until(async () => (await kept(learner)).some((each) => each.end === 'cut'), 'the end of the call');
          await end(learner, 'delay');
          await broken(learner, policies, sent);
        },
        'a create': async (learner) => {
          await drill(learner, 'cut-connections', { when: 'middle' });
          await broken(learner, policies);
        },
        'only looked for': async (learner) => {
          await drill(learner, 'cut-connections', { when: 'middle' });
          await broken(learner, policies, { method: 'POST', json: regNumber(), key: newPlate() });
          await end(learner, 'cut-connections');
          for (let read = 0; read < 2; read += 1) await learner.call('GET', policies);
          equal((await stateOf(learner, 'retry-cut')).misses, 1);
        },
        'no policy': async (learner) => {
          const [policyNumber] = [(await learner.call('POST', '/policies', { json: regNumber() })).json.id];
          const sent = { method: 'POST', json: { policyNumber }, key: 'one' };
          await drill(learner, 'cut-connections', { when: 'middle' });
          await broken(learner, policies, sent);
          await broken(learner, claimList, sent);
          await end(learner, 'cut-connections');
          equal((await broken(learner, claimList, sent))?.headers.get('idempotency-replayed'), 'true');
        },
      },
      remarks: {
        'the right name of the header': /^What was cut was a refusal with 400/,
        'a new plate': /^What was cut was a refusal with 409/,
        'refused both times': /^What was cut was a refusal with 400/,
        'no key': /had nothing by which the service knows it again/,
        'a key on the second': /had nothing by which the service knows it again/,
        'a key on the first only': /without the Idempotency-Key of the first try, so it was taken for a new one/,
        'another key': /without the Idempotency-Key of the first try, so it was taken for a new one/,
        'another create': /^The body is another one/,
        'no policy': /^It was another call that was cut\./,
        'not cut, when the drill is known': /^The first answer to this create was not cut\./,
        'only looked for': /^You looked for the policy in the list\./,
        'cut before it was done': /cut in the middle/,
        'cut, and no more': /^The create was cut before it was done/,
        'cut without a key, and no more': /had nothing by which the service knows it again/,
        'cut again': /^The repeat was cut as well, since the drill is still on/,
        'another body': /^The key is that of the create that was cut, but the body is another one/,
        'a create': /^It was another call that was cut/,
        'a drill that cuts': /^This create was not cut by the drill/,
        'another call that was cut': /It was another call that was cut\. Let it/,
        'another body, of a create that was not cut': /This create was not cut by the drill cut-connections\./,
        'not cut': /This create was not cut by the drill cut-connections\./,
      },
      done: {
        'a key on the first only': 1,
        'another key': 1,
        'another create': 1,
        'another body': 1,
        'only looked for': 1,
        'cut again': 1,
      },
    },

    'unreadable-answer': {
      async solve(learner) {
        const answer = await unreadable(learner);
        await end(learner, 'bad-json');
        return learner.call('GET', answer?.headers.get('location') as string);
      },
      misses: {
        'read badly': async (learner) => {
          const answer = await unreadable(learner);
          await broken(learner, new URL(answer?.headers.get('location') as string).pathname);
        },
        'created again': async (learner) => {
          const json = regNumber();
          await unreadable(learner, json);
          await broken(learner, policies, { method: 'POST', json });
        },
        'another create': async (learner) => {
          const json = regNumber();
          await learner.call('POST', '/policies', { json });
          await unreadable(learner);
          await broken(learner, policies, { method: 'POST', json });
        },
        'refused both times': async (learner) => {
          const json = regNumber();
          await learner.call('POST', '/policies', { json });
          await unreadable(learner, json);
          await broken(learner, policies, { method: 'POST', json });
        },
        'the first answer again': async (learner) => {
          const sent = { method: 'POST', json: regNumber(), key: 'one' };
          await drill(learner, 'bad-json');
          await broken(learner, policies, sent);
          await end(learner, 'bad-json');
          equal((await broken(learner, policies, sent))?.headers.get('idempotency-replayed'), 'true');
        },
        'the id, but the registration number': async (learner) => {
          const answer = await unreadable(learner);
          await end(learner, 'bad-json');
          const { pathname } = new URL(answer?.headers.get('location') as string);
          const { regNumber } = (
            await learner.lplate.call('GET', pathname, { token: learner.token, headers: { 'L-Plate-Console': '1' } })
          ).json;
          await learner.call('GET', `/insurer/v1/policies/${regNumber}`);
        },
        'another one that was created later': async (learner) => {
          await unreadable(learner);
          await end(learner, 'bad-json');
          await learner.call('GET', claimList);
          await learner.call('POST', '/policies', { json: regNumber() });
        },
        'another one that was created after a read': async (learner) => {
          const answer = await unreadable(learner);
          await broken(learner, new URL(answer?.headers.get('location') as string).pathname);
          await end(learner, 'bad-json');
          await learner.call('POST', '/policies', { json: regNumber() });
        },
        'a read by its id': async (learner) => {
          await unreadable(learner);
          await end(learner, 'bad-json');
          await learner.call('GET', policies);
        },
        'a list that can be read': async (learner) => {
          await unreadable(learner);
          await broken(learner, policies);
        },
        'a policy that there is': async (learner) => {
          await unreadable(learner);
          await end(learner, 'bad-json');
          await learner.call('GET', `${policies}/pol-x`);
        },
        'the drill, when it is known': async (learner) => {
          await drill(learner, 'bad-json');
          await broken(learner, policies);
          await end(learner, 'bad-json');
          await learner.call('POST', policies, { json: regNumber() });
        },
        'another one that was created': async (learner) => {
          await unreadable(learner);
          await end(learner, 'bad-json');
          await learner.call('POST', '/policies', { json: regNumber() });
        },
        'another policy': async (learner) => {
          const { json } = await learner.call('POST', '/policies', { json: regNumber() });
          await unreadable(learner);
          await end(learner, 'bad-json');
          await learner.call('GET', `/policies/${json.id}`);
        },
        'one whose answer was whole': async (learner) => {
          const { headers } = await learner.call('POST', '/policies', { json: regNumber() });
          await learner.call('GET', headers.get('location') as string);
        },
        cancelled: async (learner) => {
          const json = regNumber();
          const answer = await unreadable(learner, json);
          await end(learner, 'bad-json');
          await learner.call('POST', `${answer?.headers.get('location')}/cancel`);
          await learner.call('POST', '/policies', { json });
        },
      },
      remarks: {
        'the id, but the registration number': /^The path has the registration number of the policy/,
        'created again': /Look at the rest of that answer\.$/,
        'read badly': /^That is the policy, but this answer can’t be read either/,
        'the first answer again': /^The key of the first try got you its answer again/,
        'another one that was created': /^You created another policy/,
        'another one that was created after a read': /^You created another policy/,
        'a read by its id': /^It is in this list\./,
        'a policy that there is': /^That is another policy than the one/,
        'another policy': /^That is another policy than the one/,
        'the drill, when it is known': /^This answer could be read\./,
        'one whose answer was whole': /This answer could be read\. Start the drill before/,
      },
      done: {
        'the id, but the registration number': 1,
        'read badly': 1,
        'created again': 1,
        'another create': 1,
        'the first answer again': 1,
        'another one that was created later': 1,
        'another one that was created after a read': 1,
        'a read by its id': 1,
        'a list that can be read': 1,
        'a policy that there is': 1,
        'another one that was created': 1,
        'another policy': 1,
        cancelled: 1,
      },
    },

    'stream-cut': {
      remarks: {
        'the last event, but the header of streams': /^Last-Event-ID is for a stream/,
        'the last event: it was at latest, after a batch': /^You began at latest again after the cut/,
        'the last event: it was an eventId, after a batch': /^You sent an eventId/,
        'news: they are held back': /^No event comes while the drill stop-events is on/,
        'anything but on from there, by a stream': /^You began at earliest again after the cut/,
        'cut by the drill': /^You closed this stream yourself\./,
        'the last event: it was the first': /^You went on after an earlier event/,
        'the id of the stream: it was an eventId': /^You sent an eventId/,
        'not cut by the drill, once': /^You closed this stream yourself\./,
        'not cut by the drill': /This was a batch, which the drill does not/,
      },
      done: {
        'the last event, but the header of streams': 1,
        'the last event: it was at latest, after a batch': 1,
        'the last event: it was an eventId, after a batch': 1,
        'news: they are held back': 1,
        'anything but on from there, by a stream': 1,
        'the last event: it was the first': 1,
        'the id of the stream: it was an eventId': 1,
      },
      async solve(learner) {
        const { lastEventId } = await cutStream(learner);
        await move(learner, 1);
        return batch(learner, `?after=${lastEventId}`);
      },
      misses: {
        'anything but on from there': async ({ lplate }) => {
          // All at once, since each cut takes a second.
          const after = async (steps: number, ...queries: ((lastEventId: string) => string)[]) => {
            const learner = await newLearner(lplate);
            await open(learner, 'stream-cut');
            const { lastEventId } = await cutStream(learner, steps);
            for (const query of queries) await batch(learner, query(lastEventId));
            return learner;
          };
          const on = (lastEventId: string) => `?after=${lastEventId}`;
          const latest = () => '?after=latest';
          const toldNothing = after(3, on);
          const untold = [
            after(2, () => '?after=0-1'),
            after(
              2,
              (lastEventId) => `${on(lastEventId)}&limit=0`,
              () => `${latest()}&limit=0`,
            ),
          ];
          const [toldEmpty, toldBatch] = [after(0), after(0, latest)];
          const toldEarliest = [after(2, () => ''), after(2, () => '?after=earliest')];
          const toldLatest = after(2, latest);
          await assertMissed(await toldNothing, 'stream-cut', /at the right place, but nothing has happened since/);
          await assertMissed(await toldEmpty, 'stream-cut', /was cut before it had brought an event/);
          await assertMissed(await toldBatch, 'stream-cut', /^This was a batch, which the drill does not cut/);
          for (const each of untold) await assertUntold(await each, 'stream-cut');
          for (const each of toldEarliest)
            await assertMissed(await each, 'stream-cut', /at earliest again after the cut/);
          await assertMissed(await toldLatest, 'stream-cut', /at latest again after the cut/);
        },
        'anything but on from there, by a stream': async (learner) => {
          await cutStream(learner);
          const stream = await EventStream.open(learner.lplate.url, learner.token);
          await assertMissed(learner, 'stream-cut', /at earliest again/);
          stream.close();
          await ended(learner, stream);
          equal((await stateOf(learner, 'stream-cut')).misses, 1);
        },
        'cut by the drill': async (learner) => {
          await cutStream(learner, 0);
          await newClaim(learner);
          await move(learner, 2);
          await streamed(learner, 1);
        },
        'the last event: it was the first': async (learner) => {
          const { received } = await cutStream(learner);
          await move(learner, 1);
          await batch(learner, `?after=${received[0]?.id}`);
        },
        'the id of the stream: it was an eventId': async (learner) => {
          const { received } = await cutStream(learner);
          const headers = { Accept: 'text/event-stream', 'Last-Event-ID': String(received[0]?.event.eventId) };
          await batch(learner, '', { headers });
        },
        'the last event, but the header of streams': async (learner) => {
          const { lastEventId } = await cutStream(learner);
          await batch(learner, '', { headers: { 'Last-Event-ID': lastEventId } });
        },
        'the last event: it was at latest, after a batch': async (learner) => {
          await cutStream(learner);
          await batch(learner);
          for (let read = 0; read < 2; read += 1) await batch(learner, '?after=latest');
          equal((await stateOf(learner, 'stream-cut')).misses, 2);
        },
        'the last event: it was an eventId, after a batch': async (learner) => {
          const { received } = await cutStream(learner);
          await batch(learner);
          await batch(learner, `?after=${received[0]?.event.eventId}`);
        },
        'news: they are held back': async (learner) => {
          const { lastEventId } = await cutStream(learner);
          await drill(learner, 'stop-events');
          await move(learner, 1);
          await batch(learner, `?after=${lastEventId}`);
        },
        'not cut by the drill, once': async (learner) => {
          await newClaim(learner);
          await move(learner, 1);
          await streamed(learner, 1);
        },
        'not cut by the drill': async (learner) => {
          await newClaim(learner);
          await move(learner, 1);
          const { lastEventId } = await streamed(learner, 1);
          await move(learner, 1);
          await batch(learner, `?after=${lastEventId}`);
          await batch(learner, '?after=latest');
        },
      },
    },
  },
  { eventsDuplicateRate: 0 },
);
