import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDatabase } from '../../src/database/open.ts';
import { forEachEngine } from '../support/engines.ts';
import { type Answer, type LPlate, problem, startLPlate } from '../support/lplate.ts';
import { restartable } from '../support/restart.ts';
import { until } from '../support/until.ts';

const week = 7 * 24 * 3_600_000;
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

forEachEngine((engine) => {
  test('Decisions, policies: an import is accepted, and worked off in the background row by row, in groups', async (t) => {
    const lplate = await startLPlate(t, engine);
    const { token } = await lplate.client();
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
    const lplate = await startLPlate(t, engine, { policiesPerClient: 4 });
    const { token } = await lplate.client();
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
    // What examples have of the request that was refused.
    const plain = (told: object) => JSON.parse(JSON.stringify(told).replaceAll(/Q-[0-9a-f]{8}/g, 'Q'));
    for (const [at, line] of [...wrong, { regNumber: 'good1' }].entries()) {
      const body = typeof line === 'string' ? line : JSON.stringify(line);
      const { json } = await lplate.call('POST', '/policies', {
        ...{ token, body, headers: { 'Content-Type': 'application/json' } },
      });
      const { instance: _, ...told } = json;
      const row = rows[at + 1];
      assert.deepEqual([row.status, row.policyId, row.line], ['refused', null, row.line]);
      assert.deepEqual(plain(row.problem), plain(told), body);
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

  test('Decisions, policies: only a body that is no NDJSON is refused as a whole', async (t) => {
    const lplate = await startLPlate(t, engine);
    const { token } = await lplate.client();
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
    const lplate = await startLPlate(t, engine);
    const { token } = await lplate.client();
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
    const lplate = await startLPlate(t, engine);
    const { token } = await lplate.client();
    await slow(lplate, token, 30);
    const lines = Array.from({ length: 25 }, (_, at) => ({ regNumber: `SLOW-${at}` }));
    const answer = await send(lplate, token, lines);
    assert.equal(answer.headers.get('retry-after'), '61', answer.text);
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
    const [{ token }, other] = [await lplate.client(), await lplate.client()];
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
    const refused = await send(lplate, tokens['1b'] as string, [{}], from('4'));
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
