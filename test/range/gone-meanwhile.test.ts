import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { administer, onPostgres } from '../support/engines.ts';
import { startLPlate, testSecrets } from '../support/lplate.ts';

onPostgres((engine) => {
  const drill = { name: 'duplicate-events' };
  for (const [what, path, json] of [
    ['a drill', '/drills', drill],
    ['a code', '/transfer', undefined],
    ['a move of the clock', '/clock', { advance: 'PT1M' }],
  ] as const) {
    test(`Decisions, classes: a client that is removed during ${what}: its own token is refused, and the trainer is told that it is gone`, async (t) => {
      const { url } = (await engine.location({ migrated: true })) as { url: string };
      const lplate = await startLPlate(t, { name: 'postgres', location: async () => ({ url }) });
      for (const byTrainer of [false, true]) {
        const { id, token } = await lplate.client();
        const other = new pg.Client(url);
        await other.connect();
        t.after(() => other.end());
        await other.query('begin');
        await other.query('delete from clients where id = $1', [id]);
        const address = byTrainer ? `/trainer/learners/${id}` : '/me';
        const asked = lplate.call('POST', `/range/v1${address}${path}`, {
          token: byTrainer ? testSecrets.trainerToken : token,
          ...(json && { json }),
        });
        await isWaiting(url);
        await other.query('commit');
        const { status, json: problem } = await asked;
        equal(`${status} ${problem.type.split('/').at(-1)}`, byTrainer ? '404 client-not-found' : '401 invalid-token');
      }
    });
  }
});

/** Until a transaction waits for a row that another one has changed. */
async function isWaiting(url: string): Promise<void> {
  for (;;) {
    const [found] = await administer<{ count: number }>(
      "select count(*)::int as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      url,
    );
    if (found && found.count > 0) return;
    await pause(20);
  }
}
