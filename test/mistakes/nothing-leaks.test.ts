import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { forEachEngineInFull } from '../support/engines.ts';
import { type Answer, sharedClient, sharedLPlate } from '../support/lplate.ts';
import { claimOn, insure } from '../support/topic.ts';

/* Answers that explain must tell nobody what belongs to another. */

/** All of an answer but what differs between any two: request id, counters, date, and the id that was asked for. */
function told({ status, headers, text }: Answer, id: string): unknown {
  const requestId = headers.get('x-request-id') as string;
  const changing = ['date', 'x-request-id', 'ratelimit-remaining', 'ratelimit-reset'];
  const same = [...headers].filter(([name]) => !changing.includes(name));
  return [status, text.replaceAll(requestId, 'REQUEST').replaceAll(id, 'ID'), same];
}

forEachEngineInFull((engine) => {
  const lplate = sharedLPlate(engine);
  const owner = sharedClient(lplate);
  const curious = sharedClient(lplate);

  test('Endpoints, rule 3: what belongs to another is answered like an unknown id of the same form, to the byte', async () => {
    const policy = await insure(lplate, owner.token);
    const claim = await claimOn(lplate, owner.token, policy);
    const json = { url: 'http://127.0.0.1:9/hooks' };
    const subscription = (await lplate.call('POST', '/claims/v1/subscriptions', { token: owner.token, json })).json.id;
    const noPolicy = `pol-${randomUUID()}`;
    const noSubscription = `sub-${randomUUID()}`;
    const noClaim = 'CLM-2026-999999';
    const subscriptions = '/claims/v1/subscriptions';
    const asked: [method: string, path: (id: string) => string, others: string, unknown: string, json?: object][] = [
      ['GET', (id) => `/policies/${id}`, policy, noPolicy],
      ['PUT', (id) => `/policies/${id}`, policy, noPolicy, { holder: 'Ada' }],
      ['POST', (id) => `/policies/${id}/cancel`, policy, noPolicy],
      ['DELETE', (id) => `/policies/${id}`, policy, noPolicy],
      ['GET', (id) => `/policy/${id}`, policy, noPolicy],
      ['GET', (id) => `/claims/v1/claims/${id}`, claim, noClaim],
      ['GET', (id) => `/claims/v1/claims/${id}`, policy, noPolicy],
      ['GET', (id) => `/policies/${id}`, claim, noClaim],
      ['GET', (id) => `${subscriptions}/${id}`, subscription, noSubscription],
      ['DELETE', (id) => `${subscriptions}/${id}`, subscription, noSubscription],
      ['POST', (id) => `${subscriptions}/${id}/test`, subscription, noSubscription],
      ['GET', (id) => `${subscriptions}/${id}/deliveries`, subscription, noSubscription],
    ];
    for (const [method, path, others, unknown, body] of asked) {
      const answers = [];
      for (const id of [others, unknown]) {
        const options = { token: curious.token, ...(body && { json: body }) };
        answers.push(told(await lplate.call(method, path(id), options), id));
      }
      assert.deepEqual(answers[0], answers[1], `${method} ${path('ID')}`);
    }
    const claimed = [];
    for (const id of [policy, noPolicy]) {
      const options = { token: curious.token, json: { policyNumber: id } };
      claimed.push(told(await lplate.call('POST', '/claims/v1/claims', options), id));
    }
    assert.deepEqual(claimed[0], claimed[1]);
    // And advice is given by form alone: an id of no policy's form gets it from the one who owns all, too.
    const plate = await Promise.all(
      [owner, curious].map(async ({ token }) => told(await lplate.call('GET', '/policies/AB-1234', { token }), '-')),
    );
    assert.deepEqual(plate[0], plate[1]);
  });

  test('Decisions, events: a note for who has no events is the same whether or not others have some', async () => {
    const topic = '/claims/v1/topics/claims.status-changed';
    const before = await lplate.call('GET', topic, { token: curious.token });
    await claimOn(lplate, owner.token, await insure(lplate, owner.token), { paceSeconds: 1 });
    lplate.clock.advance(2000);
    await lplate.catchUp();
    const after = await lplate.call('GET', topic, { token: curious.token });
    assert.deepEqual(after.json.events, []);
    assert.equal(after.json.note, before.json.note);
  });

  test('Decisions, REST conventions: a path of any length or shape is answered; only a short one has its nearest named', async () => {
    for (const path of [
      `/${'policies/'.repeat(800)}`,
      `/insurer/v1/${'policie'.repeat(1000)}`,
      `/${'a/'.repeat(4000)}`,
      '/%2F%2F',
      '/{x}/:y/__proto__/constructor',
      '/insurer/v1/eyJhbGciOiJFUzI1NiJ9.e30.AAAA/cancel',
    ]) {
      const response = await fetch(`${lplate.url}${path}`);
      const { detail } = (await response.json()) as { detail: string };
      assert.equal(response.status, 404, path.slice(0, 50));
      assert(detail.length < 300, detail);
      assert.doesNotMatch(detail, /eyJhb/);
      // The description of the interface is as near as nothing else.
      if (path.length > 100) assert.doesNotMatch(detail, /Did you mean (?!GET .insurer.v1.openapi)/);
    }
  });
});
