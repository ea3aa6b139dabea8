import { interruptOfSignals, runTests } from '../support/run-tests.ts';
import { chromiumPath } from './support/chromium.ts';

/*
 * npm run test:browser: the console in Debian's Chromium, against the real program; or the files that are named. Without
 * Chromium nothing is tested, which is said, and under CI=true is a failure.
 */

if (chromiumPath() === undefined) {
  console.error(
    '\n*** NO CHROMIUM: the console is not tested. Install it (Debian: apt-get install chromium), or set CHROMIUM ***\n',
  );
  if (process.env.CI === 'true') process.exitCode = 1;
} else {
  process.exitCode = await runTests({
    args: process.argv.slice(2),
    all: ['test/browser/**/*.test.ts'],
    // They start sooner.
    fromPackage: true,
    flags: ['--test-concurrency=2', '--test-timeout=180000'],
    environment: {},
    interrupt: interruptOfSignals(),
  });
}
