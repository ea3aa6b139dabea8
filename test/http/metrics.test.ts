import { equal, match, rejects } from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Counter } from 'prom-client';
import type { Context } from '../../src/context.ts';
import { collect } from '../support/bytes-in-use.ts';
import { onSqlite } from '../support/engines.ts';
import { type LPlate, startLPlate } from '../support/lplate.ts';

onSqlite((engine) => {
  /** With a system of this test that has nothing but a metric. */
  function startWith(t: TestContext, name: string): Promise<LPlate> {
    return startLPlate(t, engine, {}, undefined, {
      extraSystems: ({ context }) => {
        new Counter({ name, help: 'Counted by a test', registers: [context.metrics.registry] }).inc(7);
        return [{ name: 'counting', problems: {}, addresses: [], documents: [], register: async () => {} }];
      },
    });
  }

  test('Design, metrics: /metrics has what a system registered', async (t) => {
    const lplate = await startWith(t, 'lplate_counted_total');
    match(await (await fetch(`${lplate.url}/metrics`)).text(), /^lplate_counted_total 7$/m);
  });

  test('Design, metrics: two metrics of one name stop the start', async (t) => {
    await rejects(startWith(t, 'lplate_event_streams'), /lplate_event_streams has already been registered/);
  });

  test('Design, metrics: a service that was closed is no longer in memory, though its process goes on', async () => {
    const contexts: WeakRef<Context>[] = [];
    for (let round = 0; round < 4; round++) {
      const lplate = await startLPlate(engine, {}, undefined, {
        extraSystems({ context }) {
          contexts.push(new WeakRef(context));
          return [];
        },
      });
      try {
        match(await (await fetch(`${lplate.url}/metrics`)).text(), /^nodejs_heap_size_used_bytes \d+$/m);
      } finally {
        await lplate.close();
      }
    }
    collect();
    // The last one may still be on the stack.
    equal(contexts.slice(0, -1).filter((context) => context.deref()).length, 0);
  });
});
