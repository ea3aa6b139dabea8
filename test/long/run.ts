import { availableParallelism } from 'node:os';
import { onPostgresOnly } from '../support/above-the-database.ts';
import { runOnPostgres } from '../support/run-on-postgres.ts';

/*
 * npm run test:long: floods, kills, soaks and random sequences in full, and what other programs do by the pages and with
 * the examples (test/walks); or the files that are named, on one PostgreSQL server. Two files at a time: some look at the
 * memory or at what comes in time. A test that hangs is ended.
 * Then the rules that `npm test` shows on SQLite alone, on PostgreSQL.
 */

const args = process.argv.slice(2);
const all = args.every((argument) => argument.startsWith('-'));
const inFull = await runOnPostgres({
  args,
  fromPackage: all,
  all: ['test/long/**/*.test.ts', 'test/walks/**/*.test.ts'],
  flags: ['--test-concurrency=2', '--test-timeout=600000'],
});
const rest = all
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
