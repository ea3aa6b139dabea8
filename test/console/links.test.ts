import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linksOf } from '../../console/pages/workbench/links.ts';
import { links } from '../../src/http/requests/paging.ts';

test('Console, workbench: the links between pages of a list are those that the service sends', () => {
  const url = 'http://other.example:8080/insurer/v1/policies';
  const at = (page: number) => `/insurer/v1/policies?page=${page}&pageSize=20`;
  assert.deepEqual(linksOf(links(url, { page: 2, pageSize: 20 }, 75)), {
    first: at(1),
    prev: at(1),
    next: at(3),
    last: at(4),
  });
  assert.deepEqual(linksOf(links(url, { page: 1, pageSize: 20 }, 0)), { first: at(1), last: at(1) });
  assert.deepEqual(linksOf(null), {});
  assert.deepEqual(linksOf('nonsense'), {});
});
