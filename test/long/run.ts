import { availableParallelism } from 'node:os';
import { onPostgresOnly } from '../support/above-the-database.ts';
import { extent } from '../support/extent.ts';
import { runOnPostgres } from '../support/run-on-postgres.ts';

/*
 * npm run test:long: floods, kills, soaks and random sequences in full, and what other programs do by the pages and with
 * the examples (test/walks); or the files that are named, on one PostgreSQL server. Two files at a time: some look at the
 * memory or at what comes in time. A test that hangs is ended.
 * With TEST_EXTENT=full then the rules that lie above the database, which `npm test` shows on SQLite, on PostgreSQL; not after
 * a failure, whose text is the last then.
 */

const args = process.argv.slice(2);
const all = args.every((argument) => argument.startsWith('-'));
const inFull = await runOnPostgres({
  args,
  fromPackage: all,
  all: ['test/long/**/*.test.ts', 'test/walks/**/*.test.ts'],
  flags: ['--test-concurrency=2', '--test-timeout=600000'],
});
const rest =
  all && inFull === 0 && extent(false, true)
    ? await runOnPostgres({
        args,
        fromPackage: true,
        all: await onPostgresOnly(),
        grouped: true,
        environment: { TEST_ENGINES: 'rest' },
        flags: [`--test-concurrency=${2 * availableParallelism()}`],
      })
    : 0;
process.exitCode = inFull || rest;
