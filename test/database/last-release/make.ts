import { equal } from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { TestClock } from '../../support/clock.ts';
import { forEachEngine } from '../../support/engines.ts';
import { startLPlate } from '../../support/lplate.ts';
import { Receiver, Subscriber } from '../../support/receiver.ts';
import { claimOn, insure, pass } from '../../support/topic.ts';
import { type Expected, snapshot } from './snapshot.ts';

/* Makes the fixtures with the code of a release: see README.md. It is no test of the suite. */

const day = 24 * 60 * 60;

/** Seconds between the tries of a delivery. */
const retries = [5, 30, 120, 600, 1800, 3600, 7200, 14_400, 21_600, 36_000];

const fixtureSecret = `whsec_${Buffer.from('of a fixture only, not a secret.').toString('base64')}`;

forEachEngine((engine) => {
  test(`makes the fixture on ${engine.name}`, async (t) => {
    const location = await engine.location();
    const clock = new TestClock('2025-03-01T08:00:00.000Z');
    // A data directory keeps its own.
    const secrets = { hmacSecret: undefined, readerClientSecret: undefined, fleetClientSecret: undefined };
    const lplate = await startLPlate(
      { ...engine, location: async () => location },
      { eventsDuplicateRate: 0, ...('directory' in location && secrets) },
      clock,
    );
    const receiver = await Receiver.open(t);
    const other = await lplate.client();
    await insure(lplate, other.token, 'OT-0001');
    const client = await lplate.client();
    await insure(lplate, client.token, 'LR-0001');

    // That policy expires. Whoever asks for a token stays.
    clock.advance(366 * day * 1000);
    await lplate.token(other.id, other.secret);
    const subscriber = await Subscriber.open(lplate, receiver.url, client);
    await lplate.housekeeping();
    receiver.answer = () => 500;
    await subscriber.call('POST', '/test');
    await subscriber.settled();
    for (const seconds of retries) await subscriber.pass(seconds * 1000);
    const [failed] = await subscriber.log();
    equal(failed?.status, 'failed');

    const token = await lplate.token(client.id, client.secret);
    const claims = await insure(lplate, token, 'LR-0002');
    const updated = await insure(lplate, token, 'LR-0003');
    await lplate.call('PUT', `/policies/${updated}`, { token, json: { holder: 'Ada Example' } });
    const cancelled = await insure(lplate, token, 'LR-0004');
    await lplate.call('POST', `/policies/${cancelled}/cancel`, { token });

    receiver.answer = () => 204;
    await claimOn(lplate, token, claims, { paceSeconds: 1 });
    for (let moves = 0; moves < 3; moves += 1) await pass(lplate, 1);
    await subscriber.settled();
    receiver.answer = () => 500;
    await claimOn(lplate, token, claims, { paceSeconds: 100, outcome: 'APPROVED' });
    await claimOn(lplate, token, claims, { paceSeconds: 100, outcome: 'REJECTED' });
    await subscriber.pass(150_000);
    await claimOn(lplate, token, claims, { paceSeconds: 60 });
    await subscriber.pass(62_000);
    await claimOn(lplate, token, claims, { paceSeconds: 60 });
    await subscriber.pass(1000);

    const clients = [];
    for (const { id, secret } of [client, other]) {
      clients.push({ id, secret, seen: await snapshot(lplate, { id, secret }) });
    }
    const expected: Expected = {
      stoppedAt: new Date(clock.now()).toISOString(),
      webhookSecret: subscriber.secret,
      clients,
    };
    await lplate.close();

    const dump = 'directory' in location ? dumpSqlite(location.directory) : dumpPostgres(location.url);
    // Who opens it has a receiver of its own. A secret that looks like a real one would alarm scanners.
    const placed = (text: string) =>
      text.replaceAll(new URL(receiver.url).host, '127.0.0.1:9').replaceAll(subscriber.secret, fixtureSecret);
    const file = (name: string) => join(import.meta.dirname, name);
    await writeFile(file(`${engine.name}.sql`), placed(dump));
    await writeFile(file(`${engine.name}.json`), `${placed(JSON.stringify(expected, null, 2))}\n`);
    if ('directory' in location) await copyFile(join(location.directory, 'secrets.json'), file('secrets.json'));
  });
});

function dumpSqlite(directory: string): string {
  const database = new DatabaseSync(join(directory, 'l-plate.db'), { readOnly: true });
  const made = database
    .prepare(`select type, name, sql from sqlite_master where sql is not null and name not like 'sqlite_%'`)
    .all() as { type: string; name: string; sql: string }[];
  const tables = made.filter(({ type }) => type === 'table');
  const lines = ['pragma foreign_keys = off;', 'begin;', ...tables.map(({ sql }) => `${sql};`)];
  for (const { name } of tables) {
    const columns = database.prepare(`select name from pragma_table_info('${name}')`).all();
    const quoted = columns.map((column) => `quote("${column.name}")`).join(` || ', ' || `);
    const rows = database.prepare(`select ${quoted} as row from "${name}"`).all();
    if (rows.length > 0)
      lines.push(`insert into "${name}" values\n  ${rows.map(({ row }) => `(${row})`).join(',\n  ')};`);
  }
  lines.push(...made.filter(({ type }) => type !== 'table').map(({ sql }) => `${sql};`), 'commit;');
  database.close();
  return `${lines.join('\n')}\n`;
}

function dumpPostgres(url: string): string {
  const { status, stdout, stderr } = spawnSync('pg_dump', ['--rows-per-insert=500', '--no-owner', url]);
  if (status !== 0) throw new Error(`${stderr}`);
  // Newer ones write commands for psql, too.
  return stdout.toString().replaceAll(/^(\\.*|--.*)?\n/gm, '');
}
