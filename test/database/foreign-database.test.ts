import { deepEqual, match, rejects } from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, test } from 'node:test';
import pg from 'pg';
import { openDatabase } from '../../src/database/open.ts';
import { LPlateError, start } from '../../src/library.ts';
import { StartupError } from '../../src/settings/startup-error.ts';
import { onPostgres } from '../support/engines.ts';
import { place } from '../support/on-postgres.ts';
import { testSecrets } from '../support/test-secrets.ts';

/* Databases that others have set up: with another encoding, other settings, a schema of its own, few rights. */

onPostgres((engine) => {
  /** Runs statements as the administrator, in the database of the URL. */
  async function statements(url: string, ...texts: string[]): Promise<pg.QueryResult[]> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const results = [];
    for (const text of texts) results.push(await client.query(text));
    await client.end();
    return results;
  }

  const name = () => `other_${randomBytes(6).toString('hex')}`;

  /** Another database of the same server, made as a statement says. */
  async function other(url: string, how: string): Promise<string> {
    const database = name();
    await statements(url, `create database ${database} ${how}`);
    after(() => statements(url, `drop database if exists ${database} with (force)`));
    return Object.assign(new URL(url), { pathname: `/${database}` }).href;
  }

  const refused = (url: string, message: RegExp) =>
    rejects(openDatabase({ url }), (error: Error) => {
      match(error.message, message);
      return error instanceof StartupError;
    });

  test('Decisions, database: one that is not in UTF-8 is refused at the start, with how to make one', async () => {
    const url = await place(engine);
    for (const encoding of ['LATIN1', 'SQL_ASCII', 'LATIN2'])
      await refused(
        await other(url, `encoding '${encoding}' locale 'C' template template0`),
        new RegExp(`its encoding is ${encoding}, .* CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0$`),
      );
  });

  test('Decisions, database: ?schema= of the URL is where its tables are, and other names of it are refused', async () => {
    const url = await other(await place(engine), '');
    await statements(url, 'create schema "its own"');
    const given = new URL(url);
    given.searchParams.set('schema', 'its own');
    const database = await openDatabase({ url: given.href });
    await database.close();
    const tables = "select distinct schemaname as name from pg_tables where tablename = 'clients'";
    const [found] = await statements(url, tables);
    deepEqual(found?.rows, [{ name: 'its own' }]);
    await refused(`${url}?schema=nowhere`, /no schema to create tables in.*CREATE SCHEMA/);
    for (const each of ['search_path', 'currentSchema'])
      await refused(`${url}?${each}=a`, new RegExp(`^DATABASE_URL: ${each} is not known\\. Use \\?schema=NAME$`));
  });

  test('Decisions, database: what it relies on holds whatever the database or the URL sets', async () => {
    // It passes over dashes when it compares.
    const icu = "locale_provider icu icu_locale 'en-US-u-ka-shifted' template template0";
    const url = await other(await place(engine), icu);
    const database = new URL(url).pathname.slice(1);
    await statements(
      url,
      `alter database ${database} set timezone = 'Pacific/Kiritimati'`,
      `alter database ${database} set default_transaction_isolation = serializable`,
      `alter database ${database} set datestyle = 'German'`,
      `alter database ${database} set standard_conforming_strings = off`,
    );
    const opened = await openDatabase({ url: `${url}?options=-c%20work_mem%3D8MB` });
    await rejects(opened.sql.run`delete from clients`, /read-only/);
    const isolation = await opened.sql.get<{ it: string }>`select current_setting('transaction_isolation') as it`;
    deepEqual(isolation?.it, 'read committed');
    const backslash = await opened.sql.get<{ it: string; zone: string }>`
      select 'a\\b' as it, current_setting('TimeZone') as zone`;
    deepEqual({ ...backslash }, { it: 'a\\b', zone: 'UTC' });
    await opened.close();
  });

  test('Decisions, database: a user who may not create tables is told which right it lacks', async () => {
    const url = await other(await place(engine), '');
    const role = name();
    await statements(
      url,
      `create role ${role} login password 'a-password'`,
      'revoke create on schema public from public',
    );
    after(() => statements(url, `drop role if exists ${role}`).catch(() => {}));
    const given = Object.assign(new URL(url), { username: role, password: 'a-password' });
    await refused(given.href, /permission denied for schema public.*GRANT CREATE ON SCHEMA public/);
  });

  test('Decisions, database: a password of any characters is given apart from the URL', async () => {
    const url = await other(await place(engine), '');
    const role = name();
    const databasePassword = 'a#/?%41@: "ö\\';
    await statements(url, `create role ${role} login superuser password ${pg.escapeLiteral(databasePassword)}`);
    after(() => statements(url, `drop role if exists ${role}`).catch(() => {}));
    const databaseUrl = Object.assign(new URL(url), { username: role, password: '' }).href;
    const { trainerToken: _, ...secrets } = testSecrets;
    await rejects(start({ databaseUrl, databasePassword: 'wrong', ...secrets }), /password authentication failed/);
    const lplate = await start({ databaseUrl, databasePassword, ...secrets });
    await lplate.close();
  });

  test('Library: with a database of its own its helpers are the trainer’s, and each start can give its secrets', async () => {
    const { trainerToken: _, ...secrets } = testSecrets;
    const databaseUrl = await place(engine);
    const lplate = await start({ databaseUrl, ...secrets });
    try {
      const client = await lplate.client();
      await client.drill('unavailable');
      await lplate.advance('PT1H');
      await rejects(lplate.reset(), LPlateError);
    } finally {
      await lplate.close();
    }
  });
});
