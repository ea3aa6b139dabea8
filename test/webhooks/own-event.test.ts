import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forEachEngine } from '../support/engines.ts';
import { problem, startUndoubled } from '../support/lplate.ts';
import { isSigned, Receiver, Subscriber } from '../support/receiver.ts';

const event = {
  eventId: '6f1c2b1e-3f0a-4c55-9d0e-2b7a1f5f9c11',
  eventType: 'ClaimStatusChanged',
  eventVersion: '1.1',
  occurredAt: '2026-03-02T10:15:40.000Z',
  source: 'my-tests',
  data: {
    claimId: 'CLM-2026-000042',
    policyNumber: 'pol-01938c5e-7d2a-7c31-9b1e-5f0c2a4d6e8f',
    previousStatus: 'UNDER_REVIEW',
    newStatus: 'REJECTED',
    statusReason: 'Not covered.',
  },
  environment: 'staging',
};

forEachEngine((engine) => {
  test('Decisions, claims and events: a test of a subscription delivers the event that the client sends, signed, as it is', async (t) => {
    const lplate = await startUndoubled(t, engine);
    const receiver = await Receiver.open(t);
    const { client, path, secret } = await Subscriber.open(lplate, receiver.url);
    const send = (json?: unknown) => lplate.call('POST', `${path}/test`, { token: client.token, json });
    const payload = { ...event, added: { later: [1] } };
    const { status, json } = await send({ payload });
    assert.deepEqual([status, json.eventId, json.claimId], [202, event.eventId, 'CLM-2026-000042']);
    await receiver.until(1);
    const [call] = receiver.calls;
    assert.ok(call && isSigned(call, secret));
    assert.deepEqual([call.event, call.headers['webhook-id']], [payload, event.eventId]);

    for (const without of [undefined, {}]) assert.match((await send(without)).json.claimId, /-000000$/);
    await receiver.until(3);
  });

  test('Decisions, claims and events: an event of the client’s that does not fit the topic is refused, with each fault', async (t) => {
    const lplate = await startUndoubled(t, engine);
    const receiver = await Receiver.open(t);
    const { client, path } = await Subscriber.open(lplate, receiver.url);
    const refused = async (changes: object, data: object = {}) => {
      const payload = { ...event, ...changes, data: { ...event.data, ...data } };
      const answer = await lplate.call('POST', `${path}/test`, { token: client.token, json: { payload } });
      assert.deepEqual(problem(answer), [400, 'validation-error']);
      return answer.json.errors.map(({ pointer, detail }: Record<string, string>) => `${pointer} ${detail}`).join('\n');
    };
    assert.match(await refused({ eventId: 'one' }), /^\/payload\/eventId /);
    assert.match(
      await refused({ eventVersion: '2.0' }),
      /^\/payload\/eventVersion must be 1\.0 or 1\.1, not "2\.0"\.$/,
    );
    assert.match(await refused({ eventVersion: '1.0' }), /^\/payload\/environment is of version 1\.1\./);
    assert.match(await refused({ occurredAt: '2026-03-02T10:15:40+01:00' }), /^\/payload\/occurredAt must be in UTC/);
    assert.match(await refused({}, { newStatus: 'REJECT' }), /^\/payload\/data\/newStatus must be one of REGISTERED, /);
    assert.match(await refused({}, { claimId: `CLM-2026-${'1'.repeat(3000)}` }), /^\/payload\/data\/claimId /);
    assert.match(await refused({}, { statusReason: null }), /^\/payload\/data\/statusReason must be a text/);
    assert.match(await refused({}, { newStatus: 'UNDER_REVIEW' }), /^\/payload\/data\/statusReason must be null/);
    assert.match(await refused({ source: client.secret }), /^\/payload has a secret in it/);
    const wrong = await lplate.call('POST', `${path}/test`, { token: client.token, json: { paylod: event } });
    assert.match(wrong.json.detail, /Did you mean payload\?/);
    assert.deepEqual(receiver.calls, []);
  });
});
