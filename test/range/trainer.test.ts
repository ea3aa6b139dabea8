import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { fleetId } from '../../src/insurer/index.ts';
import { stored } from '../claims/stored.ts';
import { forEachEngineInFull } from '../support/engines.ts';
import { type LPlate, problem, startLPlate } from '../support/lplate.ts';
import { idOf, listed, trainerToken } from './range.ts';

const base = '/range/v1/trainer';
const trainer = { token: trainerToken };

forEachEngineInFull((engine) => {
  let lplate: LPlate;
  before(async () => {
    lplate = await startLPlate(engine);
  });
  after(() => lplate.close());

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
      [200, 204, 200, 404, 200],
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

  test('Decisions, the range: every address of the trainer takes its token alone', async () => {
    const { id, token } = await lplate.client();
    for (const [method, path] of [
      ['GET', `/learners/${id}`],
      ['POST', `/learners/${id}/reset`],
      ['POST', '/reset'],
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
