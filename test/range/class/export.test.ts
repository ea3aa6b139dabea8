import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { csvLine } from '../../../src/range/class/export.ts';
import { forEachEngineInFull } from '../../support/engines.ts';
import { type LPlate, problem, startLPlate, startWithClient } from '../../support/lplate.ts';
import { trainerToken } from '../range.ts';

const path = '/range/v1/trainer/export';
const trainer = { token: trainerToken };

/** The lines of a text after RFC 4180, by a reader that knows nothing of how it was made. */
function parseCsv(text: string): string[][] {
  const lines: string[][] = [];
  let rest = text;
  for (let line: string[] = []; rest !== ''; ) {
    const [all, quoted, plain, end] = /^(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/.exec(rest) ?? [];
    ok(all !== undefined && end !== undefined, `no CSV: ${rest.slice(0, 100)}`);
    line.push(quoted?.replaceAll('""', '"') ?? plain ?? '');
    rest = rest.slice(all.length);
    if (end === ',') continue;
    lines.push(line);
    line = [];
  }
  return lines;
}

const csv = async (lplate: LPlate, query = '') => {
  const answer = await lplate.call('GET', `${path}.csv${query}`, trainer);
  equal(answer.status, 200, answer.text);
  match(answer.headers.get('content-type') ?? '', /^text\/csv; charset=utf-8$/);
  const [head = [], ...rows] = parseCsv(answer.text);
  return rows.map((row) => Object.fromEntries(head.map((name, at) => [name, row[at]])));
};

const nicknames = ['=cmd|"/c calc"!A1', '+1+1', '-2+3', '@SUM(A1)', 'a,"b";c', '＝1', '見本 🚗'];

forEachEngineInFull((engine) => {
  test('Decisions, the range: the export has all clients that called, as JSON and as CSV, and no formula', async (t) => {
    const lplate = await startLPlate(t, engine);
    equal((await lplate.call('GET', path, trainer)).text, '{"learners":[]}');
    deepEqual(await csv(lplate), []);
    deepEqual(await csv(lplate, '?content=exchanges'), []);
    const names = new Map<string, string>();
    for (const nickname of nicknames) {
      const { id, token } = await lplate.client();
      names.set(id, nickname);
      equal((await lplate.call('PATCH', '/range/v1/me', { token, json: { nickname } })).status, 200);
    }
    const [first] = names.keys();
    const { json } = await lplate.call('GET', path, trainer);
    equal(json.learners.length, nicknames.length);
    for (const { clientId, nickname, calls, exchanges } of json.learners) {
      deepEqual([nickname, calls, exchanges], [names.get(clientId), 2, undefined]);
    }
    const rows = await csv(lplate);
    deepEqual(
      rows.map(({ clientId }) => clientId),
      [...names.keys()].sort(),
    );
    for (const { clientId = '', nickname = '', calls } of rows) {
      const own = names.get(clientId) ?? '';
      equal(nickname, /^[=+@＝-]/.test(own) ? `'${own}` : own);
      equal(calls, '2');
    }
    const whole = await lplate.call('GET', `${path}?content=exchanges`, trainer);
    const urls = ['/insurer/v1/demo-clients', '/insurer/v1/auth/token'];
    for (const { exchanges } of whole.json.learners)
      deepEqual(
        exchanges.map(({ url }: { url: string }) => url),
        urls,
      );
    const calls = await csv(lplate, '?content=exchanges');
    equal(calls.length, 2 * nicknames.length);
    deepEqual(
      calls.filter(({ clientId }) => clientId === first).map(({ url, status, method }) => [method, url, status]),
      [
        ['POST', urls[0], '201'],
        ['POST', urls[1], '200'],
      ],
    );
    // As the board has them: calls that anybody can make stand apart.
    await fetch(`${lplate.url}/for/${first}/insurer/v1/nothing`);
    const apart = (await csv(lplate)).find(({ clientId }) => clientId === first);
    deepEqual([apart?.calls, apart?.callsWithoutToken, apart?.refusalsWithoutToken], ['2', '1', '1']);
    const [shown] = (await lplate.call('GET', path, trainer)).json.learners;
    deepEqual(Object.keys(apart ?? {}).toSorted(), Object.keys(shown).toSorted(), 'what JSON has');
  });

  test('Decisions, the range: the export of lessons has a column for each, with the time when it was solved', async (t) => {
    const lplate = await startLPlate(t, engine);
    const [one, other] = [await lplate.client(), await lplate.client()];
    await lplate.call('PATCH', '/range/v1/me', { token: one.token, json: { nickname: 'Ada' } });
    await lplate.call('GET', '/policies/pol-1', { token: one.token });
    await lplate.call('POST', '/range/v1/me/lessons/token-by-form/hints', { token: one.token });
    await lplate.call('POST', '/policies', { token: one.token, json: { regNumber: 'EX-0001' } });
    const { json } = await lplate.call('GET', `${path}?content=lessons`, trainer);
    const [ada, second] = json.learners.toSorted((a: { nickname: string | null }) => (a.nickname === 'Ada' ? -1 : 1));
    const board = (await lplate.call('GET', '/range/v1/trainer/lessons', trainer)).json.items;
    const standing = board.find((each: { clientId: string }) => each.clientId === one.id);
    const total = (await lplate.call('GET', '/range/v1/lessons')).json.totalItems;
    deepEqual(
      [ada.nickname, ada.solved, ada.of, ada.hintsTaken, ada.lessons],
      ['Ada', standing.solved, total, 1, standing.lessons],
    );
    deepEqual([second.clientId, second.hintsTaken], [other.id, 0]);
    const row = (await csv(lplate, '?content=lessons')).find(({ nickname }) => nickname === 'Ada');
    deepEqual([row?.solved, row?.of, row?.hintsTaken, row?.stagesPassed], [`${ada.solved}`, `${total}`, '1', '0']);
    equal(row?.[ada.lessons[0].id], ada.lessons[0].solvedAt);
    equal(Object.keys(row ?? {}).length, 8 + total);
  });

  test('Decisions, the range: Accept chooses the form of the export, and JSON is the default', async (t) => {
    const lplate = await startLPlate(t, engine);
    const type = async (accept: string | undefined, method = 'GET', query = '') => {
      const answer = await lplate.call(method, path + query, {
        ...trainer,
        ...(accept && { headers: { Accept: accept } }),
      });
      equal(answer.status, 200);
      return [answer.headers.get('content-type'), answer.headers.get('content-disposition')];
    };
    const json = ['application/json', 'attachment; filename="learners.json"'];
    const text = ['text/csv; charset=utf-8', 'attachment; filename="learners.csv"'];
    deepEqual(await type(undefined), json);
    deepEqual(await type('*/*'), json);
    deepEqual(await type('text/html'), json);
    deepEqual(await type('text/csv'), text);
    deepEqual(await type('application/json;q=0.5, text/csv'), text);
    deepEqual(await type('text/csv', 'HEAD'), text);
    deepEqual((await type('text/csv', 'GET', '?content=exchanges'))[1], 'attachment; filename="exchanges.csv"');
    for (const query of ['?content=all', '?content=']) {
      deepEqual(problem(await lplate.call('GET', path + query, trainer)), [400, 'validation-error']);
    }
  });

  test('Decisions, the range: an export goes through more clients and calls than one part has, each once', async (t) => {
    const { lplate, client } = await startWithClient(t, engine, { probeLimitPerMinute: 1000 });
    for (let at = 0; at < 120; at += 1) {
      const headers = { Authorization: `Bearer ${client.token}` };
      await (await fetch(`${lplate.url}/insurer/v1/policies/pol-${at}`, { headers })).arrayBuffer();
      if (at % 40 === 0) lplate.clock.advance(1);
    }
    await Promise.all(Array.from({ length: 220 }, () => lplate.call('POST', '/demo-clients')));
    // One round writes a part of what waits.
    for (let round = 0; round < 5; round += 1) await lplate.call('GET', '/range/v1/trainer/learners', trainer);
    const { learners } = (await lplate.call('GET', `${path}?content=exchanges`, trainer)).json;
    equal(new Set(learners.map(({ clientId }: { clientId: string }) => clientId)).size, 221);
    equal(learners.length, 221);
    const own = learners.find(({ clientId }: { clientId: string }) => clientId === client.id);
    const urls = own.exchanges.map(({ url }: { url: string }) => url).filter((url: string) => /pol-/.test(url));
    deepEqual(
      urls,
      Array.from({ length: 120 }, (_, at) => `/insurer/v1/policies/pol-${at}`),
    );
    equal((await csv(lplate, '?content=exchanges')).length, 120 + 2 + 220);
    equal((await csv(lplate)).length, 221);
  });

  test('Decisions, the range: an export that is not read to its end leaves nothing behind', async (t) => {
    const lplate = await startLPlate(t, engine);
    await lplate.client();
    for (let round = 0; round < 5; round += 1) {
      const headers = { Authorization: `Bearer ${trainerToken}` };
      const answer = await fetch(`${lplate.url}${path}?content=exchanges`, { headers });
      await answer.body?.cancel();
    }
    equal((await lplate.call('GET', path, trainer)).json.learners.length, 1);
    ok(lplate.log.every((line) => JSON.parse(line).level < 50));
  });
});

test('Decisions, the range: a cell is a text in quotes or a number, and no text begins as a formula does', () => {
  equal(csvLine(['a"b', 1, null, 'x\r\ny', -1]), '"a""b",1,,"x\r\ny",-1\r\n');
  for (const text of [
    '=1',
    '+1',
    '-1',
    '@x',
    '\t=1',
    '\r=1',
    ' =1',
    '\n@x',
    '＋1',
    '－1',
    '＠x',
    '\u0000=1',
    '\u00a0=1',
  ]) {
    equal(csvLine([text]), `"'${text}"\r\n`);
  }
  for (const text of ['1=1', 'a@b', "'=1", '']) equal(csvLine([text]), `"${text}"\r\n`);
});
