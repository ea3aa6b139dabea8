import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bases, description } from '../../support/description.ts';
import { forEachEngineInFull } from '../../support/engines.ts';
import { operationsOf } from '../../support/lint-description.ts';
import { startWithClient } from '../../support/lplate.ts';

forEachEngineInFull((engine) => {
  test('Decisions, events: every stream tells caches not to keep it and proxies not to compress it, to GET and HEAD', async (t) => {
    const { lplate, token } = await startWithClient(t, engine);
    const headers = { Authorization: `Bearer ${token}`, Accept: 'text/event-stream' };
    const seen: string[] = [];
    for (const base of bases) {
      for (const [name, { responses }] of operationsOf(await description(base))) {
        if (!responses[200]?.content?.['text/event-stream']) continue;
        const path = base + name.replace('GET ', '');
        for (const method of ['GET', 'HEAD']) {
          const over = new AbortController();
          const answer = await fetch(lplate.url + path, { method, headers, signal: over.signal });
          const told = ['content-type', 'cache-control', 'x-accel-buffering'].map((each) => answer.headers.get(each));
          assert.deepEqual(told, ['text/event-stream', 'no-store, no-transform', 'no'], `${method} ${path}`);
          over.abort();
        }
        seen.push(path);
      }
    }
    assert.deepEqual(seen, [
      '/claims/v1/topics/claims.status-changed',
      '/range/v1/me/exchanges',
      '/range/v1/me/lessons',
      '/range/v1/me/relay',
    ]);
  });
});
