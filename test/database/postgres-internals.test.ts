import { deepEqual, equal, ok } from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import pg from 'pg';
import { disconnect, disconnectOnceSent, holdBack, pipelined } from '../../src/database/postgres-internals.ts';
import { onPostgres } from '../support/engines.ts';

/* After an upgrade of pg: run this file and the other ones of this folder, then set the version. */
const seenWith = '8.23.1';

const place = 'Decisions, the program: undocumented parts of pg:';

onPostgres((engine) => {
  async function open(): Promise<pg.Client> {
    const location = await engine.location();
    const client = new pg.Client({ connectionString: 'url' in location ? location.url : '', ...pipelined });
    client.on('error', () => {});
    await client.connect();
    return client;
  }

  const ended = (client: pg.Client) => new Promise<void>((resolve) => client.once('end', resolve));

  test(`${place} they were seen with ${seenWith}`, () => {
    const { version } = createRequire(import.meta.url)('pg/package.json');
    equal(version, seenWith, 'pg is another one: see that the tests of this folder pass, then set it');
  });

  test(`${place} statements are sent before the one before them is answered, and can be held back`, async () => {
    const client = await open();
    const send = holdBack(client);
    const { stream } = client.connection;
    const answered: number[] = [];
    const ask = (number: number) => client.query('select $1::int', [number]).then(() => answered.push(number));
    const first = ask(1);
    const held = stream.writableLength;
    ok(held > 0, 'the first statement was not held back');
    const second = ask(2);
    ok(stream.writableLength > held, 'the second statement waits for the first');
    await new Promise((resolve) => setTimeout(resolve, 50));
    deepEqual(answered, []);
    send();
    await Promise.all([first, second]);
    deepEqual(answered, [1, 2]);
    await client.end();
  });

  test(`${place} a connection can be closed at once, or when all was sent`, async () => {
    const hung = await open();
    const hungUp = ended(hung);
    const sleeping = hung.query('select pg_sleep(60)').catch((error: Error) => error);
    disconnect(hung);
    ok((await sleeping) instanceof Error);
    await hungUp;

    const client = await open();
    const over = ended(client);
    disconnectOnceSent(client);
    client.end().catch(() => {});
    await over;
    ok(client.connection.stream.destroyed);
  });
});
