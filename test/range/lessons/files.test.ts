import { equal } from 'node:assert/strict';
import { consoleHeader } from '../../../src/http/requests/header-names.ts';
import type { Answer } from '../../support/lplate.ts';
import { until } from '../../support/until.ts';
import { answer, type Learner, newPlate, reset, testLessons, wrongAnswer } from './lesson.ts';

const statements = '/insurer/v1/statements';
const policies = '/insurer/v1/policies';
const month = '2026-03';

const insured = async ({ call }: Learner, more: object = {}): Promise<string> => {
  const { status, text, json } = await call('POST', policies, { json: { regNumber: newPlate(), ...more } });
  equal(status, 201, text);
  return json.id;
};

async function insuredAll(learner: Learner, count: number): Promise<void> {
  for (let made = 0; made < count; made += 1) await insured(learner);
}

/** Waits until what was accepted is completed, by calls of the console, which count for no lesson. */
async function awaited({ call, lplate }: Learner, path: string): Promise<void> {
  const headers = { [consoleHeader]: '1' };
  await until(async () => {
    lplate.clock.advance(1000);
    return (await call('GET', path, { headers })).json.status === 'completed';
  }, `${path} is completed`);
}

/** The path of a statement that is completed. */
async function made({ call }: Learner, draft: object = {}): Promise<string> {
  const { status, text, json } = await call('POST', statements, { json: { month, format: 'csv', ...draft } });
  equal(status, 202, text);
  const path = `${statements}/${json.id}`;
  await until(async () => (await call('GET', path)).json.status === 'completed', 'the statement is completed');
  return path;
}

const drill = ({ call }: Learner, name: string) => call('POST', '/range/v1/me/drills', { json: { name } });
const endDrill = ({ call }: Learner, name: string) => call('DELETE', `/range/v1/me/drills/${name}`);

/** What comes of a file, and the id of the call. */
interface Fetched {
  readonly text: string;
  readonly tag: string;
  readonly answer: Answer;
}

async function fetched(
  { lplate, token }: Learner,
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<Fetched> {
  const response = await fetch(`${lplate.url}${path}/content`, {
    method,
    headers: { Authorization: `Bearer ${token}`, 'Accept-Encoding': 'identity', ...headers },
  });
  let text = '';
  const decoder = new TextDecoder();
  try {
    for await (const part of response.body ?? []) text += decoder.decode(part, { stream: true });
  } catch {
    // It ended early.
  }
  return { text, tag: response.headers.get('etag') ?? '', answer: response as unknown as Answer };
}

/** The first half of a file of so many rows, and its path. */
async function cut(learner: Learner, count = 4, draft: object = {}, headers = {}): Promise<Fetched & { path: string }> {
  await reset(learner);
  await insuredAll(learner, count);
  const path = await made(learner, draft);
  await drill(learner, 'short-file');
  return { path, ...(await fetched(learner, path, headers)) };
}

/** The same, and then the whole of it. */
async function cutAndWhole(learner: Learner, draft: object = {}): Promise<{ short: Fetched; whole: Fetched }> {
  const short = await cut(learner, 4, draft);
  await endDrill(learner, 'short-file');
  return { short, whole: await fetched(learner, short.path) };
}

/** Whole rows of policies. */
const rowsIn = (text: string) =>
  text
    .split('\n')
    .slice(0, -1)
    .filter((line) => /^(?:pol-|\{"policyNumber)/.test(line)).length;

const rest = (learner: Learner, { path, text, tag }: Fetched & { path: string }, from = text.length) =>
  fetched(learner, path, { Range: `bytes=${from}-`, 'If-Range': tag });

/** The line of the whole file that holds the last byte of a part. */
const lineAt = (part: string, whole: string) => whole.split('\n')[part.split('\n').length - 1]?.trim() as string;

async function resumed(learner: Learner, draft: object = {}) {
  const short = await cut(learner, 4, draft);
  const second = await rest(learner, short);
  return { short, second, line: lineAt(short.text, short.text + second.text) };
}

/**
 * The file of two policies of 12 months and one of 6 of unknown vehicles: 11.725, 11.725 and 12.546 KWD, or 35.00, 35.00
 * and 37.45 EUR.
 */
async function inKwd(learner: Learner, draft: object = {}): Promise<Fetched & { path: string }> {
  await reset(learner);
  await insuredAll(learner, 2);
  await insured(learner, { coverageOption: 'MTPL-6M' });
  const path = await made(learner, { currency: 'KWD', ...draft });
  return { path, ...(await fetched(learner, path)) };
}

const commas = { format: 'csv-1252', currency: 'EUR' };

/** 107.45 less 4.38, 4.38 and 4.68. */
const left = '94.01';

const holder = 'Ada Example';

const erase = ({ call }: Learner, name = holder, headers = {}): Promise<Answer> =>
  call('POST', '/insurer/v1/erasures', { json: { holder: name }, headers });

/** Reads an erasure until it is completed. */
async function erased(learner: Learner, name = holder): Promise<Answer> {
  const { status, text, json } = await erase(learner, name);
  equal(status, 202, text);
  let report: Answer | undefined;
  await until(async () => {
    learner.lplate.clock.advance(2000);
    report = await learner.call('GET', `/insurer/v1/erasures/${json.id}`);
    return report.json.status === 'completed';
  }, 'the erasure is completed');
  return report as Answer;
}

/** So many policies of one holder. */
async function held(learner: Learner, count = 2): Promise<void> {
  await reset(learner);
  for (let made = 0; made < count; made += 1) await insured(learner, { holder });
}

const others = ({ json }: Answer): number =>
  json.touched.reduce(
    (sum: number, { what, count }: { what: string; count: number }) => sum + (what === 'policies' ? 0 : count),
    0,
  );

/** All that comes before the question. */
async function forgotten(learner: Learner): Promise<Answer> {
  await held(learner);
  // So that the log has the name more often than there are policies.
  await learner.call('GET', policies);
  const report = await erased(learner);
  await learner.call('GET', policies);
  return report;
}

testLessons({
  'file-ended-early': {
    async solve(learner) {
      const { short, whole } = await cutAndWhole(learner);
      equal((await answer(learner, 'file-ended-early', 4 - rowsIn(short.text))).correct, true);
      return whole.answer;
    },
    alsoSolvedBy: {
      'the shortest way': async (learner) => {
        await insuredAll(learner, 3);
        learner.lplate.clock.advance(1);
        await learner.call('DELETE', '/range/v1/me/lessons/file-ended-early');
        const { json } = await learner.call('POST', statements, { json: { month, format: 'csv' } });
        await awaited(learner, `${statements}/${json.id}`);
        await drill(learner, 'short-file');
        const short = await fetched(learner, `${statements}/${json.id}`);
        await endDrill(learner, 'short-file');
        await fetched(learner, `${statements}/${json.id}`);
        await answer(learner, 'file-ended-early', String(3 - rowsIn(short.text)));
      },
      'the rest of it, which has the trailer': async (learner) => {
        const { short } = await resumed(learner);
        await answer(learner, 'file-ended-early', 4 - rowsIn(short.text));
      },
      'lines of JSON': async (learner) => {
        const { short } = await cutAndWhole(learner, { format: 'ndjson' });
        await answer(learner, 'file-ended-early', 4 - rowsIn(short.text));
      },
      semicolons: async (learner) => {
        const { short } = await cutAndWhole(learner, { format: 'csv-1252' });
        await answer(learner, 'file-ended-early', 4 - rowsIn(short.text));
      },
    },
    misses: {
      nothing: async () => undefined,
      'no drill': async (learner) => {
        await insured(learner);
        await fetched(learner, await made(learner));
      },
      'too early': async (learner) => {
        await drill(learner, 'late-statement');
        const { json } = await learner.call('POST', statements, { json: { month, format: 'csv' } });
        await fetched(learner, `${statements}/${json.id}`);
      },
      'HEAD alone': async (learner) => {
        const path = await made(learner);
        await drill(learner, 'short-file');
        await fetched(learner, path, {}, 'HEAD');
      },
      'a part that was asked for': async (learner) => {
        const path = await made(learner);
        await drill(learner, 'short-file');
        await fetched(learner, path, { Range: 'bytes=10-' });
      },
      'a packed file': async (learner) => {
        await cut(learner, 4, {}, { 'Accept-Encoding': 'gzip' });
      },
      'a long file': async (learner) => {
        const fleet = Array.from({ length: 75 }, () => ({ regNumber: newPlate(), startDate: `${month}-01` }));
        await learner.call('POST', '/range/v1/me/fleet', { json: { policies: fleet } });
        const path = await made(learner, { format: 'ndjson' });
        await drill(learner, 'short-file');
        await fetched(learner, path);
      },
      'cut again': async (learner) => {
        const { path } = await cut(learner);
        await fetched(learner, path);
      },
      'another file': async (learner) => {
        await cut(learner);
        await endDrill(learner, 'short-file');
        await fetched(learner, await made(learner));
      },
      'a part without its end': async (learner) => {
        const { path } = await cut(learner);
        await fetched(learner, path, { Range: 'bytes=10-200' });
      },
      'no rows': async (learner) => {
        const { path } = await cut(learner, 0);
        await endDrill(learner, 'short-file');
        await fetched(learner, path);
      },
      'wrong answers': async (learner) => {
        const { short } = await cutAndWhole(learner);
        const [id, came] = ['file-ended-early', rowsIn(short.text)];
        equal(came, 1);
        await wrongAnswer(learner, id, 4, /trailer counts/);
        await wrongAnswer(learner, id, 1, /had come/);
        await wrongAnswer(learner, id, 2, /cut in its middle/);
        await wrongAnswer(learner, id, 40, /not their number/);
        await wrongAnswer(learner, id, 'three', /plain number/);
      },
      'an answer before the end': async (learner) => {
        await cut(learner);
        await wrongAnswer(learner, 'file-ended-early', 3, /no file that ended early/);
      },
    },
    remarks: {
      'no drill': /came whole/,
      'too early': /no file yet/,
      'HEAD alone': /HEAD gives no body/,
      'a part that was asked for': /First ask without Range/,
      'a packed file': /came packed/,
      'a long file': /not in the log as a whole/,
      'cut again': /ended early again/,
      'another file': /another (?:file|statement)/,
      'a part without its end': /no trailer/,
      'no rows': /No policy of yours/,
    },
    done: {
      'cut again': 1,
      'another file': 1,
      'a part without its end': 1,
      'no rows': 1,
      'wrong answers': 2,
      'an answer before the end': 1,
    },
  },

  'download-resumed': {
    async solve(learner) {
      const { second, line } = await resumed(learner);
      equal((await answer(learner, 'download-resumed', line)).correct, true);
      return second.answer;
    },
    alsoSolvedBy: {
      'the shortest way': async (learner) => {
        await insuredAll(learner, 3);
        const path = await made(learner);
        await drill(learner, 'short-file');
        learner.lplate.clock.advance(1);
        await learner.call('DELETE', '/range/v1/me/lessons/download-resumed');
        const short = { path, ...(await fetched(learner, path)) };
        const { text } = await rest(learner, short);
        await answer(learner, 'download-resumed', `${lineAt(short.text, short.text + text)}\r\n`);
      },
      'lines of JSON': async (learner) => {
        const { line } = await resumed(learner, { format: 'ndjson' });
        await answer(learner, 'download-resumed', line);
      },
    },
    misses: {
      nothing: async () => undefined,
      'no drill': async (learner) => {
        await insured(learner);
        await fetched(learner, await made(learner));
      },
      'the whole again': async (learner) => {
        const { path } = await cut(learner);
        await endDrill(learner, 'short-file');
        await fetched(learner, path);
      },
      'a byte too late': async (learner) => {
        const short = await cut(learner);
        await rest(learner, short, short.text.length + 1);
      },
      'a byte twice': async (learner) => {
        const short = await cut(learner);
        await rest(learner, short, short.text.length - 1);
      },
      'a part of the rest': async (learner) => {
        const { path, text, tag } = await cut(learner);
        await fetched(learner, path, { Range: `bytes=${text.length}-${text.length + 9}`, 'If-Range': tag });
      },
      'behind the end': async (learner) => rest(learner, await cut(learner), 9999),
      'without If-Range': async (learner) => {
        const { path, text } = await cut(learner);
        await fetched(learner, path, { Range: `bytes=${text.length}-` });
      },
      'an old tag': async (learner) => {
        const { path, text } = await cut(learner);
        await fetched(learner, path, { Range: `bytes=${text.length}-`, 'If-Range': '"old"' });
      },
      'no range of bytes': async (learner) => {
        const { path, text } = await cut(learner);
        await fetched(learner, path, { Range: `${text.length}-` });
      },
      'of another file': async (learner) => {
        const short = await cut(learner);
        await rest(learner, { ...short, path: await made(learner) });
      },
      'wrong answers': async (learner) => {
        const { short, second, line } = await resumed(learner);
        const id = 'download-resumed';
        await wrongAnswer(learner, id, short.text.split('\n').at(-1), /first part ends/);
        await wrongAnswer(learner, id, second.text.split('\n')[0], /second part begins/);
        await wrongAnswer(learner, id, `${line}0`, /not the line/);
        await wrongAnswer(learner, id, null, /not the line/);
      },
      'an answer without the rest': async (learner) => {
        await cut(learner);
        await wrongAnswer(learner, 'download-resumed', 'pol-', /no file that ended early/);
      },
    },
    remarks: {
      'no drill': /came whole/,
      'the whole again': /whole file again/,
      'a byte too late': /behind a gap/,
      'a byte twice': /before their end/,
      'a part of the rest': /Leave the end of the range open/,
      'behind the end': /behind the end/,
      'without If-Range': /nothing would have told you/,
      'an old tag': /If-Range has not/,
      'no range of bytes': /no range of bytes/,
      'of another file': /another statement|whole file/,
    },
    done: {
      'the whole again': 1,
      'a byte too late': 1,
      'a byte twice': 1,
      'a part of the rest': 1,
      'behind the end': 1,
      'without If-Range': 1,
      'an old tag': 1,
      'no range of bytes': 1,
      'of another file': 1,
      'wrong answers': 2,
      'an answer without the rest': 1,
    },
  },

  'cents-no-floats': {
    async solve(learner) {
      const { answer: proof } = await inKwd(learner);
      equal((await answer(learner, 'cents-no-floats', '3.599')).correct, true);
      return proof;
    },
    alsoSolvedBy: {
      'the shortest way': async (learner) => {
        const { path } = await inKwd(learner);
        learner.lplate.clock.advance(1);
        await learner.call('DELETE', '/range/v1/me/lessons/cents-no-floats');
        await fetched(learner, path);
        await answer(learner, 'cents-no-floats', '"3.599"');
      },
      'lines of JSON': async (learner) => {
        await inKwd(learner, { format: 'ndjson' });
        await answer(learner, 'cents-no-floats', '3.599');
      },
      semicolons: async (learner) => {
        await inKwd(learner, { format: 'csv-1252' });
        await answer(learner, 'cents-no-floats', 3.599);
      },
    },
    misses: {
      nothing: async () => undefined,
      'in EUR': async (learner) => inKwd(learner, { currency: 'EUR' }),
      'without a half': async (learner) => {
        await insured(learner);
        await fetched(learner, await made(learner, { currency: 'KWD' }));
      },
      'no rows': async (learner) => {
        await fetched(learner, await made(learner, { currency: 'KWD', month: '2024-01' }));
      },
      'too long a file': async (learner) => {
        await insuredAll(learner, 21);
        await fetched(learner, await made(learner, { currency: 'KWD' }));
      },
      'a packed file': async (learner) => {
        await insured(learner);
        await fetched(learner, await made(learner), { 'Accept-Encoding': 'gzip' });
      },
      'cut by the drill': async (learner) => {
        await cut(learner, 4, { currency: 'KWD' });
      },
      'HEAD alone': async (learner) => {
        await fetched(learner, await made(learner, { currency: 'KWD' }), {}, 'HEAD');
      },
      'wrong answers': async (learner) => {
        await inKwd(learner);
        for (const [wrong, advice] of [
          ['3.601', /halves went up/],
          ['3.598', /cut off/],
          ['3.600', /rounded the sum/],
          ['3.590', /two decimals/],
          ['4.500', /12\.5 %/],
          ['7.199', /not the sum/],
          ['3,599', /a point/],
          ['3.59', /three decimals/],
        ] as const)
          await wrongAnswer(learner, 'cents-no-floats', wrong, advice);
      },
      'an answer without a file': async (learner) => wrongAnswer(learner, 'cents-no-floats', '3.599', /no file in KWD/),
    },
    remarks: {
      'in EUR': /another currency/,
      'without a half': /come to the same/,
      'no rows': /No policy of yours/,
      'too long a file': /not in the log/,
      'a packed file': /packed/,
      'cut by the drill': /ended early/,
      'HEAD alone': /HEAD gives no body/,
    },
    done: { 'wrong answers': 1 },
  },

  'decimal-commas': {
    async solve(learner) {
      const { answer: proof } = await inKwd(learner, commas);
      equal((await answer(learner, 'decimal-commas', left)).correct, true);
      return proof;
    },
    alsoSolvedBy: {
      'the shortest way': async (learner) => {
        const { path } = await inKwd(learner, commas);
        learner.lplate.clock.advance(1);
        await learner.call('DELETE', '/range/v1/me/lessons/decimal-commas');
        await fetched(learner, path);
        await answer(learner, 'decimal-commas', Number(left));
      },
      'in KWD': async (learner) => {
        await inKwd(learner, { format: 'csv-1252' });
        await answer(learner, 'decimal-commas', '31.496');
      },
    },
    misses: {
      nothing: async () => undefined,
      'commas and points': async (learner) => inKwd(learner, { currency: 'EUR' }),
      'without decimals': async (learner) => inKwd(learner, { ...commas, currency: 'JPY' }),
      'too long a file': async (learner) => {
        await insuredAll(learner, 21);
        await fetched(learner, await made(learner, commas));
      },
      'wrong answers': async (learner) => {
        await inKwd(learner, commas);
        for (const [wrong, advice] of [
          [left.replace('.', ''), /dropped the commas/],
          ['95', /stopped reading/],
          [String(2 * Number(left)), /trailer/],
          ['107.45', /Those are the premiums/],
          ['1.23', /not it/],
          ['0.1234', /decimal point/],
          ['94,01 EUR', /decimal point/],
        ] as const)
          await wrongAnswer(learner, 'decimal-commas', wrong, advice);
      },
      'an answer without a file': async (learner) =>
        wrongAnswer(learner, 'decimal-commas', '1.00', /no file of the format/),
    },
    remarks: {
      'commas and points': /another format/,
      'without decimals': /no decimals/,
      'too long a file': /not in the log/,
    },
    done: { 'wrong answers': 1 },
  },

  'forget-holder': {
    async solve(learner) {
      const report = await forgotten(learner);
      equal((await answer(learner, 'forget-holder', others(report))).correct, true);
      return report;
    },
    alsoSolvedBy: {
      'the shortest way': async (learner) => {
        await learner.call('DELETE', '/range/v1/me/lessons/forget-holder');
        await insured(learner, { holder });
        await insured(learner, { holder });
        const { json } = await erase(learner);
        await awaited(learner, `/insurer/v1/erasures/${json.id}`);
        const report = await learner.call('GET', `/insurer/v1/erasures/${json.id}`);
        await learner.call('GET', policies);
        await answer(learner, 'forget-holder', others(report));
      },
      'what changed since': async (learner) => {
        await held(learner);
        await insuredAll(learner, 3);
        learner.lplate.clock.advance(1000);
        const report = await erased(learner);
        const { json } = await learner.call('GET', `${policies}?updatedSince=${report.json.createdAt}`);
        equal(json.totalItems, 2);
        await answer(learner, 'forget-holder', others(report));
      },
      'page by page': async (learner) => {
        await held(learner, 3);
        const report = await erased(learner);
        for (const page of [1, 2]) await learner.call('GET', `${policies}?pageSize=2&page=${page}`);
        await answer(learner, 'forget-holder', others(report));
      },
    },
    misses: {
      nothing: async () => undefined,
      'changed by hand': async (learner) => {
        await held(learner, 1);
        const { json } = await learner.call('GET', policies);
        await learner.call('PUT', `${policies}/${json.items[0].id}`, { json: { holder: 'erased' } });
      },
      cancelled: async (learner) => {
        await held(learner, 1);
        const { json } = await learner.call('GET', policies);
        await learner.call('POST', `${policies}/${json.items[0].id}/cancel`);
      },
      'another spelling': async (learner) => {
        await held(learner);
        await erased(learner, 'ada example');
        await learner.call('GET', policies);
      },
      'one policy': async (learner) => {
        await held(learner, 1);
        await erased(learner);
      },
      'not waited': async (learner) => {
        await held(learner);
        await erase(learner);
        await learner.call('GET', policies);
      },
      'a part of the list': async (learner) => {
        await held(learner);
        await erased(learner);
        await learner.call('GET', `${policies}?status=active`);
      },
      'what changed later': async (learner) => {
        await held(learner);
        const { json } = await erased(learner);
        learner.lplate.clock.advance(1000);
        const later = new Date(Date.parse(json.createdAt) + 1).toISOString();
        await learner.call('GET', `${policies}?updatedSince=${later}`);
      },
      'the last page alone': async (learner) => {
        await held(learner, 3);
        await erased(learner);
        await learner.call('GET', `${policies}?pageSize=2&page=2`);
      },
      'too long a page': async (learner) => {
        await held(learner);
        await learner.call('POST', '/range/v1/me/fleet');
        await erased(learner);
        await learner.call('GET', `${policies}?pageSize=100`);
      },
      'wrong answers': async (learner) => {
        const report = await forgotten(learner);
        const id = 'forget-holder';
        await wrongAnswer(learner, id, others(report) + 2, /Leave the policies out/);
        await wrongAnswer(learner, id, 2, /how many policies/);
        await wrongAnswer(learner, id, 999, /not their sum/);
        await wrongAnswer(learner, id, {}, /plain number/);
      },
      'an answer too early': async (learner) => {
        await held(learner);
        await wrongAnswer(learner, 'forget-holder', 2, /no erasure/);
      },
    },
    remarks: {
      'changed by hand': /holder of one policy/,
      cancelled: /keeps its holder/,
      'another spelling': /to the letter/,
      'one policy': /of one policy/,
      'not waited': /You looked before/,
      'a part of the list': /part of your policies/,
      'what changed later': /from createdAt/,
      'the last page alone': /You have read 1 of 3/,
      'too long a page': /smaller ones/,
    },
    done: {
      'another spelling': 1,
      'one policy': 1,
      'not waited': 1,
      'a part of the list': 2,
      'what changed later': 2,
      'the last page alone': 2,
      'too long a page': 2,
      'wrong answers': 3,
    },
  },
});
