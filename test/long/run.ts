import { runOnPostgres } from '../support/run-on-postgres.ts';

/*
 * npm run test:long: floods, kills, soaks and random sequences in full, or the files that are named, on one PostgreSQL
 * server. Two files at a time: some look at the memory or at what comes in time. A test that hangs is ended.
 */

process.exitCode = await runOnPostgres({
  args: process.argv.slice(2),
  all: ['test/long/**/*.test.ts'],
  flags: ['--test-concurrency=2', '--test-timeout=600000'],
});
