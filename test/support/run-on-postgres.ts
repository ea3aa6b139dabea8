import { openDatabase } from '../../src/database/open.ts';
import { administer } from './engines.ts';
import { type PostgresServer, startPostgres } from './postgres.ts';
import { interruptOfSignals, type Run, runTests } from './run-tests.ts';

/** Runs tests that share one PostgreSQL server: the one at TEST_POSTGRES_URL, else one that ends with them. */
export async function runOnPostgres(run: Omit<Run, 'interrupt'>): Promise<number> {
  const interrupt = interruptOfSignals();
  const given = process.env.TEST_POSTGRES_URL;
  const server = given ? undefined : await startPostgres();
  const url = given ?? server?.url;
  if (!url) {
    console.error(`\n*** NO POSTGRESQL for ${process.platform}-${process.arch}: the tests run on SQLite alone ***\n`);
    return runTests({ ...run, interrupt });
  }
  const template = `test_template_${process.pid}`;
  let code = 1;
  try {
    await makeTemplate(url, template);
    const environment = { ...run.environment, TEST_POSTGRES_URL: url, TEST_POSTGRES_TEMPLATE: template };
    code = await runTests({ ...run, environment, interrupt });
  } finally {
    if (!server) await administer(`drop database if exists ${template} with (force)`, url);
    else if (!(await stopped(server))) code = 1;
  }
  return code;
}

/** False, and why on the standard error, when its log tells of a deadlock, or of a wait for a row. */
function stopped(server: PostgresServer): Promise<boolean> {
  return server.stop().then(
    () => true,
    (error: Error) => {
      console.error(`\n*** ${error.message} ***\n`);
      return false;
    },
  );
}

/** A database with all tables, which tests copy: that takes half the time of making them. */
async function makeTemplate(url: string, name: string): Promise<void> {
  await administer(`create database ${name}`, url);
  const itself = new URL(url);
  itself.pathname = `/${name}`;
  await (await openDatabase({ url: itself.href })).close();
}
