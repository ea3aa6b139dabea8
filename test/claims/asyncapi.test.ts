import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Parser } from '@asyncapi/parser';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { Webhook } from 'standardwebhooks';
import { parse } from 'yaml';
import { asyncApiDocument } from '../../src/claims/asyncapi.ts';
import { wayOf } from '../../src/text/json-pointer.ts';
import type { Document } from '../support/description.ts';
import { onSqlite } from '../support/engines.ts';
import { eventFaults } from '../support/event-check.ts';
import { sharedLPlate } from '../support/lplate.ts';

const statuses = ['REGISTERED', 'UNDER_REVIEW', 'APPROVED', 'REJECTED', 'CLOSED'];

onSqlite((engine) => {
  const lplate = sharedLPlate(engine);
  let text: string;
  let document: Document;
  before(async () => {
    text = (await lplate.call('GET', '/claims/v1/asyncapi.yaml')).text;
    document = parse(text);
  });

  /** A part of the document, by its JSON pointer; a reference leads on. */
  const at = (pointer: string): Document => {
    const found = wayOf(pointer).reduce((part, step) => part[step], document);
    return typeof found?.$ref === 'string' ? at(found.$ref) : found;
  };
  /** As a reader checks: members that the schema does not know are no fault. */
  const fits = (pointer: string, value: unknown) => {
    const ajv = addFormats.default(new Ajv2020({ strict: true, allowUnionTypes: true }));
    ajv.addKeyword('components');
    return ajv.validate({ ...at(pointer), components: document.components }, value);
  };
  const examples = (name: string) => at(`#/components/messages/${name}`).examples;
  const event = (name: string) => examples('ClaimStatusChanged').find((each: Document) => each.name === name).payload;

  describe('the AsyncAPI document of the topic', () => {
    it('Decisions, addresses: served in YAML beside the claims interface, to anybody, with the public URL in it', async () => {
      const answer = await lplate.call('GET', '/claims/v1/asyncapi.yaml');
      assert.equal(answer.status, 200);
      assert.equal(answer.headers.get('content-type'), 'application/yaml');
      assert.deepEqual(document, asyncApiDocument(lplate.config.publicUrl));
    });

    it('Events: AsyncAPI’s own parser accepts it', async () => {
      const { document: parsed, diagnostics } = await new Parser().parse(text);
      assert(parsed);
      // That there is a newer version is told of any document; readers of 3.0 are far more common than those of 3.1.
      assert.deepEqual(
        diagnostics.map(({ code, severity }) => ({ code, severity })),
        [{ code: 'asyncapi-latest-version', severity: 2 }],
      );
      assert.deepEqual(
        parsed.operations().map((operation) => [operation.id(), operation.action()]),
        [
          ['readBatch', 'send'],
          ['streamEvents', 'send'],
          ['deliverToWebhook', 'send'],
        ],
      );
    });

    it('Decisions, addresses: its server is the claims interface under the public URL, http or https', () => {
      const server = (publicUrl: string) => {
        const { host, protocol, pathname } = (asyncApiDocument(publicUrl) as Document).servers.lplate;
        return `${protocol}://${host}${pathname}`;
      };
      assert.equal(server('http://localhost:8080'), 'http://localhost:8080/claims/v1');
      assert.equal(server('https://insurer.example'), 'https://insurer.example/claims/v1');
    });

    it('Events: its address and its scope are all that is needed to read the topic, by batch and by stream', async () => {
      const { servers, channels, operations, components } = document;
      const channel = channels['claims.status-changed'];
      const url = `${lplate.url}${servers.lplate.pathname}${channel.address}`;
      assert.deepEqual(channel.servers, [{ $ref: '#/servers/lplate' }]);
      const { scopes, flows } = components.securitySchemes.oauth2;
      assert.equal(flows.clientCredentials.tokenUrl, `${lplate.config.publicUrl}/insurer/v1/auth/token`);
      const { token } = await lplate.client(scopes.join(' '));
      const get = (headers = {}) => {
        const { method } = operations.readBatch.bindings.http;
        return fetch(url, { method, headers: { Authorization: `Bearer ${token}`, ...headers } });
      };
      const batch = await get();
      assert.equal(batch.status, 200);
      assert(fits('#/components/schemas/EventBatch', await batch.json()));
      const stream = await get({ Accept: 'text/event-stream' });
      await stream.body?.cancel();
      const { const: type } = at('#/components/messages/ClaimStatusChanged').bindings.http.headers.properties[
        'Content-Type'
      ];
      assert.equal(stream.headers.get('content-type'), type);
      for (const name of ['readBatch', 'streamEvents'])
        assert.deepEqual(operations[name].security, [{ $ref: '#/components/securitySchemes/oauth2' }]);
    });

    it('Decisions, claims and events: the query parameters, their bounds and what they are when left out', () => {
      const query = (operation: string) =>
        Object.entries<Document>(at(`#/operations/${operation}/bindings/http/query`).properties).map(
          ([name, { minimum, maximum, default: value }]) => [name, minimum, maximum, value],
        );
      const after = ['after', undefined, undefined, 'earliest'];
      assert.deepEqual(query('readBatch'), [after, ['limit', 1, 500, 100], ['wait', 0, 30, 0]]);
      assert.deepEqual(query('streamEvents'), [after]);
      for (const value of ['earliest', 'latest', '1042-1'])
        assert(fits('#/components/schemas/StreamQuery', { after: value }));
      assert(!fits('#/components/schemas/StreamQuery', { after: 'newest' }));
    });

    it('Decisions, claims and events: webhooks go to an address of the subscriber’s, by POST', () => {
      const { webhooks } = document.channels;
      assert.equal(webhooks.address, null);
      assert.deepEqual(webhooks.servers, [{ $ref: '#/servers/subscriber' }]);
      assert.equal(document.operations.deliverToWebhook.bindings.http.method, 'POST');
      assert.deepEqual(
        at('#/components/messages/WebhookDelivery/payload'),
        at('#/components/schemas/ClaimStatusChanged'),
      );
    });

    it('Decisions, addresses: every link to this service in its words leads somewhere', async () => {
      const { publicUrl } = lplate.config;
      const links = [...text.matchAll(new RegExp(`\\(${publicUrl}([^)\\s]*)\\)`, 'g'))].map(([, path = '']) => path);
      links.push(document.info.externalDocs.url.slice(publicUrl.length));
      assert(links.length >= 3);
      for (const path of links) assert.equal((await fetch(`${lplate.url}${path}`)).status, 200, path);
    });
  });

  describe('the payload’s schema', () => {
    it('Events, Payload: the members of the specification, in its order, all of them required, and one that came later', () => {
      const { properties, required } = at('#/components/schemas/ClaimStatusChanged');
      const data = at(properties.data.$ref);
      const members = ['eventId', 'eventType', 'eventVersion', 'occurredAt', 'source', 'data'];
      const ofData = ['claimId', 'policyNumber', 'previousStatus', 'newStatus', 'statusReason'];
      assert.deepEqual([Object.keys(properties), required], [[...members, 'environment'], members]);
      assert.deepEqual([Object.keys(data.properties), data.required], [ofData, ofData]);
      assert.deepEqual(at(properties.eventType.$ref).enum, ['ClaimStatusChanged']);
      for (const name of ['previousStatus', 'newStatus'])
        assert.deepEqual(at(data.properties[name].$ref).enum, statuses);
    });

    it('Decisions, descriptions: objects and enumerations within schemas are references, whose names generators give to types', () => {
      const inline = (schema: Document, place: string): string[] => {
        if (schema.type === 'object' || schema.enum) return [place];
        const parts = Object.entries<Document>({ ...schema.properties, ...(schema.items && { items: schema.items }) });
        return parts.flatMap(([name, part]) => inline(part, `${place}/${name}`));
      };
      for (const [name, schema] of Object.entries<Document>(document.components.schemas)) {
        const { type: _type, enum: _values, ...parts } = schema;
        assert.deepEqual(inline(parts, name), []);
      }
    });

    it('Events, Payload: it takes its examples, which show a plain change, a rejection and an end', () => {
      const reasons = examples('ClaimStatusChanged').map(({ payload }: Document) => {
        assert.deepEqual(eventFaults(payload), []);
        assert(fits('#/components/schemas/ClaimStatusChanged', payload));
        return [payload.data.newStatus, typeof payload.data.statusReason];
      });
      assert.deepEqual(reasons, [
        ['UNDER_REVIEW', 'object'],
        ['REJECTED', 'string'],
        ['CLOSED', 'string'],
      ]);
    });

    it('Events, rule 1: the example of a batch has an event twice; it and the empty one fit', () => {
      const [full, empty] = examples('EventBatch').map(({ payload }: Document) => payload);
      assert(fits('#/components/schemas/EventBatch', full) && fits('#/components/schemas/EventBatch', empty));
      const ids = full.events.map(({ eventId }: Document) => eventId);
      assert.deepEqual([ids.length, new Set(ids).size, empty.events], [4, 3, []]);
      assert(!fits('#/components/schemas/EventBatch', { ...full, events: [{ ...full.events[0], eventId: 'x' }] }));
    });

    const broken: [string, (event: Document) => unknown][] = [
      ['no object', () => 'ClaimStatusChanged'],
      ['an eventId that is no UUID', (event) => ({ ...event, eventId: '1' })],
      ['another eventType', (event) => ({ ...event, eventType: 'ClaimRegistered' })],
      ['an eventVersion that is no string', (event) => ({ ...event, eventVersion: 1 })],
      ['a day for a time', (event) => ({ ...event, occurredAt: '2026-03-02' })],
      ['a time of another zone than UTC', (event) => ({ ...event, occurredAt: '2026-03-02T10:15:40+02:00' })],
      ['a source that is no string', (event) => ({ ...event, source: null })],
      ['data that are no object', (event) => ({ ...event, data: [] })],
      ['a claimId of another form', (event) => ({ ...event, data: { ...event.data, claimId: 'CLM-26-1' } })],
      ['a policyNumber that is no string', (event) => ({ ...event, data: { ...event.data, policyNumber: 7 } })],
      ['an unknown status before', (event) => ({ ...event, data: { ...event.data, previousStatus: 'OPEN' } })],
      ['an unknown status after', (event) => ({ ...event, data: { ...event.data, newStatus: 'closed' } })],
    ];
    for (const [what, change] of broken) {
      it(`Events, Payload: it refuses ${what}`, () => {
        const payload = change(event('takenUnderReview'));
        assert(!fits('#/components/schemas/ClaimStatusChanged', payload));
        assert.notDeepEqual(eventFaults(payload), []);
      });
    }

    it('Events, Payload: it refuses an event that lacks a member', () => {
      const whole = event('rejected');
      for (const name of Object.keys(whole)) assert.equal(eventFaults({ ...whole, [name]: undefined }).length, 1, name);
      for (const name of Object.keys(whole.data)) {
        assert.notDeepEqual(eventFaults({ ...whole, data: { ...whole.data, [name]: undefined } }), [], name);
      }
    });

    it('Events, Payload: a reason for REJECTED and CLOSED, and for no other status', () => {
      for (const newStatus of statuses) {
        for (const statusReason of ['It was late.', '', null]) {
          const payload = event('takenUnderReview');
          const changed = { ...payload, data: { ...payload.data, newStatus, statusReason } };
          const right = ['REJECTED', 'CLOSED'].includes(newStatus)
            ? statusReason === 'It was late.'
            : statusReason === null;
          assert.equal(
            fits('#/components/schemas/ClaimStatusChanged', changed),
            right,
            `${newStatus}: ${statusReason}`,
          );
        }
      }
    });

    it('Versioning: a reader puts up with members that come later; our own tests don’t', () => {
      const payload = event('rejected');
      for (const later of [
        { ...payload, holder: 'A. Person' },
        { ...payload, data: { ...payload.data, phone: '1' } },
      ]) {
        assert(fits('#/components/schemas/ClaimStatusChanged', later));
        assert.match(eventFaults(later).join(), /must NOT have additional properties (holder|phone)/);
      }
    });
  });

  describe('the headers of a webhook', () => {
    it('Decisions, claims and events: four that are required, the trace where there is one, and the examples fit', () => {
      const { properties, required } = at('#/components/schemas/WebhookHeaders');
      const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature', 'webhook-attempt'];
      assert.deepEqual([Object.keys(properties), required], [[...names, 'traceparent', 'tracestate'], names]);
      for (const { headers, payload } of examples('WebhookDelivery')) {
        assert(fits('#/components/schemas/WebhookHeaders', headers));
        assert.equal(headers['webhook-id'], payload.eventId);
      }
    });

    it('Decisions, claims and events: another library comes to the signatures of the examples', () => {
      const { description } = at('#/components/messages/WebhookDelivery');
      const [secret = ''] = /whsec_[A-Za-z0-9+/=]{10,}/.exec(description) ?? [];
      for (const { headers, payload } of examples('WebhookDelivery')) {
        const sentAt = new Date(headers['webhook-timestamp'] * 1000);
        const signature = new Webhook(secret).sign(headers['webhook-id'], sentAt, JSON.stringify(payload));
        assert.equal(headers['webhook-signature'], signature);
      }
    });
  });
});
