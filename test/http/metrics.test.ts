import { match, rejects } from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Counter } from 'prom-client';
import { onSqlite } from '../support/engines.ts';
import { type LPlate, startLPlate } from '../support/lplate.ts';

onSqlite((engine) => {
  /** With a system of this test that has nothing but a metric. */
  async function startWith(t: TestContext, name: string): Promise<LPlate> {
    const lplate = await startLPlate(engine, {}, undefined, {
      extraSystems: ({ context }) => {
        new Counter({ name, help: 'Counted by a test', registers: [context.metrics.registry] }).inc(7);
        return [{ name: 'counting', problems: {}, addresses: [], documents: [], register: async () => {} }];
      },
    });
    t.after(() => lplate.close());
    return lplate;
  }

  test('Design, metrics: /metrics has what a system registered', async (t) => {
    const lplate = await startWith(t, 'lplate_counted_total');
    match(await (await fetch(`${lplate.url}/metrics`)).text(), /^lplate_counted_total 7$/m);
  });

  test('Design, metrics: two metrics of one name stop the start', async (t) => {
    await rejects(startWith(t, 'lplate_event_streams'), /lplate_event_streams has already been registered/);
  });
});
