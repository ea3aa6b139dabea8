import { startPostgres } from './support/postgres.ts';
import { interruptOfSignals, runTests } from './support/run-tests.ts';

/*
 * npm test: one PostgreSQL server for the whole run, then the test runner of Node.js over all tests but those of the
 * cluster, or over the files that are named. Other arguments go to the runner:
 * npm test -- --test-name-pattern=lock test/database/lock.test.ts
 */

const args = process.argv.slice(2);
const given = process.env.TEST_POSTGRES_URL;
const interrupt = interruptOfSignals();
const server = given ? undefined : await startPostgres();
const url = given ?? server?.url;
if (!url) {
  console.error(`\n*** NO POSTGRESQL for ${process.platform}-${process.arch}: the tests run on SQLite alone ***\n`);
}
if (args.every((argument) => argument.startsWith('-'))) {
  console.error(
    '\n*** LEFT OUT: the tests on real Redis, Kafka and several nodes. Run them: npm run test:cluster ***\n',
  );
}
try {
  process.exitCode = await runTests({
    args,
    all: ['test/*.test.ts', 'test/!(cluster)/**/*.test.ts'],
    environment: url ? { TEST_POSTGRES_URL: url } : {},
    interrupt,
  });
} finally {
  await server?.stop();
}
