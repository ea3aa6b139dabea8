import { equal } from 'node:assert/strict';
import type { Answer } from '../../support/lplate.ts';
import { answer, type Learner, newPlate, reset, testLessons, wrongAnswer } from './lesson.ts';

const list = '/insurer/v1/policies';
const longAgo = '2000-01-01T00:00:00Z';

/** A change bears a later instant than the calls before it. */
const pass = ({ lplate }: Learner, milliseconds = 1000) => lplate.clock.advance(milliseconds);

async function insured(learner: Learner, more: object = {}): Promise<{ id: string; updatedAt: string }> {
  pass(learner);
  const { status, text, json } = await learner.call('POST', list, { json: { regNumber: newPlate(), ...more } });
  equal(status, 201, text);
  return json;
}

async function insuredAll(learner: Learner, count: number): Promise<void> {
  for (let made = 0; made < count; made += 1) await insured(learner);
}

const changes = ({ call }: Learner, since = longAgo, query = ''): Promise<Answer> =>
  call('GET', `${list}?updatedSince=${since}${query}`);

/** By the links, from the first page on. Returns all policies. */
async function changesToEnd(learner: Learner, query = ''): Promise<{ id: string; updatedAt: string }[]> {
  let path: string | undefined = `${list}?updatedSince=${longAgo}${query}`;
  const all = [];
  while (path !== undefined) {
    const { headers, json } = await learner.call('GET', path);
    all.push(...json.items);
    path = /<([^>]*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
  }
  return all;
}

async function changed(learner: Learner, id: string): Promise<void> {
  pass(learner);
  equal((await learner.call('PUT', `${list}/${id}`, { json: { holder: 'Ada Example' } })).status, 200);
}

const cancel = ({ call }: Learner, id: string) => call('POST', `${list}/${id}/cancel`);

const newest = (policies: readonly { updatedAt: string }[]) => policies.at(-1)?.updatedAt as string;

const secondsBefore = (instant: string, seconds: number) =>
  new Date(Date.parse(instant) - seconds * 1000).toISOString();

/** What is there, read to its end: the watermark. */
async function watermarkOf(learner: Learner): Promise<string> {
  await insuredAll(learner, 2);
  return newest(await changesToEnd(learner));
}

const fleet = async ({ call }: Learner) => equal((await call('POST', '/range/v1/me/fleet')).status, 201);

async function advance(learner: Learner, duration: string): Promise<void> {
  const { call, lplate, id, secret } = learner;
  pass(learner);
  equal((await call('POST', '/range/v1/me/clock', { json: { advance: duration } })).status, 200);
  learner.token = await lplate.token(id, secret);
}

const later = (learner: Learner, path: string, method = 'GET') => learner.call(method, path, { token: learner.token });

/** Three policies, of which one expires within 40 days, and a copy of them. */
async function copied(learner: Learner): Promise<{ month: string; year: string; since: string }> {
  await reset(learner);
  const year = (await insured(learner)).id;
  const { id: month } = await insured(learner, { coverageOption: 'MTPL-1M' });
  const { updatedAt: since } = await insured(learner);
  await learner.call('GET', list);
  return { month, year, since };
}

async function nightRun(learner: Learner, since: string): Promise<void> {
  equal((await later(learner, `${list}?updatedSince=${since}`)).status, 200);
}

async function totals(learner: Learner, statuses = ['active', 'updated', 'cancelled', 'expired']): Promise<void> {
  for (const status of statuses) await later(learner, `${list}?status=${status}&pageSize=1`);
}

/** Five policies, of which four are read, one is changed, and one is new. Returns their ids, oldest first. */
async function readAndChanged(learner: Learner): Promise<string[]> {
  await reset(learner);
  await insuredAll(learner, 4);
  const [first, ...others] = (await changesToEnd(learner)).map(({ id }) => id) as [string, ...string[]];
  await changed(learner, first);
  return [first, ...others, (await insured(learner)).id];
}

/** Four policies, of which two are read. */
async function halfRead(learner: Learner): Promise<{ id: string; updatedAt: string }[]> {
  await reset(learner);
  await insuredAll(learner, 4);
  return (await changes(learner, longAgo, '&pageSize=2')).json.items;
}

/** The same, and the first of them has moved to the end. */
async function moved(learner: Learner): Promise<{ id: string; updatedAt: string }[]> {
  const page = await halfRead(learner);
  await changed(learner, page[0]?.id as string);
  return page;
}

testLessons({
  watermark: {
    async solve(learner) {
      await fleet(learner);
      const watermark = newest(await changesToEnd(learner, '&pageSize=25'));
      await insured(learner);
      return changes(learner, secondsBefore(watermark, 60));
    },
    alsoSolvedBy: {
      'the shortest way': async (learner) => {
        await fleet(learner);
        const { json } = await learner.call('GET', `${list}?pageSize=1&page=75`, { token: learner.token });
        learner.lplate.clock.advance(1);
        await learner.call('DELETE', '/range/v1/me/lessons/watermark');
        const since = secondsBefore(json.items[0].createdAt, 3600);
        const watermark = newest((await changes(learner, since)).json.items);
        await insured(learner);
        await changes(learner, secondsBefore(watermark, 60));
      },
      'a change that comes on the second page': async (learner) => {
        const watermark = await watermarkOf(learner);
        await insured(learner);
        for (const page of [1, 2, 3]) await changes(learner, secondsBefore(watermark, 61), `&pageSize=1&page=${page}`);
      },
      'a list between two pages': async (learner) => {
        await insuredAll(learner, 2);
        await changes(learner, longAgo, '&pageSize=1');
        await learner.call('GET', list);
        const { json } = await changes(learner, longAgo, '&pageSize=1&page=2');
        const [{ id, updatedAt }] = json.items;
        pass(learner);
        await cancel(learner, id);
        await changes(learner, secondsBefore(updatedAt, 60));
      },
      'a second try, with a new change': async (learner) => {
        const watermark = await watermarkOf(learner);
        await insured(learner);
        const { json } = await changes(learner, watermark);
        await insured(learner);
        await changes(learner, secondsBefore(newest(json.items), 60));
      },
    },
    misses: {
      'the whole list': async (learner) => {
        await insuredAll(learner, 2);
        await learner.call('GET', list);
      },
      'an empty list': (learner) => changes(learner),
      'changes of claims': ({ call }) => call('GET', `/claims/v1/claims?updatedSince=${longAgo}`),
      'those of one status': async (learner) => {
        await insuredAll(learner, 2);
        await changes(learner, longAgo, '&status=active');
      },
      'only the last page': async (learner) => {
        await insuredAll(learner, 3);
        await changes(learner, longAgo, '&pageSize=1&page=3');
      },
      'a page left out': async (learner) => {
        await insuredAll(learner, 3);
        for (const page of [1, 3]) await changes(learner, longAgo, `&pageSize=1&page=${page}`);
      },
      'a page behind the last': async (learner) => {
        await insuredAll(learner, 2);
        await changes(learner, longAgo, '&page=2');
      },
      'more than the log keeps': async (learner) => {
        await fleet(learner);
        await changes(learner, longAgo, '&pageSize=75');
      },
      'a first page of more than the log keeps': async (learner) => {
        await fleet(learner);
        await changesToEnd(learner, '&pageSize=70');
      },
      'a change before the read': async (learner) => {
        const { id } = await insured(learner);
        await changed(learner, id);
      },
      'nothing changed': async (learner) => {
        const watermark = await watermarkOf(learner);
        await changes(learner, secondsBefore(watermark, 60));
      },
      'cancelled again': async (learner) => {
        const { id } = await insured(learner);
        pass(learner);
        await cancel(learner, id);
        await changesToEnd(learner);
        pass(learner);
        await cancel(learner, id);
      },
      'the watermark itself': async (learner) => {
        const watermark = await watermarkOf(learner);
        await insured(learner);
        await changes(learner, watermark);
      },
      'the same watermark less a minute, after that brought the change': async (learner) => {
        const watermark = await watermarkOf(learner);
        await insured(learner);
        const { json } = await changes(learner, watermark);
        pass(learner, 120_000);
        await insured(learner);
        const again = await changes(learner, newest(json.items));
        await changes(learner, secondsBefore(newest(again.json.items), 60));
      },
      'the time of now': async (learner) => {
        const watermark = await watermarkOf(learner);
        await insured(learner);
        await changes(learner, secondsBefore(watermark, -1));
      },
      'all again': async (learner) => {
        await watermarkOf(learner);
        await insured(learner);
        await changes(learner);
      },
      'the whole list again': async (learner) => {
        await watermarkOf(learner);
        await insured(learner);
        await learner.call('GET', list);
      },
      'a page without the change': async (learner) => {
        const watermark = await watermarkOf(learner);
        await insured(learner);
        await changes(learner, secondsBefore(watermark, 60), '&pageSize=1&page=2');
      },
      'by PATCH': async (learner) => {
        await watermarkOf(learner);
        await learner.call('PATCH', `${list}/pol-1`, { json: { holder: 'Ada' } });
      },
    },
    remarks: {
      'the whole list': /^That list is not of changes\. Ask with updatedSince/,
      'an empty list': /^No policy of yours changed since then\./,
      'changes of claims': /^Those were claims\./,
      'those of one status': /^That was not all that changed\./,
      'only the last page': /^You read the last page, but not those before it\./,
      'a page left out': /^You read 2 of 3 policies up to the last page\./,
      'a page behind the last': /^There is nothing on this page/,
      'more than the log keeps': /^The log keeps 16 KiB of an answer/,
      'a first page of more than the log keeps': /^The log keeps 16 KiB of an answer, and a page was longer\./,
      'a change before the read': /^You changed it before you had read what changed/,
      'nothing changed': /^Nothing has changed since you read it all\./,
      'cancelled again': /^That policy was cancelled already, so nothing changed\.$/,
      'the watermark itself': /^You looked back 0 s\./,
      'the same watermark less a minute, after that brought the change': /^Nothing has changed since you read it all\./,
      'the time of now': /^You asked from later than the newest updatedAt/,
      'all again': /^You asked from far before the newest updatedAt/,
      'the whole list again': /^That list is not of changes/,
      'by PATCH': /can’t be changed by PATCH/,
    },
    done: {
      'nothing changed': 1,
      'cancelled again': 1,
      'the watermark itself': 2,
      'the same watermark less a minute, after that brought the change': 2,
      'the time of now': 2,
      'all again': 2,
      'the whole list again': 2,
      'a page without the change': 2,
      'by PATCH': 1,
    },
  },

  'known-changes': {
    async solve(learner) {
      await readAndChanged(learner);
      const proof = await changes(learner);
      const { correct, advice } = await answer(learner, 'known-changes', 3);
      equal(correct, true, advice);
      return proof;
    },
    alsoSolvedBy: {
      'the shortest way': async (learner) => {
        await insuredAll(learner, 4);
        pass(learner);
        await learner.call('DELETE', '/range/v1/me/lessons/known-changes');
        const { json } = await changes(learner);
        await changed(learner, json.items[0].id);
        await insured(learner);
        await changes(learner);
        await answer(learner, 'known-changes', 3);
      },
      'several changes, pages, and a text': async (learner) => {
        await insuredAll(learner, 5);
        const [one, other] = await changesToEnd(learner, '&pageSize=2');
        await insured(learner);
        await changed(learner, one?.id as string);
        await changed(learner, one?.id as string);
        await changed(learner, other?.id as string);
        await changesToEnd(learner, '&pageSize=2');
        await answer(learner, 'known-changes', '3');
      },
      'from the last instant of each page': async (learner) => {
        const read = async () => {
          const { json } = await changes(learner, longAgo, '&pageSize=3');
          await changes(learner, newest(json.items), '&pageSize=5');
          return json.items[0].id;
        };
        await insuredAll(learner, 5);
        await changed(learner, await read());
        await insured(learner);
        await read();
        await answer(learner, 'known-changes', 4);
      },
    },
    misses: {
      'too few': async (learner) => {
        await insuredAll(learner, 3);
        await changes(learner);
      },
      'a change before the read': async (learner) => {
        await insuredAll(learner, 4);
        await changed(learner, (await insured(learner)).id);
      },
      'a change of what was not read': async (learner) => {
        await insuredAll(learner, 4);
        await changes(learner);
        await changed(learner, (await insured(learner)).id);
      },
      'cancelled again': async (learner) => {
        const { id } = await insured(learner);
        pass(learner);
        await cancel(learner, id);
        await insuredAll(learner, 3);
        await changes(learner);
        pass(learner);
        await cancel(learner, id);
      },
      'nothing created': async (learner) => {
        await insuredAll(learner, 4);
        const { json } = await changes(learner);
        await changed(learner, json.items[0].id);
        await changes(learner);
      },
      'nothing changed': async (learner) => {
        await insuredAll(learner, 4);
        await changes(learner);
        await insured(learner);
        await changes(learner);
      },
      'nothing at all': async (learner) => {
        await insuredAll(learner, 4);
        for (const _ of [1, 2]) await changes(learner);
        await wrongAnswer(learner, 'known-changes', 4, /^Your log has no second read to count in\./);
      },
      'another instant': async (learner) => {
        await readAndChanged(learner);
        await changes(learner, '2001-01-01T00:00:00Z');
      },
      'another instant, after a read too early': async (learner) => {
        await insuredAll(learner, 4);
        const { json } = await changes(learner);
        await changed(learner, json.items[0].id);
        await changes(learner);
        await insured(learner);
        await changes(learner, '2001-01-01T00:00:00Z');
      },
      'another list': async (learner) => {
        await readAndChanged(learner);
        await learner.call('GET', list);
      },
      'only its last page': async (learner) => {
        await readAndChanged(learner);
        await changes(learner, longAgo, '&pageSize=3&page=2');
      },
      'a wrong answer': async (learner) => {
        await readAndChanged(learner);
        await changes(learner);
        const wrong = (sent: unknown, advice: RegExp) => wrongAnswer(learner, 'known-changes', sent, advice);
        await wrong(4, /^By its id alone each of them is known/);
        await wrong(5, /^That is how many there are\./);
        await wrong(2, /^That is how many are to be applied\./);
        await wrong(7, /^That is not their number\. Compare id and updatedAt/);
        for (const odd of ['three', null, [3], true, '3 policies']) await wrong(odd, /^Send a plain number\.$/);
      },
    },
    remarks: {
      'too few': /^You have only 3 of them, and the lesson needs at least 4\./,
      'a change before the read': /^You changed it before you had read what changed/,
      'a change of what was not read': /^You changed a policy that was not among those/,
      'cancelled again': /^That policy was cancelled already/,
      'nothing created': /^You changed a policy, but created none\./,
      'nothing changed': /^You created a policy, but changed none/,
      'another instant': /^You read from another instant than the first time\./,
      'another instant, after a read too early': /^You read from another instant than the first time\./,
      'another list': /^That list is not of changes/,
      'only its last page': /^You read the last page, but not those before it\./,
    },
    done: {
      'a change of what was not read': 2,
      'cancelled again': 1,
      'nothing created': 2,
      'nothing changed': 2,
      'nothing at all': 1,
      'another instant': 3,
      'another instant, after a read too early': 3,
      'another list': 3,
      'only its last page': 3,
      'a wrong answer': 4,
    },
  },

  'moved-row': {
    async solve(learner) {
      const [, last] = await moved(learner);
      const { json } = await changes(learner, last?.updatedAt, '&pageSize=3');
      return changes(learner, newest(json.items), '&pageSize=3');
    },
    alsoSolvedBy: {
      'the shortest way': async (learner) => {
        await insuredAll(learner, 4);
        pass(learner);
        await learner.call('DELETE', '/range/v1/me/lessons/moved-row');
        const { json } = await changes(learner, longAgo, '&pageSize=2');
        await changed(learner, json.items[0].id);
        await changes(learner, newest(json.items));
      },
      'page 1 again, when one is missing': async (learner) => {
        await moved(learner);
        await changes(learner, longAgo, '&pageSize=2&page=2');
        await changes(learner, longAgo, '&pageSize=2');
      },
      'cancelled, and a new one comes meanwhile': async (learner) => {
        const [first, last] = await halfRead(learner);
        pass(learner);
        await cancel(learner, first?.id as string);
        await insured(learner);
        await changes(learner, last?.updatedAt);
      },
    },
    misses: {
      'the whole list': async (learner) => {
        await insuredAll(learner, 3);
        await learner.call('GET', `${list}?pageSize=1`);
      },
      'an empty list': (learner) => changes(learner),
      'one page': async (learner) => {
        await insuredAll(learner, 3);
        await changes(learner);
      },
      'more than the log keeps': async (learner) => {
        await fleet(learner);
        await changes(learner, longAgo, '&pageSize=70');
      },
      'the second page alone': async (learner) => {
        await insuredAll(learner, 3);
        await changes(learner, longAgo, '&pageSize=1&page=2');
      },
      'a change after the last page': async (learner) => {
        const [first] = await halfRead(learner);
        await changes(learner, longAgo, '&pageSize=2&page=2');
        await changed(learner, first?.id as string);
      },
      'a new one': async (learner) => {
        await halfRead(learner);
        await insured(learner);
      },
      'a change of what comes later': async (learner) => {
        await insuredAll(learner, 3);
        const { id } = await insured(learner);
        await changes(learner, longAgo, '&pageSize=2');
        await changed(learner, id);
      },
      'cancelled again': async (learner) => {
        const { id } = await insured(learner);
        pass(learner);
        await cancel(learner, id);
        await insuredAll(learner, 2);
        await changes(learner, longAgo, '&pageSize=1');
        pass(learner);
        await cancel(learner, id);
      },
      'the next page': async (learner) => {
        await moved(learner);
        await changes(learner, longAgo, '&pageSize=2&page=2');
      },
      'the end that has not the policy again': async (learner) => {
        await moved(learner);
        await changes(learner, longAgo, '&pageSize=2&page=3');
      },
      'page 1 again, and no end': async (learner) => {
        await moved(learner);
        await changes(learner, longAgo, '&pageSize=2');
      },
    },
    remarks: {
      'the whole list': /^That list is not of changes/,
      'an empty list': /^No policy of yours changed since then\./,
      'one page': /^All fits on this one page/,
      'more than the log keeps': /^The log keeps 16 KiB of an answer/,
      'a change after the last page': /^You had read to the last page\./,
      'a new one': /^A new policy comes at the end/,
      'a change of what comes later': /^You have not read that policy yet/,
      'cancelled again': /^That policy was cancelled already/,
      'the next page': /^You have read to the end, but only 3 of 4 policies\./,
      'the end that has not the policy again': /^You have not read the policy again that changed\./,
    },
    done: {
      'a change after the last page': 1,
      'a new one': 1,
      'a change of what comes later': 1,
      'cancelled again': 1,
      'the next page': 2,
      'the end that has not the policy again': 2,
      'page 1 again, and no end': 2,
    },
  },

  'totals-first': {
    async solve(learner) {
      const { month, since } = await copied(learner);
      await advance(learner, 'P40D');
      await nightRun(learner, since);
      await totals(learner);
      return later(learner, `${list}/${month}`);
    },
    alsoSolvedBy: {
      'the shortest way': async (learner) => {
        await reset(learner);
        await insured(learner);
        const { id: month } = await insured(learner, { coverageOption: 'MTPL-1M' });
        const { updatedAt: since } = await insured(learner);
        pass(learner);
        await learner.call('DELETE', '/range/v1/me/lessons/totals-first');
        await later(learner, list);
        await advance(learner, 'P40D');
        await nightRun(learner, since);
        await totals(learner);
        await later(learner, `${list}/${month}`);
      },
    },
    misses: {
      'no policies': async (learner) => {
        await reset(learner);
        await learner.call('GET', list);
      },
      'a list of one status': (learner) => learner.call('GET', `${list}?status=active`),
      'a list of changes': (learner) => changes(learner),
      'only the last page of the copy': async (learner) => {
        await insuredAll(learner, 2);
        await learner.call('GET', `${list}?pageSize=1&page=2`);
      },
      'more than the log keeps': async (learner) => {
        await fleet(learner);
        await learner.call('GET', `${list}?pageSize=75`);
      },
      'no time passed': async (learner) => {
        const { since } = await copied(learner);
        await nightRun(learner, since);
      },
      'all changes again': async (learner) => {
        await copied(learner);
        await advance(learner, 'P40D');
        await nightRun(learner, longAgo);
      },
      'changes from later than the copy': async (learner) => {
        await copied(learner);
        await advance(learner, 'P40D');
        await nightRun(learner, '2099-01-01T00:00:00Z');
      },
      'three of the totals': async (learner) => {
        const { month, since } = await copied(learner);
        await advance(learner, 'P40D');
        await nightRun(learner, since);
        await totals(learner, ['active', 'updated', 'expired']);
        await later(learner, `${list}/${month}`);
      },
      'no list of changes': async (learner) => {
        const { month } = await copied(learner);
        await advance(learner, 'P40D');
        await totals(learner);
        await later(learner, `${list}/${month}`);
      },
      'the totals of that day': async (learner) => {
        await copied(learner);
        await totals(learner);
      },
      'one that is in force': async (learner) => {
        const { year, since } = await copied(learner);
        await advance(learner, 'P40D');
        await nightRun(learner, since);
        await totals(learner);
        await later(learner, `${list}/${year}`);
      },
      'its head': async (learner) => {
        const { month, since } = await copied(learner);
        await advance(learner, 'P40D');
        await nightRun(learner, since);
        await totals(learner);
        await later(learner, `${list}/${month}`, 'HEAD');
      },
      'one that had expired before': async (learner) => {
        await reset(learner);
        await fleet(learner);
        const { json } = await learner.call('GET', `${list}?status=expired`);
        for (const page of [1, 2, 3]) await learner.call('GET', `${list}?pageSize=25&page=${page}`);
        await advance(learner, 'P40D');
        await nightRun(learner, secondsBefore(new Date(learner.lplate.clock.now()).toISOString(), 60));
        await totals(learner);
        await later(learner, `${list}/${json.items[0].id}`);
      },
    },
    remarks: {
      'no policies': /^You have no policies\./,
      'a list of one status': /^That is a part of your policies\./,
      'a list of changes': /^That may be a part of your policies\./,
      'only the last page of the copy': /^You read the last page, but not those before it\./,
      'more than the log keeps': /^The log keeps 16 KiB of an answer/,
      'no time passed': /^It is still the day of your copy/,
      'all changes again': /^All your policies came again\./,
      'changes from later than the copy': /^You asked from later than your copy\./,
      'three of the totals': /^It differs\. But first ask for the total of each status\. Left: cancelled\.$/,
      'no list of changes': /^It differs\. But first ask what changed since your copy/,
      'one that is in force': /^This one is active\. The totals tell/,
      'its head': /HEAD gives no body/,
      'one that had expired before': /^This one had expired before you made your copy\./,
    },
    done: {
      'no time passed': 1,
      'all changes again': 1,
      'changes from later than the copy': 1,
      'three of the totals': 2,
      'no list of changes': 2,
      'the totals of that day': 1,
      'one that is in force': 3,
      'its head': 3,
      'one that had expired before': 3,
    },
  },
});
