import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { onSqlite } from '../support/engines.ts';
import { sharedLPlate } from '../support/lplate.ts';

onSqlite((engine) => {
  const lplate = sharedLPlate(engine);

  describe('The documents of the reference at /docs', () => {
    it('Decisions, addresses: each has a name of its own in the URL, which a link can lead to', async () => {
      const page = await (await fetch(`${lplate.url}/docs`)).text();
      const [, escaped = ''] = /data-configuration="([^"]*)"/.exec(page) ?? [];
      const { sources } = JSON.parse(escaped.replaceAll('&#34;', '"'));
      assert.deepEqual(Object.fromEntries(sources.map(({ slug, url }: Record<string, string>) => [slug, url])), {
        'insurer-v1': '/insurer/v1/openapi.yaml',
        'insurer-v0': '/insurer/v0/openapi.yaml',
        'claims-v1': '/claims/v1/openapi.yaml',
        'claims-v1-topic': '/claims/v1/asyncapi.yaml',
        'vehicle-registry-v2': '/vehicle-registry/v2/openapi.yaml',
        'range-v1': '/range/v1/openapi.yaml',
      });
    });
  });
});
