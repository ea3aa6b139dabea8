import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { createClientAsync } from 'soap';
import type { Config } from '../../src/settings/config.ts';
import { onSqlite } from '../support/engines.ts';
import { type Answer, type LPlate, startLPlate } from '../support/lplate.ts';
import { envelope, request } from './envelopes.ts';
import { parseXml, textAt } from './xml.ts';

const path = '/vehicle-registry/v1';
const names = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'ratelimit-policy', 'retry-after'];

// The client of the package soap talks to this machine alone, so no proxy has a part in it.
process.env.no_proxy = '*';

onSqlite((engine) => {
  function started(t: TestContext, settings: Partial<Config>): Promise<LPlate> {
    return startLPlate(t, engine, settings);
  }
  const call = (lplate: LPlate, from?: string, body = envelope()) =>
    lplate.call('POST', path, { body, headers: from === undefined ? {} : { 'X-Forwarded-For': from } });
  const limits = ({ headers }: Answer) => names.map((name) => headers.get(name));
  const fault = ({ text }: Answer) =>
    ['faultcode', 'faultstring'].map((of) => textAt(parseXml(text), `//e:Fault/${of}`));

  describe('Decisions, vehicle registry: SOAP_LIMIT_PER_MINUTE', () => {
    test('Decisions, vehicle registry: SOAP has no limit unless one is set', async (t) => {
      const lplate = await started(t, { rateLimitPerMinute: 1 });
      for (let calls = 0; calls < 100; calls += 1) {
        const answer = await call(lplate);
        assert.deepEqual([answer.status, ...limits(answer)], [200, null, null, null, null, null]);
      }
    });

    test('Decisions, vehicle registry: a call over the limit is the fault Server with HTTP 500, and Retry-After leads to success', async (t) => {
      const lplate = await started(t, { soapLimitPerMinute: 2 });
      assert.deepEqual(limits(await call(lplate)), ['2', '1', '60', '2;w=60', null]);
      lplate.clock.advance(20_000);
      // Whatever its answer is, a call counts.
      assert.deepEqual(limits(await call(lplate, undefined, 'nonsense')), ['2', '0', '40', '2;w=60', null]);
      const refused = await call(lplate);
      assert.equal(refused.status, 500);
      assert.equal(refused.headers.get('content-type'), 'text/xml; charset=utf-8');
      assert.deepEqual(limits(refused), ['2', '0', '40', '2;w=60', '40']);
      assert.deepEqual(fault(refused), [
        'soap:Server',
        'You have reached the limit of 2 requests in 60 seconds. Try again in 40 s.',
      ]);
      assert.equal(JSON.parse(lplate.log.at(-1) ?? '').problem, 'rate-limit-exceeded');
      const metrics = await (await fetch(`${lplate.url}/metrics`)).text();
      assert.match(metrics, /^lplate_rate_limit_refusals_total\{limit="vehicle-registry-soap"\} 1$/m);
      lplate.clock.advance(40_000);
      assert.equal((await call(lplate)).status, 200);
    });

    test('Decisions, vehicle registry: it is counted by address, apart from REST v2; pages, WSDL and other methods are free', async (t) => {
      const lplate = await started(t, { soapLimitPerMinute: 1, trustProxy: 1, rateLimitKey: 'client' });
      const { token } = await lplate.client();
      for (let calls = 0; calls < 3; calls += 1) {
        for (const query of ['', '?wsdl']) {
          assert.equal((await lplate.call('GET', path + query)).status, 200);
        }
        assert.equal((await lplate.call('PUT', path)).status, 405);
        assert.equal((await lplate.call('GET', '/vehicle-registry/v2/vehicles/AB-1234')).status, 200);
      }
      assert.equal((await call(lplate, '192.0.2.1')).status, 200);
      assert.equal((await call(lplate, '192.0.2.2')).status, 200);
      // A token makes nobody another caller here.
      const headers = { Authorization: `Bearer ${token}`, 'X-Forwarded-For': '192.0.2.1' };
      const answer = await lplate.call('POST', path, { body: envelope(request('')), headers });
      assert.deepEqual(
        [answer.status, fault(answer)[0], answer.headers.get('retry-after')],
        [500, 'soap:Server', '60'],
      );
    });

    test('Decisions, vehicle registry: a client made from the WSDL reads why', async (t) => {
      const lplate = await started(t, { soapLimitPerMinute: 1 });
      const client = await createClientAsync(`${lplate.url}${path}?wsdl`);
      const [vehicle] = await client.GetVehicleDataAsync({ RegNumber: 'AB-1234' });
      assert.equal(vehicle.Make, 'Yarrowick');
      await assert.rejects(
        client.GetVehicleDataAsync({ RegNumber: 'AB-1234' }),
        /soap:Server: You have reached the limit of 1 requests/,
      );
    });
  });
});
