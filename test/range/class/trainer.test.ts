import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { fleetId } from '../../../src/insurer/index.ts';
import { forEachEngineInFull } from '../../support/engines.ts';
import { problem, sharedLPlate, startLPlate, testSecrets } from '../../support/lplate.ts';
import { stored } from '../../support/stored.ts';
import { idOf, listed, trainerToken } from '../range.ts';

const base = '/range/v1/trainer';
const trainer = { token: trainerToken };

forEachEngineInFull((engine) => {
  const lplate = sharedLPlate(engine);

  test('Decisions, the range: the trainer sees one client: its calls and what it owns', async () => {
    const { id, token } = await lplate.client();
    await lplate.call('POST', '/policies', { token, json: { regNumber: 'TR-0001' } });
    await lplate.call('GET', '/policies/pol-1', { token });
    const { json } = await lplate.call('GET', `${base}/learners/${id}`, trainer);
    deepEqual(
      [json.clientId, json.calls, json.refusals, json.lastProblem, json.owns],
      [id, 4, 1, 'policy-not-found', { policies: 1, claims: 0, subscriptions: 0 }],
    );
    ok(!('announcement' in json));
    const fleet = await lplate.call('GET', `${base}/learners/${fleetId}`, trainer);
    deepEqual([fleet.json.calls, fleet.json.owns.policies], [0, 75], 'one that never called');
    for (const nobody of ['demo-00000000000000000000', 'trainer', '%00', 'A B', 'x'.repeat(5000)]) {
      const unknown = await lplate.call('GET', `${base}/learners/${nobody}`, trainer);
      deepEqual(problem(unknown), [404, 'client-not-found'], nobody);
      match(unknown.json.detail, /GET \/range\/v1\/trainer\/learners lists/);
    }
  });

  test('Decisions, the range: the trainer sees how often a client was refused in a row, and what was said last', async () => {
    const { id, token } = await lplate.client();
    const run = async () => {
      const { json } = await lplate.call('GET', `${base}/learners/${id}`, trainer);
      return [json.refusalsInARow, json.lastRefusal];
    };
    const wrong = () => lplate.call('POST', '/policies', { token, json: { vehicle: 'x' } });
    deepEqual(await run(), [0, null]);
    for (let count = 0; count < 3; count += 1) await wrong();
    const [{ pointer = '', detail = '' }] = (await wrong()).json.errors;
    deepEqual(await run(), [4, `${pointer} ${detail}`]);
    // What the console reads, and a new token, change nothing.
    await lplate.call('GET', '/policies', { token, headers: { 'L-Plate-Console': '1' } });
    await lplate.call('POST', '/auth/token', { json: { client_id: id, client_secret: 'wrong' } });
    deepEqual((await run())[0], 1, 'another problem begins anew');
    await wrong();
    deepEqual((await run())[0], 1);
    await wrong();
    deepEqual((await run())[0], 2, 'one that was written before goes on');
    await lplate.call('GET', '/policies', { token });
    deepEqual(await run(), [0, null]);
    // A place in the body may have any name: here one that stands there twice.
    const [twice, headers] = ['{"a\\u0000b":1,"a\\u0000b":2}', { 'Content-Type': 'application/json' }];
    const refused = await lplate.call('POST', '/policies', { token, headers, body: twice });
    match(JSON.stringify(refused.json), /a\\u0000b/);
    const [times, said] = await run();
    equal(times, 1);
    match(said, /a\ufffdb/);
  });

  test('Decisions, the range: five minutes without a call are a break, after which a client works anew', async () => {
    const { id, token } = await lplate.client();
    const active = async () => (await lplate.call('GET', `${base}/learners/${id}`, trainer)).json.activeSince;
    const began = await active();
    lplate.clock.advance(4 * 60_000);
    await lplate.call('GET', '/policies', { token });
    equal(await active(), began);
    lplate.clock.advance(6 * 60_000);
    await lplate.call('GET', '/policies', { token });
    equal(Date.parse(await active()) - Date.parse(began), 10 * 60_000);
  });

  test('Decisions, the range: a reset is noted with its time', async () => {
    const { id } = await lplate.client();
    const read = async () => (await lplate.call('GET', `${base}/learners/${id}`, trainer)).json.resetAt;
    equal(await read(), null);
    await lplate.call('POST', `${base}/learners/${id}/reset`, trainer);
    equal(await read(), new Date(lplate.clock.now()).toISOString());
  });

  test('Decisions, the range: calls with the token of the trainer are in a log of their own, without the token', async () => {
    const { id, token } = await lplate.client();
    const calls = [
      await lplate.call('GET', `${base}/learners?pageSize=3`, trainer),
      await lplate.call('GET', `${base}/learners/none`, trainer),
      await lplate.call('PUT', `${base}/announcement`, { ...trainer, json: { text: `It is ${trainerToken}` } }),
      await lplate.call('POST', `${base}/learners/${id}/reset`, trainer),
      await lplate.call('GET', `${base}/export`, trainer),
    ];
    const strangers = [
      await lplate.call('GET', `${base}/learners`, { token }),
      await lplate.call('GET', `${base}/learners`),
      await lplate.call('GET', '/range/v1/me', { token }),
    ];
    // What the page of the trainer reads again and again is not kept; what it changes is.
    const read = { ...trainer, headers: { 'L-Plate-Console': '1' } };
    strangers.push(await lplate.call('GET', `${base}/learners`, read));
    const log = await listed(lplate, `${base}/calls`, trainerToken);
    deepEqual(
      log.slice(0, 5).map((entry) => entry.id),
      calls.map(idOf).reverse(),
    );
    deepEqual(
      log.slice(0, 5).map(({ status }) => status),
      [200, 204, 400, 404, 200],
    );
    ok(!log.some((entry) => strangers.map(idOf).includes(entry.id)));
    const [, , , missed] = log;
    deepEqual([missed.problem, missed.url], ['client-not-found', `${base}/learners/none`]);
    const filtered = await listed(lplate, `${base}/calls?problem=client-not-found`, trainerToken);
    ok(filtered.length > 0 && filtered.every(({ status }) => status === 404));
    const whole = await lplate.call('GET', `${base}/exchanges/${log[2].id}`, trainer);
    ok(!whole.text.includes(trainerToken));
    deepEqual(problem(await lplate.call('GET', `/range/v1/me/exchanges/${log[0].id}`, { token })), [
      404,
      'exchange-not-found',
    ]);
    const rows = await stored(lplate, 'select summary, details from exchanges');
    ok(!JSON.stringify(rows).includes(trainerToken));
    const learners = await listed(lplate, `${base}/learners`, trainerToken);
    ok(!learners.some(({ clientId }) => clientId === 'trainer'));
    ok(!(await listed(lplate, `${base}/exchanges`, trainerToken)).some(({ url }) => url.startsWith('/range')));
  });

  test('Decisions, the range: the last 300 calls of the trainer are kept, also after a reset of all', async () => {
    for (let at = 0; at < 310; at += 1) {
      await (await fetch(`${lplate.url}${base}/exchanges/${at}`, { headers: bearer })).arrayBuffer();
      if (at % 100 === 0) await listed(lplate, `${base}/calls`, trainerToken);
    }
    await lplate.call('POST', `${base}/reset`, trainer);
    const log = await listed(lplate, `${base}/calls`, trainerToken);
    equal(log.length, 300);
    deepEqual([log[0].url, log[1].url], [`${base}/reset`, `${base}/exchanges/309`]);
  });

  test('Decisions, the range: the trainer names a client, and gets the secrets to hand out, which no log has', async () => {
    const { id, token } = await lplate.client();
    const name = (path: string, nickname: unknown) =>
      lplate.call('PATCH', `${base}/learners/${path}`, { ...trainer, json: { nickname } });
    equal((await name(id, 'Seat 4')).json.nickname, 'Seat 4');
    equal((await lplate.call('GET', '/range/v1/me', { token })).json.nickname, 'Seat 4');
    deepEqual(problem(await name(id, 'a\nb')), [400, 'validation-error']);
    deepEqual(problem(await name('demo-00000000000000000000', 'x')), [404, 'client-not-found']);
    deepEqual(problem(await name(fleetId, 'x')), [409, 'preset-client']);
    const { json, headers } = await lplate.call('GET', `${base}/secrets`, trainer);
    const { hmacSecret, readerClientSecret, fleetClientSecret } = testSecrets;
    deepEqual(json, {
      hmacSecret,
      clients: [
        { clientId: 'preset-reader', clientSecret: readerClientSecret },
        { clientId: 'preset-fleet', clientSecret: fleetClientSecret },
      ],
    });
    equal(headers.get('cache-control'), 'no-store');
    const [call] = await listed(lplate, `${base}/calls?path=${base}/secrets`, trainerToken);
    ok(call, 'it is in the log');
    const rows = JSON.stringify(await stored(lplate, 'select summary, details from exchanges'));
    for (const secret of [hmacSecret, readerClientSecret, fleetClientSecret]) ok(!rows.includes(secret));
    ok(!lplate.log.join('\n').includes(hmacSecret));
  });

  test('Decisions, the range: the end of a class removes every learner and the announcement, and nothing preconfigured', async () => {
    const clients = [await lplate.client(), await lplate.client()];
    const [{ id, token }] = clients as [(typeof clients)[0]];
    await lplate.call('PATCH', '/range/v1/me', { token, json: { nickname: 'Ada' } });
    for (let at = 0; at < 9; at += 1) await lplate.call('POST', '/range/v1/me/fleet', { token });
    await lplate.call('PUT', `${base}/announcement`, { ...trainer, json: { text: 'Lunch.' } });
    const there = (await listed(lplate, `${base}/learners`, trainerToken)).length;
    const { status, json } = await lplate.call('DELETE', `${base}/learners`, trainer);
    equal(status, 200);
    ok(json.clients >= there && there > 1, `${json.clients} of ${there}`);
    deepEqual(await listed(lplate, `${base}/learners`, trainerToken), []);
    deepEqual(await listed(lplate, `${base}/lessons`, trainerToken), []);
    for (const each of clients) {
      deepEqual(problem(await lplate.call('GET', '/policies', { token: each.token })), [401, 'invalid-token']);
      deepEqual(problem(await lplate.call('GET', `${base}/learners/${each.id}`, trainer)), [404, 'client-not-found']);
    }
    deepEqual(problem(await lplate.call('GET', `${base}/announcement`, trainer)), [404, 'announcement-not-found']);
    const left = await stored(lplate, 'select id from clients order by id');
    deepEqual(
      left.map((row) => row.id),
      ['preset-fleet', 'preset-reader'],
    );
    for (const table of ['policies', 'learners', 'lesson_progress', 'exchanges', 'kept_answers']) {
      const rows = await stored(lplate, `select client_id from ${table}`);
      ok(!rows.some((row) => row.client_id === id), table);
    }
    equal((await lplate.call('GET', `${base}/learners/${fleetId}`, trainer)).json.owns.policies, 75);
    const { json: again } = await lplate.call('DELETE', `${base}/learners`, trainer);
    equal(again.clients, 0);
    const next = await lplate.client();
    equal((await lplate.call('GET', '/policies', { token: next.token })).status, 200);
  });

  test('Decisions, classes: an address can guess ten tokens of the trainer a minute, and is then refused the right one too', async (t) => {
    const lplate = await startLPlate(t, engine, { trustProxy: 1 });
    const send = (token: string, address: string) =>
      lplate.call('GET', `${base}/learners`, { token, headers: { 'X-Forwarded-For': address } });
    equal((await send(trainerToken, '192.0.2.1')).status, 200);
    for (const address of ['192.0.2.1', '192.0.2.2']) {
      for (let guess = 0; guess < 10; guess += 1) {
        deepEqual(problem(await send(`guess-${guess}`, address)), [401, 'invalid-token']);
      }
      const refused = await send('guess-10', address);
      deepEqual(problem(refused), [429, 'rate-limit-exceeded']);
      deepEqual([refused.headers.get('ratelimit-limit'), refused.headers.get('retry-after')], ['10', '60']);
    }
    deepEqual(problem(await send(trainerToken, '192.0.2.2')), [429, 'rate-limit-exceeded']);
    equal((await send(trainerToken, '192.0.2.1')).status, 200, 'the trainer was there before');
    equal((await send(trainerToken, '192.0.2.3')).status, 200);
    lplate.clock.advance(60_000);
    equal((await send(trainerToken, '192.0.2.2')).status, 200);
  });

  test('Decisions, the range: every address of the trainer takes its token alone', async () => {
    const { id, token } = await lplate.client();
    for (const [method, path] of [
      ['GET', `/learners/${id}`],
      ['POST', `/learners/${id}/reset`],
      ['POST', '/reset'],
      ['DELETE', '/learners'],
      ['PATCH', `/learners/${id}`],
      ['GET', '/secrets'],
      ['POST', '/fleet/reset'],
      ['PUT', '/announcement'],
      ['GET', '/announcement'],
      ['DELETE', '/announcement'],
      ['GET', '/export'],
      ['GET', '/export.csv'],
      ['GET', '/calls'],
    ] as const) {
      const refused = await lplate.call(method, base + path, { token });
      deepEqual(problem(refused), [401, 'invalid-token'], path);
      match(refused.json.detail, /not that of the trainer, but one of a client\. Send the TRAINER_TOKEN/);
      deepEqual(problem(await lplate.call(method, base + path)), [401, 'missing-token'], path);
    }
    equal((await lplate.call('GET', '/policies', { token })).json.totalItems, 0);
  });
});

const bearer = { Authorization: `Bearer ${trainerToken}` };
