import { equal, match } from 'node:assert/strict';
import type { Answer } from '../../support/lplate.ts';
import { until } from '../../support/until.ts';
import { type Learner, newPlate, stateOf, testLessons } from './lesson.ts';

const imports = '/insurer/v1/policy-imports';
const ndjson = 'application/x-ndjson';

interface Draft {
  readonly regNumber: string;
  readonly coverageOption?: string;
}

const drafts = (count: number): Draft[] => Array.from({ length: count }, () => ({ regNumber: newPlate() }));

const lines = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

const post = ({ call }: Learner, body: string, headers: Record<string, string> = {}): Promise<Answer> =>
  call('POST', imports, { body, headers: { 'Content-Type': ndjson, ...headers } });

/** The address of a new import. */
async function sent(learner: Learner, rows: readonly object[], headers?: Record<string, string>): Promise<string> {
  const { status, text, json } = await post(learner, lines(rows), headers);
  equal(status, 202, text);
  return `${imports}/${json.id}`;
}

const slow = ({ call }: Learner) => call('POST', '/range/v1/me/drills', { json: { name: 'slow-imports' } });

/** The drill has 5 seconds for each 20 rows. */
async function wait({ lplate }: Learner, seconds: number): Promise<void> {
  lplate.clock.advance(seconds * 1000);
  await lplate.catchUp();
}

/** An import that the drill makes slow. */
async function slowly(learner: Learner, rows = drafts(2)): Promise<string> {
  await slow(learner);
  return sent(learner, rows);
}

/** Waits for an import that nothing slows down. Returns the answer that has it completed. */
async function completed({ call }: Learner, path: string): Promise<Answer> {
  let answer = await call('GET', path);
  await until(async () => {
    if (answer.json.status !== 'completed') answer = await call('GET', path);
    return answer.json.status === 'completed';
  }, 'the import is completed');
  return answer;
}

/** Rows of which those of these lines, from 1, are refused. */
const mixed = (count: number, ...refused: number[]): Draft[] =>
  drafts(count).map((draft, at) => ({ ...draft, coverageOption: refused.includes(at + 1) ? 'MTPL-2M' : 'MTPL-3M' }));

const corrected = (rows: readonly Draft[], ...which: number[]): Draft[] =>
  which.map((line) => ({ ...(rows[line - 1] as Draft), coverageOption: 'MTPL-6M' }));

/** An import of which some rows are refused, seen completed. */
async function failed(learner: Learner, ...refused: number[]): Promise<[path: string, rows: Draft[]]> {
  const rows = mixed(25, ...refused);
  const path = await sent(learner, rows);
  equal((await completed(learner, path)).json.refused, refused.length);
  return [path, rows];
}

const rowsOf = ({ call }: Learner, path: string, query = '') => call('GET', `${path}/rows${query}`);

/** The same, with its rows read to the end. */
async function looked(learner: Learner, ...refused: number[]): Promise<[path: string, rows: Draft[]]> {
  const [path, rows] = await failed(learner, ...refused);
  await rowsOf(learner, path);
  await rowsOf(learner, path, '?page=2');
  return [path, rows];
}

const resend = async (learner: Learner, rows: readonly object[]) => completed(learner, await sent(learner, rows));

testLessons({
  'import-job': {
    async solve(learner) {
      const path = await slowly(learner);
      await wait(learner, 6);
      equal((await learner.call('GET', path)).json.status, 'completed');
      return rowsOf(learner, path);
    },
    alsoSolvedBy: {
      'several rounds': async (learner) => {
        const path = await slowly(learner, drafts(25));
        await wait(learner, 5);
        await wait(learner, 6);
        await learner.call('POST', '/range/v1/me/drills', {
          json: { name: 'slow-imports', parameters: { groupSeconds: 12 } },
        });
        equal((await learner.call('GET', path)).json.status, 'completed');
        // Its six groups take 72 seconds, and Retry-After says 60 at the most.
        const second = await sent(learner, drafts(101));
        await wait(learner, 60);
        const { json, headers } = await learner.call('GET', second);
        equal(json.status, 'running');
        await wait(learner, Number(headers.get('retry-after')));
        equal((await learner.call('GET', second)).json.status, 'completed');
        await rowsOf(learner, second);
      },
      'too early once': async (learner) => {
        const path = await slowly(learner);
        await learner.call('GET', path);
        await wait(learner, 6);
        await learner.call('GET', path);
        await rowsOf(learner, path);
      },
      'a key, sent again': async (learner) => {
        await slow(learner);
        const rows = drafts(2);
        const path = await sent(learner, rows, { 'Idempotency-Key': 'once' });
        equal(await sent(learner, rows, { 'Idempotency-Key': 'once' }), path);
        await wait(learner, 6);
        await learner.call('GET', path);
        await rowsOf(learner, path);
      },
      'a moved clock': async (learner) => {
        const path = await slowly(learner);
        // What comes in the instant of the move is taken for later.
        learner.lplate.clock.advance(1);
        await learner.call('POST', '/range/v1/me/clock', { json: { advance: 'PT6S' } });
        await learner.lplate.catchUp();
        await learner.call('GET', path);
        await rowsOf(learner, path);
      },
    },
    misses: {
      'without the drill': async (learner) => {
        const path = await sent(learner, drafts(2));
        await wait(learner, 2);
        await completed(learner, path);
        await rowsOf(learner, path);
      },
      'an array, as JSON': async (learner) => {
        await slow(learner);
        equal((await post(learner, JSON.stringify(drafts(2)), { 'Content-Type': 'application/json' })).status, 415);
      },
      'an array, as NDJSON': async (learner) => {
        await slow(learner);
        equal((await post(learner, JSON.stringify(drafts(2)))).status, 202);
      },
      'lines, as JSON': async (learner) => {
        await slow(learner);
        equal((await post(learner, lines(drafts(2)), { 'Content-Type': 'application/json' })).status, 415);
      },
      'nothing in it': async (learner) => {
        await slow(learner);
        equal((await post(learner, '')).status, 400);
      },
      'a guessed address': ({ call }) => call('POST', '/insurer/v1/policies-import', { json: drafts(1) }),
      'an address elsewhere': ({ call }) => call('POST', '/claims/v1/bulk', { json: drafts(1) }),
      'by another method': ({ call }) => call('PUT', imports, { json: drafts(1) }),
      'below the policies': async ({ call }) => {
        equal((await call('POST', '/insurer/v1/policies/import', { json: drafts(1) })).status, 405);
      },
      'lines to where one policy is created': async ({ call }) => {
        const options = { body: lines(drafts(2)), headers: { 'Content-Type': ndjson } };
        equal((await call('POST', '/insurer/v1/policies', options)).status, 415);
      },
      'one by one': async (learner) => {
        await post(learner, '');
        for (const json of drafts(10)) await learner.call('POST', '/insurer/v1/policies', { json });
      },
      'one by one, as in other lessons': async (learner) => {
        for (const json of drafts(10)) await learner.call('POST', '/insurer/v1/policies', { json });
      },
      'only started': (learner) => slowly(learner),
      'read at once': async (learner) => learner.call('GET', await slowly(learner)),
      'read every other second': async (learner) => {
        const path = await slowly(learner);
        for (let round = 0; round < 3; round += 1) {
          await wait(learner, 2);
          await learner.call('GET', path);
        }
        await rowsOf(learner, path);
      },
      'completed too early, and read once more': async (learner) => {
        const path = await slowly(learner);
        await wait(learner, 5);
        equal((await learner.call('GET', path)).json.status, 'completed');
        await learner.call('GET', path);
      },
      'the head of its rows': async (learner) => {
        const path = await slowly(learner);
        await wait(learner, 6);
        await learner.call('GET', path);
        await learner.call('HEAD', `${path}/rows`);
      },
      'the list': async (learner) => {
        await slowly(learner);
        await learner.call('GET', imports);
      },
      'another id': async (learner) => {
        await slowly(learner);
        await wait(learner, 6);
        equal((await learner.call('GET', `${imports}/imp-1`)).status, 404);
      },
      'sent twice': async (learner) => {
        await slow(learner);
        const rows = drafts(2);
        await sent(learner, rows);
        await sent(learner, rows);
      },
      'another one meanwhile': async (learner) => {
        await slowly(learner);
        await sent(learner, drafts(2));
      },
      'rows too early': async (learner) => rowsOf(learner, await slowly(learner)),
      'rows not read': async (learner) => {
        const path = await slowly(learner);
        await wait(learner, 6);
        await learner.call('GET', path);
      },
      'all refused': async (learner) => {
        const path = await slowly(learner, [{ regNumber: '' }, { regNumber: '' }]);
        await wait(learner, 6);
        await learner.call('GET', path);
        await rowsOf(learner, path);
      },
      'the answer to an import from before it was taken again': async (learner) => {
        await slow(learner);
        const rows = drafts(2);
        await sent(learner, rows, { 'Idempotency-Key': 'before' });
        learner.lplate.clock.advance(1);
        equal((await learner.call('DELETE', '/range/v1/me/lessons/import-job')).status, 204);
        await sent(learner, rows, { 'Idempotency-Key': 'before' });
      },
      'an import from before it was taken again': async (learner) => {
        const path = await slowly(learner);
        learner.lplate.clock.advance(1);
        equal((await learner.call('DELETE', '/range/v1/me/lessons/import-job')).status, 204);
        await wait(learner, 6);
        await learner.call('GET', path);
        await rowsOf(learner, path);
      },
    },
    remarks: {
      'the answer to an import from before it was taken again': /^This was the kept answer/,
      'without the drill': /^Nothing makes this import slow/,
      'an array, as JSON': /^An array is one JSON text/,
      'an array, as NDJSON': /^An array is one JSON text/,
      'lines, as JSON': /the Content-Type is not application\/x-ndjson/,
      'a guessed address': /^Nothing has the path \/insurer\/v1\/policies-import\. The reference/,
      'by another method': /^The path \/insurer\/v1\/policy-imports does not take PUT\./,
      'below the policies': /^The path \/insurer\/v1\/policies\/import does not take POST\./,
      'lines to where one policy is created': /^This path takes one policy/,
      'one by one': /one by one again/,
      'read at once': /^You waited 0 s, and Retry-After said 6\./,
      'read every other second': /^You waited 2 s, and Retry-After said [46]\./,
      'completed too early, and read once more':
        /^You waited 5 s, and Retry-After said 6\. It is completed: import others/,
      'the head of its rows': /HEAD gives no body/,
      'the list': /the list of all your imports/,
      'another id': /no import with this id/,
      'sent twice': /so there are two/,
      'rows too early': /before you saw the import completed/,
      'all refused': /no row became a policy/,
    },
    done: {
      'only started': 1,
      'read at once': 1,
      'read every other second': 1,
      'completed too early, and read once more': 1,
      'the list': 1,
      'another id': 1,
      'sent twice': 1,
      'another one meanwhile': 1,
      'rows too early': 1,
      'rows not read': 2,
      'the head of its rows': 2,
      'all refused': 1,
    },
  },

  'import-rows': {
    async solve(learner) {
      const [, rows] = await looked(learner, 4, 24);
      return resend(learner, corrected(rows, 4, 24));
    },
    alsoSolvedBy: {
      'the shortest way, all rows on one page': async (learner) => {
        const [path, rows] = await failed(learner, 4);
        await rowsOf(learner, path, '?pageSize=500');
        await resend(learner, corrected(rows, 4));
      },
      'in three imports': async (learner) => {
        const [, rows] = await looked(learner, 3, 4, 24);
        const second = await sent(learner, [...corrected(rows, 3), rows[3] as Draft, ...corrected(rows, 24)]);
        equal((await completed(learner, second)).json.refused, 1);
        await rowsOf(learner, second);
        await resend(learner, corrected(rows, 4));
      },
      'all refused again in the second of three': async (learner) => {
        const [, rows] = await looked(learner, 4, 24);
        await resend(learner, [rows[3] as Draft, rows[23] as Draft]);
        await resend(learner, corrected(rows, 4, 24));
      },
      'begun again, once only some were sent again': async (learner) => {
        const [, before] = await looked(learner, 4, 24);
        await resend(learner, corrected(before, 4));
        const [, rows] = await looked(learner, 4, 24);
        await resend(learner, corrected(rows, 4, 24));
      },
      'refused for their vehicles': async (learner) => {
        const rows = drafts(25).map((draft, at) => (at >= 23 ? { regNumber: '' } : draft));
        const path = await sent(learner, rows);
        await completed(learner, path);
        await rowsOf(learner, path);
        await rowsOf(learner, path, '?page=2');
        await resend(learner, drafts(2));
      },
      'with plates in another spelling': async (learner) => {
        const [, rows] = await looked(learner, 23, 24);
        const plain = (draft: Draft) => ({ ...draft, regNumber: draft.regNumber.replaceAll('-', '').toLowerCase() });
        await resend(learner, corrected(rows, 23, 24).map(plain));
      },
      'the last page first': async (learner) => {
        const [path, rows] = await failed(learner, 4, 24);
        for (const page of [2, 1]) await rowsOf(learner, path, `?page=${page}`);
        await resend(learner, corrected(rows, 4, 24));
      },
      'begun again': async (learner) => {
        const [, before] = await looked(learner, 4, 24);
        await resend(learner, before);
        const [, rows] = await looked(learner, 4, 24);
        await resend(learner, corrected(rows, 4, 24));
      },
    },
    misses: {
      'no row refused': (learner) => failed(learner),
      'all refused': async (learner) => completed(learner, await sent(learner, Array(25).fill({}))),
      'few rows': async (learner) => completed(learner, await sent(learner, mixed(20, 4))),
      'an import of the lesson before': async (learner) => completed(learner, await sent(learner, drafts(2))),
      'rows not read': (learner) => failed(learner, 4, 24),
      'one page of rows': async (learner) => {
        const [path, rows] = await failed(learner, 4, 24);
        await rowsOf(learner, path);
        await resend(learner, corrected(rows, 4));
      },
      'the last page alone': async (learner) => {
        const [path] = await failed(learner, 4, 24);
        await rowsOf(learner, path, '?page=2');
      },
      'the last page alone, and sent again': async (learner) => {
        const [path, rows] = await failed(learner, 4, 24);
        await rowsOf(learner, path, '?page=2');
        await resend(learner, corrected(rows, 4, 24));
      },
      'pages of two sizes': async (learner) => {
        const [path] = await failed(learner, 4, 24);
        await rowsOf(learner, path, '?pageSize=10');
        await rowsOf(learner, path, '?page=2&pageSize=20');
      },
      'rows too early': async (learner) => rowsOf(learner, await slowly(learner, mixed(25, 4, 24))),
      'more sent before it was completed': async (learner) => {
        const rows = mixed(25, 4, 24);
        await slowly(learner, rows);
        await sent(learner, corrected(rows, 4, 24));
      },
      'the rows of another import': async (learner) => {
        await failed(learner, 4, 24);
        await rowsOf(learner, await sent(learner, drafts(2)));
      },
      'the whole file again': async (learner) => {
        const [, rows] = await looked(learner, 4, 24);
        await resend(learner, rows);
      },
      'the whole file again, put right': async (learner) => {
        const [, rows] = await looked(learner, 4, 24);
        const all = rows.map((_, at) => at + 1);
        const path = await sent(learner, corrected(rows, ...all));
        match((await stateOf(learner, 'import-rows')).lastMiss, /^Rows in this import: 25\./);
        equal((await completed(learner, path)).json.created, 2);
        await learner.call('GET', path);
      },
      'another file': async (learner) => {
        await looked(learner, 4, 24);
        await failed(learner, 5, 25);
      },
      'the head of a page of rows': async (learner) => {
        const [path] = await failed(learner, 4, 24);
        await learner.call('HEAD', `${path}/rows`);
      },
      'one row too many': async (learner) => {
        const [, rows] = await looked(learner, 4, 24);
        await resend(learner, [...corrected(rows, 4, 24), rows[0] as Draft]);
      },
      'one row too few': async (learner) => {
        const [, rows] = await looked(learner, 4, 24);
        await resend(learner, corrected(rows, 4));
      },
      'one row too few, not seen completed': async (learner) => {
        const [, rows] = await looked(learner, 4, 24);
        await sent(learner, corrected(rows, 4));
      },
      'one row too few, unchanged': async (learner) => {
        const [, rows] = await looked(learner, 4, 24);
        await resend(learner, [rows[3] as Draft]);
      },
      'the second of three not read': async (learner) => {
        const [, rows] = await looked(learner, 4, 24);
        await resend(learner, [...corrected(rows, 4), rows[23] as Draft]);
        const path = await sent(learner, corrected(rows, 24));
        match((await stateOf(learner, 'import-rows')).lastMiss, /before you had read the rows of that import/);
        await completed(learner, path);
      },
      'as many others': async (learner) => {
        await looked(learner, 4, 24);
        await resend(learner, drafts(2));
      },
      unchanged: async (learner) => {
        const [, rows] = await looked(learner, 4, 24);
        await resend(learner, [rows[3] as Draft, rows[23] as Draft]);
      },
      'one of them unchanged': async (learner) => {
        const [, rows] = await looked(learner, 4, 24);
        await resend(learner, [...corrected(rows, 4), rows[23] as Draft]);
      },
      'one by one': async (learner) => {
        const [, rows] = await looked(learner, 4, 24);
        for (const json of corrected(rows, 4, 24)) await learner.call('POST', '/insurer/v1/policies', { json });
      },
      'one that was no row': async (learner) => {
        await looked(learner, 4, 24);
        for (const json of drafts(1)) await learner.call('POST', '/insurer/v1/policies', { json });
      },
      'not seen completed': async (learner) => {
        const [, rows] = await looked(learner, 4, 24);
        await sent(learner, corrected(rows, 4, 24));
      },
    },
    remarks: {
      'no row refused': /^No row was refused/,
      'all refused': /^All rows were refused\. Import/,
      'few rows': /all 20 of them are on one page/,
      'one page of rows': /before you had read all rows of their import/,
      'the last page alone': /^You read the last page of the rows, but not page 1/,
      'the last page alone, and sent again': /before you had read all rows of their import/,
      'pages of two sizes': /^You read the last page of the rows, but not page 1/,
      'rows too early': /before you saw the import completed/,
      'more sent before it was completed': /202 says that it was accepted/,
      'the rows of another import': /before you had read all pages/,
      'the whole file again': /^Rows in this import: 25\. Rows that were refused: 2\./,
      'the whole file again, put right': /rows that were policies already\. Begin again/,
      'the head of a page of rows': /HEAD gives no body/,
      'one row too many': /rows that were policies already\. Begin again/,
      'one row too few': /^Some of the refused rows are policies now.*Begin again/,
      'one row too few, not seen completed': /^Rows in this import: 1\. Rows that were refused: 2\./,
      'one row too few, unchanged': /^Rows in this import: 1\. Rows that were refused: 2\./,
      'the second of three not read': /before you had read all rows of their import/,
      'as many others': /^A vehicle whose row was refused is not in this import/,
      unchanged: /^All of them were refused\./,
      'one of them unchanged': /^Rows in this import: 2\. Rows that were refused again: 1\./,
      'one by one': /^A refused row is a policy of its own now.* Begin again/,
      'one that was no row': /in a second import/,
    },
    done: {
      'rows not read': 1,
      'the last page alone': 1,
      'pages of two sizes': 1,
      'the rows of another import': 1,
      'the whole file again': 2,
      'another file': 2,
      'the head of a page of rows': 1,
      'one row too few, not seen completed': 2,
      'one row too few, unchanged': 2,
      'as many others': 2,
      unchanged: 2,
      'one of them unchanged': 2,
      'one that was no row': 2,
      'not seen completed': 2,
    },
  },
});
