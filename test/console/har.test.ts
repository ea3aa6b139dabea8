import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from '../../console/model/traffic-filter.ts';
import { archiveOf, archiveQuery } from '../../console/pages/traffic/har.ts';

const queryFor = (search: string) => archiveQuery(parse(search));

test('Console, traffic: an archive is asked for by what the service finds as well', () => {
  equal(queryFor(''), '');
  equal(queryFor('red system:insurer drill:any'), '');
  equal(queryFor('status:none'), '');
  equal(queryFor('-status:4xx'), '');
  equal(queryFor('status:4xx status:5xx'), '');
  equal(queryFor('status:4xx kind:webhook path:/insurer'), '?status=4xx&kind=delivery');
});

test('Console, traffic: an archive keeps only the exchanges that are shown, and all else of it', () => {
  const archive = {
    log: { version: '1.2', creator: { name: 'L-Plate' }, entries: [{ _id: 'a' }, { _id: 'b', n: 1 }] },
  };
  const kept = JSON.parse(archiveOf(JSON.stringify(archive), new Set(['b', 'c'])));
  deepEqual(kept, { log: { ...archive.log, entries: [{ _id: 'b', n: 1 }] } });
});
