import { interruptOfSignals, runTests } from '../support/run-tests.ts';
import { optional, provide } from './support/install.ts';
import { runtimes } from './support/tools.ts';

/*
 * npm run test:clients: tools and clients that other people wrote, each in the version that is pinned here, against the
 * real program; or the files that are named. Installs the tools first. The tools of a runtime that this machine lacks
 * are left out, but under CI=true only those that are optional.
 */

const lacks = runtimes.map((runtime) => [runtime, provide(runtime)] as const);
for (const [, lack] of lacks) if (lack) console.error(`\n*** ${lack} ***\n`);
const there = lacks.flatMap(([runtime, lack]) => (lack ? [] : [runtime]));
const mustBeThere = runtimes.filter((runtime) => !optional.includes(runtime));
const lacksTools = process.env.CI === 'true' && mustBeThere.some((runtime) => !there.includes(runtime));
if (lacksTools) {
  process.exitCode = 1;
} else {
  process.exitCode = await runTests({
    args: process.argv.slice(2),
    all: ['test/foreign/**/*.test.ts'],
    // The package is among what is tried, too.
    fromPackage: true,
    flags: ['--test-concurrency=2', '--test-timeout=600000'],
    environment: { CLIENTS_RUNTIMES: there.join(' ') },
    interrupt: interruptOfSignals(),
  });
}
