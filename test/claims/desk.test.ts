import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hour } from '../../src/time/units.ts';
import { TestClock } from '../support/clock.ts';
import { forEachEngineInFull, onPostgres } from '../support/engines.ts';
import { extent } from '../support/extent.ts';
import { type LPlate, startUndoubled } from '../support/lplate.ts';
import { restartable } from '../support/restart.ts';
import { batch, type ClaimEvent, claimOn, drain, insure, pass } from '../support/topic.ts';

const start = Date.parse('2026-03-02T10:15:30.000Z');
const at = (seconds: number) => new Date(start + seconds * 1000).toISOString();

/** Without duplicates, so that what the desk did can be counted. */
const read = async (lplate: LPlate, token: string, claimId: string) =>
  (await lplate.call('GET', `/claims/v1/claims/${claimId}`, { token })).json;

/** What of a claim its changes touch. */
const state = async (lplate: LPlate, token: string, claimId: string) => {
  const { status, statusReason, updatedAt } = await read(lplate, token, claimId);
  return [status, statusReason === null, updatedAt];
};

/** An event in short, with its moment in seconds since the start. */
const told = ({ occurredAt, data }: ClaimEvent) =>
  `${data.previousStatus} ${data.newStatus} ${(Date.parse(occurredAt) - start) / 1000}`;

const lives = {
  APPROVED: ['REGISTERED UNDER_REVIEW', 'UNDER_REVIEW APPROVED', 'APPROVED CLOSED'],
  REJECTED: ['REGISTERED UNDER_REVIEW', 'UNDER_REVIEW REJECTED', 'REJECTED CLOSED'],
} as const;

/** The events of a claim from registration to its end. */
const life = (outcome: keyof typeof lives, paceSeconds: number, registered = 0) =>
  lives[outcome].map((change, step) => `${change} ${registered + (step + 1) * paceSeconds}`);

forEachEngineInFull((engine) => {
  test('States, Claim: without a wish it is approved, at ten seconds a step, and then closed for good', async (t) => {
    const lplate = await startUndoubled(t, engine);
    const { token } = await lplate.client();
    const id = await claimOn(lplate, token, await insure(lplate, token));
    assert.deepEqual(await state(lplate, token, id), ['REGISTERED', true, at(0)]);
    for (const [seconds, status, previous] of [
      [10, 'UNDER_REVIEW', 'REGISTERED'],
      [20, 'APPROVED', 'UNDER_REVIEW'],
      [30, 'CLOSED', 'APPROVED'],
    ] as const) {
      await pass(lplate, 9.999);
      assert.equal((await read(lplate, token, id)).status, previous, 'not a millisecond early');
      await pass(lplate, 0.001);
      assert.deepEqual(await state(lplate, token, id), [status, status !== 'CLOSED', at(seconds)]);
    }
    const closed = await read(lplate, token, id);
    await pass(lplate, 1000);
    assert.deepEqual(await read(lplate, token, id), closed);
    assert.deepEqual((await drain(lplate, token)).events.map(told), life('APPROVED', 10));
  });

  test('States, Claim: one that is to be rejected goes from review to REJECTED, and from there to CLOSED', async (t) => {
    const lplate = await startUndoubled(t, engine);
    const { token } = await lplate.client();
    const id = await claimOn(lplate, token, await insure(lplate, token), { outcome: 'REJECTED', paceSeconds: 7 });
    for (const [seconds, status, withoutReason] of [
      [7, 'UNDER_REVIEW', true],
      [14, 'REJECTED', false],
      [21, 'CLOSED', false],
    ] as const) {
      await pass(lplate, 7);
      assert.deepEqual(await state(lplate, token, id), [status, withoutReason, at(seconds)]);
    }
    assert.deepEqual((await drain(lplate, token)).events.map(told), life('REJECTED', 7));
  });

  test('States, Claim: what the claim says is what its last event said: status, reason and moment', async (t) => {
    const lplate = await startUndoubled(t, engine);
    const { token } = await lplate.client();
    const policyNumber = await insure(lplate, token);
    for (const outcome of ['APPROVED', 'REJECTED', 'REJECTED', 'REJECTED'] as const) {
      await claimOn(lplate, token, policyNumber, { outcome, paceSeconds: 2 });
    }
    for (let step = 0; step < 3; step += 1) {
      await pass(lplate, 2);
      const { events } = await drain(lplate, token);
      const { items } = (await lplate.call('GET', '/claims/v1/claims', { token })).json;
      for (const { claimId, status, statusReason, updatedAt, registeredAt } of items) {
        const last = events.findLast(({ data }) => data.claimId === claimId);
        assert.deepEqual(
          [last?.data.newStatus, last?.data.statusReason, last?.occurredAt],
          [status, statusReason, updatedAt],
        );
        assert.equal(statusReason !== null, ['REJECTED', 'CLOSED'].includes(status));
        assert.notEqual(statusReason?.trim(), '');
        assert.equal(registeredAt, at(0), 'registration stays where it was');
      }
    }
  });

  test('Decisions, claims: registration is no change of status and publishes nothing', async (t) => {
    const lplate = await startUndoubled(t, engine);
    const { token } = await lplate.client();
    const before = await batch(lplate, token, '?after=latest');
    await claimOn(lplate, token, await insure(lplate, token), { paceSeconds: 3600 });
    await pass(lplate, 100);
    const { events } = await batch(lplate, token, `?after=${before.next}`);
    assert.deepEqual(events, []);
  });

  test('Decisions, claims: after a jump of the clock the desk makes up step for step, at the moments that were planned', async (t) => {
    const lplate = await startUndoubled(t, engine);
    const client = await lplate.client();
    const policyNumber = await insure(lplate, client.token);
    const slow = await claimOn(lplate, client.token, policyNumber, { paceSeconds: 1000 });
    const quick = await claimOn(lplate, client.token, policyNumber, { outcome: 'REJECTED', paceSeconds: 3 });
    await pass(lplate, 2500);
    assert.deepEqual(await state(lplate, client.token, slow), ['APPROVED', true, at(2000)]);
    assert.deepEqual(await state(lplate, client.token, quick), ['CLOSED', false, at(9)]);
    lplate.clock.advance(10 * hour);
    await lplate.catchUp();
    const token = await lplate.token(client.id, client.secret);
    assert.deepEqual(await state(lplate, token, slow), ['CLOSED', false, at(3000)]);
    const { events } = await drain(lplate, token);
    const of = (id: string) => events.filter(({ data }) => data.claimId === id).map(told);
    assert.deepEqual(of(slow), life('APPROVED', 1000));
    assert.deepEqual(of(quick), life('REJECTED', 3));
  });

  test('Decisions, claims: each claim keeps its own pace, and none waits for another', async (t) => {
    const lplate = await startUndoubled(t, engine);
    const { token } = await lplate.client();
    const policyNumber = await insure(lplate, token);
    const paces = [1, 2, 5, 5, 8, 3600];
    const ids: string[] = [];
    for (const paceSeconds of paces) ids.push(await claimOn(lplate, token, policyNumber, { paceSeconds }));
    for (let second = 1; second <= 25; second += 1) {
      await pass(lplate, 1);
      for (const [index, id] of ids.entries()) {
        const step = Math.min(3, Math.floor(second / (paces[index] ?? 1)));
        const status = ['REGISTERED', 'UNDER_REVIEW', 'APPROVED', 'CLOSED'][step];
        assert.equal((await read(lplate, token, id)).status, status, `${paces[index]} s a step, after ${second} s`);
      }
    }
  });

  test('Decisions, claims: more claims than the desk moves at a time are all moved, each change reported once', async (t) => {
    const lplate = await startUndoubled(t, engine);
    const { token } = await lplate.client();
    const policyNumber = await insure(lplate, token);
    const ids: string[] = [];
    for (let index = 0; index < 150; index += 1) {
      ids.push(await claimOn(lplate, token, policyNumber, { paceSeconds: 1 + (index % 3) }));
    }
    await pass(lplate, 60);
    const { events } = await drain(lplate, token, 'earliest', 500);
    assert.equal(events.length, 450);
    for (const [index, id] of ids.entries()) {
      const own = events.filter(({ data }) => data.claimId === id).map(told);
      assert.deepEqual(own, life('APPROVED', 1 + (index % 3)));
    }
    assert.equal((await lplate.call('GET', '/claims/v1/claims?status=CLOSED', { token })).json.totalItems, 150);
  });

  test('Decisions, claims: a claim goes its way though its policy is cancelled or expires', async (t) => {
    const lplate = await startUndoubled(t, engine);
    const client = await lplate.client();
    const created = await lplate.call('POST', '/policies', {
      token: client.token,
      json: { regNumber: 'DESK-1', coverageOption: 'MTPL-1M' },
    });
    const cancelled = await insure(lplate, client.token);
    const ids = [];
    for (const policy of [created.json.id, cancelled]) ids.push(await claimOn(lplate, client.token, policy));
    await lplate.call('POST', `/policies/${cancelled}/cancel`, { token: client.token });
    await pass(lplate, 40 * 24 * 3600);
    const token = await lplate.token(client.id, client.secret);
    for (const id of ids) assert.deepEqual(await state(lplate, token, id), ['CLOSED', false, at(30)]);
  });

  test('Decisions, claims: a restart loses and doubles nothing: what fell due meanwhile happens at its planned moment', async (t) => {
    const { start: begin } = await restartable(engine);
    const clock = new TestClock();
    const settings = { eventsDuplicateRate: 0 };
    const first = await begin(settings, clock);
    t.after(() => first.close());
    const { token } = await first.client();
    const policyNumber = await insure(first, token);
    const slow = await claimOn(first, token, policyNumber, { outcome: 'REJECTED', paceSeconds: 100 });
    const quick = await claimOn(first, token, policyNumber, { paceSeconds: 10 });
    await pass(first, 15);
    const before = await drain(first, token);
    assert.deepEqual(before.events.map(told), ['REGISTERED UNDER_REVIEW 10']);
    await first.close();
    clock.advance(235_000);
    const second = await begin(settings, clock);
    t.after(() => second.close());
    await second.catchUp();
    const { events } = await drain(second, token, before.next);
    const of = (id: string) => [...before.events, ...events].filter(({ data }) => data.claimId === id).map(told);
    assert.deepEqual(of(quick), life('APPROVED', 10));
    assert.deepEqual(of(slow), life('REJECTED', 100).slice(0, 2));
    assert.deepEqual((await drain(second, token)).events, [...before.events, ...events], 'the log is as it was');
    await pass(second, 50);
    assert.deepEqual(await state(second, token, slow), ['CLOSED', false, at(300)]);
  });

  test('Decisions, claims: the desk comes round by itself', async (t) => {
    const lplate = await startUndoubled(t, engine);
    const { token } = await lplate.client();
    const id = await claimOn(lplate, token, await insure(lplate, token), { paceSeconds: 1 });
    lplate.clock.advance(3_000);
    const deadline = Date.now() + 20_000;
    while ((await read(lplate, token, id)).status !== 'CLOSED') {
      assert(Date.now() < deadline, 'nobody came');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    assert.deepEqual((await drain(lplate, token)).events.map(told), life('APPROVED', 1));
  });
});

onPostgres((engine) => {
  test('States, Claim: several desks on one database never double a change', async (t) => {
    const { start: begin } = await restartable(engine);
    const clock = new TestClock();
    const nodes: LPlate[] = [];
    for (let node = 0; node < 3; node += 1) nodes.push(await begin({ eventsDuplicateRate: 0 }, clock));
    for (const node of nodes) t.after(() => node.close());
    const [one] = nodes as [LPlate];
    const { token } = await one.client();
    const policyNumber = await insure(one, token);
    const ids: string[] = [];
    for (let index = 0; index < extent(50, 150); index += 1) {
      ids.push(await claimOn(nodes[index % 3] as LPlate, token, policyNumber, { paceSeconds: 1 + (index % 2) }));
    }
    for (let second = 0; second < 6; second += 1) {
      clock.advance(1000);
      await Promise.all(nodes.map((node) => node.catchUp()));
    }
    for (const node of nodes) {
      const { events } = await drain(node, token, 'earliest', 500);
      assert.equal(events.length, 3 * ids.length);
      for (const [index, id] of ids.entries()) {
        const own = events.filter(({ data }) => data.claimId === id).map(told);
        assert.deepEqual(own, life('APPROVED', 1 + (index % 2)));
      }
    }
    assert(
      nodes.every(({ log }) => log.every((line) => JSON.parse(line).level < 40)),
      'no desk failed',
    );
  });
});
