import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { stageNames } from '../../../src/examination-stages.ts';
import { fleetId } from '../../../src/insurer/index.ts';
import { forEachEngine } from '../../support/engines.ts';
import { type LPlate, problem, startWithClient, testSecrets } from '../../support/lplate.ts';
import { countStored } from '../../support/stored.ts';
import { trainerToken } from '../range.ts';

const path = '/range/v1/me/examinations';
const report = { outcome: 'passed', at: '2026-03-02T10:15:30.000Z', seed: 7 };

type Stage = { stage: string; outcome: string | null; at: string | null; seed: number | null };

async function stagesOf(lplate: LPlate, token: string, at = path): Promise<Stage[]> {
  const answer = await lplate.call('GET', at, { token });
  equal(answer.status, 200, answer.text);
  return answer.json.items;
}

const reported = (stages: readonly Stage[]) =>
  stages
    .filter(({ outcome }) => outcome !== null)
    .map(({ stage, outcome, at, seed }) => ({ stage, outcome, at, seed }));

forEachEngine((engine) => {
  test('Examinations: each stage has what was reported of it last, for the client and the trainer, and for no other client', async (t) => {
    const { lplate, client } = await startWithClient(t, engine);
    const { id, token } = client;
    const other = await lplate.client();
    const all = await stagesOf(lplate, token);
    deepEqual(
      all.map(({ stage }) => stage),
      stageNames,
    );
    deepEqual(reported(all), []);

    const put = (stage: string, json: object) => lplate.call('PUT', `${path}/${stage}`, { token, json });
    equal((await put('token', { ...report, outcome: 'failed' })).status, 200);
    const { json } = await put('token', { ...report, at: '2026-03-02T12:15:30+02:00', seed: 2 ** 31 - 1 });
    deepEqual(reported([json]), [{ stage: 'token', ...report, seed: 2 ** 31 - 1 }]);
    equal((await put('problems', { ...report, outcome: 'skipped' })).status, 200);
    const expected = [
      { stage: 'problems', ...report, outcome: 'skipped' },
      { stage: 'token', ...report, seed: 2 ** 31 - 1 },
    ];
    deepEqual(reported(await stagesOf(lplate, token)), expected);
    const ofTrainer = await stagesOf(lplate, trainerToken, `/range/v1/trainer/learners/${id}/examinations`);
    deepEqual(reported(ofTrainer), expected);
    deepEqual(reported(await stagesOf(lplate, other.token)), []);
  });

  test('Examinations: what is no stage, no outcome, no instant or no seed is refused, and so are preconfigured clients', async (t) => {
    const { lplate, client } = await startWithClient(t, engine);
    const put = (stage: string, json: object, token = client.token) =>
      lplate.call('PUT', `${path}/${stage}`, { token, json });
    for (const stage of ['tokens', 'constructor', 'TOKEN', '%00'])
      equal(problem(await put(stage, report))[1], 'stage-not-found', stage);
    for (const wrong of [
      { outcome: 'done' },
      { at: 'today' },
      { at: '2016-12-31T23:59:60Z' },
      { at: '1969-12-31T23:59:59Z' },
      { at: '9999-12-31T23:59:59-01:00' },
      { seed: -1 },
      { seed: 2 ** 31 },
      { seed: 0.5 },
    ])
      equal(problem(await put('token', { ...report, ...wrong }))[1], 'validation-error', JSON.stringify(wrong));
    const shared = await lplate.token(fleetId, testSecrets.fleetClientSecret);
    equal(problem(await put('token', report, shared))[1], 'preset-client');
    deepEqual(reported(await stagesOf(lplate, client.token)), []);
  });

  test('Examinations: a reset of the client keeps what was reported, its removal erases it, and the certificate has none of it', async (t) => {
    const { lplate, client } = await startWithClient(t, engine);
    const { id, token } = client;
    await lplate.call('PUT', `${path}/token`, { token, json: report });
    equal((await lplate.call('POST', '/range/v1/me/reset', { token })).status, 204);
    deepEqual(reported(await stagesOf(lplate, token)), [{ stage: 'token', ...report }]);
    const certificate = await lplate.call('GET', '/range/v1/me/certificate', { token });
    equal(certificate.status, 200);
    ok(!/stage|examin/i.test(certificate.text), certificate.text);

    const exported = async () =>
      (await lplate.call('GET', '/range/v1/trainer/export?content=lessons', { token: trainerToken })).json.learners;
    const ofClient = (await exported()).find(({ clientId }: { clientId: string }) => clientId === id);
    deepEqual(ofClient.examinations, [{ stage: 'token', ...report }]);
    equal((await lplate.call('DELETE', '/range/v1/me', { token })).status, 204);
    equal((await lplate.call('GET', path, { token })).status, 401);
    deepEqual(await exported(), []);
    equal(await countStored(lplate, 'examinations', `client_id = '${id}'`), 0);
  });
});
