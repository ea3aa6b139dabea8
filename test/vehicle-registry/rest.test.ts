import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parse } from 'yaml';
import { send } from '../bad-input/wire.ts';
import type { Document } from '../support/description.ts';
import { onSqlite } from '../support/engines.ts';
import { assertExplained, lint, operationsOf, resolve } from '../support/lint-description.ts';
import { problem, sharedLPlate, startLPlate } from '../support/lplate.ts';

const base = '/vehicle-registry/v2';

onSqlite((engine) => {
  const lplate = sharedLPlate(engine, { publicUrl: 'https://lplate.test' });

  const call = (method: string, path: string, options = {}) => lplate.call(method, `${base}${path}`, options);
  const vehicle = (plate: string) => call('GET', `/vehicles/${plate}`);

  describe('Versioning, the registry’s REST v2', () => {
    test('Decisions, vehicle registry: a vehicle in snake_case, its fuel in lowercase, without a token', async () => {
      const answer = await vehicle('AB-1234');
      assert.equal(answer.status, 200);
      assert.deepEqual(answer.json, {
        reg_number: 'AB-1234',
        vin_code: 'GNZDP1D04NC383005',
        make: 'Yarrowick',
        model: 'Quotient',
        first_reg_date: '2022-12-19',
        engine_capacity_ccm: 1318,
        fuel_type: 'petrol',
        owner_type: 'NATURAL_PERSON',
        inspection_valid_to: '2031-11-18',
        vehicle_status: 'REGISTERED',
      });
    });

    test('Decisions, vehicle registry: a fact that a vehicle lacks is an absent member, not null', async () => {
      for (const [plate, member] of [
        ['EL-0021', 'engine_capacity_ccm'],
        ['OL-0082', 'vin_code'],
        ['DE-0004', 'inspection_valid_to'],
      ] as const) {
        const { json } = await vehicle(plate);
        assert.equal(Object.keys(json).length, 9, plate);
        assert(!(member in json), plate);
      }
    });

    test('Decisions, vehicle registry: members come in the order of v1', async () => {
      const { json } = await vehicle('AB-1234');
      const { properties } = (await description()).components.schemas.Vehicle;
      assert.deepEqual(Object.keys(json), Object.keys(properties));
    });

    test('Decisions, vehicle registry: the number comes back as it was sent; case and dash make no other vehicle', async () => {
      const { json: wanted } = await vehicle('AB-1234');
      for (const written of ['ab-1234', 'AB1234', 'aB1234', '%41%42-1234']) {
        const { json } = await vehicle(written);
        assert.deepEqual(json, { ...wanted, reg_number: decodeURIComponent(written) });
      }
    });

    test('Decisions, vehicle registry: whatever is no plate that was given out is 404 vehicle-not-found, which names it', async () => {
      for (const path of ['XX-1234', 'zz1234', 'AB-0000', 'FL-1', '%20', '%00', 'AB%2F1234', '%F0%9F%9A%97', 'null']) {
        const answer = await vehicle(path);
        assert.deepEqual(problem(answer), [404, 'vehicle-not-found'], path);
        assert(answer.json.detail.includes(`number ${decodeURIComponent(path)}.`), path);
      }
      const long = await vehicle('A'.repeat(5_000));
      assert.deepEqual(problem(long), [404, 'vehicle-not-found']);
      assert(long.json.detail.length < 300);
    });

    test('Decisions, REST conventions: they hold here too: slashes, query, HEAD, 404, 405, broken and long URLs', async () => {
      assert.equal((await call('GET', '/vehicles/AB-1234/?unknown=1')).json.make, 'Yarrowick');
      const head = await call('HEAD', '/vehicles/AB-1234');
      assert.deepEqual([head.status, head.text], [200, '']);
      assert.equal((await call('HEAD', '/vehicles/XX-1234')).status, 404);
      for (const path of [
        '',
        '/',
        '/vehicles',
        '/vehicles/',
        '/vehicles//',
        '/Vehicles/AB-1234',
        '/vehicles/AB-1234/x',
      ]) {
        assert.deepEqual(problem(await call('GET', path)), [404, 'not-found'], path);
      }
      const cut = await send(lplate, { method: 'GET', path: `${base}/vehicles/#AB-1234` });
      assert.deepEqual(problem(cut), [400, 'malformed-request']);
      for (const path of ['/vehicles/AB-1234', '/openapi.yaml']) {
        for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
          const answer = await call(method, path, { body: '{' });
          assert.deepEqual(problem(answer), [405, 'method-not-allowed'], method);
          assert.equal(answer.headers.get('allow'), 'GET, HEAD');
        }
      }
      assert.deepEqual(problem(await vehicle('%zz')), [400, 'malformed-request']);
      assert.deepEqual(problem(await vehicle('x'.repeat(9_000))), [414, 'uri-too-long']);
    });

    test('Decisions, CORS: scripts of any origin may call, and preflights are answered and not counted', async () => {
      const headers = { Origin: 'https://learner.example', 'Access-Control-Request-Method': 'GET' };
      const left = async () => Number((await vehicle('AB-1234')).headers.get('ratelimit-remaining'));
      const before = await left();
      assert.equal((await call('OPTIONS', '/vehicles/AB-1234', { headers })).status, 204);
      assert.equal(await left(), before - 1);
      assert.equal((await vehicle('AB-1234')).headers.get('access-control-allow-origin'), '*');
    });
  });

  describe('Limits, general rate', () => {
    test('Limits, general rate: the registry has 60 a minute of its own, and the SOAP service has none', async (t) => {
      const busy = await startLPlate(t, engine, { rateLimitPerMinute: 60 });
      const ask = () => busy.call('GET', `${base}/vehicles/XX-1234`);
      for (let used = 1; used <= 60; used += 1) {
        const { status, headers } = await ask();
        assert.deepEqual([status, Number(headers.get('ratelimit-remaining'))], [404, 60 - used]);
        assert.equal(headers.get('ratelimit-policy'), '60;w=60');
      }
      const refused = await ask();
      assert.deepEqual(problem(refused), [429, 'rate-limit-exceeded']);
      assert.equal(refused.headers.get('retry-after'), '60');
      for (const path of ['/nothing', '/openapi.yaml', '/vehicles/%zz']) {
        assert.equal((await busy.call('GET', base + path)).status, 429, path);
      }
      // Neither the insurer nor the SOAP service notices.
      const insurer = await busy.call('GET', '/coverage-options');
      assert.deepEqual([insurer.status, insurer.headers.get('ratelimit-remaining')], [200, '59']);
      const soap = await busy.call('GET', '/vehicle-registry/v1?wsdl');
      assert.deepEqual([soap.status, soap.headers.get('ratelimit-limit')], [200, null]);
      busy.clock.advance(60_000);
      assert.equal((await ask()).status, 404);
    });

    test('Decisions, start-up: counted by client, each token has its own 60, as at the insurer', async (t) => {
      const classroom = await startLPlate(t, engine, { rateLimitPerMinute: 60, rateLimitKey: 'client' });
      const [one, other] = [await classroom.client(), await classroom.client()];
      const left = async (token?: string) => {
        const { headers } = await classroom.call('GET', `${base}/vehicles/AB-1234`, { token });
        return Number(headers.get('ratelimit-remaining'));
      };
      assert.deepEqual(
        [await left(one.token), await left(one.token), await left(other.token), await left(), await left('made-up')],
        [59, 58, 59, 59, 58],
      );
    });
  });

  describe('Its description', () => {
    test('Versioning: OpenAPI 3.1 in YAML, with the base URL as its server and two operations, open to all', async () => {
      const document = await description();
      assert.equal(document.openapi, '3.1.0');
      assert.deepEqual(document.servers, [{ url: 'https://lplate.test/vehicle-registry/v2' }]);
      const operations = operationsOf(document);
      assert.deepEqual([...operations.keys()], ['GET /vehicles/{reg_number}', 'GET /openapi.yaml']);
      for (const { security } of operations.values()) assert.deepEqual(security, []);
    });

    test('Versioning: a strict linter finds nothing in it, and all of it is explained and has examples', async () => {
      assert.deepEqual(await lint((await call('GET', '/openapi.yaml')).text), []);
      assertExplained(await description());
    });

    test('Versioning: the example of a vehicle is the answer for its plate', async () => {
      const { responses, parameters } = operationsOf(await description()).get('GET /vehicles/{reg_number}');
      const { example } = responses['200'].content['application/json'];
      assert.equal(parameters[0].example, example.reg_number);
      assert.deepEqual((await vehicle(example.reg_number)).json, example);
    });

    test('Errors: what is documented is what requests can provoke, but for broken requests and defects', async () => {
      const document = await description();
      const identifiers = Object.entries<Document>(
        operationsOf(document).get('GET /vehicles/{reg_number}').responses,
      ).flatMap(([, target]) =>
        Object.keys(resolve(document, target).content['application/problem+json']?.examples ?? {}),
      );
      assert.deepEqual(
        new Set(identifiers),
        new Set([
          ...['malformed-request', 'request-timeout', 'headers-too-large', 'internal-error'],
          ...['vehicle-not-found', 'uri-too-long', 'rate-limit-exceeded'],
          // By a drill, under a personal prefix.
          'unavailable',
        ]),
      );
    });
  });

  async function description(): Promise<Document> {
    return parse((await call('GET', '/openapi.yaml')).text);
  }
});
