import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { before, describe, it } from 'node:test';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { parse } from 'yaml';
import type { Document } from '../support/description.ts';
import { onSqlite } from '../support/engines.ts';
import { sharedLPlate } from '../support/lplate.ts';

interface Difference {
  place: string;
  v0: string;
  v1: string;
  why: string;
}

/** The rows of the table for trainers. */
async function differences(): Promise<Difference[]> {
  const page = await readFile(new URL('../../docs/versions.md', import.meta.url), 'utf8');
  const rows = page
    .slice(page.indexOf('### All differences'))
    .split('\n')
    .filter((line) => line.startsWith('| '));
  return rows.slice(1).map((row) => {
    const [, place = '', v0 = '', v1 = '', why = ''] = row.split('|').map((cell) => cell.trim());
    return { place, v0, v1, why };
  });
}

const coded = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text);

const methods = ['get', 'put', 'post', 'delete', 'patch'];

function operationsOf(document: Document): string[] {
  return Object.entries<Document>(document.paths).flatMap(([path, item]) =>
    methods.filter((method) => method in item).map((method) => `${method.toUpperCase()} ${path}`),
  );
}

onSqlite((engine) => {
  const lplate = sharedLPlate(engine, { publicUrl: 'https://lplate.test' });
  const texts = { v0: '', v1: '' };
  const operations: Record<'v0' | 'v1', string[]> = { v0: [], v1: [] };
  before(async () => {
    for (const version of ['v0', 'v1'] as const) {
      texts[version] = (await lplate.call('GET', `/insurer/${version}/openapi.yaml`)).text;
      operations[version] = operationsOf(parse(texts[version]));
    }
  });

  describe('the v0 draft', () => {
    it('Versioning: the table names each filter of the list in v1, and what is done with that of the draft', async () => {
      const { parameters } = parse(texts.v1).paths['/policies'].get;
      const filters = parameters
        .filter((each: Document) => each.in === 'query' && !/^page/.test(each.name))
        .map((each: Document) => each.name);
      const row = (await differences()).find(({ place }) => place === 'List policies: filter');
      assert.deepEqual(coded(row?.v1 ?? '').toSorted(), filters.toSorted());
      const { token } = await lplate.client();
      const [old] = coded(row?.v0 ?? '');
      const answer = await lplate.call('GET', `/policies?${old}=active`, { token });
      assert.deepEqual([answer.status, /refused with 400/.test(row?.why ?? '')], [400, true]);
    });

    it('Versioning: it stands beside v1 under the v0 path, in YAML, and says that it was never served', async () => {
      const answer = await lplate.call('GET', '/insurer/v0/openapi.yaml');
      assert.equal(answer.headers.get('content-type'), 'application/yaml');
      const { info, servers } = parse(answer.text);
      assert.match(info.description, /draft, never served/i);
      assert.equal(servers[0].url, 'https://lplate.test/insurer/v0');
      assert.equal((await lplate.call('GET', '/insurer/v0/policies')).status, 404);
    });

    it('Versioning: it is a valid OpenAPI document of at least five operations', async () => {
      // What it leaves out, such as refusals, it leaves out on purpose; what it says is well formed.
      const config = await createConfig({
        extends: ['recommended-strict'],
        rules: { 'operation-4xx-response': 'off' },
      });
      const found = await lintFromString({ source: texts.v0, absoluteRef: '/openapi.yaml', config });
      assert.deepEqual(
        found.map(({ ruleId, location }) => `${ruleId} ${location[0]?.pointer}`),
        [],
      );
      assert.ok(operations.v0.length >= 5);
    });

    it('Versioning: trainers are told each operation that only one of v0 and v1 has', async () => {
      const rows = await differences();
      for (const [version, other] of [
        ['v0', 'v1'],
        ['v1', 'v0'],
      ] as const) {
        const told = rows.flatMap((row) => coded(row[version]));
        for (const operation of operations[version]) {
          assert.ok(operations[other].includes(operation) || told.includes(operation), `${version}: ${operation}`);
        }
      }
    });

    it('Versioning: what trainers are told of v0 and v1 stands in v0 and v1', async () => {
      for (const row of await differences()) {
        assert.ok(row.place && row.v0 && row.v1 && row.why, JSON.stringify(row));
        for (const version of ['v0', 'v1'] as const) {
          for (const code of coded(row[version])) {
            const isOperation = /^[A-Z]+ \//.test(code);
            const stands = isOperation ? operations[version].includes(code) : texts[version].includes(code);
            assert.ok(stands, `${row.place}: ${version} has no ${code}`);
          }
        }
      }
    });
  });
});
