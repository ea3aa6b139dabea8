import assert from 'node:assert/strict';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { parse } from 'yaml';
import { chromiumPath } from '../browser/support/chromium.ts';
import { madePackage } from '../support/make-package.ts';
import { launch, root } from '../support/program.ts';
import { readyOf } from '../support/ready.ts';
import { toolTest } from './support/tool-test.ts';
import { type Called, call, home, python } from './support/tools.ts';

/*
 * The tests in examples/ci, as a project runs them that has installed the package. There is no Docker here: the one in Java
 * is compiled with Testcontainers, and runs against a service that listens.
 */

const examples = join(root, 'examples/ci');
const there = (process.env.CLIENTS_RUNTIMES ?? '').split(' ');

/** A copy of an example, so that what building leaves is not beside it, with the package and other packages installed. */
async function project(t: TestContext, name: string, packages: readonly string[] = []): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'l-plate-ci-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  await cp(join(examples, name), folder, { recursive: true });
  // The one for Jest is CommonJS, as Jest has it.
  await writeFile(join(folder, 'package.json'), JSON.stringify(name === 'jest' ? {} : { type: 'module' }));
  const places = [
    ['l-plate', madePackage],
    ...packages.map((each) => [each, join(home('node'), 'node_modules', each)] as const),
  ] as const;
  for (const [each, place] of places) {
    const link = join(folder, 'node_modules', each);
    await mkdir(dirname(link), { recursive: true });
    await symlink(place, link);
  }
  return folder;
}

/** Runs a script of the installed tools in a folder. A test of another runner must not take this one for a part of it. */
async function run(folder: string, script: string, args: readonly string[], environment = {}): Promise<Called> {
  const file = script && join(home('node'), 'node_modules', script);
  const command = ['-u', 'NODE_TEST_CONTEXT', process.execPath, ...(file ? [file] : []), ...args];
  return call('env', command, { cwd: folder, environment });
}

describe('examples/ci', () => {
  toolTest(['ky', 'opossum'], 'Decisions, a fixture: the tests for node:test pass', async ({ t }) => {
    const folder = await project(t, 'node', ['ky', 'opossum']);
    const { stdout } = await run(folder, '', ['--test', '--test-reporter=tap']);
    assert.match(stdout, /^# pass 6$/m);
    assert.match(stdout, /^# fail 0$/m);
  });

  toolTest(['vitest'], 'Decisions, a fixture: the tests for Vitest pass', async ({ t }) => {
    const folder = await project(t, 'vitest', ['vitest']);
    const { stdout } = await run(folder, 'vitest/vitest.mjs', ['run', '--no-color']);
    assert.match(stdout, /Tests +2 passed/);
  });

  toolTest(['jest'], 'Decisions, a fixture: the test for Jest passes', async ({ t }) => {
    const folder = await project(t, 'jest');
    const { stderr } = await run(folder, 'jest/bin/jest.js', ['--rootDir', folder]);
    assert.match(stderr, /Tests: +1 passed/);
  });

  toolTest(['@playwright/test'], 'Decisions, a fixture: the tests for Playwright pass', async ({ t }) => {
    const folder = await project(t, 'playwright', ['@playwright/test']);
    const environment = { CHROMIUM: chromiumPath() };
    const { stdout } = await run(folder, '@playwright/test/cli.js', ['test', '--reporter=line'], environment);
    assert.match(stdout, /2 passed/);
  });

  toolTest(['pytest'], 'Decisions, a fixture: the tests for pytest pass', async ({ t }) => {
    const folder = await project(t, 'pytest');
    const environment = { LPLATE_COMMAND: `'${process.execPath}' '${join(madePackage, 'bin/lplate.js')}'` };
    const { stdout } = await python(['-m', 'pytest', '-p', 'no:cacheprovider', folder], { environment });
    assert.match(stdout, / 4 passed/);
  });

  test('Decisions, a fixture: the test for JUnit compiles with Testcontainers, and passes where L-Plate listens', {
    skip: !there.includes('java') && 'no java; or not started by npm run test:clients',
  }, async (t) => {
    const folder = await project(t, 'junit');
    const source = await readFile(join(folder, 'src/test/java/example/LPlate.java'), 'utf8');
    // As the container is given them.
    const [, token = ''] = /TRAINER_TOKEN = "(.+)"/.exec(source) ?? [];
    const given = [...source.matchAll(/^ +"([A-Z_]+)", "(.+)",$/gm)].map(([, name, value]) => [name, value] as const);
    assert.equal(given.length, 5);
    const { url } = await readyOf(
      launch(t, { args: ['--ready', 'json'], environment: { ...Object.fromEntries(given), TRAINER_TOKEN: token } }),
    );
    await call('mvn', ['-B', '-q', '-f', folder, 'test'], { environment: { LPLATE_URL: url } });
    const [report = ''] = (await readdir(join(folder, 'target/surefire-reports'))).filter((name) =>
      name.endsWith('.txt'),
    );
    assert.match(
      await readFile(join(folder, 'target/surefire-reports', report), 'utf8'),
      /Tests run: 3, Failures: 0, Errors: 0, Skipped: 0/,
    );
  });

  test('Decisions, a fixture: the workflow for GitHub has a job for each of these, and runs what they are run with', async () => {
    const { jobs } = parse(await readFile(join(examples, 'github.yml'), 'utf8'));
    const commands = Object.values<{ steps: { run?: string }[] }>(jobs).flatMap(({ steps }) =>
      steps.flatMap(({ run }) => run ?? []),
    );
    for (const command of ['node --test', 'npx playwright test', 'python -m pytest', 'mvn -B test'])
      assert.ok(commands.includes(command), command);
    assert.deepEqual(jobs.node.strategy.matrix.node, [24, 26]);
  });
});
