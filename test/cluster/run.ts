import { interruptOfSignals, runTests } from '../support/run-tests.ts';
import { missingPrograms } from './support/requirements.ts';

/*
 * npm run test:cluster: the tests on real PostgreSQL, Redis and Kafka, or the files that are named. Each file starts
 * the servers that it needs and ends them, so that what one test does to a server is no matter of another file. Two files
 * at a time, since they wait a lot. A test that hangs is ended.
 */

const missing = missingPrograms();
if (missing.length > 0) {
  for (const line of missing) console.error(`*** ${line} ***`);
  process.exitCode = 1;
} else {
  process.exitCode = await runTests({
    args: process.argv.slice(2),
    all: ['test/cluster/**/*.test.ts'],
    flags: ['--test-concurrency=2', '--test-timeout=300000'],
    interrupt: interruptOfSignals(),
  });
}
