import { availableParallelism } from 'node:os';
import { runOnPostgres } from './support/run-on-postgres.ts';

/*
 * npm test: all tests but those of the cluster, of foreign clients, in a browser, the long ones and the walks, or those of
 * the files that are named, on one PostgreSQL server. Other arguments go to the test runner of Node.js:
 * npm test -- --test-name-pattern=lock test/database/lock.test.ts
 */

const args = process.argv.slice(2);
const all = args.every((argument) => argument.startsWith('-'));
if (all) {
  console.error(`
*** LEFT OUT: the tests on real Redis, Kafka and several nodes. Run them: npm run test:cluster ***
*** LEFT OUT: the tests by foreign clients and tools. Run them: npm run test:clients ***
*** LEFT OUT: the console in a browser. Run them: npm run test:browser ***
*** LEFT OUT: floods, kills and random sequences in full (here are a few of each), rules that lie above the database on
    PostgreSQL (TEST_EXTENT=full), and the commands and examples of the documentation. Run them: npm run test:long ***
`);
}
process.exitCode = await runOnPostgres({
  args,
  all: ['test/*.test.ts', 'test/!(browser|foreign|cluster|long|walks)/**/*.test.ts'],
  grouped: true,
  // For files that are named it does not pay.
  fromPackage: all,
  environment: all ? { TEST_ENGINES: 'brief' } : {},
  // They wait a lot, for processes and for the database.
  flags: [`--test-concurrency=${3 * availableParallelism()}`],
});
