import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { archiveOf, archiveQuery } from '../../console/model/har.ts';
import { filterOf } from '../../console/model/traffic-filter.ts';

const queryFor = (filter: string) => archiveQuery(filterOf(new URLSearchParams(filter)));

test('Console, traffic: an archive is asked for by the filters that the service knows', () => {
  equal(queryFor(''), '');
  equal(queryFor('q=red&system=insurer&drill=1'), '');
  equal(queryFor('status=none'), '');
  equal(queryFor('status=4xx&kind=call&path=/insurer/v1'), '?status=4xx&kind=call&path=%2Finsurer%2Fv1');
});

test('Console, traffic: an archive keeps only the exchanges that are shown, and all else of it', () => {
  const archive = {
    log: { version: '1.2', creator: { name: 'L-Plate' }, entries: [{ _id: 'a' }, { _id: 'b', n: 1 }] },
  };
  const kept = JSON.parse(archiveOf(JSON.stringify(archive), new Set(['b', 'c'])));
  deepEqual(kept, { log: { ...archive.log, entries: [{ _id: 'b', n: 1 }] } });
});
