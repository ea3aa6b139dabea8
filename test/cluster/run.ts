import { tmpdir } from 'node:os';
import { interruptOfSignals, runTests } from '../support/run-tests.ts';
import { missingPrograms } from './support/requirements.ts';

/*
 * npm run test:cluster: the tests on real PostgreSQL, Redis and Kafka, or the files that are named. Each file starts
 * the servers that it needs and ends them, so that what one test does to a server is no matter of another file. Two files
 * at a time, since they wait a lot. A test that hangs is ended. The programs are those of the package, made first: that
 * PostgreSQL, Redis, Kafka and certificates work from the bundle is seen here. CLUSTER_EVIDENCE is a folder for what some tests keep of
 * a run that failed; default: the temporary directory.
 */

const missing = missingPrograms();
if (missing.length > 0) {
  for (const line of missing) console.error(`*** ${line} ***`);
  process.exitCode = 1;
} else {
  process.exitCode = await runTests({
    args: process.argv.slice(2),
    all: ['test/cluster/**/*.test.ts'],
    fromPackage: true,
    flags: ['--test-concurrency=2', '--test-timeout=300000'],
    // Not in the temporary directory that the tests are given, which goes with them.
    environment: { CLUSTER_EVIDENCE: process.env.CLUSTER_EVIDENCE || tmpdir() },
    interrupt: interruptOfSignals(),
  });
}
