import { equal, notEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { forEachEngine } from '../../support/engines.ts';
import { startLPlate } from '../../support/lplate.ts';
import { envelope, request } from '../../vehicle-registry/envelopes.ts';

const soap = '/vehicle-registry/v1';
const body = envelope(request('<RegNumber>AB-1234</RegNumber>'));

forEachEngine((engine) => {
  test('Decisions, time: an answer has one clock: its Date is that of the client of its token or prefix, whatever it answers', async (t) => {
    const lplate = await startLPlate(t, engine);
    const [client, other] = [await lplate.client(), await lplate.client()];
    for (const [each, advance] of [
      [client, 'P30D'],
      [other, 'P1D'],
    ] as const)
      equal((await lplate.call('POST', '/range/v1/me/clock', { token: each.token, json: { advance } })).status, 200);
    const token = await lplate.token(client.id, client.secret);
    const otherToken = await lplate.token(other.id, other.secret);
    const now = (days: number) => new Date(lplate.clock.now() + days * 86_400_000).toUTCString();
    const prefix = `/for/${client.id}`;
    for (const [method, path, options] of [
      ['GET', `${prefix}/insurer/v1/coverage-options`, {}],
      ['GET', `${prefix}/insurer/v1/limited/ping`, {}],
      ['GET', `${prefix}/insurer/v1/policies`, {}],
      ['GET', `${prefix}/insurer/v1/nothing`, {}],
      ['DELETE', `${prefix}/insurer/v1/policies`, {}],
      ['POST', `${prefix}/insurer/v1/auth/token`, { json: {} }],
      ['GET', `${prefix}/vehicle-registry/v2/vehicles/AB-1234`, {}],
      ['POST', prefix + soap, { body }],
      ['POST', prefix + soap, { body: 'x' }],
      ['GET', `${prefix}${soap}?wsdl`, {}],
      ['GET', `${prefix}/.well-known/jwks.json`, {}],
      ['POST', soap, { body, token }],
      ['POST', soap, { body: 'x', token }],
      ['GET', '/insurer/v1/coverage-options', { token }],
      ['GET', '/vehicle-registry/v2/vehicles/AB-1234', { token }],
      ['GET', '/insurer/v1/policies', { token }],
      ['GET', '/nothing', { token }],
    ] as const) {
      const { headers } = await lplate.call(method, path, options);
      equal(headers.get('date'), now(30), `${method} ${path}`);
    }
    const theirs = await lplate.call('GET', `${prefix}/insurer/v1/coverage-options`, { token: otherToken });
    equal(theirs.headers.get('date'), now(1), 'a token says whose call it is before a prefix does');
    for (const path of ['/insurer/v1/coverage-options', `${soap}?wsdl`])
      notEqual((await lplate.call('GET', path)).headers.get('date'), now(30), path);
  });
});
