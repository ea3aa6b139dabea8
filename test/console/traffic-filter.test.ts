import { deepEqual, equal, match } from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ExchangeSummary } from '../../console/api/types.ts';
import {
  filtered,
  filterOf,
  isFiltered,
  isRefused,
  parse,
  queryOfFilter,
  suggestionsFor,
} from '../../console/model/traffic-filter.ts';

function summary(id: string, part: Partial<ExchangeSummary>): ExchangeSummary {
  return {
    ...{ id, kind: 'call', startedAt: '2026-03-02T10:15:30.000Z', method: 'GET', url: '/insurer/v1/policies' },
    ...{ route: '', status: 200, durationMs: 1, end: 'answered', problem: null, drills: [], remarks: [] },
    ...part,
  };
}

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';

const exchanges = [
  summary('list', { remarks: ['Ignored, since nothing here has these names: query/colour.'] }),
  summary('twice', { method: 'POST', status: 409, problem: 'duplicate-policy', traceId }),
  summary('own', { url: '/for/demo-1/claims/v1/claims?page=2', status: 503, drills: ['unavailable'] }),
  summary('hook', { kind: 'delivery', url: 'http://localhost/insurer', method: 'POST', status: 0, traceId }),
  summary('soap', { url: '/vehicle-registry/v1', status: 500, problem: 'soap:Client', method: 'POST' }),
  summary('console', { fromConsole: true }),
];

const found = (search: string) => filtered(exchanges, parse(search)).map(({ id }) => id);
const foundBy = (query: string) => filtered(exchanges, filterOf(new URLSearchParams(query))).map(({ id }) => id);
const faults = (search: string) => parse(search).flatMap(({ fault }) => fault ?? []);

describe('Console, traffic: the search', () => {
  test('the calls of the console are left out unless they are asked for', () => {
    deepEqual(found(''), ['list', 'twice', 'own', 'hook', 'soap']);
    deepEqual(found('from:any'), ['list', 'twice', 'own', 'hook', 'soap', 'console']);
    deepEqual(found('from:console'), ['console']);
    deepEqual(found('-from:console'), ['list', 'twice', 'own', 'hook', 'soap']);
  });

  test('what the receiver of a webhook answers is no call that was refused', () => {
    deepEqual(
      exchanges.filter(isRefused).map(({ id }) => id),
      ['twice', 'own', 'soap'],
    );
    equal(isRefused(summary('failed', { kind: 'delivery', status: 503 })), false);
  });

  test('by status, method, kind, system, problem, path, remarks, drills and trace, and by the id of a call', () => {
    deepEqual(found('status:5xx'), ['own', 'soap']);
    deepEqual(found('status:409'), ['twice']);
    deepEqual(found('status:none'), ['hook']);
    deepEqual(found('method:post'), ['twice', 'hook', 'soap']);
    deepEqual(found('kind:webhook'), ['hook']);
    deepEqual(found('system:claims'), ['own']);
    deepEqual(found('system:insurer'), ['list', 'twice']);
    deepEqual(found('system:webhook'), ['hook']);
    deepEqual(found('problem:duplicate'), ['twice']);
    deepEqual(found('problem:any'), ['twice', 'soap']);
    deepEqual(found('problem:policy'), []);
    deepEqual(found('path:/claims'), ['own']);
    deepEqual(found('path:page'), [], 'the query is no path');
    deepEqual(found('remark:colour'), ['list']);
    deepEqual(found('remark:any'), ['list']);
    deepEqual(found('drill:unavail'), ['own']);
    deepEqual(found('drill:any'), ['own']);
    deepEqual(found(`trace:${traceId.slice(0, 8)}`), ['twice', 'hook']);
    deepEqual(found(`trace:00-${traceId}-00f067aa0ba902b7-01`), ['twice', 'hook']);
    deepEqual(found('trace:any'), ['twice', 'hook']);
    deepEqual(found('urn:uuid:twice'), ['twice'], 'as the instance of a problem has it');
    deepEqual(found('status:5xx system:insurer'), []);
  });

  test('a minus turns each of them round', () => {
    deepEqual(found('-status:5xx'), ['list', 'twice', 'hook']);
    deepEqual(found('-kind:webhook -problem:any'), ['list', 'own']);
    deepEqual(found('-drill:any'), ['list', 'twice', 'hook', 'soap']);
    deepEqual(found('-post'), ['list', 'own']);
  });

  test('of several values of one name any fits, and none that stands after a minus', () => {
    deepEqual(found('status:4xx status:503'), ['twice', 'own']);
    deepEqual(found('-status:4xx -status:503'), ['list', 'hook', 'soap']);
    deepEqual(found('method:GET method:POST -status:500'), ['list', 'twice', 'own', 'hook']);
  });

  test('by words in method, URL, problem and remarks, all of them, in any case', () => {
    deepEqual(found('post POLICIES'), ['twice']);
    deepEqual(found('duplicate'), ['twice']);
    deepEqual(found('colour'), ['list']);
    deepEqual(found('page=2'), ['own']);
    deepEqual(found('post nothing'), []);
  });

  test('what stands between quotes is one text, with spaces and colons', () => {
    deepEqual(found('"GET /insurer"'), ['list']);
    deepEqual(found('"soap:Client"'), ['soap']);
    deepEqual(found('remark:"here has these"'), ['list']);
    deepEqual(found('-"since nothing"'), ['twice', 'own', 'hook', 'soap']);
    deepEqual(parse(String.raw`"a \"b\" \\c"`)[0]?.value, String.raw`a "b" \c`);
  });

  test('what it does not understand filters nothing, and it says why', () => {
    for (const [search, why] of [
      ['colour:red', /“colour:” is none of status, method/],
      ['status:', /“status:” wants 4xx/],
      ['status:6xx', /“6xx” is no status/],
      ['kind:delivery', /“delivery” is no kind: it is call, stream or webhook/],
      ['-', /must not be there/],
      ['path:"/claims', /quote has no end/],
      ['constructor:1', /is none of/],
    ] as const) {
      const [fault = '', ...others] = faults(search);
      match(fault, why);
      deepEqual(others, []);
      deepEqual(found(`post ${search}`), found('post'));
    }
    deepEqual(faults('status:4xx -kind:webhook post "a b" path:/policies'), []);
  });

  test('the address of the page has it, and nothing more', () => {
    for (const query of ['', '?q=a+b', '?q=status:4xx+path:/insurer/v1/policies/pol-1', '?q=from:any', '?q=status:'])
      equal(queryOfFilter(filterOf(new URLSearchParams(query))), query);
    equal(isFiltered(parse('from:any status:')), false);
    equal(isFiltered(parse('remark:any')), true);
  });

  test('addresses with a parameter for each filter still find the same', () => {
    deepEqual(foundBy('console=1'), found('from:any'));
    deepEqual(foundBy('status=5xx&system=claims'), ['own']);
    deepEqual(foundBy('kind=delivery'), ['hook']);
    deepEqual(foundBy('problem=duplicate-policy'), ['twice']);
    deepEqual(foundBy('path=/claims/v1/claims'), ['own']);
    deepEqual(foundBy('remarks=1'), ['list']);
    deepEqual(foundBy('drill=1'), ['own']);
    deepEqual(foundBy('q=post&status=409'), ['twice']);
    equal(queryOfFilter(filterOf(new URLSearchParams('q=red&kind=delivery'))), '?q=red+kind:webhook');
  });

  test('names are suggested, then the values that there are, with how many have them', () => {
    const texts = (part: string) => suggestionsFor(part, exchanges).map(({ typed, about }) => `${typed} ${about}`);
    deepEqual(
      suggestionsFor('s', exchanges).map(({ typed }) => typed),
      ['status:', 'system:'],
    );
    deepEqual(
      suggestionsFor('-k', exchanges).map(({ typed }) => typed),
      ['-kind:'],
    );
    deepEqual(texts('status:5'), ['status:5xx 2', 'status:503 1', 'status:500 1']);
    deepEqual(texts('-problem:'), ['-problem:any 2', '-problem:duplicate-policy 1', '-problem:soap:Client 1']);
    deepEqual(texts('drill:un'), ['drill:unavailable 1']);
    deepEqual(texts('/claims'), []);
    deepEqual(texts('colour:'), []);
  });
});
