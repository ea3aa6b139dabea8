import { deepEqual, equal } from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ExchangeSummary } from '../../console/api/types.ts';
import { filtered, filterOf, isFiltered, problemsIn, queryOfFilter } from '../../console/model/traffic-filter.ts';

function summary(id: string, part: Partial<ExchangeSummary>): ExchangeSummary {
  return {
    ...{ id, kind: 'call', startedAt: '2026-03-02T10:15:30.000Z', method: 'GET', url: '/insurer/v1/policies' },
    ...{ route: '', status: 200, durationMs: 1, end: 'answered', problem: null, drills: [], remarks: [] },
    ...part,
  };
}

const exchanges = [
  summary('list', { remarks: ['Ignored, since nothing here has these names: query/colour.'] }),
  summary('twice', { method: 'POST', status: 409, problem: 'duplicate-policy' }),
  summary('own', { url: '/for/demo-1/claims/v1/claims?page=2', status: 503, drills: ['unavailable'] }),
  summary('hook', { kind: 'delivery', url: 'http://localhost/insurer', method: 'POST', status: 0 }),
  summary('soap', { url: '/vehicle-registry/v1', status: 500, problem: 'soap:Client', method: 'POST' }),
  summary('console', { fromConsole: true }),
];

const found = (query: string) => filtered(exchanges, filterOf(new URLSearchParams(query))).map(({ id }) => id);

describe('Console, traffic: filters', () => {
  test('the calls of the console are left out unless they are asked for', () => {
    deepEqual(found(''), ['list', 'twice', 'own', 'hook', 'soap']);
    deepEqual(found('console=1'), ['list', 'twice', 'own', 'hook', 'soap', 'console']);
  });

  test('by status, kind, system, problem, path, remarks and drills', () => {
    deepEqual(found('status=5xx'), ['own', 'soap']);
    deepEqual(found('status=409'), ['twice']);
    deepEqual(found('status=none'), ['hook']);
    deepEqual(found('kind=delivery'), ['hook']);
    deepEqual(found('system=claims'), ['own']);
    deepEqual(found('system=insurer'), ['list', 'twice']);
    deepEqual(found('system=webhook'), ['hook']);
    deepEqual(found('problem=duplicate-policy'), ['twice']);
    deepEqual(found('path=/claims/v1/claims'), ['own']);
    deepEqual(found('remarks=1'), ['list']);
    deepEqual(found('drill=1'), ['own']);
    deepEqual(found('status=5xx&system=insurer'), []);
  });

  test('by words in method, URL, problem and remarks, all of them, in any case', () => {
    deepEqual(found('q=post POLICIES'), ['twice']);
    deepEqual(found('q=duplicate'), ['twice']);
    deepEqual(found('q=colour'), ['list']);
    deepEqual(found('q=page%3D2'), ['own']);
    deepEqual(found('q=post nothing'), []);
  });

  test('the address of the page has them, and nothing more', () => {
    for (const query of ['', '?q=a+b&status=4xx&path=/insurer/v1/policies/pol-1&drill=1', '?console=1'])
      equal(queryOfFilter(filterOf(new URLSearchParams(query))), query);
    equal(isFiltered(filterOf(new URLSearchParams('console=1'))), false);
    equal(isFiltered(filterOf(new URLSearchParams('remarks=1'))), true);
  });

  test('one can choose among the problems that there are', () => {
    deepEqual(problemsIn(exchanges, 'validation-error'), ['duplicate-policy', 'soap:Client', 'validation-error']);
  });
});
