import { deepEqual, ok } from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { retentionDays } from '../../src/events/retention.ts';
import { maxPerClient } from '../../src/range/exchanges/log.ts';
import { readConfig } from '../../src/settings/config.ts';
import { onSqlite } from '../support/engines.ts';
import { startLPlate } from '../support/lplate.ts';
import { root } from '../support/program.ts';

onSqlite((engine) => {
  test('Decisions, classes: the guide to privacy names every table, and how long what is in it is kept', async (t) => {
    const lplate = await startLPlate(t, engine);
    const database = new DatabaseSync(join(lplate.config.dataDir, 'l-plate.db'), { readOnly: true });
    t.after(() => database.close());
    const tables = database.prepare("select name from sqlite_schema where type = 'table'").all();
    const guide = await readFile(join(root, 'docs/privacy.md'), 'utf8');
    const rows = guide.split('\n').filter((line) => line.startsWith('| `'));
    const named = rows.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name));
    deepEqual(named.toSorted(), tables.map(({ name }) => name).toSorted());
    // What is of a client and what is of nobody are not in one row.
    const ofClients = new Set<unknown>();
    for (const { name } of tables) {
      const columns = database.prepare(`select name from pragma_table_info('${name}')`).all();
      if (columns.some((column) => ['client_id', 'subscription_id', 'target'].includes(`${column.name}`)))
        ofClients.add(name);
    }
    for (const row of rows.filter((each) => /\bnothing\b/.test(each) && !each.includes('ids and statuses'))) {
      for (const [, name] of (row.split('|')[1] ?? '').matchAll(/`(\w+)`/g))
        ok(!ofClients.has(name), `${name} is of clients`);
    }
    const { keepClientsDays } = readConfig([], {}) as { keepClientsDays: number };
    for (const fact of [
      `its last ${maxPerClient} calls`,
      `| ${retentionDays} days |`,
      `\`KEEP_CLIENTS_DAYS\` (${keepClientsDays};`,
    ]) {
      ok(guide.includes(fact), fact);
    }
  });
});
