import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { fleetId } from '../../src/insurer/index.ts';
import { TestClock } from '../support/clock.ts';
import { forEachEngineInFull } from '../support/engines.ts';
import { problem, sharedLPlate, startLPlate, testSecrets } from '../support/lplate.ts';

const moveTo = (clock: TestClock, moment: string) => clock.advance(Date.parse(moment) - clock.now());

forEachEngineInFull((engine) => {
  const lplate = sharedLPlate(engine);
  let token: string;
  before(async () => {
    await renew();
  });

  /** The fleet's: it is never removed, however far a test moves the clock. */
  async function renew(): Promise<void> {
    token = await lplate.token(fleetId, testSecrets.fleetClientSecret);
  }
  const create = (json: object) => lplate.call('POST', '/policies', { token, json });
  const created = async (json: object) => {
    const answer = await create(json);
    assert.equal(answer.status, 201, answer.text);
    return answer.json;
  };
  const read = async (id: string) => (await lplate.call('GET', `/policies/${id}`, { token })).json;
  const update = (id: string, holder: string) => lplate.call('PUT', `/policies/${id}`, { token, json: { holder } });
  const cancel = (id: string) => lplate.call('POST', `/policies/${id}/cancel`, { token });

  describe('States and transitions', () => {
    test('States, active to updated: an update changes the holder, the status and the time of the change, nothing else', async () => {
      const policy = await created({ regNumber: 'ST-0001' });
      lplate.clock.advance(1234);
      const answer = await update(policy.id, 'Ada Example');
      assert.equal(answer.status, 200);
      const updatedAt = new Date(lplate.clock.now()).toISOString();
      assert.deepEqual(answer.json, { ...policy, status: 'updated', holder: 'Ada Example', updatedAt });
      assert.deepEqual(await read(policy.id), answer.json);
    });

    test('Decisions, policies: an updated policy can be updated again, and stays updated', async () => {
      const { id } = await created({ regNumber: 'ST-0002' });
      await update(id, 'First');
      lplate.clock.advance(1000);
      const again = await update(id, 'Second');
      assert.equal(again.status, 200);
      assert.deepEqual([again.json.status, again.json.holder], ['updated', 'Second']);
      assert.equal(again.json.updatedAt, new Date(lplate.clock.now()).toISOString());
    });

    test('Decisions, REST conventions: an update changes nothing but the holder', async () => {
      const policy = await created({ regNumber: 'ST-0003' });
      const others = { status: 'cancelled', regNumber: 'ST-XXXX', endDate: '2099-01-01' };
      const put = (json: object) => lplate.call('PUT', `/policies/${policy.id}`, { token, json });
      assert.equal((await put({ ...policy, holder: 'Ada', ...others })).status, 400);
      assert.deepEqual(await read(policy.id), policy);
      const answer = await put({ ...policy, holder: 'Ada', clientId: 'demo-x', number: 7 });
      assert.deepEqual(answer.json, { ...policy, holder: 'Ada', status: 'updated', updatedAt: answer.json.updatedAt });
    });

    test('States, updated to cancelled: 200 with the policy, cancelled', async () => {
      const { id } = await created({ regNumber: 'ST-0004' });
      const updated = (await update(id, 'Ada')).json;
      lplate.clock.advance(1000);
      const answer = await cancel(id);
      assert.equal(answer.status, 200);
      const updatedAt = new Date(lplate.clock.now()).toISOString();
      assert.deepEqual(answer.json, { ...updated, status: 'cancelled', updatedAt });
    });

    test('Decisions, policies: an active policy is cancelled directly', async () => {
      const { id } = await created({ regNumber: 'ST-0005' });
      assert.deepEqual([(await cancel(id)).json.status, (await read(id)).status], ['cancelled', 'cancelled']);
    });

    test('States, cancelled: cancelling again is 200 and changes nothing, to the last timestamp', async () => {
      const { id } = await created({ regNumber: 'ST-0006' });
      const first = await cancel(id);
      lplate.clock.advance(90_000);
      const again = await cancel(id);
      assert.equal(again.status, 200);
      assert.deepEqual(again.json, first.json);
      assert.deepEqual(await read(id), first.json);
    });

    test('States: a cancelled policy is immutable: an update is 409 and changes nothing', async () => {
      const { id } = await created({ regNumber: 'ST-0007', holder: 'Before' });
      const before = (await cancel(id)).json;
      lplate.clock.advance(1000);
      const refused = await update(id, 'After');
      assert.deepEqual(problem(refused), [409, 'policy-immutable']);
      assert.match(refused.json.detail, /cancelled/);
      assert.deepEqual(await read(id), before);
    });

    test('Decisions, policies: active and updated block the vehicle; cancelled sets it free for a new policy', async () => {
      const first = await created({ regNumber: 'ST-0008' });
      assert.deepEqual(problem(await create({ regNumber: 'st0008' })), [409, 'duplicate-policy']);
      await update(first.id, 'Ada');
      assert.deepEqual(problem(await create({ regNumber: 'ST-0008' })), [409, 'duplicate-policy']);
      await cancel(first.id);
      const second = await created({ regNumber: 'st0008' });
      assert.notEqual(second.id, first.id);
      // Cancelling the old one once more does not touch the new one.
      assert.equal((await cancel(first.id)).status, 200);
      assert.equal((await read(second.id)).status, 'active');
      assert.deepEqual(problem(await create({ regNumber: 'ST0008' })), [409, 'duplicate-policy']);
    });
  });

  describe('Decisions, policies: expiry', () => {
    const month = { coverageOption: 'MTPL-1M' };
    const isInList = async (id: string) => {
      const { json } = await lplate.call('GET', '/policies?pageSize=500', { token });
      return json.items.find((item: { id: string }) => item.id === id);
    };

    test('Decisions, policies: a policy is in force through the last millisecond of its endDate, then it is expired', async () => {
      const read31 = await created({ regNumber: 'EX-0001', ...month });
      const write31 = await created({ regNumber: 'EX-0002', ...month });
      const cancel31 = await created({ regNumber: 'EX-0003', ...month });
      assert.equal(read31.endDate, '2026-04-01');

      moveTo(lplate.clock, '2026-04-01T23:59:59.999Z');
      await renew();
      assert.equal((await read(read31.id)).status, 'active');
      assert.equal((await isInList(read31.id)).status, 'active');
      assert.deepEqual(problem(await create({ regNumber: 'EX-0001' })), [409, 'duplicate-policy']);
      assert.equal((await update(write31.id, 'On the last day')).json.status, 'updated');
      assert.equal((await cancel(cancel31.id)).json.status, 'cancelled');

      lplate.clock.advance(1);
      assert.equal((await read(read31.id)).status, 'expired');
      assert.equal((await isInList(read31.id)).status, 'expired');
      assert.equal((await read(write31.id)).status, 'expired');
      assert.equal((await read(cancel31.id)).status, 'cancelled', 'what was cancelled stays so');
    });

    test('Decisions, policies: update and cancel of an expired policy are 409, and change nothing', async () => {
      const { id } = await created({ regNumber: 'EX-0004', ...month });
      moveTo(lplate.clock, '2026-05-02T00:00:00.000Z');
      await renew();
      const before = await read(id);
      assert.equal(before.status, 'expired');
      for (const refused of [await update(id, 'Too late'), await cancel(id)]) {
        assert.deepEqual(problem(refused), [409, 'policy-immutable']);
        assert.match(refused.json.detail, /expired/);
      }
      assert.deepEqual(await read(id), before);
      assert.equal(before.updatedAt, before.createdAt, 'expiry is no change by the client');
    });

    test('Decisions, policies: cancelling again what was cancelled is 200 even after its last day', async () => {
      const { id, endDate } = await created({ regNumber: 'EX-0005', ...month });
      const first = (await cancel(id)).json;
      moveTo(lplate.clock, `${endDate}T23:59:59.999Z`);
      lplate.clock.advance(1);
      await renew();
      const again = await cancel(id);
      assert.deepEqual([again.status, again.json], [200, first]);
      assert.deepEqual(problem(await update(id, 'Too late')), [409, 'policy-immutable']);
    });

    test('Decisions, policies: an expired policy blocks nobody, though housekeeping never ran; it stays as its owner knows it', async () => {
      const old = await created({ regNumber: 'EX-0006', ...month });
      await update(old.id, 'Ada');
      moveTo(lplate.clock, `${old.endDate}T23:59:59.999Z`);
      lplate.clock.advance(1);
      await renew();
      const expired = await read(old.id);
      const other = await lplate.client();
      const json = { regNumber: 'ex0006' };
      const taken = await lplate.call('POST', '/policies', { token: other.token, json });
      assert.equal(taken.status, 201);
      assert.deepEqual(await read(old.id), expired, 'not a timestamp moved');
      assert.deepEqual(await isInList(old.id), expired);
      assert.deepEqual(problem(await create({ regNumber: 'EX-0006' })), [409, 'duplicate-policy']);
      for (const refused of [await update(old.id, 'B'), await cancel(old.id)]) {
        assert.deepEqual(problem(refused), [409, 'policy-immutable']);
      }
    });
  });
});

forEachEngineInFull((engine) => {
  const cases = [
    // What starts on the last day of a long month ends on the last day of a short one.
    { now: '2026-01-31T12:00:00.000Z', ends: ['2026-02-28', '2026-04-30', '2026-07-30', '2027-01-30'] },
    { now: '2027-11-30T12:00:00.000Z', ends: ['2027-12-29', '2028-02-29', '2028-05-29', '2028-11-29'] },
    { now: '2028-02-29T12:00:00.000Z', ends: ['2028-03-28', '2028-05-28', '2028-08-28', '2029-02-28'] },
    { now: '2027-03-01T12:00:00.000Z', ends: ['2027-03-31', '2027-05-31', '2027-08-31', '2028-02-29'] },
    { now: '2026-12-31T23:59:59.999Z', ends: ['2027-01-30', '2027-03-30', '2027-06-30', '2027-12-30'] },
  ];

  test('Decisions, policies: endDate is the day before that of the start’s number, or the end of a shorter month, over leap days and ends of years', async () => {
    const clock = new TestClock(cases[0]?.now);
    const lplate = await startLPlate(engine, {}, clock);
    try {
      for (const [at, { now, ends }] of cases.entries()) {
        clock.advance(Date.parse(now) - clock.now());
        const { token } = await lplate.client();
        for (const [option, coverageOption] of ['MTPL-1M', 'MTPL-3M', 'MTPL-6M', 'MTPL-12M'].entries()) {
          const json = { regNumber: `DT-${at}-${option}`, coverageOption };
          const answer = await lplate.call('POST', '/policies', { token, json });
          assert.deepEqual([answer.json.startDate, answer.json.endDate], [now.slice(0, 10), ends[option]]);
        }
      }
    } finally {
      await lplate.close();
    }
  });

  test('Decisions, policies: startDate is a day from today (UTC) to a year ahead, the outermost included', async () => {
    const clock = new TestClock('2028-02-29T23:59:59.999Z');
    const lplate = await startLPlate(engine, {}, clock);
    try {
      const { token } = await lplate.client();
      const start = (startDate: unknown, regNumber: string) =>
        lplate.call('POST', '/policies', { token, json: { startDate, regNumber, coverageOption: 'MTPL-1M' } });
      const refused = ['2028-02-28', '2029-03-01', '2029-02-29', '2028-02-30', '2028-13-01', '28-02-29', '20280229'];
      refused.push('2028-02-29T00:00:00Z', ' 2028-02-29', '', '0000-00-00', '+002028-02-29', 'today', '9999-12-31');
      for (const startDate of [...refused, 20280229, null]) {
        const answer = await start(startDate, 'SD-NO');
        assert.deepEqual(problem(answer), [400, 'validation-error'], String(startDate));
        assert.equal(answer.json.errors[0].pointer, '/startDate');
      }
      for (const [startDate, endDate] of [
        ['2028-02-29', '2028-03-28'],
        ['2028-03-31', '2028-04-30'],
        ['2029-02-28', '2029-03-27'],
      ] as const) {
        assert.equal((await start(startDate, `SD-${startDate}`)).json.endDate, endDate);
      }
      // A millisecond later it is the next day: the one that has passed is refused, and one more is open ahead.
      clock.advance(1);
      assert.equal((await start('2028-02-29', 'SD-NO')).status, 400);
      assert.equal((await start('2029-03-02', 'SD-NO')).status, 400);
      assert.equal((await start('2029-03-01', 'SD-LAST')).status, 201);
      assert.equal((await start(undefined, 'SD-TODAY')).json.startDate, '2028-03-01');
    } finally {
      await lplate.close();
    }
  });
});
