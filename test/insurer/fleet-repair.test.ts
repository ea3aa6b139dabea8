import { deepEqual, equal, ok } from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { fleetId, readerId } from '../../src/insurer/index.ts';
import { day } from '../../src/time/units.ts';
import { type Engine, forEachEngineInFull } from '../support/engines.ts';
import { type LPlate, problem, startLPlate, testSecrets } from '../support/lplate.ts';

interface Policy {
  id: string;
  regNumber: string;
  status: string;
  holder: string | null;
  updatedAt: string;
  startDate: string;
  endDate: string;
}

async function started(t: TestContext, engine: Engine) {
  const lplate = await startLPlate(t, engine);
  // It runs at the start, too.
  await lplate.housekeeping();
  const fleet = await lplate.token(fleetId, testSecrets.fleetClientSecret);
  const list = async (token = fleet): Promise<Policy[]> =>
    (await lplate.call('GET', '/policies?pageSize=500', { token })).json.items;
  const cancel = async (token: string, { id }: { id: string }) =>
    equal((await lplate.call('POST', `/policies/${id}/cancel`, { token })).status, 200);
  return { lplate, fleet, list, cancel };
}

const insure = (lplate: LPlate, token: string, regNumber: string) =>
  lplate.call('POST', '/policies', { token, json: { regNumber } });

forEachEngineInFull((engine) => {
  test('Decisions, start-up: a cancelled policy of preset-fleet is in force again at the next housekeeping, as the same policy with a new tag', async (t) => {
    const { lplate, fleet, list, cancel } = await started(t, engine);
    const before = await list();
    const [first, , third] = before as [Policy, Policy, Policy];
    const path = `/policies/${third.id}`;
    await lplate.call('PUT', path, { token: fleet, json: { holder: 'Ada Example' } });
    await cancel(fleet, first);
    await cancel(fleet, third);
    const cancelled = await lplate.call('GET', path, { token: fleet });
    const claims = (await lplate.call('GET', '/claims/v1/claims', { token: fleet })).json.totalItems;
    lplate.clock.advance(60_000);
    await lplate.housekeeping();
    const restored = await lplate.call('GET', path, { token: fleet });
    deepEqual(restored.json, {
      ...third,
      holder: 'Ada Example',
      status: 'active',
      updatedAt: new Date(lplate.clock.now()).toISOString(),
    });
    // Its version counts each of the changes: renamed, cancelled, restored.
    deepEqual(
      [cancelled, restored].map(({ headers }) => headers.get('etag')),
      ['"3-cancelled"', '"4-active"'],
    );
    const after = await list();
    deepEqual(
      after.map(({ id, status }) => [id, status]),
      before.map(({ id }) => [id, 'active']),
    );
    equal((await lplate.call('GET', '/claims/v1/claims', { token: fleet })).json.totalItems, claims);
    const { token } = await lplate.client();
    deepEqual(problem(await insure(lplate, token, first.regNumber)), [409, 'duplicate-policy']);
    // Nothing is done to those in force.
    lplate.clock.advance(60_000);
    await lplate.housekeeping();
    deepEqual(await list(), after);
  });

  test('Decisions, start-up: a vehicle of preset-fleet that somebody else insured meanwhile stays his, until it is free', async (t) => {
    const { lplate, fleet, list, cancel } = await started(t, engine);
    const [first] = (await list()) as [Policy];
    await cancel(fleet, first);
    const other = await lplate.client();
    const taken = await insure(lplate, other.token, first.regNumber);
    equal(taken.status, 201);
    await lplate.housekeeping();
    equal((await list())[0]?.status, 'cancelled');
    await cancel(other.token, taken.json);
    await lplate.housekeeping();
    equal((await list())[0]?.status, 'active');
    equal((await list(other.token))[0]?.status, 'cancelled');
  });

  test('Decisions, start-up: only what was the fleet’s from the start is repaired, and one policy of a vehicle', async (t) => {
    const { lplate, fleet, list, cancel } = await started(t, engine);
    const [first] = (await list()) as [Policy];
    const own = (await insure(lplate, fleet, 'FL-0076')).json;
    await cancel(fleet, own);
    const demo = await lplate.client();
    const demos = (await insure(lplate, demo.token, 'RP-0001')).json;
    await cancel(demo.token, demos);
    await cancel(fleet, first);
    const second = (await insure(lplate, fleet, first.regNumber)).json;
    await cancel(fleet, second);
    await lplate.housekeeping();
    const states = new Map((await list()).map(({ id, status }) => [id, status]));
    deepEqual([states.get(first.id), states.get(second.id), states.get(own.id)], ['cancelled', 'active', 'cancelled']);
    deepEqual(
      (await list(demo.token)).map(({ status }) => status),
      ['cancelled'],
    );
  });

  test('Decisions, start-up: all 75 are repaired at once, and one whose term has ended is replaced on the day', async (t) => {
    const { lplate, fleet, list, cancel } = await started(t, engine);
    const before = await list();
    for (const policy of before) await cancel(fleet, policy);
    await lplate.housekeeping();
    ok((await list()).every(({ status }) => status === 'active'));
    await cancel(fleet, before[0] as Policy);
    lplate.clock.advance(366 * day);
    await lplate.housekeeping();
    const token = await lplate.token(fleetId, testSecrets.fleetClientSecret);
    const after = await list(token);
    equal(after[0]?.status, 'cancelled');
    equal(after.filter(({ status }) => status === 'active').length, 75);
  });

  test('Decisions, start-up: preset-reader can’t cancel a policy', async (t) => {
    const { lplate, list } = await started(t, engine);
    const token = await lplate.token(readerId, testSecrets.readerClientSecret);
    const [first] = (await list()) as [Policy];
    const refused = await lplate.call('POST', `/policies/${first.id}/cancel`, { token });
    deepEqual(problem(refused), [403, 'insufficient-scope']);
  });
});
