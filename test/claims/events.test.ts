import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { forEachEngineInFull } from '../support/engines.ts';
import { sharedLPlate } from '../support/lplate.ts';
import { type ClaimEvent, claimOn, drain, EventStream, insure, pass, topicPath } from '../support/topic.ts';

const statuses = ['REGISTERED', 'UNDER_REVIEW', 'APPROVED', 'REJECTED', 'CLOSED'];

/* The payload, field by field. The claims live through both ends, nothing is delivered twice. */
forEachEngineInFull((engine) => {
  const lplate = sharedLPlate(engine, { eventsDuplicateRate: 0 });
  let token: string;
  let policies: string[];
  /** Claim id → its policy. */
  const claims = new Map<string, string>();
  let events: ClaimEvent[];

  before(async () => {
    ({ token } = await lplate.client());
    policies = [await insure(lplate, token), await insure(lplate, token)];
    for (let at = 0; at < 24; at += 1) {
      const policy = policies[at % 2] as string;
      const wish = { outcome: at % 4 < 2 ? 'APPROVED' : 'REJECTED', paceSeconds: 1 + (at % 5) } as const;
      claims.set(await claimOn(lplate, token, policy, wish), policy);
    }
    for (let second = 0; second < 15; second += 1) await pass(lplate, 1);
    ({ events } = await drain(lplate, token));
  });

  test('Events, payload: an object of six members, of which data is an object of five; all come, null included', () => {
    assert.equal(events.length, 3 * claims.size);
    for (const event of events) {
      assert.deepEqual(Object.keys(event), ['eventId', 'eventType', 'eventVersion', 'occurredAt', 'source', 'data']);
      assert.deepEqual(Object.keys(event.data), [
        'claimId',
        'policyNumber',
        'previousStatus',
        'newStatus',
        'statusReason',
      ]);
    }
  });

  test('Events, payload: eventId is a UUID, random (version 4), and another one in each event', () => {
    for (const { eventId } of events) {
      assert.match(eventId, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    }
    assert.equal(new Set(events.map(({ eventId }) => eventId)).size, events.length);
  });

  test('Events, payload: eventType is ClaimStatusChanged, and source names the publishing system, in every event', () => {
    assert.deepEqual(new Set(events.map(({ eventType }) => eventType)), new Set(['ClaimStatusChanged']));
    assert.deepEqual(new Set(events.map(({ source }) => source)), new Set(['claims-core']));
  });

  test('Versioning: eventVersion is a text, 1.0', () => {
    for (const { eventVersion } of events) assert.strictEqual(eventVersion, '1.0');
  });

  test('Events, payload: occurredAt is when the change happened, in UTC with milliseconds', () => {
    for (const { occurredAt } of events) {
      assert.match(occurredAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      assert.equal(new Date(occurredAt).toISOString(), occurredAt);
    }
    for (const [index, id] of [...claims.keys()].entries()) {
      const seconds = events
        .filter(({ data }) => data.claimId === id)
        .map(({ occurredAt }) => (Date.parse(occurredAt) - Date.parse('2026-03-02T10:15:30.000Z')) / 1000);
      const pace = 1 + (index % 5);
      assert.deepEqual(seconds, [pace, 2 * pace, 3 * pace]);
    }
  });

  test('Events, payload: occurredAt is not when it was delivered: late publishing and late reading leave it', async () => {
    const policy = policies[0] as string;
    const id = await claimOn(lplate, token, policy, { paceSeconds: 1 });
    const due = [1, 2, 3].map((seconds) => new Date(lplate.clock.now() + seconds * 1000).toISOString());
    await pass(lplate, 600);
    for (let reading = 0; reading < 2; reading += 1) {
      const read = (await drain(lplate, token)).events.filter(({ data }) => data.claimId === id);
      assert.deepEqual(
        read.map(({ occurredAt }) => occurredAt),
        due,
      );
      lplate.clock.advance(600_000);
    }
  });

  test('Events, payload: data.claimId has the form CLM-YYYY-NNNNNN and is the id that the claims interface knows', async () => {
    for (const { data } of events) {
      assert.match(data.claimId, /^CLM-\d{4}-\d{6}$/);
      assert(claims.has(data.claimId));
    }
    const [first] = claims.keys();
    assert.equal((await lplate.call('GET', `/claims/v1/claims/${first}`, { token })).json.claimId, first);
  });

  test('Events, payload: data.policyNumber is the id of the policy that the claim was registered on', () => {
    for (const { data } of events) {
      assert.match(data.policyNumber, /^pol-/);
      assert.equal(data.policyNumber, claims.get(data.claimId));
    }
  });

  test('Events, payload: previousStatus and newStatus are of the five, and each event begins where the last one ended', () => {
    const standing = new Map<string, string>();
    const seen = new Set<string>();
    for (const { data } of events) {
      assert(statuses.includes(data.previousStatus) && statuses.includes(data.newStatus));
      assert.equal(data.previousStatus, standing.get(data.claimId) ?? 'REGISTERED');
      standing.set(data.claimId, data.newStatus);
      seen.add(`${data.previousStatus} ${data.newStatus}`);
    }
    assert.deepEqual(
      seen,
      new Set([
        'REGISTERED UNDER_REVIEW',
        'UNDER_REVIEW APPROVED',
        'UNDER_REVIEW REJECTED',
        'APPROVED CLOSED',
        'REJECTED CLOSED',
      ]),
    );
    assert.deepEqual(new Set(standing.values()), new Set(['CLOSED']));
  });

  test('Events, payload: statusReason is filled for REJECTED and CLOSED, and null for the others', () => {
    for (const { data } of events) {
      if (['REJECTED', 'CLOSED'].includes(data.newStatus)) {
        assert.equal(typeof data.statusReason, 'string');
        assert.match(data.statusReason ?? '', /^[A-Z].+\.$/, 'a sentence');
      } else {
        assert.strictEqual(data.statusReason, null);
      }
    }
    const reasons = (status: string) =>
      new Set(events.filter(({ data }) => data.newStatus === status).map(({ data }) => data.statusReason));
    assert(reasons('REJECTED').size > 1, 'not always the same one');
    assert.equal(reasons('CLOSED').size, 2, 'one after approval, one after rejection');
  });

  test('Events: the claims list tells what the events told', async () => {
    const { items } = (await lplate.call('GET', '/claims/v1/claims?pageSize=500', { token })).json;
    const last = new Map(events.map(({ data, occurredAt }) => [data.claimId, { ...data, occurredAt }]));
    for (const { claimId, policyNumber, status, statusReason, updatedAt } of items.slice(0, claims.size)) {
      const event = last.get(claimId);
      assert.deepEqual(
        [policyNumber, status, statusReason, updatedAt],
        [event?.policyNumber, event?.newStatus, event?.statusReason, event?.occurredAt],
      );
    }
  });

  test('Events, rule 2: the events of a claim come in order, those of different claims in between', () => {
    const moments = Map.groupBy(events, ({ data }) => data.claimId);
    for (const own of moments.values()) {
      const times = own.map(({ occurredAt }) => occurredAt);
      assert.deepEqual(times, times.toSorted());
    }
    const ids = events.map(({ data }) => data.claimId);
    const runs = ids.filter((id, at) => id !== ids[at - 1]).length;
    assert(runs > claims.size, 'they do interleave');
  });

  test('Events: batch and stream carry the same payload, its members in the same order', async (t) => {
    const { json } = await lplate.call('GET', `${topicPath}?limit=500`, { token });
    const stream = await EventStream.open(lplate.url, token);
    t.after(() => stream.close());
    await stream.until(() => stream.received.length === json.events.length);
    assert.deepEqual(
      stream.received.map(({ event }) => JSON.stringify(event)),
      json.events.map((event: ClaimEvent) => JSON.stringify(event)),
    );
  });
});
