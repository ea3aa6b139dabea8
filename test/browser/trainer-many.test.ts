import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { onSqlite } from '../support/engines.ts';
import { type LPlate, startLPlate, testSecrets } from '../support/lplate.ts';
import { closeBrowser, visit } from './support/browser.ts';

const learners = 200;

/** How many of them solve a lesson while the page is open: as many as no lesson is solved by otherwise. */
const solvers = 90;

/** The most milliseconds of a task. */
const longest = 100;

/** Notes in `tasks` how many milliseconds each task took that took more than 50. */
const observeTasks = `
  globalThis.tasks = [];
  new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration)))
    .observe({ type: 'longtask', buffered: true });`;

/** From the top to the end and back, some rows in each frame. */
const scrollThrough = `(async () => {
  const box = document.querySelector('.matrix') ?? document.documentElement;
  for (const direction of [1, -1]) {
    for (let part = 0; part < 20; part += 1) {
      box.scrollBy(0, (direction * box.scrollHeight) / 20);
      await new Promise(requestAnimationFrame);
    }
  }
})()`;

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly args: { readonly name?: string };
  /** Microseconds for which the thread had a processor. */
  readonly tdur?: number;
}

/**
 * The milliseconds of work of the longest task of a page but one, since a collection of all garbage may fall into one. Other
 * programs on this machine may make it wait besides.
 */
function busiest(trace: Buffer): number {
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: TraceEvent[] };
  const mains = traceEvents.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain');
  const isMain = ({ pid, tid }: TraceEvent) => mains.some((main) => main.pid === pid && main.tid === tid);
  const tasks = traceEvents.filter((event) => event.name.endsWith('RunTask') && isMain(event));
  assert.ok(tasks.length > 100, `${tasks.length} tasks were traced`);
  const [, second = 0] = tasks.map(({ tdur = 0 }) => tdur).toSorted((one, other) => other - one);
  return second / 1000;
}

interface Made {
  readonly client_id: string;
  readonly client_secret: string;
}

onSqlite((engine) => {
  let lplate: LPlate;
  const made: Made[] = [];
  let solved = 0;

  const post = (path: string, init: RequestInit = {}) => fetch(`${lplate.url}${path}`, { method: 'POST', ...init });
  const token = ({ client_id, client_secret }: Made) => {
    const body = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret });
    return post('/insurer/v1/auth/token', { body });
  };
  const solveOneMore = {
    class: (client: Made) => token(client),
    lessons: ({ client_id, client_secret }: Made) =>
      post('/insurer/v1/auth/token', {
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ client_id, client_secret }),
      }),
    'class?wall': (client: Made) => token({ ...client, client_secret: 'wrong' }),
  };

  before(async () => {
    lplate = await startLPlate(engine);
    const make = async (_: unknown, index: number) => {
      const client = (await (await post('/insurer/v1/demo-clients')).json()) as Made;
      made[index] = client;
      // Every second one solves another lesson, and every third one nearly does.
      const policies = `${lplate.url}/for/${client.client_id}/insurer/v1/policies`;
      if (index % 2 === 0) await fetch(policies);
      if (index % 3 === 0) await fetch(policies, { headers: { Authorization: 'Bearer nonsense' } });
    };
    await Promise.all(Array.from({ length: learners }, make));
    solved = learners + learners / 2;
  });
  after(async () => {
    await closeBrowser();
    await lplate.close();
  });

  describe('Console, trainer: a large class', () => {
    for (const part of ['class', 'lessons', 'class?wall'] as const) {
      test(`${learners} learners are shown at ${part}, scrolled and updated without a task over ${longest} ms`, async (t) => {
        const { page, context } = await visit(t, lplate.url, { path: '/guides' });
        await context.addInitScript({
          content: `sessionStorage.setItem('lplate.trainer', '${testSecrets.trainerToken}')`,
        });
        await context.addInitScript({ content: observeTasks });
        const browser = context.browser() as Browser;
        await browser.startTracing(page, { categories: ['toplevel'] });
        await page.goto(`${lplate.url}/?many#/trainer/${part}`);
        // On the wall nobody scrolls: it shows page by page what fits.
        const all = {
          class: page.locator(`main ol > li:nth-child(${learners})`),
          lessons: page.locator(`[aria-rowcount="${learners + 3}"]`),
          'class?wall': page.getByText(/^1 of \d+$/),
        };
        await all[part].waitFor({ state: 'attached' });
        await page.evaluate(scrollThrough);

        // Some solve one more lesson: the page shows it a look later.
        await Promise.all(made.slice(0, solvers).map(solveOneMore[part]));
        const shown =
          part === 'lessons'
            ? page.locator('tfoot').getByText(String(solvers), { exact: true })
            : page.getByText(`${solved + solvers} lessons solved in all`);
        await shown.waitFor();
        solved += solvers;
        const waited = await page.evaluate<number[]>('tasks');
        const busy = busiest(await browser.stopTracing());
        t.diagnostic(
          `longest task: ${busy.toFixed(0)} ms of work; ${Math.max(0, ...waited)} ms with what waited meanwhile`,
        );
        assert.ok(busy <= longest, `a task of ${busy} ms`);
      });
    }
  });
});
