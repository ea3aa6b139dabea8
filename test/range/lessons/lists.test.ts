import { equal, rejects } from 'node:assert/strict';
import type { Answer } from '../../support/lplate.ts';
import { type Learner, newLearner, newPlate, reset, stateOf, testLessons } from './lesson.ts';

const list = '/insurer/v1/policies';

async function insured({ call }: Learner, headers: Record<string, string> = {}, regNumber = newPlate()) {
  const { status, text, json } = await call('POST', list, { headers, json: { regNumber } });
  equal(status, 201, text);
  return json;
}

/** That many new policies. */
async function insuredAll(learner: Learner, count: number): Promise<void> {
  for (let made = 0; made < count; made += 1) await insured(learner);
}

/** The last answer of those to some pages, in this order. */
async function read({ call }: Learner, pages: readonly number[], pageSize = 1): Promise<Answer> {
  const answers: Answer[] = [];
  for (const page of pages) answers.push(await call('GET', `${list}?page=${page}&pageSize=${pageSize}`));
  return answers.at(-1) as Answer;
}

/** Walks along the links from the first page. */
async function walk({ call }: Learner, path: string): Promise<Answer> {
  const answer = await call('GET', path);
  const [, next] = /<([^>]*)>; rel="next"/.exec(answer.headers.get('link') ?? '') ?? [];
  return next === undefined ? answer : walk({ call } as Learner, next);
}

async function registered({ call }: Learner): Promise<void> {
  const { json } = await call('GET', list);
  const policyNumber = json.items[0].id;
  equal((await call('POST', '/claims/v1/claims', { json: { policyNumber } })).status, 201);
}

const startDrill = ({ call }: Learner, name: string, parameters: object) =>
  call('POST', '/range/v1/me/drills', { json: { name, parameters } });

const endDrill = ({ call }: Learner, name: string) => call('DELETE', `/range/v1/me/drills/${name}`);

testLessons({
  'all-pages': {
    async solve(learner) {
      await learner.call('POST', '/range/v1/me/fleet');
      return walk(learner, list);
    },
    alsoSolvedBy: {
      'the shortest way': async (learner) => {
        await learner.call('POST', '/range/v1/me/fleet');
        await read(learner, [1, 2, 3], 25);
      },
      'three pages': async (learner) => {
        await insuredAll(learner, 3);
        await read(learner, [1, 2, 3]);
      },
    },
    misses: {
      'any policy': (learner) => learner.call('GET', list),
      'one page': async (learner) => {
        await insuredAll(learner, 3);
        await read(learner, [1], 100);
      },
      'the head of a page': async (learner) => {
        await insuredAll(learner, 3);
        await learner.call('HEAD', list);
        await learner.call('HEAD', `${list}?pageSize=1`);
      },
      'the head of the second page': async (learner) => {
        await insuredAll(learner, 3);
        await read(learner, [1]);
        await learner.call('HEAD', `${list}?pageSize=1&page=2`);
      },
      'the first of two pages': async (learner) => {
        await insuredAll(learner, 2);
        await read(learner, [1]);
      },
      'one page, once the first of three was read': async (learner) => {
        await insuredAll(learner, 3);
        await read(learner, [1]);
        await read(learner, [1], 100);
      },
      'the list, as everybody reads it': async (learner) => {
        await insuredAll(learner, 3);
        await learner.call('GET', list);
        await read(learner, [1], 20);
      },
      'the first page, twice': async (learner) => {
        await insuredAll(learner, 3);
        await read(learner, [1, 1]);
      },
      'the first page, again and again': async (learner) => {
        await insuredAll(learner, 3);
        await read(learner, [1, 1, 1, 1]);
        equal((await stateOf(learner, 'all-pages')).misses, 1);
      },
      'the list, as everybody reads it, once begun': async (learner) => {
        await insuredAll(learner, 2);
        await read(learner, [1], 100);
        await learner.call('GET', list);
        equal((await stateOf(learner, 'all-pages')).misses, 1);
        await read(learner, [1]);
        await learner.call('GET', list);
      },
      'a page behind the last one': async (learner) => {
        await insuredAll(learner, 3);
        await read(learner, [1, 2, 5]);
      },
      'of those with one status': async (learner) => {
        await insuredAll(learner, 3);
        await learner.call('GET', list);
        for (const page of [1, 2, 3]) await learner.call('GET', `${list}?status=active&pageSize=1&page=${page}`);
      },
      'of those that changed since then': async (learner) => {
        await insuredAll(learner, 3);
        const since = 'updatedSince=2000-01-01T00:00:00Z';
        for (const page of [1, 2, 3]) await learner.call('GET', `${list}?${since}&pageSize=1&page=${page}`);
      },
      'a first page that was the only one': async (learner) => {
        await insuredAll(learner, 1);
        await read(learner, [1]);
        await insuredAll(learner, 2);
        await read(learner, [2, 3]);
      },
      'another size on page 1': async (learner) => {
        await insuredAll(learner, 3);
        await read(learner, [1]);
        await read(learner, [1], 2);
        await read(learner, [2, 3]);
      },
      'by offset and limit': async ({ call, ...rest }) => {
        await insuredAll({ call, ...rest }, 3);
        await call('GET', `${list}?offset=20&limit=20`);
      },
      'another pageSize on the second page': async (learner) => {
        await insuredAll(learner, 7);
        await read(learner, [1]);
        await read(learner, [2], 2);
      },
      'two walks at once': async (learner) => {
        await insuredAll(learner, 6);
        await read(learner, [1], 2);
        await read(learner, [1], 1);
        await read(learner, [2], 2);
      },
      'the usual pageSize on the last page': async (learner) => {
        await insuredAll(learner, 24);
        await read(learner, [1], 8);
        await learner.call('GET', `${list}?page=2`);
      },
      'the first page by an offset': async ({ call, ...rest }) => {
        await insuredAll({ call, ...rest }, 3);
        for (const offset of [0, 1]) await call('GET', `${list}?offset=${offset}&pageSize=1`);
      },
      'the first page after another one': async (learner) => {
        await insuredAll(learner, 3);
        await read(learner, [1, 2, 1]);
      },
      'two pages': async (learner) => {
        await insuredAll(learner, 2);
        await read(learner, [1, 2]);
      },
      'two pages, and an empty one': async (learner) => {
        await insuredAll(learner, 2);
        await read(learner, [1, 2, 3]);
      },
      'all but the last': async (learner) => {
        await insuredAll(learner, 4);
        await read(learner, [1, 2, 3]);
      },
      'a page left out': async (learner) => {
        await insuredAll(learner, 4);
        await read(learner, [1, 2, 4]);
      },
      'a page left out in the middle': async (learner) => {
        await insuredAll(learner, 7);
        await read(learner, [1, 2, 3, 5, 6]);
        equal((await stateOf(learner, 'all-pages')).misses, 1);
      },
      'another pageSize from the second page on': async (learner) => {
        await insuredAll(learner, 5);
        await read(learner, [1]);
        await read(learner, [2, 3], 2);
      },
      'the first and the last': async (learner) => {
        await insuredAll(learner, 3);
        await read(learner, [1, 3]);
      },
      'the last, twice': async (learner) => {
        await insuredAll(learner, 3);
        await read(learner, [3, 3]);
      },
      'in another order, in the middle': async (learner) => {
        await insuredAll(learner, 4);
        await read(learner, [1, 3, 2, 4]);
      },
      'another pageSize, after one for a single page': async (learner) => {
        await insuredAll(learner, 4);
        await read(learner, [1], 100);
        await read(learner, [2], 2);
      },
      'another pageSize, and back': async (learner) => {
        await insuredAll(learner, 7);
        await read(learner, [1], 2);
        await read(learner, [2], 1);
        await read(learner, [3], 2);
      },
      'a first page of another size': async (learner) => {
        await insuredAll(learner, 7);
        await read(learner, [1], 2);
        await read(learner, [1], 1);
      },
      'a first page of another size, twice': async (learner) => {
        await insuredAll(learner, 7);
        await read(learner, [1], 2);
        await read(learner, [1, 1], 1);
      },
      'in another order': async (learner) => {
        await insuredAll(learner, 3);
        await read(learner, [2, 1, 3]);
      },
      'a page of another list': async (learner) => {
        await insuredAll(learner, 3);
        await registered(learner);
        await registered(learner);
        await read(learner, [1]);
        await learner.call('GET', '/claims/v1/claims?page=2&pageSize=1');
        await read(learner, [3]);
      },
      'a page that was cut off': async (learner) => {
        await insuredAll(learner, 3);
        await read(learner, [1]);
        await startDrill(learner, 'cut-connections', { when: 'middle' });
        await rejects(read(learner, [2]));
        await endDrill(learner, 'cut-connections');
        await read(learner, [3]);
      },
    },
    remarks: {
      'the last, twice': /did not read page 2/,
      'any policy': /^Your list is empty/,
      'one page': /only one page\. It has to take at least three/,
      'the head of a page': /HEAD gives no body/,
      'the head of the second page': /HEAD gives no body/,
      'the first of two pages': /only 2 pages\. It has to take at least three/,
      'one page, once the first of three was read': /only one page\. It has to take at least three/,
      'the first page, twice': /You got page 1 again/,
      'the first page, again and again': /You got page 1 again/,
      'the first page by an offset': /no offset and no limit/,
      'by offset and limit': /no offset and no limit/,
      'the list, as everybody reads it, once begun': /With this pageSize the list has only one page/,
      'two walks at once': /^You began again, with pageSize=1/,
      'a first page of another size': /^You began again, with pageSize=1/,
      'a page behind the last one': /^Page 5 comes after the last one, which is 3\.$/,
      'of those with one status': /^With a filter it is not the whole list/,
      'of those that changed since then': /^With a filter it is not the whole list/,
      'a first page that was the only one': /^When you read page 1, it was the last one/,
      'another size on page 1': /^After page 1 with pageSize=1 you read page 1 with pageSize=2\./,
      'another pageSize on the second page':
        /^You changed the pageSize from 1 to 2, and with 2 you have not read page \d+\.$/,
      'the usual pageSize on the last page':
        /^You changed the pageSize from 8 to 20, and with 20 you have not read page \d+\.$/,
      'two pages': /only 2 pages\. It has to take at least three/,
      'two pages, and an empty one': /only 2 pages\. It has to take at least three/,
      'a page left out in the middle': /^From page 3 you went to page 5\. Go back to page 4, and read on from there\.$/,
      'a page left out': /you did not read page 3 with pageSize=1\./,
      'another pageSize from the second page on': /you did not read page 1 with pageSize=2\./,
      'the first and the last': /you did not read page 2 with pageSize=1\./,
      'in another order': /^You read page 1 only after page 2\. Begin/,
      'in another order, in the middle': /^You read page 2 only after page 3\. Begin/,
      'another pageSize, after one for a single page':
        /^You changed the pageSize from 100 to 2, and with 2 you have not read page 1\.$/,
      'another pageSize, and back': /^You changed the pageSize from 1 to 2, and with 2 you have not read page 2\.$/,
      'a first page of another size, twice': /You got page 1 again/,
      'a page of another list': /you did not read page 2 with pageSize=1\./,
      'a page that was cut off': /you did not read page 2 with pageSize=1\./,
      'the list, as everybody reads it': /With this pageSize the list has only one page\./,
    },
    done: {
      'one page, once the first of three was read': 1,
      'the head of the second page': 1,
      'the first page, twice': 1,
      'the first page, again and again': 1,
      'a page left out in the middle': 1,
      'a page behind the last one': 1,
      'another size on page 1': 1,
      'another pageSize on the second page': 1,
      'two walks at once': 1,
      'the usual pageSize on the last page': 1,
      'the first page after another one': 1,
      'all but the last': 1,
      'a page left out': 1,
      'another pageSize from the second page on': 1,
      'the first and the last': 1,
      'in another order': 1,
      'in another order, in the middle': 1,
      'another pageSize, and back': 1,
      'a first page of another size': 1,
      'a first page of another size, twice': 1,
      'a page of another list': 1,
      'a page that was cut off': 1,
    },
  },

  'pages-while-creating': {
    async solve(learner) {
      await reset(learner);
      await insuredAll(learner, 3);
      await read(learner, [1, 2]);
      await insured(learner);
      return read(learner, [3, 4]);
    },
    alsoSolvedBy: {
      'the shortest way': async (learner) => {
        await learner.call('POST', '/range/v1/me/fleet');
        await read(learner, [1, 2], 25);
        await insured(learner);
        await read(learner, [3, 4], 25);
      },
      'a number that is not 75': async (learner) => {
        await insuredAll(learner, 6);
        await read(learner, [1, 2], 2);
        await insured(learner);
        await read(learner, [3, 4], 2);
      },
    },
    misses: {
      'a second page': async (learner) => {
        await insuredAll(learner, 3);
        await read(learner, [1], 3);
        await insured(learner);
      },
      'created before': async (learner) => {
        await insuredAll(learner, 3);
        await read(learner, [1, 2, 3]);
      },
      'created after': async (learner) => {
        await insuredAll(learner, 3);
        await read(learner, [1, 2, 3]);
        await insured(learner);
      },
      'created after the page that was the last': async (learner) => {
        await insuredAll(learner, 3);
        await read(learner, [1, 2, 3]);
        await insured(learner);
        await read(learner, [4]);
      },
      'stopped at the page that was the last': async (learner) => {
        await insuredAll(learner, 3);
        await read(learner, [1, 2]);
        await insured(learner);
        await read(learner, [3]);
      },
      'the head of the page that was the last': async (learner) => {
        await insuredAll(learner, 3);
        await read(learner, [1, 2]);
        await insured(learner);
        await learner.call('HEAD', `${list}?pageSize=1&page=3`);
      },
      'a list with room on its last page': async (learner) => {
        await insuredAll(learner, 5);
        await read(learner, [1], 2);
      },
      'a new one that has room on the last page': async (learner) => {
        await insuredAll(learner, 5);
        await read(learner, [1, 2], 2);
        await insured(learner);
        await read(learner, [3], 2);
      },
      'two new ones that have room on the last page': async (learner) => {
        await insuredAll(learner, 7);
        await read(learner, [1, 2], 3);
        await insuredAll(learner, 2);
        await read(learner, [3], 3);
      },
      'two pages': async (learner) => {
        await insuredAll(learner, 1);
        await read(learner, [1]);
        await insured(learner);
        await read(learner, [2]);
      },
      'a page left out': async (learner) => {
        await insuredAll(learner, 3);
        await read(learner, [1]);
        await insured(learner);
        await read(learner, [3, 4]);
      },
      'another pageSize on the way': async (learner) => {
        await insuredAll(learner, 6);
        await read(learner, [1, 2]);
        await insured(learner);
        await read(learner, [3], 2);
      },
      'another pageSize, and nothing created': async (learner) => {
        await insuredAll(learner, 6);
        await read(learner, [1, 2]);
        await read(learner, [3], 2);
      },
      'another pageSize, and no page left': async (learner) => {
        await insuredAll(learner, 4);
        await read(learner, [1], 2);
        await insured(learner);
        await read(learner, [2], 2);
        await read(learner, [3], 3);
      },
      'another pageSize, from its second page on': async (learner) => {
        await insuredAll(learner, 4);
        await read(learner, [1, 2, 3]);
        await insured(learner);
        await read(learner, [2, 3], 2);
      },
      'nothing created, in two walks': async (learner) => {
        await insuredAll(learner, 3);
        await read(learner, [1, 2, 3]);
        await read(learner, [1, 2, 3]);
      },
      'created between two walks': async (learner) => {
        await insuredAll(learner, 2);
        await read(learner, [1, 2]);
        await insured(learner);
        await read(learner, [1, 2, 3]);
      },
      'a list of one page, and then two': async (learner) => {
        await insuredAll(learner, 1);
        await learner.call('GET', list);
        await insuredAll(learner, 20);
        await learner.call('GET', `${list}?page=2`);
      },
      'only the answer to an earlier create again': async (learner) => {
        const [key, plate] = [{ 'Idempotency-Key': 'earlier' }, newPlate()];
        await insuredAll(learner, 2);
        await insured(learner, key, plate);
        await read(learner, [1, 2]);
        await insured(learner, key, plate);
        await read(learner, [3]);
      },
      'a create that was refused': async (learner) => {
        await insuredAll(learner, 2);
        const { regNumber } = await insured(learner);
        await read(learner, [1, 2]);
        equal((await learner.call('POST', list, { json: { regNumber } })).status, 409);
        await read(learner, [3]);
      },
      'a claim': async (learner) => {
        await insuredAll(learner, 3);
        await read(learner, [1, 2]);
        await registered(learner);
        await read(learner, [3]);
      },
      'another client’s policy': async (learner) => {
        await insuredAll(learner, 3);
        await read(learner, [1, 2]);
        await insured(await newLearner(learner.lplate));
        await read(learner, [3]);
      },
      'created when all was read': async (learner) => {
        await insuredAll(learner, 3);
        await read(learner, [1, 2]);
        await startDrill(learner, 'delay', { fromMs: 600 });
        const same = { headers: { 'Idempotency-Key': 'late' }, json: { regNumber: newPlate() } };
        const creating = [learner.call('POST', list, same), learner.call('POST', list, same)];
        // The other one waits by then.
        equal((await Promise.race(creating)).status, 409);
        await endDrill(learner, 'delay');
        // The log has calls by when they began.
        learner.lplate.clock.advance(1000);
        await read(learner, [3]);
        await stateOf(learner, 'pages-while-creating');
        await Promise.all(creating);
      },
    },
    remarks: {
      'a second page': /^The whole list fits on this one page/,
      'created after the page that was the last':
        /^You created the policy after you had read the page that was the last/,
      'the head of the page that was the last': /HEAD gives no body/,
      'a list with room on its last page': /^With 5 policies and a pageSize of 2 the last page has room/,
      'two new ones that have room on the last page': /^With 7 policies and a pageSize of 3 the last page has room/,
      'a new one that has room on the last page':
        /^With 5 policies and a pageSize of 2 the last page has room for a new one\. Begin again/,
      'two pages': /only 2 pages\. It has to take at least three/,
      'a list of one page, and then two': /only 2 pages\. It has to take at least three/,
      'a page left out': /you did not read page 2 with pageSize=1\./,
      'another pageSize on the way': /^You changed the pageSize from 1 to 2, and with 2 you have not read page \d+\.$/,
      'another pageSize, and no page left':
        /^You changed the pageSize from 2 to 3, and with 3 you have not read page \d+\.$/,
      'another pageSize, from its second page on': /you did not read page 1 with pageSize=2\./,
      'created between two walks': /before you read page 1/,
      'only the answer to an earlier create again': /the answer to an earlier create again/,
      'created before': /No policy was created while you read\. Create one/,
      'created after': /No policy was created while you read\. Create one/,
      'another pageSize, and nothing created': /You changed the pageSize from/,
      'nothing created, in two walks': /No policy was created while you read\. Create one/,
      'a create that was refused': /No policy was created while you read\. Create one/,
      'a claim': /No policy was created while you read\. Create one/,
      'another client’s policy': /No policy was created while you read\. Create one/,
    },
    done: {
      'stopped at the page that was the last': 1,
      'the head of the page that was the last': 1,
      'a page left out': 1,
      'another pageSize on the way': 1,
      'another pageSize, and no page left': 1,
      'another pageSize, from its second page on': 1,
      'created when all was read': 1,
    },
  },
  'find-one': {
    async solve(learner) {
      await learner.call('POST', '/range/v1/me/fleet');
      const { regNumber } = await insured(learner);
      await learner.call('GET', list);
      return learner.call('GET', `${list}?regNumber=${regNumber.toLowerCase().replace('-', '')}`);
    },
    alsoSolvedBy: {
      'one of the second page, which was read': async (learner) => {
        await insuredAll(learner, 3);
        const { regNumber } = await insured(learner);
        await read(learner, [1, 4]);
        await learner.call('GET', `${list}?regNumber=${regNumber}`);
      },
      'with a status, behind the second page': async (learner) => {
        await insuredAll(learner, 3);
        const { regNumber } = await insured(learner);
        await read(learner, [1, 2]);
        await learner.call('GET', `${list}?regNumber=${regNumber}&status=active`);
      },
    },
    misses: {
      'a parameter that the list does not know': async (learner) => {
        const { regNumber } = await insured(learner);
        await insuredAll(learner, 1);
        await read(learner, [1]);
        await learner.call('GET', `${list}?wanted=${regNumber}`);
      },
      'a parameter that no database stores': async (learner) => {
        await insuredAll(learner, 2);
        await read(learner, [1]);
        await learner.call('GET', `${list}?%00=${'x'.repeat(3000)}`);
      },
      'a parameter longer than a sentence': async (learner) => {
        await insuredAll(learner, 2);
        await read(learner, [1]);
        await learner.call('GET', `${list}?${'no+'.repeat(1000)}=1`);
      },
      'a filter by status': async (learner) => {
        await insuredAll(learner, 2);
        await read(learner, [1]);
        await learner.call('GET', `${list}?status=active`);
      },
      'a vehicle that is not insured': async (learner) => {
        await insuredAll(learner, 2);
        await read(learner, [1]);
        await learner.call('GET', `${list}?regNumber=${newPlate()}`);
      },
      'a page that is not there': async (learner) => {
        await insuredAll(learner, 1);
        const { regNumber } = await insured(learner);
        await read(learner, [1]);
        await learner.call('GET', `${list}?page=2&regNumber=${regNumber}`);
      },
      'one of the page that was read': async (learner) => {
        const { regNumber } = await insured(learner);
        await insuredAll(learner, 1);
        await read(learner, [1]);
        await learner.call('GET', `${list}?regNumber=${regNumber}`);
      },
      'its head': async (learner) => {
        await insuredAll(learner, 1);
        const { regNumber } = await insured(learner);
        await read(learner, [1]);
        await learner.call('HEAD', list);
        await learner.call('HEAD', `${list}?regNumber=${regNumber}`);
      },
      'without a page before it': async (learner) => {
        const { regNumber } = await insured(learner);
        await learner.call('GET', `${list}?regNumber=${regNumber}`);
      },
      'another page': async (learner) => {
        await insuredAll(learner, 4);
        await read(learner, [1, 4]);
      },
      'the whole list': async (learner) => {
        await insuredAll(learner, 4);
        await read(learner, [1]);
        await read(learner, [1], 100);
      },
      'its registration number in the path': async (learner) => {
        await insuredAll(learner, 1);
        const { regNumber } = await insured(learner);
        await read(learner, [1]);
        equal((await learner.call('GET', `${list}/${regNumber}`)).status, 404);
      },
      'a parameter that is nearly right': async (learner) => {
        await insuredAll(learner, 2);
        await read(learner, [1]);
        for (const name of ['regnumber', 'reg_number'])
          equal((await learner.call('GET', `${list}?${name}=${newPlate()}`)).status, 400);
      },
      'a size that is refused': async (learner) => {
        await insuredAll(learner, 2);
        await read(learner, [1]);
        equal((await learner.call('GET', `${list}?pagesize=2`)).status, 400);
      },
      'a filter that is refused': async (learner) => {
        await insuredAll(learner, 2);
        await read(learner, [1]);
        await learner.call('GET', `${list}?regNumber=`);
      },
    },
    remarks: {
      'a parameter that the list does not know': /^The list knows no parameter wanted, so it was not filtered/,
      'a parameter that no database stores': /^The list knows no parameter \ufffd, so/,
      'a parameter longer than a sentence': /^The list knows no parameter (?:no ){20}…, so/,
      'a filter by status': /^That found the policies with one status/,
      'a vehicle that is not insured': /^Nothing was found for that vehicle/,
      'a page that is not there': /Leave page out/,
      'one of the page that was read': /^That policy stands on the page that you read/,
      'its head': /HEAD gives no body/,
      'without a page before it': /nothing shows that it was needed/,
      'a parameter that is nearly right': /^The filter was refused/,
      'a filter that is refused': /^The filter was refused/,
      'another page': /^You read a page of the whole list\./,
      'the whole list': /^You read a page of the whole list\./,
      'its registration number in the path': /^That is the address of one policy, which needs its id\./,
    },
    done: {
      'a parameter that the list does not know': 1,
      'a parameter that no database stores': 1,
      'a parameter longer than a sentence': 1,
      'a filter by status': 1,
      'a vehicle that is not insured': 1,
      'a page that is not there': 1,
      'one of the page that was read': 1,
      'its head': 1,
      'another page': 1,
      'the whole list': 1,
      'its registration number in the path': 1,
      'a parameter that is nearly right': 1,
      'a size that is refused': 1,
      'a filter that is refused': 1,
    },
  },
});
