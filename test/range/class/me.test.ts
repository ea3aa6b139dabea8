import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { fleetId, readerId } from '../../../src/insurer/index.ts';
import { findVehicle } from '../../../src/vehicle-registry/vehicle.ts';
import { forEachEngineInFull } from '../../support/engines.ts';
import { problem, sharedLPlate, startLPlate, testSecrets } from '../../support/lplate.ts';
import { trainerToken } from '../range.ts';

const me = '/range/v1/me';
const today = '2026-03-02';

interface Made {
  id: string;
  regNumber: string;
  status: string;
}

interface Listed extends Made {
  holder: string | null;
  coverageOption: string;
  startDate: string;
  endDate: string;
  createdAt: string;
  updatedAt: string;
}

forEachEngineInFull((engine) => {
  const lplate = sharedLPlate(engine);

  const list = async (token: string): Promise<Listed[]> =>
    (await lplate.call('GET', '/policies?pageSize=500', { token })).json.items;

  test('Decisions, the range: me counts what the client owns', async () => {
    const { token } = await lplate.client();
    const owns = async () => (await lplate.call('GET', me, { token })).json.owns;
    deepEqual(await owns(), { policies: 0, claims: 0, subscriptions: 0 });
    const policy = await lplate.call('POST', '/policies', { token, json: { regNumber: 'ME-0001' } });
    await lplate.call('POST', `/policies/${policy.json.id}/cancel`, { token });
    for (let count = 0; count < 2; count += 1) {
      await lplate.call('POST', '/claims/v1/claims', { token, json: { policyNumber: policy.json.id } });
    }
    const url = 'http://127.0.0.1:9/hooks';
    const hook = await lplate.call('POST', '/claims/v1/subscriptions', { token, json: { url } });
    deepEqual(await owns(), { policies: 1, claims: 2, subscriptions: 1 });
    await lplate.call('DELETE', `/claims/v1/subscriptions/${hook.json.id}`, { token });
    const renamed = await lplate.call('PATCH', me, { token, json: { nickname: 'Ada' } });
    deepEqual(
      [renamed.json.nickname, renamed.json.owns, renamed.json.announcement],
      ['Ada', { policies: 1, claims: 2, subscriptions: 0 }, null],
    );
  });

  test('Decisions, the range: me and the trainer see the clock and the drills that are on; a reset ends drills and leaves the clock', async () => {
    const { id, token } = await lplate.client();
    const mine = async () => {
      const { clock, drills } = (await lplate.call('GET', me, { token })).json;
      return [clock.aheadSeconds, drills];
    };
    deepEqual(await mine(), [0, []]);
    await lplate.call('POST', `${me}/clock`, { token, json: { advance: 'PT10M' } });
    const json = { name: 'delay', parameters: { fromMs: 1, toMs: 1 }, minutes: 2 };
    equal((await lplate.call('POST', `${me}/drills`, { token, json })).status, 201);
    deepEqual(await mine(), [600, [{ name: 'delay', secondsLeft: 120 }]]);
    const learners = await lplate.call('GET', '/range/v1/trainer/learners', { token: trainerToken });
    const seen = learners.json.items.find(({ clientId }: { clientId: string }) => clientId === id);
    deepEqual(
      [seen.clock, seen.drills],
      [{ now: '2026-03-02T10:25:30.000Z', aheadSeconds: 600 }, [{ name: 'delay', secondsLeft: 120 }]],
    );
    await lplate.call('POST', `${me}/reset`, { token });
    deepEqual(await mine(), [600, []]);
  });

  test('Decisions, the range: a fleet of one’s own is 75 policies of all kinds, for vehicles of the registry', async () => {
    const { token } = await lplate.client();
    const answer = await lplate.call('POST', `${me}/fleet`, { token });
    equal(answer.status, 201, answer.text);
    equal(answer.headers.get('location'), `${lplate.config.publicUrl}/insurer/v1/policies`);
    const made: Made[] = answer.json.policies;
    const policies = await list(token);
    deepEqual(
      policies.map(({ id, regNumber, status }) => ({ id, regNumber, status })),
      made,
    );
    equal(policies.length, 75);
    for (const { id, regNumber, status, startDate, endDate, createdAt, updatedAt } of policies) {
      match(id, /^pol-[0-9a-f-]{36}$/);
      match(regNumber, /^(?![QV])(?!FL)[A-Z]{2}-\d{4}$/);
      ok(findVehicle(regNumber), regNumber);
      equal(status === 'expired', endDate < today);
      ok(createdAt.slice(0, 10) <= startDate && startDate <= endDate && createdAt <= updatedAt);
      ok(updatedAt < '2026-03-02T10:15:30.000Z');
      equal(status === 'active' || status === 'expired', createdAt === updatedAt);
    }
    equal(new Set(policies.map(({ regNumber }) => regNumber)).size, 75);
    ok(policies.every(({ createdAt }, at) => at === 0 || createdAt >= (policies[at - 1] as Listed).createdAt));
    const kinds = (of: (policy: Listed) => unknown) => new Set(policies.map(of)).size;
    deepEqual([kinds(({ status }) => status), kinds(({ coverageOption }) => coverageOption)], [4, 4]);
    ok(kinds(({ holder }) => holder) > 8 && policies.some(({ holder }) => holder === null));
    ok(policies.some(({ startDate }) => startDate > today));
    ok(policies.filter(({ status }) => status === 'active' || status === 'updated').length > 55);
  });

  test('Decisions, the range: its policies are like any others: in the way of others, changed, cancelled, with claims', async () => {
    const [one, other] = [await lplate.client(), await lplate.client()];
    const { policies } = (await lplate.call('POST', `${me}/fleet`, one)).json;
    const active: Made = policies.find(({ status }: Made) => status === 'active');
    const json = { regNumber: active.regNumber };
    deepEqual(problem(await lplate.call('POST', '/policies', { token: other.token, json })), [409, 'duplicate-policy']);
    const path = `/policies/${active.id}`;
    equal((await lplate.call('GET', path, { token: other.token })).status, 404);
    equal((await lplate.call('PUT', path, { token: one.token, json: { holder: 'New' } })).json.status, 'updated');
    const claim = { policyNumber: active.id };
    equal((await lplate.call('POST', '/claims/v1/claims', { token: one.token, json: claim })).status, 201);
    equal((await lplate.call('POST', `${path}/cancel`, { token: one.token })).json.status, 'cancelled');
    const expired = policies.find(({ status }: Made) => status === 'expired');
    deepEqual(problem(await lplate.call('POST', `/policies/${expired.id}/cancel`, { token: one.token })), [
      409,
      'policy-immutable',
    ]);
  });

  test('Decisions, the range: each call makes 75 more, all or none, up to the cap on policies', async (t) => {
    const small = await startLPlate(t, engine, { policiesPerClient: 160 });
    const { token } = await small.client();
    await small.call('POST', '/policies', { token, json: { regNumber: 'ME-0002' } });
    const answers = await Promise.all([1, 2, 3, 4].map(() => small.call('POST', `${me}/fleet`, { token })));
    deepEqual(answers.map(({ status }) => status).sort(), [201, 201, 429, 429]);
    const refused = answers.find(({ status }) => status === 429);
    match(refused?.json.detail, /owns 151 policies, and the limit is 160: there is no room for 75 more\. POST/);
    const { json } = await small.call('GET', '/policies?pageSize=500', { token });
    deepEqual([json.totalItems, json.items.length], [151, 151]);
    equal((await small.call('POST', '/policies', { token, json: { regNumber: 'ME-0003' } })).status, 201);
  });

  test('Decisions, the range: preconfigured clients get no fleet and are not reset, since they are shared', async () => {
    for (const [id, secret] of [
      [readerId, testSecrets.readerClientSecret],
      [fleetId, testSecrets.fleetClientSecret],
    ] as const) {
      const token = await lplate.token(id, secret);
      for (const path of ['/fleet', '/reset']) {
        const refused = await lplate.call('POST', me + path, { token });
        deepEqual(problem(refused), [409, 'preset-client']);
        match(refused.json.detail, new RegExp(`^The client ${id} .*POST /insurer/v1/demo-clients creates one`));
      }
      equal((await lplate.call('GET', me, { token })).json.owns.policies, id === fleetId ? 75 : 0);
    }
  });

  test('Decisions, the range: the token of the trainer is no token of a client, which is said', async () => {
    for (const [method, path] of [
      ['GET', ''],
      ['PATCH', ''],
      ['POST', '/fleet'],
      ['POST', '/reset'],
      ['GET', '/exchanges'],
    ] as const) {
      const refused = await lplate.call(method, me + path, { token: trainerToken });
      deepEqual(problem(refused), [401, 'invalid-token']);
      match(refused.json.detail, /is that of the trainer, .* send the access_token that it gets from POST/);
      deepEqual(problem(await lplate.call(method, me + path)), [401, 'missing-token']);
    }
    const elsewhere = await lplate.call('GET', '/policies', { token: trainerToken });
    deepEqual(problem(elsewhere), [401, 'invalid-token']);
  });
});
