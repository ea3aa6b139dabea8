import { interruptOfSignals, runTests } from '../support/run-tests.ts';
import { provide } from './support/install.ts';
import { runtimes } from './support/tools.ts';

/*
 * npm run test:clients: tools and clients that other people wrote, each in the version that is pinned here, against the
 * real program; or the files that are named. Installs the tools first. The tools of a runtime that this machine lacks
 * are left out, but never under CI=true.
 */

const lacks = runtimes.map((runtime) => [runtime, provide(runtime)] as const);
for (const [, lack] of lacks) if (lack) console.error(`\n*** ${lack} ***\n`);
const there = lacks.flatMap(([runtime, lack]) => (lack ? [] : [runtime]));
if (process.env.CI === 'true' && there.length < runtimes.length) {
  process.exitCode = 1;
} else {
  process.exitCode = await runTests({
    args: process.argv.slice(2),
    all: ['test/clients/**/*.test.ts'],
    flags: ['--test-concurrency=2', '--test-timeout=600000'],
    environment: { CLIENTS_RUNTIMES: there.join(' ') },
    interrupt: interruptOfSignals(),
  });
}
