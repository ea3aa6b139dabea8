import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { parse } from 'yaml';
import { day } from '../../src/time/units.ts';
import { type Document, description as published } from '../support/description.ts';
import { files, form, formType, part } from '../support/documents.ts';
import { onSqlite } from '../support/engines.ts';
import { assertExplained, lint, operationsOf, outcomesOf, resolve } from '../support/lint-description.ts';
import { type Answer, type CallOptions, type LPlate, startLPlate, type TestClient } from '../support/lplate.ts';
import { subscribed } from '../support/receiver.ts';
import { EventStream, insure, pass } from '../support/topic.ts';

const base = '/claims/v1';
const json = 'application/json';
const addDocument = 'POST /claims/{claimId}/documents';
const readDocument = 'GET /claims/{claimId}/documents/{documentId}';
const readTopic = 'GET /topics/claims.status-changed';

onSqlite((engine) => {
  let lplate: LPlate;
  let text: string;
  let description: Document;
  let operations: Map<string, Document>;
  before(async () => {
    const caps = { claimsPerClient: 2, subscriptionsPerClient: 2, streamsPerClient: 1 };
    lplate = await startLPlate(engine, {
      publicUrl: 'https://lplate.test',
      webhookAllow: ['127.0.0.0/8'],
      eventsDuplicateRate: 0,
      ...caps,
    });
    text = (await lplate.call('GET', `${base}/openapi.yaml`)).text;
    description = parse(text);
    operations = operationsOf(description);
  });
  after(() => lplate.close());

  describe('the description of the claims interface', () => {
    it('Decisions, addresses: OpenAPI 3.1 in YAML, without a token, with the base URL as its server', async () => {
      const answer = await lplate.call('GET', `${base}/openapi.yaml`);
      assert.equal(answer.status, 200);
      assert.equal(answer.headers.get('content-type'), 'application/yaml');
      assert.equal(description.openapi, '3.1.0');
      assert.deepEqual(description.servers, [{ url: 'https://lplate.test/claims/v1' }]);
    });

    it('Decisions, events: each example of an event is of one version, and has what that version has', () => {
      const { content } = (operations.get(readTopic) as Document).responses['200'];
      const [inStream] = content['text/event-stream'].schema.examples ?? [content['text/event-stream'].example];
      const schema = description.components.schemas.ClaimStatusChanged;
      const shown = [
        ...content[json].example.events,
        JSON.parse(/data: (.*)/.exec(inStream)?.[1] as string),
        ...schema.examples,
      ];
      assert.equal(shown.length, 3);
      for (const { eventVersion, environment } of shown)
        assert.deepEqual([eventVersion, environment], ['1.0', undefined]);
    });

    it('Endpoints, Claims interface: it lists claims, the topic, webhooks and descriptions, and who may use each', () => {
      const schemes = [...operations].map(([name, { security }]) => [
        name,
        security.map((each: object) => Object.entries(each).flat(2).join(' ')).join(' or '),
      ]);
      const read = 'oauth2 claims:read or bearer';
      const write = 'oauth2 claims:write or bearer';
      const both = 'oauth2 claims:read claims:write or bearer';
      assert.deepEqual(schemes, [
        ['POST /claims', write],
        ['GET /claims', read],
        ['GET /claims/{claimId}', read],
        ['POST /claims/{claimId}/documents', write],
        ['GET /claims/{claimId}/documents', read],
        ['GET /claims/{claimId}/documents/{documentId}', read],
        [readTopic, read],
        ['GET /asyncapi.yaml', ''],
        ['POST /subscriptions', both],
        ['GET /subscriptions', read],
        ['GET /subscriptions/{subscriptionId}', read],
        ['DELETE /subscriptions/{subscriptionId}', both],
        ['POST /subscriptions/{subscriptionId}/test', both],
        ['POST /subscriptions/{subscriptionId}/enable', both],
        ['POST /subscriptions/{subscriptionId}/check-signature', read],
        ['POST /subscriptions/{subscriptionId}/secret', both],
        ['GET /subscriptions/{subscriptionId}/deliveries', read],
        ['POST /subscriptions/{subscriptionId}/deliveries/{number}/redeliver', both],
        ['GET /openapi.yaml', ''],
      ]);
    });

    it('Versioning: a strict linter finds nothing in it', async () => {
      assert.deepEqual(await lint(text), []);
    });

    it('Versioning: each operation, parameter, body and response is explained and has an example', () => {
      assertExplained(description);
    });

    it('Decisions, addresses: the public URL is all in which the descriptions of two servers differ', async () => {
      const { servers } = await published(base);
      const other = servers[0].url.replace(base, '');
      assert.deepEqual(
        JSON.parse(JSON.stringify(description).replaceAll('https://lplate.test', other)),
        await published(base),
      );
    });

    it('Limits, and Decisions: bounds, defaults and choices of the parameters are those of the decisions', () => {
      const bounds = (name: string) =>
        Object.fromEntries(
          operations.get(name).parameters.map(({ name, schema }: Document) => {
            const { minimum, maximum, default: value, enum: values } = resolve(description, schema);
            return [name, values ?? [minimum, maximum, value]];
          }),
        );
      const paging = { page: [1, 1_000_000, 1], pageSize: [1, 500, 20] };
      const free = [undefined, undefined, undefined];
      const status = ['REGISTERED', 'UNDER_REVIEW', 'APPROVED', 'REJECTED', 'CLOSED'];
      assert.deepEqual(bounds('GET /claims'), { ...paging, status, policyNumber: free, updatedSince: free });
      assert.deepEqual(bounds('GET /subscriptions'), paging);
      assert.deepEqual(bounds(readTopic), {
        after: [undefined, undefined, 'earliest'],
        limit: [1, 500, 100],
        wait: [0, 30, 0],
        'Last-Event-ID': free,
      });
      const { paceSeconds, outcome } = description.components.schemas.ClaimDraft.properties;
      assert.deepEqual([paceSeconds.minimum, paceSeconds.maximum, paceSeconds.default], [1, 3600, 10]);
      assert.deepEqual([resolve(description, outcome).enum, outcome.default], [['APPROVED', 'REJECTED'], 'APPROVED']);
    });
  });

  describe('what is documented is what is answered', () => {
    let client: TestClient;
    const ids = { claimId: '', documentId: '', subscriptionId: '', number: '1' };
    let policyNumber: string;
    before(async () => {
      client = await lplate.client();
      policyNumber = await insure(lplate, client.token);
    });

    /** A request that succeeds, for each operation. */
    function good(name: string): CallOptions {
      const { token } = client;
      if (name === 'POST /claims') return { token, json: { policyNumber, outcome: 'REJECTED', paceSeconds: 1 } };
      if (name === addDocument) {
        const headers = { 'Content-Type': formType };
        return { token, body: new Uint8Array(form(part(files.jpeg))), headers };
      }
      if (name === 'POST /subscriptions') return { token, json: { url: 'http://127.0.0.1:9/nobody-listens' } };
      if (name.endsWith('/check-signature'))
        return { token, json: { id: '1', timestamp: '1772446540', body: '{}', signature: 'v1,AAAA' } };
      return name.endsWith('.yaml') ? {} : { token };
    }

    const provoked = new Set<string>();

    /** Calls an operation, and notes the problem that came of it, or its success. */
    async function provoke(
      name: string,
      options: CallOptions,
      { query = '', on = lplate, ids: others = {} }: { query?: string; on?: LPlate; ids?: Partial<typeof ids> } = {},
    ): Promise<Answer> {
      const [method, path] = name.split(' ') as [string, string];
      const given: Record<string, string> = { ...ids, ...others };
      const filled = path.replaceAll(/\{(\w+)\}/g, (_, id) => given[id] || 'none');
      const answer = await on.call(method, `${base}${filled}${query}`, options);
      provoked.add(`${name} ${answer.status} ${answer.json?.type?.split('/').at(-1) ?? ''}`.trim());
      return answer;
    }

    it('Endpoints, Claims interface: each success', async () => {
      const last = 'DELETE /subscriptions/{subscriptionId}';
      for (const name of operations.keys()) {
        if (name === last) continue;
        const { status, json } = await provoke(name, good(name));
        assert.ok(status < 300, name);
        if (name === 'POST /claims') ids.claimId = json.claimId;
        if (name === addDocument) ids.documentId = json.id;
        if (name === 'POST /subscriptions') ids.subscriptionId = json.id;
        if (name.endsWith('/test')) ids.number = String(json.number);
      }
      const { json } = await lplate.call('POST', `${base}/subscriptions`, good('POST /subscriptions'));
      assert.equal((await provoke(last, good(last), { ids: { subscriptionId: json.id } })).status, 204);
    });

    it('Versioning: the descriptions only if they have changed', async () => {
      for (const name of ['GET /openapi.yaml', 'GET /asyncapi.yaml']) {
        const { headers } = await provoke(name, {});
        const again = { headers: { 'If-None-Match': headers.get('etag') ?? '' } };
        assert.equal((await provoke(name, again)).status, 304);
        assert.equal((await provoke(name, { headers: { 'If-Match': '"other"' } })).status, 412);
        assert.equal((await provoke(name, { headers: { IfMatch: '*' } })).status, 400);
      }
    });

    it('Decisions, statements: a part of a document, and none of one that is known or too short', async () => {
      const { headers } = await provoke(readDocument, { token: client.token });
      for (const [sent, status] of [
        [{ Range: 'bytes=0-1' }, 206],
        [{ Range: 'bytes=9000-' }, 416],
        [{ 'If-None-Match': headers.get('etag') ?? '' }, 304],
        [{ 'If-Match': '"other"' }, 412],
        [{ IfRange: '*' }, 400],
      ] as const)
        assert.equal((await provoke(readDocument, { token: client.token, headers: { ...sent } })).status, status);
      await provoke(readDocument, { token: client.token }, { ids: { documentId: 'none' } });
    });

    it('Decisions, conditional requests: a claim only if it has changed', async () => {
      const { headers } = await provoke('GET /claims/{claimId}', { token: client.token });
      const again = { token: client.token, headers: { 'If-None-Match': headers.get('etag') ?? '' } };
      assert.equal((await provoke('GET /claims/{claimId}', again)).status, 304);
      const misspelt = { token: client.token, headers: { IfMatch: '*' } };
      assert.equal((await provoke('GET /claims/{claimId}', misspelt)).status, 400);
      const other = { token: client.token, headers: { 'If-Match': '"other"' } };
      assert.equal((await provoke('GET /claims/{claimId}', other)).status, 412);
    });

    it('Decisions, idempotency: a key that is in use', async () => {
      const { token } = await lplate.client();
      const policy = await insure(lplate, token);
      const register = (key: string, paceSeconds: number) => {
        const json = { policyNumber: policy, paceSeconds };
        return provoke('POST /claims', { token, json, headers: { 'Idempotency-Key': key } });
      };
      for (let n = 0; !provoked.has('POST /claims 409 request-in-progress') && n < 50; n += 1)
        await Promise.all(Array.from({ length: 10 }, () => register(`key-${n}`, 1)));
      await register('key-0', 2);
      const { json } = await lplate.call('GET', `${base}/claims`, { token });
      const add = (key: string, name: string) =>
        provoke(
          addDocument,
          {
            token,
            body: new Uint8Array(form(part(files.jpeg, `; name="file"; filename="${name}"`))),
            headers: { 'Content-Type': formType, 'Idempotency-Key': key },
          },
          { ids: { claimId: json.items[0].claimId } },
        );
      const inUse = `${addDocument} 409 request-in-progress`;
      for (let n = 0; !provoked.has(inUse) && n < 5; n += 1)
        await Promise.all(Array.from({ length: 10 }, () => add(`key-${n}`, 'a.jpg')));
      await add('key-0', 'b.jpg');
    });

    it('Events: the topic as a stream is described with its own media type', async () => {
      const stream = await EventStream.open(lplate.url, client.token);
      const { content } = operations.get(readTopic).responses[200];
      assert.deepEqual(Object.keys(content), [json, 'text/event-stream']);
      assert.equal(stream.response.headers.get('content-type'), 'text/event-stream');
      const full = await provoke(readTopic, { ...good(readTopic), headers: { Accept: 'text/event-stream' } });
      assert.equal(full.status, 429);
      stream.close();
    });

    it('Errors: each problem that a request can provoke', async () => {
      const { token } = client;
      const reader = await lplate.token(client.id, client.secret, 'policies:read');
      for (const [name, { requestBody, security }] of operations) {
        const options = good(name);
        await provoke(name, options, { query: `?${'x'.repeat(9000)}` });
        if (security.length > 0) {
          await provoke(name, { ...options, token: undefined });
          await provoke(name, { ...options, token: 'made-up' });
          await provoke(name, { ...options, token: reader });
        }
        if (!name.startsWith('GET '))
          await provoke(name, { token, body: 'x'.repeat(name === addDocument ? 1_100_000 : 70_000) });
        if (!requestBody) continue;
        for (const [type, body] of [
          [json, '{'],
          [json, '{}'],
          ['text/plain', '{}'],
          [formType, '{}'],
        ] as const) {
          await provoke(name, { token, body, headers: { 'Content-Type': type } });
        }
        // Up to the cap and past it.
        for (let more = 0; more < 5; more += 1) await provoke(name, options);
      }
      for (const name of [
        'GET /claims',
        'GET /claims/{claimId}/documents',
        'GET /subscriptions',
        'GET /subscriptions/{subscriptionId}/deliveries',
      ]) {
        await provoke(name, { token }, { query: '?page=0' });
      }
      await provoke(readTopic, { token }, { query: '?limit=0' });
      const other = await lplate.client();
      for (const name of [...operations.keys()].filter((each) => each.includes('{'))) {
        await provoke(name, { ...good(name), token: other.token });
      }
      await provoke('POST /claims', { ...good('POST /claims'), token: other.token });
      const redeliver = 'POST /subscriptions/{subscriptionId}/deliveries/{number}/redeliver';
      await provoke(redeliver, { token }, { ids: { number: '0' } });
      await pass(lplate, 3);
      lplate.clock.advance(7 * day);
      const fresh = await lplate.token(client.id, client.secret);
      await provoke(readTopic, { token: fresh }, { query: '?after=1-1' });
    });

    it('Decisions, claims and events: webhooks: each problem that takes a page of another origin, or a receiver that fails', async (t) => {
      const own = await startLPlate(t, engine, {
        eventsDuplicateRate: 0,
        subscriptionsPerClient: 1,
        webhookOpenDeliveries: 1,
        webhookDisableHours: 1,
      });
      const { receiver, subscriber } = await subscribed(t, own);
      const where = { on: own, ids: { subscriptionId: subscriber.id, number: '1' } };
      const [test, redeliver, enable] = ['test', 'deliveries/{number}/redeliver', 'enable'].map(
        (below) => `POST /subscriptions/{subscriptionId}/${below}`,
      ) as [string, string, string];
      let { token } = subscriber.client;
      const headers = { Origin: 'https://page.example' };
      for (const name of [test, redeliver, enable])
        assert.equal((await provoke(name, { token, headers }, where)).status, 400);
      await provoke(test, { token }, where);
      await subscriber.settled();
      receiver.answer = () => 500;
      await provoke(test, { token }, where);
      await subscriber.settled();
      for (const name of [test, redeliver]) assert.equal((await provoke(name, { token }, where)).status, 429);
      for (let hours = 0; hours < 4; hours += 1) await subscriber.pass(3_600_000);
      token = await own.token(subscriber.client.id, subscriber.client.secret);
      for (const name of [test, redeliver]) assert.equal((await provoke(name, { token }, where)).status, 409);
    });

    it('Limits: each endpoint when its limit is used up', async (t) => {
      const busy = await startLPlate(t, engine, { rateLimitPerMinute: 1 });
      await busy.call('GET', `${base}/claims`);
      for (const name of operations.keys()) await provoke(name, {}, { on: busy });
    });

    it('Errors: nothing else is documented, but what a broken request, a broken disk or a defect brings about', () => {
      assert.deepEqual(outcomesOf(description), provoked);
    });
  });
});
