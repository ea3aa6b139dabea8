import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { missingIn } from '../../console/model/draft.ts';
import {
  type ApiDocument,
  knownValues,
  offered,
  type Parameter,
  type Route,
  routeFor,
  routesOf,
  valueIn,
  withValue,
} from '../../console/model/routes.ts';
import { callOf, sectionOf } from '../../console/pages/lessons/sections.ts';
import { onSqlite } from '../support/engines.ts';
import { startLPlate } from '../support/lplate.ts';

const parameter = (name: string, place: Parameter['in']): Parameter => ({
  ...{ name, in: place, type: 'string', required: false, values: [], about: '', example: undefined },
});

const route = (method: string, path: string, parameters: readonly Parameter[] = []): Route => ({
  ...{ method, path, summary: '', reference: '', needsToken: true, parameters, bodies: [] },
});

const one = route('GET', '/insurer/v1/policies/{id}', [parameter('id', 'path'), parameter('fields', 'query')]);
const example = route('GET', '/insurer/v1/policies/example');

describe('Console, send: the calls that there are', () => {
  test('Console, send: the call of a lesson is that of its first section about one', () => {
    assert.deepEqual(callOf(['Authentication, 2', 'RFC 2104', 'Endpoints, 7', 'Endpoints, 5']), {
      method: 'PUT',
      path: '/insurer/v1/policies/{policyId}',
    });
    assert.equal(callOf(['Events, delivery rule 1'])?.path, '/claims/v1/topics/claims.status-changed');
    assert.equal(callOf(['Errors, 1', 'of a class']), undefined);
  });

  test('Console, send: an address belongs to the route with its text rather than to one with a parameter', () => {
    const routes = [one, example, route('PUT', '/insurer/v1/policies/{id}')];
    assert.equal(routeFor(routes, 'GET', '/insurer/v1/policies/pol-1?fields=a'), one);
    assert.equal(routeFor(routes, 'GET', '/for/demo-1/insurer/v1/policies/example'), example);
    assert.equal(routeFor(routes, 'DELETE', '/insurer/v1/policies/pol-1'), undefined);
    assert.equal(routeFor(routes, 'GET', '/insurer/v1/policies/pol-1/cancel'), undefined);
  });

  test('Console, send: a parameter is read from the address and written into it, and all else of it stays', () => {
    const [id, fields] = one.parameters as [Parameter, Parameter];
    const empty = '/for/demo-1/insurer/v1/policies/{id}?b=2';
    assert.equal(valueIn(one, id, empty), '');
    const filled = withValue(one, id, empty, 'pol-1/ä');
    assert.equal(filled, '/for/demo-1/insurer/v1/policies/pol-1%2F%C3%A4?b=2');
    assert.equal(valueIn(one, id, filled), 'pol-1/ä');
    assert.equal(withValue(one, id, filled, ''), empty);
    const asked = withValue(one, fields, '/insurer/v1/policies/pol-1?b=2', 'a b');
    assert.equal(asked, '/insurer/v1/policies/pol-1?b=2&fields=a+b');
    assert.equal(valueIn(one, fields, asked), 'a b');
    assert.equal(withValue(one, fields, asked, ''), '/insurer/v1/policies/pol-1?b=2');
  });

  test('Console, send: ids of the last calls are offered for the parameter in whose place they stood', () => {
    const urls = [
      '/insurer/v1/policies/pol-2?x',
      '/insurer/v1/policies',
      '/claims/v1/claims/CLM-1',
      '/insurer/v1/policies/pol-1/cancel',
    ];
    assert.deepEqual(knownValues(one, 'id', urls), ['pol-2', 'pol-1']);
  });
});

onSqlite((engine) => {
  test('Console, send: the served descriptions have all calls of a learner, with examples and hints, and none of the trainer', async (t) => {
    const lplate = await startLPlate(engine);
    t.after(() => lplate.close());
    const client = await lplate.client();
    const all: Route[] = [];
    for (const base of ['/insurer/v1', '/claims/v1', '/vehicle-registry/v2', '/range/v1']) {
      const answer = await fetch(`${lplate.url}/for/${client.id}${base}/openapi.json`);
      all.push(...routesOf((await answer.json()) as ApiDocument));
    }
    assert.ok(all.every(({ path }) => !path.startsWith('/for/') && !path.includes('/trainer/')));
    const insure = routeFor(all, 'POST', '/insurer/v1/policies');
    assert.ok(insure?.needsToken);
    const [body] = insure.bodies;
    assert.equal(body?.mediaType, 'application/json');
    assert.deepEqual(
      body?.members.filter(({ required }) => required).map(({ name }) => name),
      ['regNumber'],
    );
    assert.deepEqual(missingIn('{"holder": "Ada"}', body as NonNullable<typeof body>), ['regNumber']);
    assert.deepEqual(missingIn(body?.examples[0]?.text ?? '', body as NonNullable<typeof body>), []);
    const token = routeFor(all, 'POST', '/insurer/v1/auth/token');
    assert.equal(token?.needsToken, false);
    assert.deepEqual(
      token?.bodies.map(({ mediaType }) => mediaType),
      ['application/json', 'application/x-www-form-urlencoded'],
    );
    // As the lessons name their places in the reference.
    for (const [name, method, path] of [
      ['Endpoints, 1', 'POST', '/insurer/v1/demo-clients'],
      ['Endpoints, 6', 'GET', '/insurer/v1/policies/{policyId}'],
      ['Events, delivery rule 1', 'GET', '/claims/v1/topics/claims.status-changed'],
    ] as const)
      assert.equal(routeFor(all, method, path)?.reference, sectionOf(name)?.href);
    const [first] = offered(all, 'post polic');
    assert.equal(first?.path, '/insurer/v1/policies');
    const size = routeFor(all, 'GET', '/insurer/v1/policies')?.parameters.find(({ name }) => name === 'pageSize');
    assert.equal(size?.type, 'integer, 1 to 500');
  });
});
