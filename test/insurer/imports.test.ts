import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { type DatabaseLocation, openDatabase } from '../../src/database/open.ts';
import { day } from '../../src/time/units.ts';
import { forEachEngine, onSqlite } from '../support/engines.ts';
import { type Answer, type LPlate, problem, startLPlate, startWithClient } from '../support/lplate.ts';
import { metric } from '../support/metric.ts';
import { restartable } from '../support/restart.ts';
import { until } from '../support/until.ts';

const week = 7 * day;
const type = { 'Content-Type': 'application/x-ndjson' };

const send = (lplate: LPlate, token: string, lines: readonly unknown[], headers: Record<string, string> = {}) =>
  lplate.call('POST', '/policy-imports', {
    token,
    body: lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'),
    headers: { ...type, ...headers },
  });

const read = async (lplate: LPlate, token: string, path: string) => (await lplate.call('GET', path, { token })).json;

const slow = (lplate: LPlate, token: string, groupSeconds: number) =>
  lplate.call('POST', '/range/v1/me/drills', { token, json: { name: 'slow-imports', parameters: { groupSeconds } } });

async function completed(lplate: LPlate, token: string, { json }: Answer) {
  const path = `/policy-imports/${json.id}`;
  let job = json;
  await until(async () => {
    job = await read(lplate, token, path);
    return job.status === 'completed';
  }, 'the import is completed');
  const rows = await read(lplate, token, `${path}/rows?pageSize=500`);
  return { job, rows: rows.items };
}

/** A problem without what examples have of the request, with the line 1, and without what only one policy is told. */
const plain = (told: object, line = 1) =>
  JSON.parse(
    JSON.stringify(told)
      .replaceAll(/Q-[0-9a-f]{8}/g, 'Q')
      .replaceAll(/ Several at once: [^"]*/g, '')
      .replaceAll(new RegExp(`(?<=line )${line}(?=,)`, 'gi'), '1'),
  );

forEachEngine((engine) => {
  test('Decisions, policies: an import is accepted, and worked off in the background row by row, in groups', async (t) => {
    const { lplate, token } = await startWithClient(t, engine);
    const plates = Array.from({ length: 45 }, (_, at) => ({ regNumber: `IMP-${at}`, holder: ' Ada ' }));
    const answer = await send(lplate, token, plates);
    assert.equal(answer.status, 202, answer.text);
    const { id, ...rest } = answer.json;
    assert.match(id, /^imp-[0-9a-f-]{36}$/);
    const createdAt = '2026-03-02T10:15:30.000Z';
    assert.deepEqual(rest, {
      ...{ status: 'accepted', total: 45, done: 0, created: 0, refused: 0, createdAt, completedAt: null },
    });
    assert.equal(answer.headers.get('location'), `${lplate.config.publicUrl}/insurer/v1/policy-imports/${id}`);
    assert.equal(answer.headers.get('retry-after'), '1');
    const { job, rows } = await completed(lplate, token, answer);
    assert.deepEqual([job.done, job.created, job.refused, job.completedAt], [45, 45, 0, createdAt]);
    assert.deepEqual(
      rows.map(({ line, status }: { line: number; status: string }) => [line, status]),
      plates.map((_, at) => [at + 1, 'created']),
    );
    const list = await read(lplate, token, '/policies?pageSize=500');
    assert.deepEqual(
      list.items.map((policy: { id: string; regNumber: string; holder: string }) => [
        policy.id,
        policy.regNumber,
        policy.holder,
      ]),
      rows.map(({ policyId }: { policyId: string }, at: number) => [policyId, `IMP-${at}`, 'Ada']),
    );
    assert.equal(list.totalItems, 45);
    assert.deepEqual((await read(lplate, token, '/policy-imports')).items, [job]);
  });

  test('Decisions, policies: a refused row has the problem of POST /policies, and others beside it are created', async (t) => {
    const { lplate, token } = await startWithClient(t, engine, { policiesPerClient: 4 });
    const wrong = [
      ...['{"regNumber":', '[1]', '7', 'null', '{"regNumber":"A","regNumber":"B"}', '"text"', '{"regNumber":"X",}'],
      ...[{}, { regNum: 'X-1' }, { regNumber: '' }, { regNumber: 'X-2', holder: '\ud800', startDate: '2020-01-01' }],
      ...[
        { regNumber: 'X-3', startDate: '2020-01-01' },
        { regNumber: 'X-4', coverageOption: 'ALL', holder: 7 },
      ],
    ];
    const good = { regNumber: 'GOOD-1' };
    const lines = [good, '', ...wrong, { regNumber: 'good1' }, '  \r', { regNumber: 'GOOD-2', colour: 'red' }];
    const answer = await send(lplate, token, lines);
    assert.equal(answer.headers.get('l-plate-ignored'), 'body/regNum, body/colour');
    const { job, rows } = await completed(lplate, token, answer);
    assert.deepEqual([job.total, job.created, job.refused], [16, 2, 14]);
    assert.deepEqual(
      [rows[0], rows.at(-1)].map(({ line, status }) => [line, status]),
      [
        [1, 'created'],
        [18, 'created'],
      ],
    );
    for (const [at, line] of [...wrong, { regNumber: 'good1' }].entries()) {
      const body = typeof line === 'string' ? line : JSON.stringify(line);
      const { json } = await lplate.call('POST', '/policies', {
        ...{ token, body, headers: { 'Content-Type': 'application/json' } },
      });
      const { instance: _, ...told } = json;
      const row = rows[at + 1];
      assert.deepEqual([row.status, row.policyId, row.line], ['refused', null, row.line]);
      assert.deepEqual(plain(row.problem, row.line), plain(told), body);
    }
    const over = await completed(
      lplate,
      token,
      await send(
        lplate,
        token,
        [3, 4, 5].map((number) => ({ regNumber: `GOOD-${number}` })),
      ),
    );
    assert.deepEqual(
      [over.job.created, over.rows[2].problem.type],
      [2, `${lplate.config.publicUrl}/problems/quota-exceeded`],
    );
  });

  test('Decisions, policies: the problem of a row names its own line of the body', async (t) => {
    const { lplate, token } = await startWithClient(t, engine);
    const lines = [
      '{"regNumber":"L-1"}',
      '',
      '{"regNumber":',
      '<a/>',
      '{"regNumber":"A",\t"regNumber":"B"}',
      'x=1',
      '{"a":\'b\'}',
    ];
    const { rows } = await completed(lplate, token, await send(lplate, token, lines));
    const places = rows.map(({ problem }: { problem?: { detail: string } }) =>
      problem?.detail.match(/line \d+, column \d+/gi),
    );
    assert.deepEqual(places, [
      undefined,
      ['Line 3, column 14'],
      ['Line 4, column 1'],
      ['line 5, column 2', 'line 5, column 19'],
      ['Line 6, column 1'],
      ['Line 7, column 6'],
    ]);
  });

  test('Decisions, lists: the filter status gives the rows of an import that became of it, with their totals and links', async (t) => {
    const { lplate, token } = await startWithClient(t, engine);
    const lines = Array.from({ length: 50 }, (_, at) => (at % 5 === 0 ? {} : { regNumber: `ROW-${at}` }));
    const get = (path: string) => lplate.call('GET', path, { token });
    const linesOf = ({ json }: Answer) => json.items.map(({ line }: { line: number }) => line);
    await slow(lplate, token, 30);
    const accepted = await send(lplate, token, lines);
    const path = `/policy-imports/${accepted.json.id}/rows`;
    const refused = lines.flatMap((line, at) => ('regNumber' in line ? [] : [at + 1]));
    lplate.clock.advance(30_000);
    await lplate.catchUp();
    for (const [status, total, first] of [
      ['waiting', 30, 21],
      ['refused', 4, 1],
      ['created', 16, 2],
    ] as const) {
      const { json } = await get(`${path}?status=${status}&pageSize=3`);
      assert.deepEqual([json.totalItems, json.items[0].line, json.items[0].status], [total, first, status]);
    }
    assert.deepEqual(
      linesOf(await get(`${path}?status=waiting&pageSize=20&page=2`)),
      [41, 42, 43, 44, 45, 46, 47, 48, 49, 50],
    );
    for (let group = 2; group <= 3; group += 1) {
      lplate.clock.advance(30_000);
      await lplate.catchUp();
    }
    await completed(lplate, token, accepted);
    assert.deepEqual(linesOf(await get(`${path}?status=refused`)), refused);
    const page = await get(`${path}?status=refused&page=2&pageSize=4`);
    assert.deepEqual([linesOf(page), page.json.totalItems, page.json.totalPages], [refused.slice(4, 8), 10, 3]);
    assert.match(page.headers.get('link') ?? '', /\/rows\?status=refused&page=3&pageSize=4>; rel="next"/);
    assert.equal((await get(`${path}?status=waiting`)).json.totalItems, 0);
    for (const query of [
      'status=',
      'status=REFUSED',
      'status=failed',
      'state=refused',
      'status[]=refused',
      'result=refused',
    ])
      assert.deepEqual(problem(await get(`${path}?${query}`)), [400, 'validation-error'], query);
  });

  test('Decisions, policies: only a body that is no NDJSON is refused as a whole', async (t) => {
    const { lplate, token } = await startWithClient(t, engine);
    const post = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = type) =>
      lplate.call('POST', '/policy-imports', { token, body, headers });
    const line = '{"regNumber":"W-1"}\n';
    for (const [answer, expected] of [
      [await post(''), [400, 'malformed-json']],
      [await post('\n \n'), [400, 'malformed-json']],
      [await lplate.call('POST', '/policy-imports', { token }), [400, 'malformed-json']],
      [await post(line, { 'Content-Type': 'application/json' }), [415, 'unsupported-media-type']],
      [await post(line, {}), [415, 'unsupported-media-type']],
      [await post(line, { ...type, 'Content-Encoding': 'gzip' }), [415, 'unsupported-media-type']],
      [await post(Uint8Array.from([0x7b, 0xff, 0x7d])), [400, 'malformed-json']],
      [await post('{}\n'.repeat(1001)), [400, 'validation-error']],
      [await post(' '.repeat(65_537)), [413, 'payload-too-large']],
      [await lplate.call('GET', '/policy-imports/imp-none', { token }), [404, 'import-not-found']],
      [await lplate.call('GET', '/policy-imports/pol-1/rows', { token }), [404, 'import-not-found']],
    ] as const)
      assert.deepEqual(problem(answer), expected, answer.text);
    assert.equal((await read(lplate, token, '/policy-imports')).totalItems, 0);
    const most = await completed(lplate, token, await post('{}\n'.repeat(1000)));
    assert.equal(most.job.refused, 1000);
  });

  test('Decisions, policies: with an Idempotency-Key an import is accepted once', async (t) => {
    const { lplate, token } = await startWithClient(t, engine);
    const key = { 'Idempotency-Key': 'once' };
    const first = await send(lplate, token, [{ regNumber: 'ONCE-1' }], key);
    await completed(lplate, token, first);
    const again = await send(lplate, token, [{ regNumber: 'ONCE-1' }], key);
    assert.deepEqual([again.status, again.json, again.headers.get('idempotency-replayed')], [202, first.json, 'true']);
    assert.deepEqual(problem(await send(lplate, token, [{ regNumber: 'ONCE-2' }], key)), [
      422,
      'idempotency-key-reused',
    ]);
    assert.equal((await read(lplate, token, '/policy-imports')).totalItems, 1);
  });

  test('Decisions, drills: slow-imports takes its seconds for each group, Retry-After tells them, and a moved clock passes them', async (t) => {
    const { lplate, token } = await startWithClient(t, engine);
    await slow(lplate, token, 30);
    const lines = Array.from({ length: 25 }, (_, at) => ({ regNumber: `SLOW-${at}` }));
    const answer = await send(lplate, token, lines);
    assert.equal(answer.headers.get('retry-after'), '60', 'at most a minute');
    const path = `/policy-imports/${answer.json.id}`;
    await lplate.catchUp();
    assert.equal((await read(lplate, token, path)).status, 'accepted');
    assert.equal((await read(lplate, token, `${path}/rows`)).items[0].status, 'waiting');
    lplate.clock.advance(30_000);
    await lplate.catchUp();
    const half = await lplate.call('GET', path, { token });
    assert.deepEqual([half.json.status, half.json.done, half.headers.get('retry-after')], ['running', 20, '31']);
    const rows = (await read(lplate, token, `${path}/rows?pageSize=10&page=2`)).items;
    assert.deepEqual([rows[9].line, rows[9].status], [20, 'created']);
    assert.equal((await read(lplate, token, `${path}/rows?pageSize=20&page=2`)).items[0].status, 'waiting');
    await lplate.call('POST', '/range/v1/me/clock', { token, json: { advance: 'PT30S' } });
    await lplate.catchUp();
    assert.equal((await completed(lplate, token, answer)).job.created, 25);
  });

  test('Decisions, policies: 20 imports of a client are kept, for a week of its clock, and go with a reset', async (t) => {
    const lplate = await startLPlate(t, engine);
    const [{ id, secret, token }, other] = [await lplate.client(), await lplate.client()];
    const first = await send(lplate, token, [{}]);
    await completed(lplate, token, first);
    await slow(lplate, token, 30);
    for (let more = 0; more < 20; more += 1) assert.equal((await send(lplate, token, [{}])).status, 202);
    const path = `/policy-imports/${first.json.id}`;
    assert.deepEqual(problem(await lplate.call('GET', path, { token })), [404, 'import-not-found']);
    assert.deepEqual(problem(await send(lplate, token, [{}])), [429, 'quota-exceeded']);
    const { items } = await read(lplate, token, '/policy-imports');
    assert.equal(items.length, 20);
    const foreign = await lplate.call('GET', `/policy-imports/${items[0].id}`, { token: other.token });
    assert.deepEqual(problem(foreign), [404, 'import-not-found']);
    lplate.clock.advance(30_000);
    await lplate.catchUp();
    lplate.clock.advance(week + 1000);
    const again = await lplate.token(id, secret);
    // Before it is removed.
    const [old] = items;
    for (const each of [`/policy-imports/${old.id}`, `/policy-imports/${old.id}/rows`])
      assert.deepEqual(problem(await lplate.call('GET', each, { token: again })), [404, 'import-not-found']);
    assert.equal((await read(lplate, again, '/policy-imports')).totalItems, 0);
    await lplate.housekeeping();
    const later = await lplate.client();
    await completed(lplate, later.token, await send(lplate, later.token, [{ regNumber: 'LATER-1' }]));
    await lplate.call('POST', '/range/v1/me/reset', { token: later.token });
    assert.equal((await read(lplate, later.token, '/policy-imports')).totalItems, 0);
  });

  test('Decisions, policies: where imports take too many bytes, the oldest completed one goes, of the address or of that with most', async (t) => {
    const settled = await restartable(engine);
    let lplate = await settled.start({ trustProxy: 1 });
    t.after(() => lplate.close());
    const from = (address: string) => ({ 'X-Forwarded-For': `192.0.2.${address}` });
    const ids: Record<string, string> = {};
    const tokens: Record<string, string> = {};
    for (const name of ['1a', '1b', '2a', '3a']) {
      const { token } = await lplate.client();
      const sent = await send(lplate, token, [{}], from(name.charAt(0)));
      await completed(lplate, token, sent);
      lplate.clock.advance(1000);
      [ids[name], tokens[name]] = [sent.json.id, token];
    }
    /** Makes imports as large as many are together. */
    const enlarge = async (megabytes: Record<string, number>) => {
      await lplate.close();
      const database = await openDatabase(settled.location);
      for (const [name, each] of Object.entries(megabytes)) {
        await database.write(
          (sql) => sql.run`update policy_imports set bytes = ${each * 1e6} where id = ${ids[name] as string}`,
        );
      }
      await database.close();
      lplate = await settled.start({ trustProxy: 1 }, lplate.clock);
    };
    const there = async () => {
      const found = await Promise.all(
        Object.entries(ids).map(async ([name, id]) => {
          const { status } = await lplate.call('GET', `/policy-imports/${id}`, { token: tokens[name] });
          return status === 200 ? [name] : [];
        }),
      );
      return found.flat().sort();
    };
    const add = async (name: string) => {
      const { token } = await lplate.client();
      const sent = await send(lplate, token, [{}], from(name.charAt(0)));
      [ids[name], tokens[name]] = [sent.json.id, token];
      return sent;
    };

    await enlarge({ '1a': 70, '1b': 58, '2a': 100, '3a': 20 });
    assert.equal((await add('1c')).status, 202);
    assert.deepEqual(await there(), ['1b', '1c', '2a', '3a']);
    await enlarge({ '1b': 58, '2a': 100, '3a': 98 });
    assert.equal((await add('3b')).status, 202);
    assert.deepEqual(await there(), ['1b', '1c', '3a', '3b']);

    // What is not completed does not go.
    await slow(lplate, tokens['3a'] as string, 30);
    const open = await send(lplate, tokens['3a'] as string, [{}], from('4'));
    [ids['4a'], tokens['4a']] = [open.json.id, tokens['3a'] as string];
    await enlarge({ '4a': 128 });
    const refused = await send(lplate, tokens['3a'] as string, [{}], from('4'));
    assert.deepEqual([...problem(refused), refused.headers.get('retry-after')], [503, 'unavailable', '60']);
    assert.equal((await add('1d')).status, 202);
    assert.deepEqual(await there(), ['1b', '1c', '1d', '3b', '4a']);
  });

  test('Decisions, policies: an import goes on after a restart', async (t) => {
    const settled = await restartable(engine);
    let lplate = await settled.start();
    t.after(() => lplate.close());
    const { token } = await lplate.client();
    await slow(lplate, token, 1);
    const answer = await send(
      lplate,
      token,
      Array.from({ length: 30 }, (_, at) => ({ regNumber: `AGAIN-${at}` })),
    );
    await lplate.close();
    lplate = await settled.start();
    for (let round = 0; round < 3; round += 1) {
      lplate.clock.advance(1000);
      await lplate.catchUp();
    }
    assert.equal((await completed(lplate, token, answer)).job.created, 30);
    assert.equal((await read(lplate, token, '/policies')).totalItems, 30);
  });
});

forEachEngine((engine) => {
  /** Sums over all imports and their rows, as they are in the database. */
  const stored = async (location: DatabaseLocation) => {
    const database = await openDatabase(location);
    try {
      const [lines] = await database.sql.all<{
        n: number;
      }>`select coalesce(sum(length(lines)), 0) as n from policy_imports`;
      const [rows] = await database.sql.all<{
        n: number;
      }>`select coalesce(sum(length(problem)), 0) as n from policy_import_rows`;
      return { lines: Number(lines?.n), rows: Number(rows?.n) };
    } finally {
      await database.close();
    }
  };

  test('Decisions, imports: what counts is what was sent, and a refusal is kept as its code and what it needs, before it is told and after', async (t) => {
    const settled = await restartable(engine);
    let lplate = await settled.start();
    t.after(() => lplate.close());
    const { token } = await lplate.client();
    await slow(lplate, token, 30);
    const kinds = [
      '{"regNumber":"", "holder":7,"coverageOption":"A","startDate":"x"}',
      '{"regNumber":{},"holder":{},"coverageOption":{},"startDate":{}}',
      '{"regNumber":',
      '[1]',
      '{"regNumber":"A","regNumber":"B"}',
      '{"regNumber":"DUP-1"}',
      '{"regNumber":"X-1","startDate":"2020-01-01"}',
    ];
    const lines = Array.from({ length: 999 }, (_, at) => kinds[at % kinds.length] as string);
    const body = lines.join('\n');
    const sent = await send(lplate, token, lines);
    assert.equal(sent.status, 202, sent.text);
    assert.equal(await metric(lplate, 'lplate_policy_import_bytes'), body.length - lines.length + 1);
    const path = `/policy-imports/${sent.json.id}`;
    await lplate.close();
    assert.ok((await stored(settled.location)).lines < 3 * body.length);
    lplate = await settled.start({}, lplate.clock);
    for (let group = 0; group < 50; group += 1) {
      lplate.clock.advance(30_000);
      await lplate.catchUp();
    }
    const { refused, created } = await read(lplate, token, path);
    assert.deepEqual([created, refused], [1, 998]);
    const { items } = await read(lplate, token, `${path}/rows?pageSize=500`);
    for (const [at, line] of kinds.entries()) {
      const { json } = await lplate.call('POST', '/policies', {
        ...{ token, body: line, headers: { 'Content-Type': 'application/json' } },
      });
      const { instance: _, ...told } = json;
      const { line: number, problem } = items[at + kinds.length];
      assert.deepEqual(plain(problem, number), plain(told), line);
    }
    await lplate.close();
    const { rows } = await stored(settled.location);
    assert.ok(rows < 3 * body.length, `${rows} bytes for ${body.length}`);
    lplate = await settled.start({}, lplate.clock);
  });

  test('Decisions, imports: a line with a secret is kept without it, and told as before', async () => {
    const settled = await restartable(engine);
    const lplate = await settled.start();
    const { token, secret } = await lplate.client();
    const sent = await send(lplate, token, [
      `{"regNumber":"S-1","holder":7,"note":"${secret}"}`,
      `{"holder":"${token}"}`,
    ]);
    const { rows } = await completed(lplate, token, sent);
    assert.deepEqual(
      rows.map(({ status, problem: { errors } }: { status: string; problem: { errors: object[] } }) => [
        status,
        errors.length,
      ]),
      [
        ['refused', 1],
        ['refused', 3],
      ],
    );
    await lplate.close();
    const database = await openDatabase(settled.location);
    const [row] = await database.sql.all<{ n: number }>`
      select count(*) as n from policy_import_rows where problem like ${`%${secret}%`} or problem like ${`%${token}%`}`;
    await database.close();
    assert.equal(Number(row?.n), 0);
  });

  test('Decisions, imports: an address may have as much as is left for others, and its first megabyte always; a client its first one', async (t) => {
    const settled = await restartable(engine);
    let lplate = await settled.start({ trustProxy: 1 });
    t.after(() => lplate.close());
    const from = (address: number) => ({ 'X-Forwarded-For': `192.0.2.${address}` });
    const hold = async (address: number) => {
      const { token } = await lplate.client();
      await slow(lplate, token, 60);
      const sent = await send(lplate, token, [{}], from(address));
      return { token, address, id: sent.json.id as string };
    };
    /** Makes an import as large as many are together. */
    const enlarge = async (bytes: Record<string, number>) => {
      await lplate.close();
      const database = await openDatabase(settled.location);
      for (const [id, each] of Object.entries(bytes))
        await database.write((sql) => sql.run`update policy_imports set bytes = ${each} where id = ${id}`);
      await database.close();
      lplate = await settled.start({ trustProxy: 1 }, lplate.clock);
    };
    const status = async (token: string, address: number) => (await send(lplate, token, [{}], from(address))).status;
    const [one, two, three] = [await hold(1), await hold(2), await hold(3)];
    await enlarge({ [one.id]: 128e6, [two.id]: 64e6, [three.id]: 31e6 });
    // What is open of others does not go. One and two have their share, and three has some of it left.
    assert.deepEqual([await status(one.token, 1), await status(two.token, 2)], [503, 503]);
    assert.equal(await status(three.token, 3), 202);
    const first = await lplate.client();
    await slow(lplate, first.token, 60);
    assert.equal(await status(first.token, 1), 202, 'the first of a client');
    assert.equal(await status(first.token, 1), 503, 'its second');
    await enlarge({ [three.id]: 64e6 });
    assert.equal(await status((await lplate.client()).token, 1), 503, 'nothing is left');
    const four = await lplate.client();
    await slow(lplate, four.token, 60);
    for (let at = 0; at < 5; at += 1) assert.equal(await status(four.token, 4), 202, 'its first megabyte');
    await enlarge({ [three.id]: 96e6 });
    assert.equal(await status((await lplate.client()).token, 5), 503, 'all that there is is taken');
    const refused = await send(lplate, one.token, [{}], from(1));
    const seconds = Number(refused.headers.get('retry-after'));
    assert.deepEqual([...problem(refused), seconds > 0 && seconds <= 60], [503, 'unavailable', true]);
  });

  test('Decisions, imports: a refused import takes nothing from others, and nothing is noted of it', async (t) => {
    const settled = await restartable(engine);
    let lplate = await settled.start({ trustProxy: 1 });
    t.after(() => lplate.close());
    const [mine, other] = [await lplate.client(), await lplate.client()];
    const there = await send(lplate, other.token, [{}], { 'X-Forwarded-For': '192.0.2.2' });
    await completed(lplate, other.token, there);
    await slow(lplate, mine.token, 60);
    for (let at = 0; at < 20; at += 1) await send(lplate, mine.token, [{}], { 'X-Forwarded-For': '192.0.2.1' });
    await lplate.close();
    const database = await openDatabase(settled.location);
    await database.write((sql) => sql.run`update policy_imports set bytes = 256000000 where id = ${there.json.id}`);
    await database.close();
    lplate = await settled.start({ trustProxy: 1 }, lplate.clock);
    const before = await metric(lplate, 'lplate_policy_import_bytes');
    assert.equal(before, 256e6 + 20 * 2);
    for (let at = 0; at < 3; at += 1) {
      const refused = await send(lplate, mine.token, [{}], { 'X-Forwarded-For': '192.0.2.1' });
      assert.deepEqual(problem(refused), [429, 'quota-exceeded']);
    }
    assert.equal((await lplate.call('GET', `/policy-imports/${there.json.id}`, { token: other.token })).status, 200);
    assert.equal(await metric(lplate, 'lplate_policy_import_bytes'), before);
    // With one that is accepted it goes.
    const accepted = await send(lplate, (await lplate.client()).token, [{}], { 'X-Forwarded-For': '192.0.2.1' });
    assert.equal(accepted.status, 202);
    assert.equal((await lplate.call('GET', `/policy-imports/${there.json.id}`, { token: other.token })).status, 404);
  });
});

onSqlite((engine) => {
  test('Decisions, imports: beside 200 large imports of two addresses, 40 rows of a third are done within twice the turns that they need', {
    timeout: 120_000,
  }, async (t) => {
    const settled = await restartable(engine);
    const lplate = await settled.start({ trustProxy: 1 });
    t.after(() => lplate.close());
    const { directory } = settled.location as { directory: string };
    const file = new DatabaseSync(join(directory, 'l-plate.db'), { readOnly: true });
    t.after(() => file.close());
    let plates = 0;
    const lines = (count: number) => {
      plates += count;
      return Array.from({ length: count }, (_, at) => ({ regNumber: `TURN-${plates + at}` }));
    };
    for (let client = 0; client < 10; client += 1) {
      const { token } = await lplate.client();
      for (let at = 0; at < 20; at += 1) {
        const sent = await send(lplate, token, lines(400), { 'X-Forwarded-For': `192.0.2.${client % 2}` });
        assert.equal(sent.status, 202);
        assert.ok(Number(sent.headers.get('retry-after')) <= 60);
      }
    }
    const { token } = await lplate.client();
    const sent = await send(lplate, token, lines(40), { 'X-Forwarded-For': '192.0.2.77' });
    // In the order in which they were done.
    const last = (of: string) =>
      Number(
        (file.prepare(`select coalesce(max(rowid), 0) as n from policy_import_rows ${of}`).get() as { n: number }).n,
      );
    const before = last('');
    assert.equal(sent.headers.get('retry-after'), '1');
    await completed(lplate, token, sent);
    const after = last(`where import_id = '${sent.json.id}'`);
    assert.ok(after - before <= 80, `${after - before} rows were done, 40 of them its own`);
    assert.ok(last('') < 80_000, 'the others were not done');
  });
});
