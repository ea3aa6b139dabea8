import { deepEqual, equal, ok } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import Type from 'typebox';
import type { SystemParts } from '../../src/app.ts';
import { topicRoutes } from '../../src/events/index.ts';
import type { Topic } from '../../src/events/topic.ts';
import { restInterface } from '../../src/http/rest.ts';
import type { System } from '../../src/system.ts';
import { webhookRoutes } from '../../src/webhooks/index.ts';
import { forEachEngine } from '../support/engines.ts';
import { startWithClient, type TestClient } from '../support/lplate.ts';
import { Receiver } from '../support/receiver.ts';
import { claimOn, EventStream, insure, pass } from '../support/topic.ts';

/* A topic that no system of the product has, defined here only. */

interface PolicyCreated {
  readonly eventId: string;
  readonly data: { readonly policyId: string };
}

const policyId = Type.String({ description: 'The policy.', examples: ['pol-1'] });

const policyCreated: Topic<PolicyCreated> = {
  name: 'policies.created',
  reports: 'the creation of own policies',
  schema: Type.Object(
    { eventId: Type.String({ examples: ['e-1'] }), data: Type.Object({ policyId }) },
    { $id: 'PolicyCreated', description: 'A policy was created.' },
  ),
  key: { member: 'policyId', noun: 'policy', schema: policyId, of: ({ data }) => data.policyId },
  firstEvent: 'A policy’s first event comes when it is created.',
  catchUp: 'read the policies anew',
  sample: () => created('pol-sample'),
  faultsOf: () => [],
  sampleNote: 'Its policy is pol-sample.',
};

function created(id: string): PolicyCreated {
  return { eventId: randomUUID(), data: { policyId: id } };
}

const base = '/extra/v1';

/** A system of this test: it publishes the topic, and lets it be read in every way. */
function extraSystem({ context, clients: { tokens }, events, webhooks }: SystemParts): System {
  return {
    name: 'extra',
    problems: {},
    addresses: [{ what: 'Extra', path: base, page: false }],
    documents: [],
    async register(server) {
      await server.register(
        async (api) => {
          restInterface(api, context, tokens);
          topicRoutes(api, { ...events, topic: policyCreated, scope: 'policies:read', allRemoved: async () => false });
          const scopes = { read: 'policies:read', write: 'policies:write' };
          webhookRoutes(api, { ...webhooks, topic: policyCreated, base, ...scopes });
        },
        { prefix: base },
      );
    },
  };
}

forEachEngine((engine) => {
  test('Design, events: a second topic is published, read as batch and stream, and posted, apart from the first', async (t) => {
    let parts: SystemParts | undefined;
    const { lplate, client } = await startWithClient(t, engine, { eventsDuplicateRate: 0 }, undefined, {
      extraSystems: (given) => {
        parts = given;
        return [extraSystem(given)];
      },
    });
    const receiver = await Receiver.open(t);
    const post = (path: string, body: object) => ask(lplate.url, client, 'POST', path, body);

    const subscribed = await post(`${base}/subscriptions`, { url: receiver.url });
    equal(subscribed.status, 201, JSON.stringify(subscribed.json));
    const claims = await Receiver.open(t);
    equal((await post('/claims/v1/subscriptions', { url: claims.url })).status, 201);

    const published = [created('pol-1'), created('pol-1'), created('pol-2')];
    const { database } = (parts as SystemParts).context;
    const { log } = (parts as SystemParts).events;
    await database.write((sql) =>
      log.append(
        sql,
        policyCreated,
        published.map((event) => ({ clientId: client.id, event })),
      ),
    );
    log.announce();
    await claimOn(lplate, client.token, await insure(lplate, client.token), { paceSeconds: 1 });
    await pass(lplate, 1);

    const batch = await ask(lplate.url, client, 'GET', `${base}/topics/policies.created`);
    deepEqual(batch.json.events, published);
    const stream = await fetch(`${lplate.url}${base}/topics/policies.created`, {
      headers: { Authorization: `Bearer ${client.token}`, Accept: 'text/event-stream' },
    });
    equal(stream.headers.get('content-type'), 'text/event-stream');
    let text = '';
    for await (const chunk of stream.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk;
      if (published.every(({ eventId }) => text.includes(eventId))) break;
    }
    ok(!text.includes('ClaimStatusChanged'), 'an event of the other topic came');
    await receiver.until(3);
    // In order for each key; those of different keys may pass each other.
    const posted = receiver.calls.map(({ event }) => event as unknown as PolicyCreated);
    for (const key of ['pol-1', 'pol-2']) {
      deepEqual(
        posted.filter(({ data }) => data.policyId === key),
        published.filter(({ data }) => data.policyId === key),
      );
    }
    await claims.until(1);
    equal(claims.calls[0]?.event.eventType, 'ClaimStatusChanged');

    const { id } = subscribed.json;
    const log1 = await ask(lplate.url, client, 'GET', `${base}/subscriptions/${id}/deliveries`);
    deepEqual(
      log1.json.items.map((delivery: { policyId: string }) => delivery.policyId),
      ['pol-1', 'pol-1', 'pol-2'],
    );
    const listed = await ask(lplate.url, client, 'GET', `${base}/subscriptions`);
    equal(listed.json.totalItems, 1, 'each interface lists the subscriptions to its own topic');
    const others = await EventStream.open(lplate.url, client.token, { after: 'earliest' });
    await others.until(() => others.received.length === 1);
    others.close();
  });
});

async function ask(url: string, { token }: TestClient, method: string, path: string, body?: object) {
  const headers = { Authorization: `Bearer ${token}`, ...(body && { 'Content-Type': 'application/json' }) };
  const answer = await fetch(url + path, { method, headers, body: body ? JSON.stringify(body) : null });
  // biome-ignore lint/suspicious/noExplicitAny: bodies of several shapes
  return { status: answer.status, json: (await answer.json()) as any };
}
