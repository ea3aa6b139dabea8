import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import pg from 'pg';
import { hour } from '../../src/time/units.ts';
import { TestClock } from '../support/clock.ts';
import { type Engine, forEachEngine } from '../support/engines.ts';
import { startLPlate } from '../support/lplate.ts';
import { isSigned, Receiver } from '../support/receiver.ts';
import { until } from '../support/until.ts';
import { type Expected, snapshot } from './last-release/snapshot.ts';

const fixtures = join(import.meta.dirname, 'last-release');

/** An engine whose database is the fixture. */
async function opened(engine: Engine, statements: string): Promise<Engine> {
  const location = await engine.location();
  if ('directory' in location) {
    await copyFile(join(fixtures, 'secrets.json'), join(location.directory, 'secrets.json'));
    const database = new DatabaseSync(join(location.directory, 'l-plate.db'));
    database.exec(statements);
    database.close();
  } else {
    const client = new pg.Client(location.url);
    await client.connect();
    await client.query(statements);
    await client.end();
  }
  return { ...engine, location: async () => location };
}

/** The value without the members that the other lacks. */
function without(value: unknown, other: unknown): unknown {
  if (Array.isArray(value) && Array.isArray(other)) return value.map((each, at) => without(each, other[at]));
  if (typeof value !== 'object' || value === null || typeof other !== 'object' || other === null) return value;
  const kept = Object.entries(value).filter(([name]) => name in other);
  return Object.fromEntries(
    kept.map(([name, each]) => [name, without(each, (other as Record<string, unknown>)[name])]),
  );
}

forEachEngine((engine) => {
  test('Decisions, start-up: the database of the last release opens, and nothing in it is lost', async (t) => {
    const receiver = await Receiver.open(t);
    const read = async (name: string) =>
      (await readFile(join(fixtures, name), 'utf8')).replaceAll('127.0.0.1:9/', `${new URL(receiver.url).host}/`);
    const { stoppedAt, webhookSecret, clients }: Expected = JSON.parse(await read(`${engine.name}.json`));
    const clock = new TestClock(stoppedAt);
    // A data directory has its own secrets.
    const secrets = {
      ...{ hmacSecret: undefined, readerClientSecret: undefined, fleetClientSecret: undefined },
      trainerToken: undefined,
    };
    const lplate = await startLPlate(
      t,
      await opened(engine, await read(`${engine.name}.sql`)),
      { eventsDuplicateRate: 0, ...(engine.name === 'sqlite' && secrets) },
      clock,
    );

    for (const { seen, ...credentials } of clients) {
      deepEqual(without(await snapshot(lplate, credentials), seen), seen);
    }
    ok(await lplate.token('preset-reader', lplate.secrets.readerClientSecret));
    if (engine.name === 'sqlite') {
      const kept = JSON.parse(await readFile(join(fixtures, 'secrets.json'), 'utf8'));
      const { trainerToken = '', ...others } = lplate.secrets;
      deepEqual(others, kept);
      match(trainerToken, /^[\w-]{32}$/, 'one that the last release did not have is made');
    }

    // What was owed is delivered: in order, each event once, signed as before.
    const { deliveries, events } = (clients[0] as Expected['clients'][number]).seen;
    const pending = Object.values(deliveries)
      .flat()
      .filter(({ status }) => status === 'waiting' || status === 'pending');
    equal(pending.length, 5);
    clock.advance(hour);
    await lplate.catchUp();
    for (const { eventId } of pending) await until(() => receiver.eventIds.includes(eventId), `a call for ${eventId}`);
    ok(receiver.calls.every((call) => isSigned(call, webhookSecret)));
    const posted = receiver.eventIds.filter((id) => events.some(({ eventId }) => eventId === id));
    deepEqual(posted.toSorted(), pending.map(({ eventId }) => eventId).toSorted());
  });
});
