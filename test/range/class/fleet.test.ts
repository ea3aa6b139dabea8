import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import { day } from '../../../src/time/units.ts';
import { forEachEngine } from '../../support/engines.ts';
import { problem, startLPlate } from '../../support/lplate.ts';

forEachEngine((engine) => {
  test('Decisions, the range: a fleet of drafts has the policies that were asked for, also over ones, and causes no claims', async (t) => {
    const lplate = await startLPlate(t, engine);
    const { token } = await lplate.client();
    const order = (policies: object[]) => lplate.call('POST', '/range/v1/me/fleet', { token, json: { policies } });
    const drafts = [
      { regNumber: 'FD-ONE', holder: ' Ada Example ', status: 'updated', startDate: '2026-01-15' },
      { regNumber: 'FD-TWO', startDate: '2020-01-01', coverageOption: 'MTPL-3M' },
      { regNumber: 'FD-TWO', startDate: '2026-04-01' },
      { regNumber: 'FD-FOUR', status: 'cancelled' },
    ];
    const { status, json } = await order(drafts);
    equal(status, 201);
    deepEqual(
      json.policies.map(({ regNumber, status }: Record<string, string>) => `${regNumber} ${status}`),
      ['FD-ONE updated', 'FD-TWO expired', 'FD-TWO active', 'FD-FOUR cancelled'],
    );
    const { items } = (await lplate.call('GET', '/policies', { token })).json;
    const times = items.map((each: Record<string, string>) => [
      each.startDate,
      each.endDate,
      each.createdAt,
      each.holder,
    ]);
    deepEqual(times.slice(0, 2), [
      ['2026-01-15', '2027-01-14', '2026-01-15T00:00:00.000Z', 'Ada Example'],
      ['2020-01-01', '2020-03-31', '2020-01-01T00:00:00.000Z', null],
    ]);
    equal((await lplate.call('GET', '/claims/v1/claims', { token })).json.totalItems, 0);

    const again = await order([{ regNumber: 'FD-NEW' }, { regNumber: 'fd-one' }]);
    deepEqual(problem(again), [409, 'duplicate-policy']);
    deepEqual(
      again.json.errors.map(({ pointer }: { pointer: string }) => pointer),
      ['/policies/1/regNumber'],
    );
    const twice = await order([{ regNumber: 'FD-NEW' }, { regNumber: 'FDNEW' }]);
    deepEqual(problem(twice), [409, 'duplicate-policy']);
    equal((await lplate.call('GET', '/policies', { token })).json.totalItems, 4);
  });

  test('Decisions, the range: drafts of a fleet are judged as those of policies are, each by its place', async (t) => {
    const lplate = await startLPlate(t, engine, { policiesPerClient: 3 });
    const { token } = await lplate.client();
    const order = (json: unknown) => lplate.call('POST', '/range/v1/me/fleet', { token, json });
    const refused = async (...policies: object[]) => {
      const answer = await order({ policies });
      deepEqual(problem(answer), [400, 'validation-error']);
      return answer.json.errors.map(({ pointer, detail }: Record<string, string>) => `${pointer} ${detail}`).join('\n');
    };
    const good = { regNumber: 'FD-1' };
    match(await refused(good, { regNumber: 'Ä' }), /^\/policies\/1\/regNumber /);
    match(await refused(good, { regNumber: 'FD-2', holdr: 'A' }), /^\/policies\/1\/holdr .*Did you mean holder\?/);
    match(await refused({ regNumber: 'FD-2', holder: '  ' }), /^\/policies\/0\/holder /);
    match(
      await refused({ regNumber: 'FD-2', startDate: '2016-03-01' }),
      /startDate must be from 2016-03-02 to 2027-03-02/,
    );
    match(
      await refused({ regNumber: 'FD-2', startDate: '2020-01-01', status: 'active' }),
      /^\/policies\/0\/status can’t be active: its last day of cover is 2020-12-31, which has passed\.$/,
    );
    match(await refused({ regNumber: 'FD-2', status: 'expired' }), /status can’t be expired: .* has not passed\.$/);
    const many = Array.from({ length: 101 }, (_, at) => ({ regNumber: `FD-${at}` }));
    match(await refused(...many), /^\/policies /);
    match(await refused(), /^\/policies /);
    deepEqual(problem(await order({ policies: many.slice(0, 4) })), [429, 'quota-exceeded']);
    equal((await lplate.call('GET', '/policies', { token })).json.totalItems, 0);
  });

  test('Decisions, the range: a fleet of drafts takes a vehicle whose policy has run out', async (t) => {
    const lplate = await startLPlate(t, engine);
    const [one, other] = [await lplate.client(), await lplate.client()];
    await lplate.call('POST', '/policies', {
      token: one.token,
      json: { regNumber: 'FD-OLD', coverageOption: 'MTPL-3M' },
    });
    lplate.clock.advance(200 * day);
    const token = await lplate.token(other.id, other.secret);
    const json = { policies: [{ regNumber: 'FD-OLD' }] };
    equal((await lplate.call('POST', '/range/v1/me/fleet', { token, json })).status, 201);
  });
});
