import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { day } from '../../../src/time/units.ts';
import { forEachEngine } from '../../support/engines.ts';
import { type Answer, type LPlate, problem, startWithClient } from '../../support/lplate.ts';
import { metric } from '../../support/metric.ts';
import { restartable } from '../../support/restart.ts';
import { makeStatement } from '../../support/statement.ts';
import { alter, countStored, stored } from '../../support/stored.ts';
import { until } from '../../support/until.ts';

const month = '2026-03';

const ask = (lplate: LPlate, token: string, json: object = {}, headers: Record<string, string> = {}) =>
  lplate.call('POST', '/statements', { token, json: { month, format: 'csv', ...json }, headers });

const drill = (lplate: LPlate, token: string, name: string, parameters: object = {}) =>
  lplate.call('POST', '/range/v1/me/drills', { token, json: { name, parameters } });

const read = async (lplate: LPlate, token: string, id: string) =>
  (await lplate.call('GET', `/statements/${id}`, { token })).json;

const content = (lplate: LPlate, token: string, id: string, headers: Record<string, string> = {}, method = 'GET') =>
  lplate.call(method, `/statements/${id}/content`, { token, headers });

/** A statement once it is completed. */
const made = async (lplate: LPlate, token: string, json: object = {}) =>
  read(lplate, token, await makeStatement(lplate, token, json));

async function insure(lplate: LPlate, token: string, policies: readonly object[]) {
  const { status, text } = await lplate.call('POST', '/range/v1/me/fleet', { token, json: { policies } });
  equal(status, 201, text);
  return (await lplate.call('GET', '/policies?pageSize=500', { token })).json.items as {
    id: string;
    regNumber: string;
    endDate: string;
  }[];
}

/** Vehicles by the registry: with an engine, with a motor, and none. */
const three = [
  { regNumber: 'AB-1234', startDate: '2026-03-01', coverageOption: 'MTPL-12M' },
  { regNumber: 'AA-0002', startDate: '2026-02-10', coverageOption: 'MTPL-3M' },
  { regNumber: 'NONE-1', startDate: '2026-01-31', coverageOption: 'MTPL-6M' },
];

const sha256 = (text: string | Buffer) => `sha-256=:${createHash('sha256').update(text).digest('base64')}:`;

const header = (answer: Answer, name: string) => answer.headers.get(name);

forEachEngine((engine) => {
  test('Decisions, statements: one is accepted, made in the background, and tells the count and the sums of its file', async (t) => {
    const { lplate, token } = await startWithClient(t, engine);
    const policies = await insure(lplate, token, three);
    const answer = await ask(lplate, token);
    equal(answer.status, 202, answer.text);
    const { id, createdAt, ...rest } = answer.json;
    match(id, /^stm-[0-9a-f-]{36}$/);
    deepEqual(rest, { status: 'accepted', month, format: 'csv', currency: 'EUR', completedAt: null });
    equal(header(answer, 'location'), `${lplate.config.publicUrl}/insurer/v1/statements/${id}`);
    equal(header(answer, 'retry-after'), '1');
    const found = await made(lplate, token);
    const file = await content(lplate, token, found.id);
    equal(file.status, 200);
    equal(header(file, 'content-type'), 'text/csv; charset=utf-8');
    equal(header(file, 'content-disposition'), 'attachment; filename="statement-2026-03-EUR.csv"');
    const lines = file.text.split('\r\n');
    equal(lines[0], 'policy_number,reg_number,coverage,start,end,premium,commission,currency');
    const rows = lines.slice(1, -2).map((line) => line.split(','));
    deepEqual(
      rows.map((row) => row.slice(0, 5)),
      policies.map((policy, at) => {
        const { regNumber, coverageOption, startDate } = three[at] as (typeof three)[0];
        return [policy.id, regNumber, coverageOption, startDate, policy.endDate];
      }),
    );
    const sum = (column: number) =>
      rows.reduce((total, row) => total + Number(row[column]?.replace('.', '')), 0).toString();
    const inUnits = ({ amount }: { amount: string }) => amount.replace('.', '');
    deepEqual([found.count, inUnits(found.premiums), inUnits(found.commissions)], [3, sum(5), sum(6)]);
    equal(lines.at(-2), `TRAILER,3,${found.premiums.amount},${found.commissions.amount}`);
    equal(await metric(lplate, 'lplate_statement_bytes'), 2 * (file.text.length - (lines.at(-2) ?? '').length - 2));
  });

  test('Decisions, statements: the formats differ in signs, type and name, and say the same', async (t) => {
    const { lplate, token } = await startWithClient(t, engine);
    await insure(lplate, token, three);
    const of = async (format: string, currency: string) => {
      const { id } = await made(lplate, token, { format, currency });
      return content(lplate, token, id);
    };
    const csv = await of('csv', 'KWD');
    const old = await of('csv-1252', 'KWD');
    equal(header(old, 'content-type'), 'text/csv; charset=windows-1252');
    equal(old.text.replaceAll(',', '.').replaceAll(';', ','), csv.text);
    const lines = await of('ndjson', 'KWD');
    equal(header(lines, 'content-type'), 'application/x-ndjson');
    equal(header(lines, 'content-disposition'), 'attachment; filename="statement-2026-03-KWD.ndjson"');
    const told = lines.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const asFields = told.map(({ trailer, premium, commission, ...row }) =>
      trailer
        ? ['TRAILER', trailer.count, trailer.premiums.amount, trailer.commissions.amount]
        : [...Object.values(row), premium.amount, commission.amount, premium.currency],
    );
    deepEqual(
      asFields.map((fields) => fields.join(',')),
      csv.text.trimEnd().split('\r\n').slice(1),
    );
    for (const [currency, amount] of [
      ['EUR', /^\d+\.\d\d$/],
      ['JPY', /^\d+$/],
      ['KWD', /^\d+\.\d{3}$/],
    ] as const) {
      const { premiums, commissions } = await made(lplate, token, { currency });
      for (const each of [premiums, commissions]) match(each.amount, amount);
      equal(premiums.currency, currency);
    }
  });

  test('Decisions, statements: a policy is in it whose cover touches the month; that of a cancelled one ends that day', async (t) => {
    const { lplate, token } = await startWithClient(t, engine);
    const drafts = [
      { regNumber: 'IN-1', startDate: '2026-02-01', coverageOption: 'MTPL-1M' },
      { regNumber: 'IN-2', startDate: '2026-02-02', coverageOption: 'MTPL-1M' },
      { regNumber: 'IN-3', startDate: '2025-03-02', coverageOption: 'MTPL-12M' },
      { regNumber: 'IN-4', startDate: '2026-03-31', coverageOption: 'MTPL-1M' },
      { regNumber: 'IN-5', startDate: '2026-04-01', coverageOption: 'MTPL-1M' },
      { regNumber: 'IN-6', startDate: '2026-02-01', coverageOption: 'MTPL-12M', status: 'cancelled' },
      { regNumber: 'IN-7', startDate: '2026-03-03', coverageOption: 'MTPL-12M', status: 'cancelled' },
    ];
    await insure(lplate, token, drafts);
    const plates = async (of: string) => {
      const { text } = await content(lplate, token, (await made(lplate, token, { month: of })).id);
      return [...text.matchAll(/,(IN-\d),/g)].map(([, plate]) => plate);
    };
    // Today is 2 March, when the last two were cancelled.
    deepEqual(await plates('2026-03'), ['IN-2', 'IN-3', 'IN-4', 'IN-6']);
    deepEqual(await plates('2026-02'), ['IN-1', 'IN-2', 'IN-3', 'IN-6']);
    deepEqual(await plates('0001-01'), []);
    lplate.clock.advance(31 * day);
    const later = await lplate.client();
    ok((await ask(lplate, later.token, { month: '2026-04' })).status === 202);
  });

  test('Decisions, statements: a month that has not begun by the client’s clock, and what is no statement, is refused', async (t) => {
    const { lplate, token } = await startWithClient(t, engine);
    for (const json of [
      { month: '2026-04' },
      { month: '2026-13' },
      { month: '2026-3' },
      { month: '2026-03-01' },
      { month: null },
      { format: 'CSV' },
      { format: 'pdf' },
      { currency: 'USD' },
      { currency: 7 },
      { period: '2026-03' },
    ])
      deepEqual(problem(await ask(lplate, token, json)), [400, 'validation-error'], JSON.stringify(json));
    const both = await ask(lplate, token, { month: '2026-04', format: 'pdf' });
    deepEqual(both.json.errors.map(({ pointer }: { pointer: string }) => pointer).sort(), ['/format', '/month']);
    const { id } = await made(lplate, token);
    const other = await lplate.client();
    for (const path of ['stm-none', '2026-03', id.slice(0, -1), 'pol-1'])
      deepEqual(problem(await lplate.call('GET', `/statements/${path}`, { token })), [404, 'statement-not-found']);
    for (const end of ['', '/content']) {
      const { token: foreign } = other;
      deepEqual(problem(await lplate.call('GET', `/statements/${id}${end}`, { token: foreign })), [
        404,
        'statement-not-found',
      ]);
    }
    await lplate.call('POST', '/range/v1/me/clock', { token, json: { advance: 'P30D' } });
  });

  test('Decisions, statements: to read policies is enough', async (t) => {
    const { lplate } = await startWithClient(t, engine);
    const reader = await lplate.client('policies:read');
    const claims = await lplate.client('claims:read');
    equal((await made(lplate, reader.token)).status, 'completed');
    deepEqual(problem(await ask(lplate, claims.token)), [403, 'insufficient-scope']);
  });

  test('Decisions, statements: with an Idempotency-Key one is made', async (t) => {
    const { lplate, token } = await startWithClient(t, engine);
    const key = { 'Idempotency-Key': 'once' };
    const [first, again] = [await ask(lplate, token, {}, key), await ask(lplate, token, {}, key)];
    deepEqual([again.status, again.json, header(again, 'idempotency-replayed')], [202, first.json, 'true']);
    deepEqual(problem(await ask(lplate, token, { format: 'ndjson' }, key)), [422, 'idempotency-key-reused']);
  });

  test('Decisions, statements: a download goes on where it broke off, with digests of the part and of the whole', async (t) => {
    const { lplate, token } = await startWithClient(t, engine);
    await insure(lplate, token, three);
    const { id } = await made(lplate, token);
    const get = (headers: Record<string, string> = {}, method = 'GET') => content(lplate, token, id, headers, method);
    const whole = await get();
    const { text } = whole;
    const size = text.length;
    const etag = header(whole, 'etag') as string;
    deepEqual(
      ['accept-ranges', 'content-length', 'content-digest', 'repr-digest', 'vary', 'cache-control'].map((name) =>
        header(whole, name),
      ),
      ['bytes', String(size), sha256(text), sha256(text), 'Accept-Encoding', 'no-cache'],
    );
    const part = (first: number, end = size) => [206, text.slice(first, end), `bytes ${first}-${end - 1}/${size}`];
    const all = [200, text, null];
    for (const [range, expected, others] of [
      ['bytes=0-', part(0)],
      ['bytes=100-', part(100)],
      ['bytes=5-9', part(5, 10)],
      ['BYTES = 5 - 9', part(5, 10)],
      [`bytes=5-${size * 2}`, part(5)],
      ['bytes=5-99999999999999999999', part(5)],
      ['bytes=-10', part(size - 10)],
      [`bytes=-${size + 1}`, part(0)],
      [`bytes=${size - 1}-`, part(size - 1)],
      ['bytes=100-', part(100), { 'If-Range': etag }],
      ['bytes=100-', part(100), { 'Accept-Encoding': 'gzip' }],
      // What is no range of ours is passed over.
      ['bytes=0-1,5-6', all],
      ['bytes=9-5', all],
      ['bytes=-', all],
      ['bytes=a-b', all],
      ['rows=0-1', all],
      ['bytes=100-', all, { 'If-Range': '"another"' }],
      ['bytes=100-', all, { 'If-Range': `W/${etag}` }],
      ['bytes=100-', all, { 'If-Range': 'Mon, 02 Mar 2026 10:15:30 GMT' }],
      [`bytes=${size}-`, all, { 'If-Range': '"another"' }],
    ] as const) {
      const answer = await get({ Range: range, ...others });
      deepEqual([answer.status, answer.text, header(answer, 'content-range')], expected, range);
      deepEqual(
        [header(answer, 'content-digest'), header(answer, 'repr-digest'), header(answer, 'etag')],
        [sha256(answer.text), sha256(text), etag],
      );
    }
    for (const range of [
      `bytes=${size}-`,
      `bytes=${size + 5}-${size + 9}`,
      'bytes=-0',
      'bytes=99999999999999999999-',
    ]) {
      const answer = await get({ Range: range });
      deepEqual(problem(answer), [416, 'range-not-satisfiable'], range);
      equal(header(answer, 'content-range'), `bytes */${size}`);
      equal(header(answer, 'etag'), null);
    }
    const head = await get({ Range: 'bytes=5-9' }, 'HEAD');
    deepEqual(
      [head.status, head.text, header(head, 'content-length'), header(head, 'content-digest')],
      [200, '', String(size), sha256('')],
    );
    equal(header(head, 'repr-digest'), sha256(text));
    equal((await get({ 'If-None-Match': etag })).status, 304);
    equal((await get({ 'If-None-Match': etag, Range: 'bytes=5-9' })).status, 304);
    deepEqual(problem(await get({ 'If-Match': '"another"', Range: 'bytes=5-9' })), [412, 'precondition-failed']);
    deepEqual(problem(await get({ IfRange: etag })), [400, 'validation-error']);
  });

  test('Decisions, statements: a whole file is packed for who takes gzip, with a tag and digests of its own', async (t) => {
    const { lplate, token } = await startWithClient(t, engine);
    await insure(lplate, token, three);
    const { id } = await made(lplate, token);
    const plain = await content(lplate, token, id);
    const response = await fetch(`${lplate.url}/insurer/v1/statements/${id}/content`, {
      headers: { Authorization: `Bearer ${token}`, 'Accept-Encoding': 'gzip, br' },
    });
    equal(response.headers.get('content-encoding'), 'gzip');
    equal(await response.text(), plain.text);
    const head = await content(lplate, token, id, { 'Accept-Encoding': 'gzip' }, 'HEAD');
    const tag = `${header(plain, 'etag')?.slice(0, -1)}-gzip"`;
    deepEqual([head.status, header(head, 'etag'), response.headers.get('etag')], [200, tag, tag]);
    equal(header(head, 'repr-digest'), response.headers.get('content-digest'));
    ok(header(head, 'repr-digest') !== header(plain, 'repr-digest'));
  });

  test('Decisions, statements: until it is completed there is no file; late-statement takes its seconds, and a moved clock passes them', async (t) => {
    const { lplate, token } = await startWithClient(t, engine);
    await drill(lplate, token, 'late-statement', { seconds: 90 });
    const answer = await ask(lplate, token);
    equal(header(answer, 'retry-after'), '60', 'at most a minute');
    const { id } = answer.json;
    await lplate.catchUp();
    deepEqual(problem(await content(lplate, token, id)), [409, 'statement-not-ready']);
    lplate.clock.advance(50_000);
    await lplate.catchUp();
    const waiting = await lplate.call('GET', `/statements/${id}`, { token });
    deepEqual([waiting.json.status, header(waiting, 'retry-after')], ['accepted', '41']);
    await lplate.call('POST', '/range/v1/me/clock', { token, json: { advance: 'PT41S' } });
    await until(async () => (await read(lplate, token, id)).status === 'completed', 'it is completed');
    equal((await content(lplate, token, id)).status, 200);
  });

  test('Decisions, statements: with short-file a whole file ends early, and a call with Range is as ever', async (t) => {
    const { lplate, token } = await startWithClient(t, engine);
    await insure(lplate, token, three);
    const { id } = await made(lplate, token);
    const whole = await content(lplate, token, id);
    await drill(lplate, token, 'short-file', { sequence: ['hit', 'pass', 'hit'] });
    const cut = async () => {
      const response = await fetch(`${lplate.config.publicUrl}/insurer/v1/statements/${id}/content`, {
        headers: { Authorization: `Bearer ${token}`, 'Accept-Encoding': 'identity' },
      });
      const { headers, body } = response;
      let bytes = 0;
      try {
        for await (const part of body ?? []) bytes += part.length;
      } catch {
        return [response.status, Number(headers.get('content-length')), bytes];
      }
      return [response.status, 'whole', bytes];
    };
    const size = whole.text.length;
    deepEqual(await cut(), [200, size, Math.floor(size / 2)]);
    equal((await content(lplate, token, id, {}, 'HEAD')).status, 200);
    const rest = await content(lplate, token, id, { Range: `bytes=${Math.floor(size / 2)}-` });
    equal(whole.text.slice(0, Math.floor(size / 2)) + rest.text, whole.text);
    deepEqual(await cut(), [200, 'whole', size]);
    deepEqual(await cut(), [200, size, Math.floor(size / 2)]);
    const { json } = await lplate.call('GET', '/range/v1/me/exchanges', { token });
    ok(
      json.items[0].remarks.includes('The file ended early by the drill `short-file`.'),
      JSON.stringify(json.items[0]),
    );
  });

  test('Decisions, statements: with wrong-trailer one figure of the trailer is one too high; the statement is right', async (t) => {
    const { lplate, token } = await startWithClient(t, engine);
    await insure(lplate, token, three);
    const found = await made(lplate, token, { currency: 'JPY' });
    const right = await content(lplate, token, found.id);
    const figures = [3, Number(found.premiums.amount), Number(found.commissions.amount)];
    for (const [at, what] of ['count', 'premiums', 'commissions'].entries()) {
      await drill(lplate, token, 'wrong-trailer', { what });
      const wrong = await content(lplate, token, found.id);
      const trailer = ['TRAILER', ...figures.map((figure, column) => figure + Number(column === at))].join();
      equal(wrong.text, right.text.replace(/TRAILER.*/, trailer.trim()));
      ok(header(wrong, 'etag') !== header(right, 'etag'));
      deepEqual(await read(lplate, token, found.id), found);
    }
    await lplate.call('DELETE', '/range/v1/me/drills/wrong-trailer', { token });
    equal(header(await content(lplate, token, found.id), 'etag'), header(right, 'etag'));
  });

  test('Decisions, statements: twenty are kept, for a week; the oldest completed one goes, or a new one is refused', async (t) => {
    const { lplate, token, client } = await startWithClient(t, engine);
    const first = await made(lplate, token);
    await drill(lplate, token, 'late-statement', { seconds: 300 });
    for (let at = 1; at < 20; at += 1) equal((await ask(lplate, token)).status, 202);
    equal((await read(lplate, token, first.id)).status, 'completed');
    equal((await ask(lplate, token)).status, 202);
    deepEqual(problem(await lplate.call('GET', `/statements/${first.id}`, { token })), [404, 'statement-not-found']);
    deepEqual(problem(await ask(lplate, token)), [429, 'quota-exceeded']);
    const other = await lplate.client();
    const { id } = await made(lplate, other.token);
    await lplate.call('POST', '/range/v1/me/clock', { token: other.token, json: { advance: 'P6D' } });
    const fresh = await lplate.token(other.id, other.secret);
    equal((await read(lplate, fresh, id)).status, 'completed');
    await lplate.call('POST', '/range/v1/me/clock', { token: fresh, json: { advance: 'P1D' } });
    const last = await lplate.token(other.id, other.secret);
    deepEqual(problem(await lplate.call('GET', `/statements/${id}`, { token: last })), [404, 'statement-not-found']);
    await lplate.housekeeping();
    equal(await countStored(lplate, 'statement_files'), 0);
    equal(
      (await lplate.call('DELETE', '/range/v1/me', { token: await lplate.token(client.id, client.secret) })).status,
      204,
    );
    await lplate.housekeeping();
    equal(await countStored(lplate, 'statements'), 0);
  });

  test('Decisions, statements: where there is no room, the oldest of the address with most goes', async (t) => {
    const { lplate, token } = await startWithClient(t, engine, { trustProxy: 1 });
    const at = (address: string) => ({ 'X-Forwarded-For': address });
    const from = async (address: string) => {
      const { json } = await lplate.call('POST', '/statements', {
        ...{ token, json: { month, format: 'csv' }, headers: at(address) },
      });
      await until(async () => (await read(lplate, token, json.id)).status === 'completed', 'it is completed');
      return json.id as string;
    };
    const much = await from('192.0.2.1');
    lplate.clock.advance(1000);
    const [more, little] = [await from('192.0.2.1'), await from('198.51.100.7')];
    await alter(
      lplate,
      `update statements set bytes = 100000000 where id in ('${much}', '${more}')`,
      `update statements set bytes = 55999950 where id = '${little}'`,
    );
    const newest = await from('198.51.100.7');
    const left = await stored(lplate, 'select id from statements order by id');
    deepEqual(
      left.map(({ id }) => ({ id })),
      [more, little, newest].sort().map((id) => ({ id })),
    );
  });

  test('Decisions, statements: a client with more policies than a statement has rows is told so', async (t) => {
    const { lplate, token, client } = await startWithClient(t, engine);
    await alter(lplate, `update clients set policy_count = 10001 where id = '${client.id}'`);
    const answer = await ask(lplate, token);
    deepEqual(problem(answer), [429, 'quota-exceeded']);
    match(answer.json.detail, /at most 10000 rows/);
  });

  test('Decisions, statements: what was accepted before a stop is made after the start', async (t) => {
    const settled = await restartable(engine);
    let lplate = await settled.start();
    t.after(() => lplate.close());
    const { token } = await lplate.client();
    await drill(lplate, token, 'late-statement', { seconds: 60 });
    const { id } = (await ask(lplate, token)).json;
    await lplate.close();
    lplate = await settled.start();
    lplate.clock.advance(60_000);
    await lplate.catchUp();
    equal((await read(lplate, token, id)).status, 'completed');
  });
});
