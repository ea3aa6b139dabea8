import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { launch, root } from '../support/program.ts';
import { readyOf } from '../support/ready.ts';
import { toolTest } from './support/tool-test.ts';
import { call, python } from './support/tools.ts';

/*
 * The tests in examples/ci, as a project runs them. There is no Docker here: the one in Java is compiled with
 * Testcontainers, and runs against a service that listens.
 */

const examples = join(root, 'examples/ci');
const there = (process.env.CLIENTS_RUNTIMES ?? '').split(' ');

/** A copy of an example, so that what building leaves is not beside it. It starts the L-Plate of this clone. */
async function copy(t: TestContext, name: string): Promise<{ folder: string; environment: Record<string, string> }> {
  const folder = await mkdtemp(join(tmpdir(), 'l-plate-ci-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  await cp(join(examples, name), folder, { recursive: true });
  return { folder, environment: { LPLATE_DIR: root } };
}

describe('examples/ci', () => {
  test('Decisions, a fixture: the test for Node.js passes, run by run', async (t) => {
    const { folder, environment } = await copy(t, 'node');
    const file = join(folder, 'policies.test.js');
    // A test of another runner must not take this one for a part of it.
    const { NODE_TEST_CONTEXT: _, ...own } = process.env;
    const options = { env: { ...own, ...environment }, timeout: 120_000 };
    const { stdout } = await promisify(execFile)(process.execPath, ['--test', '--test-reporter=tap', file], options);
    assert.match(stdout, /^# pass 3$/m);
  });

  toolTest(['pytest'], 'Decisions, a fixture: the test for pytest passes', async ({ t }) => {
    const { folder, environment } = await copy(t, 'pytest');
    const { stdout } = await python(['-m', 'pytest', '-p', 'no:cacheprovider', folder], { environment });
    assert.match(stdout, / 3 passed/);
  });

  test('Decisions, a fixture: the test for JUnit compiles with Testcontainers, and passes where L-Plate listens', {
    skip: !there.includes('java') && 'no java; or not started by npm run test:clients',
  }, async (t) => {
    const { folder } = await copy(t, 'junit');
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

  test('Decisions, a fixture: the workflow for GitHub runs these tests', async () => {
    const workflow = parse(await readFile(join(examples, 'github.yml'), 'utf8'));
    const steps: { run?: string }[] = Object.values<{ steps: [] }>(workflow.jobs).flatMap(({ steps }) => steps);
    const commands = steps.flatMap(({ run }) => run ?? []);
    const folders = (await readdir(examples, { withFileTypes: true })).filter((each) => each.isDirectory());
    for (const { name } of folders)
      assert.ok(
        commands.some((each) => each.includes(`examples/ci/${name}`)),
        name,
      );
    for (const command of commands) {
      for (const [, path = ''] of command.matchAll(/\$LPLATE_DIR\/([^"]+)/g))
        await readdir(join(root, path, path.endsWith('.js') ? '..' : '.'));
    }
  });
});
