import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { startPostgres } from './support/postgres.ts';

/*
 * npm test: one PostgreSQL server for the whole run, then the test runner of Node.js over all tests, or over the files
 * that are named. Other arguments go to the runner: npm test -- --test-name-pattern=lock test/database/lock.test.ts
 */

const flags = process.argv.slice(2).filter((argument) => argument.startsWith('-'));
const files = process.argv.slice(2).filter((argument) => !argument.startsWith('-'));

const given = process.env.TEST_POSTGRES_URL;
const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopping.abort(signal));

const server = given ? undefined : await startPostgres();
const url = given ?? server?.url;
if (!url) {
  console.error(`\n*** NO POSTGRESQL for ${process.platform}-${process.arch}: the tests run on SQLite alone ***\n`);
}
// What the tests put into the temporary directory goes with them, even when they are interrupted.
const scratch = await mkdtemp(join(tmpdir(), 'l-plate-tests-'));
try {
  process.exitCode = await runTests();
} finally {
  await server?.stop();
  await rm(scratch, { recursive: true, force: true, maxRetries: 3 });
}

async function runTests(): Promise<number> {
  if (stopping.signal.aborted) return 130;
  const runner = spawn(
    process.execPath,
    ['--test', '--test-reporter=spec', ...flags, ...(files.length > 0 ? files : ['test/**/*.test.ts'])],
    {
      cwd: dirname(import.meta.dirname),
      env: { ...process.env, TMPDIR: scratch, TEMP: scratch, ...(url && { TEST_POSTGRES_URL: url }) },
      stdio: 'inherit',
    },
  );
  stopping.signal.addEventListener('abort', () => runner.kill(stopping.signal.reason));
  const [code] = await once(runner, 'exit');
  return code ?? 130;
}
