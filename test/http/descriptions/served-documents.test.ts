import assert from 'node:assert/strict';
import { type IncomingHttpHeaders, request } from 'node:http';
import { describe, it } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { parse } from 'yaml';
import { bases, type Document, description } from '../../support/description.ts';
import { onSqlite } from '../../support/engines.ts';
import { sharedLPlate, startLPlate } from '../../support/lplate.ts';

const wsdl = '/vehicle-registry/v1?wsdl';
const inYaml = [
  '/insurer/v1/openapi.yaml',
  '/insurer/v0/openapi.yaml',
  '/claims/v1/openapi.yaml',
  '/claims/v1/asyncapi.yaml',
  '/vehicle-registry/v2/openapi.yaml',
];
const asJson = (path: string) => path.replace('.yaml', '.json');
const all = [...inYaml, ...inYaml.map(asJson), wsdl];

interface Received {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

const vary = 'Accept-Encoding, Host, X-Forwarded-Host, X-Forwarded-Proto';

onSqlite((engine) => {
  const lplate = sharedLPlate(engine);

  /** As it comes: `fetch` would ask for codings and decode them. */
  function get(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Received> {
    return new Promise((resolve, reject) => {
      const sent = request(lplate.url + path, { headers, method }, async (answer) => {
        const chunks: Buffer[] = [];
        for await (const chunk of answer) chunks.push(chunk);
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks) });
      });
      sent.on('error', reject).end();
    });
  }

  const coded = (path: string, coding: string) => get(path, { 'Accept-Encoding': coding });

  describe('Every description', () => {
    it('Decisions, descriptions: comes packed by br or gzip to who takes it, and else plain', async () => {
      for (const path of all) {
        const plain = await get(path);
        assert.deepEqual([plain.status, plain.headers['content-encoding']], [200, undefined], path);
        for (const [accepted, coding] of [
          ['gzip, deflate, br', 'br'],
          ['br;q=0, gzip;q=0.5', 'gzip'],
          ['gzip;q=1, br;q=0.1', 'gzip'],
          ['*', 'br'],
          ['zstd', undefined],
          ['identity;q=0, deflate', undefined],
          [',;=;q=x', undefined],
        ] as const) {
          const { status, headers, body } = await coded(path, accepted);
          assert.deepEqual([status, headers['content-encoding']], [200, coding], `${path}: ${accepted}`);
          const unpack = { br: brotliDecompressSync, gzip: gunzipSync };
          assert((coding ? unpack[coding](body) : body).equals(plain.body), path);
          if (coding) assert(body.length < plain.body.length / 2, path);
        }
      }
    });

    it('Decisions, descriptions: has a strong tag for each coding, and says what it depends on: the coding and the host', async () => {
      for (const path of all) {
        const answers = [await get(path), await coded(path, 'gzip'), await coded(path, 'br')];
        const tags = answers.map(({ headers }) => headers.etag ?? '');
        assert.equal(new Set(tags).size, 3, path);
        for (const tag of tags) assert.match(tag, /^"[\w-]+"$/);
        for (const { headers } of answers) {
          assert.deepEqual([headers.vary, headers['cache-control']], [vary, 'no-cache'], path);
        }
      }
      const tags = await Promise.all(all.map(async (path) => (await get(path)).headers.etag));
      assert.equal(new Set(tags).size, all.length);
    });

    it('Decisions, descriptions: comes again only if it changed: 304 for its tag, in a list too, weak too, and for *', async () => {
      for (const path of all) {
        const { headers } = await coded(path, 'gzip');
        const { etag = '' } = headers;
        const other = (await coded(path, 'br')).headers.etag ?? '';
        const ask = (tags: string) => get(path, { 'Accept-Encoding': 'gzip', 'If-None-Match': tags });
        for (const tags of [etag, `"x", ${etag}`, `W/${etag}`, '*']) {
          const { status, headers, body } = await ask(tags);
          assert.deepEqual([status, headers.etag, headers.vary, body.length], [304, etag, vary, 0], tags);
        }
        for (const tags of ['"x"', other, etag.slice(1, -1), '']) assert.equal((await ask(tags)).status, 200, tags);
        const head = await get(path, { 'Accept-Encoding': 'gzip' }, 'HEAD');
        assert.deepEqual([head.status, head.headers.etag, head.body.length], [200, etag, 0]);
      }
    });

    it('Decisions, descriptions: keeps its tag for the day, and gets another one when its examples do', async (t) => {
      const own = await startLPlate(t, engine);
      const tag = async (path: string) => (await fetch(own.url + path)).headers.get('etag');
      const dated = ['/insurer/v1/openapi.yaml', '/insurer/v1/openapi.json', '/claims/v1/openapi.yaml'];
      const before = await Promise.all(dated.map(tag));
      own.clock.advance(3_600_000);
      assert.deepEqual(await Promise.all(dated.map(tag)), before);
      own.clock.advance(24 * 3_600_000);
      const after = await Promise.all(dated.map(tag));
      for (const [at, each] of after.entries()) assert.notEqual(each, before[at]);
    });

    it('Decisions, descriptions: is the same document in JSON beside the YAML, which no list of endpoints shows', async () => {
      for (const path of inYaml) {
        const [yaml, json] = [await get(path), await get(asJson(path))];
        assert.deepEqual(
          [yaml.headers['content-type'], json.headers['content-type']],
          ['application/yaml', 'application/json'],
        );
        assert.deepEqual(JSON.parse(json.body.toString()), parse(yaml.body.toString()), path);
        assert(!Object.keys(parse(yaml.body.toString()).paths ?? {}).some((each) => each.endsWith('.json')), path);
        assert.equal((await get(asJson(path), {}, 'DELETE')).headers.allow, 'GET, HEAD');
      }
    });

    it('Decisions, descriptions: its operation has YAML without a schema, and says that it may be unchanged', async () => {
      for (const [base, path] of [
        ['/insurer/v1', '/openapi.yaml'],
        ['/claims/v1', '/openapi.yaml'],
        ['/claims/v1', '/asyncapi.yaml'],
        ['/vehicle-registry/v2', '/openapi.yaml'],
      ] as const) {
        const { paths } = parse((await get(`${base}/openapi.yaml`)).body.toString());
        const { responses } = paths[path].get;
        assert.deepEqual(responses[200].content, { 'application/yaml': {} });
        assert.deepEqual(
          [responses[304].content, responses[304].headers.ETag.$ref],
          [undefined, '#/components/headers/ETag'],
        );
      }
    });
  });

  describe('What descriptions say for generators and clients', () => {
    it('Decisions, descriptions: enumerations, problems and the token request are components, each with one name', async () => {
      const lists: Record<string, string[]> = {
        '/insurer/v1': [
          ...['CoverageCode', 'PolicyStatus', 'PolicyImportStatus', 'PolicyImportRowStatus'],
          ...['StatementStatus', 'StatementFormat', 'Currency', 'ErasureStatus'],
        ],
        '/claims/v1': [
          ...['ClaimStatus', 'ClaimOutcome', 'SubscriptionStatus', 'SubscriptionVia', 'DeliveryStatus'],
          'DocumentMediaType',
        ],
        '/vehicle-registry/v2': ['FuelType', 'OwnerType', 'VehicleStatus'],
      };
      for (const [base, names] of Object.entries(lists)) {
        const { paths, components } = JSON.parse((await get(`${base}/openapi.json`)).body.toString());
        for (const name of [...names, 'Problem']) assert(name in components.schemas, name);
        for (const name of names) assert(components.schemas[name].enum.length > 1, name);
        // No list of several values stands anywhere else, so that none gets two names.
        const { schemas } = components;
        const elsewhere = {
          paths,
          schemas: Object.fromEntries(Object.entries(schemas).filter(([name]) => !names.includes(name))),
        };
        const found = [...JSON.stringify(elsewhere).matchAll(/"enum":(\[[^\]]*\])/g)].map(([, list = '']) =>
          JSON.parse(list),
        );
        for (const list of found) {
          const known = list.length === 1 || list.includes(null) || list.includes('invalid_client');
          assert(known, `${base}: ${list} has no name`);
        }
      }
    });

    it('Decisions, descriptions: a header that one answer of a document may lack is required in none', async () => {
      for (const base of bases) {
        const { paths, components } = await description(base);
        const operations: Document[] = Object.values<Document>(paths).flatMap(Object.values<Document>);
        const all = [components, ...operations].flatMap(({ responses }) => Object.values<Document>(responses));
        const required = new Map<string, boolean>();
        for (const { headers = {} } of all) {
          for (const [name, header] of Object.entries<Document>(headers)) {
            const { $ref } = header;
            const shown = $ref ? components.headers[$ref.split('/').at(-1)] : header;
            const one = shown.required ?? false;
            assert.equal(required.get(name) ?? one, one, `${base} ${name}`);
            required.set(name, one);
          }
        }
        assert.deepEqual([required.get('Cache-Control'), required.get('RateLimit-Limit')], [true, false], base);
      }
    });

    it('Decisions, descriptions: an answer 201 has a Location, or its text says that there is none', async () => {
      let created = 0;
      for (const base of bases) {
        const { paths } = await description(base);
        for (const [path, operations] of Object.entries<Document>(paths)) {
          const { 201: answer } = operations.post?.responses ?? {};
          if (!answer) continue;
          created += 1;
          const told = operations.post.description.includes('There is no `Location`');
          assert.equal('Location' in answer.headers, !told, base + path);
        }
      }
      assert(created >= 7);
    });

    it('Decisions, descriptions: one TokenRequest for JSON and form; the least of each can be seen', async () => {
      const { paths, components } = JSON.parse((await get('/insurer/v1/openapi.json')).body.toString());
      const { content } = paths['/auth/token'].post.requestBody;
      const [json, form] = [content['application/json'], content['application/x-www-form-urlencoded']];
      for (const { schema } of [json, form]) assert.deepEqual(schema, { $ref: '#/components/schemas/TokenRequest' });
      assert.deepEqual(components.schemas.TokenRequest.required, ['client_id', 'client_secret']);
      assert.deepEqual(Object.keys(json.examples.minimal.value), ['client_id', 'client_secret']);
      assert.deepEqual(Object.keys(form.examples.minimal.value), ['grant_type', 'client_id', 'client_secret']);
      assert('TokenProblem' in components.schemas);
    });

    it('Decisions, descriptions: they say what a token is and whom it is for, and name the draft of the RateLimit headers', async () => {
      const { publicUrl } = lplate.config;
      for (const base of ['/insurer/v1', '/claims/v1']) {
        const { info, components } = JSON.parse((await get(`${base}/openapi.json`)).body.toString());
        const { description } = components.securitySchemes.bearer;
        for (const part of ['at+jwt', 'aud', 'http://lplate.example', publicUrl])
          assert(description.includes(part), part);
        assert(info.description.includes('draft-ietf-httpapi-ratelimit-headers-06'));
      }
      const answer = await get('/insurer/v1/coverage-options');
      assert.equal(answer.headers.ratelimit, undefined);
    });

    it('Decisions, descriptions: AsyncAPI refers to the states of a claim by their name', async () => {
      const { schemas } = JSON.parse((await get('/claims/v1/asyncapi.json')).body.toString()).components;
      const { previousStatus, newStatus } = schemas.ClaimStatusChange.properties;
      for (const { $ref } of [previousStatus, newStatus]) assert.equal($ref, '#/components/schemas/ClaimStatus');
      assert.equal(schemas.ClaimStatus.enum.length, 5);
    });
  });
});
