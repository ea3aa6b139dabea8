import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { describe, test } from 'node:test';
import { deprecatedAt, sunsetOf } from '../../src/vehicle-registry/end-of-v1.ts';
import { logOf } from '../range/range.ts';
import { forEachEngine } from '../support/engines.ts';
import { type Answer, type CallOptions, sharedLPlate, type TestClient } from '../support/lplate.ts';
import { envelope, request } from './envelopes.ts';

const v1 = '/vehicle-registry/v1';
const v2 = '/vehicle-registry/v2/vehicles/AB-1234';
const body = envelope(request('<RegNumber>AB-1234</RegNumber>'));

test('Decisions, vehicle registry: the sunset is the last day of the year after the next, never before the successor existed', () => {
  const at = (text: string) => sunsetOf(Date.parse(text));
  equal(at('2026-12-31T23:59:59Z'), 'Sun, 31 Dec 2028 23:59:59 GMT');
  equal(at('2027-01-01T00:00:00Z'), 'Mon, 31 Dec 2029 23:59:59 GMT');
  equal(at('2027-12-31T23:59:59Z'), 'Mon, 31 Dec 2029 23:59:59 GMT');
  ok(Date.parse(at('1999-01-01T00:00:00Z')) > deprecatedAt);
});

forEachEngine((engine) => {
  describe('the end of SOAP v1', () => {
    const lplate = sharedLPlate(engine);

    const soap = (options: CallOptions = {}, prefix = '') => lplate.call('POST', prefix + v1, { body, ...options });

    function assertDeprecated({ headers }: Answer, prefix = '', now = lplate.clock.now()): void {
      equal(headers.get('deprecation'), `@${deprecatedAt / 1000}`);
      equal(headers.get('sunset'), sunsetOf(now));
      const successor = `${lplate.config.publicUrl}${prefix}/vehicle-registry/v2/openapi.yaml`;
      equal(headers.get('link'), `<${successor}>; rel="successor-version"`);
    }

    test('Decisions, vehicle registry: each answer of SOAP v1 says since when it is deprecated, until when it is there, and what comes after', async () => {
      assertDeprecated(await soap());
      assertDeprecated(await soap({ body: '<not' }));
      for (const [method, path] of [
        ['GET', `${v1}?wsdl`],
        ['HEAD', v1],
        ['GET', v1],
        ['PUT', v1],
        ['GET', `${v1}/nothing`],
      ] as const)
        assertDeprecated(await lplate.call(method, path));
      const { text } = await lplate.call('GET', `${v1}?wsdl`);
      match(text, /Deprecated since 2026-11-21/);
      ok(text.includes(`${lplate.config.publicUrl}/vehicle-registry/v2/openapi.yaml`));
      const { headers } = await lplate.call('GET', v2);
      deepEqual([headers.get('deprecation'), headers.get('sunset')], [null, null]);
      equal((await lplate.call('GET', '/vehicle-registry/v2/openapi.yaml')).status, 200);
    });

    test('Decisions, vehicle registry: the sunset is by the client’s clock, known by its token or its prefix, and moves with it', async () => {
      const client = await lplate.client();
      const json = { advance: 'P300D' };
      for (const _ of [1, 2]) {
        const token = await lplate.token(client.id, client.secret);
        equal((await lplate.call('POST', '/range/v1/me/clock', { token, json })).status, 200);
      }
      const ahead = lplate.clock.now() + 600 * 24 * 60 * 60 * 1000;
      assertDeprecated(await soap(), '');
      assertDeprecated(await soap({}, `/for/${client.id}`), `/for/${client.id}`, ahead);
      const token = await lplate.token(client.id, client.secret);
      assertDeprecated(await soap({ token }), '', ahead);
    });

    async function drilled(): Promise<TestClient> {
      const client = await lplate.client();
      const started = await lplate.call('POST', '/range/v1/me/drills', {
        token: client.token,
        json: { name: 'sunset' },
      });
      equal(started.status, 201, started.text);
      return client;
    }

    test('Decisions, drills: under sunset SOAP v1, its page and its WSDL are 410 for the client, and tell of the successor', async () => {
      const client = await drilled();
      const prefix = `/for/${client.id}`;
      for (const answer of [
        await soap({ token: client.token }),
        await soap({}, prefix),
        await soap({ body: 'x' }, prefix),
      ]) {
        equal(answer.status, 410, answer.text);
        match(answer.headers.get('content-type') ?? '', /^text\/xml/);
        match(answer.text, /<faultcode>soap:Client<\/faultcode>/);
        match(answer.text, /vehicle-registry\/v2\/vehicles\/AB-1234/);
        ok(answer.headers.get('sunset'));
      }
      for (const path of [`${prefix}${v1}?wsdl`, `${prefix}${v1}`]) {
        const answer = await lplate.call('GET', path);
        equal(answer.status, 410);
        match(answer.text, /^SOAP v1 of the vehicle registry has ended\./);
      }
      const [last] = (await logOf(lplate, client, `?path=${v1}&status=410`)).slice(-1);
      deepEqual(
        [last.drills, last.remarks.at(0)],
        [['sunset'], 'Refused by the drill `sunset`. REST v2 has the same data.'],
      );
    });

    test('Decisions, drills: under sunset the end is past, by the date of the same answer, and stays where it is', async () => {
      const client = await drilled();
      await lplate.call('POST', '/range/v1/me/clock', { ...client, json: { advance: 'P30D' } });
      const token = await lplate.token(client.id, client.secret);
      await lplate.call('POST', '/range/v1/me/drills', { token, json: { name: 'sunset' } });
      const ends = new Set<number>();
      for (const answer of [
        await soap({ token }),
        await soap({}, `/for/${client.id}`),
        await lplate.call('GET', `/for/${client.id}${v1}?wsdl`),
        await lplate.call('GET', `/for/${client.id}${v1}/nothing`),
      ]) {
        const at = (name: string) => Date.parse(answer.headers.get(name) ?? '');
        ok(at('sunset') < at('date') && at('sunset') >= at('date') - 5000, `${answer.headers.get('sunset')}`);
        ok(Number(answer.headers.get('deprecation')?.slice(1)) * 1000 <= at('sunset'));
        ends.add(at('sunset'));
        lplate.clock.advance(1000);
      }
      equal(ends.size, 1);
    });

    test('Decisions, drills: sunset leaves REST v2 and others alone, and ends', async () => {
      const client = await drilled();
      equal((await soap()).status, 200);
      equal((await soap({ token: (await lplate.client()).token })).status, 200);
      equal((await lplate.call('GET', v2, client)).status, 200);
      await lplate.call('DELETE', '/range/v1/me/drills/sunset', client);
      equal((await soap({ token: client.token })).status, 200);
    });
  });
});
