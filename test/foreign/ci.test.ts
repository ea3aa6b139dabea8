import assert from 'node:assert/strict';
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { parse } from 'yaml';
import { chromiumPath } from '../browser/support/chromium.ts';
import { madePackage } from '../support/make-package.ts';
import { machinePath } from '../support/older-node.ts';
import { launch, root } from '../support/program.ts';
import { readyOf } from '../support/ready.ts';
import { programPath } from './support/programs.ts';
import { toolTest } from './support/tool-test.ts';
import { type Called, call, dotnet, home, python } from './support/tools.ts';

/*
 * The tests in examples/ci, as a project runs them that has installed the package. There is no Docker here: the one in Java
 * is compiled with Testcontainers, and runs against a service that listens.
 */

const examples = join(root, 'examples/ci');
const there = (process.env.CLIENTS_RUNTIMES ?? '').split(' ');

/** The packages of this machine that commands name. */
const placeOf = (name: string) => (name === 'l-plate' ? madePackage : join(home('node'), 'node_modules', name));

/** A new folder, without anything. */
async function emptyFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'l-plate-ci-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs commands there. A test of another runner must not take this one for a part of it. */
function shell(folder: string, commands: readonly string[], environment = {}): Promise<Called> {
  // What is installed is linked, and has no part in it but to be there.
  const offline = { npm_config_offline: 'true', npm_config_ignore_scripts: 'true', npm_config_fund: 'false' };
  const PATH = `${dirname(process.execPath)}${delimiter}${machinePath}`;
  return call('bash', ['-euc', `unset NODE_TEST_CONTEXT\n${commands.join('\n')}`], {
    cwd: folder,
    environment: { ...offline, PATH, ...environment },
  });
}

/** What the head of an example says that is to be done: its commands. */
function commandsOf(text: string): string[] | undefined {
  const [, line] = /^\/\/ (?:.*: )?(npm install .*)$/m.exec(text) ?? [];
  return line?.split('; ');
}

interface Example {
  readonly folder: string;
  readonly file: string;
  readonly passes: RegExp;
  /** The tools that its head names. */
  readonly tools: readonly string[];
  /** Jest reads what it is given as CommonJS, unless the project says that it has modules. */
  readonly onlyCommonJs?: true;
}

const written: readonly Example[] = [
  { folder: 'node', file: 'policies.test.mjs', passes: /pass 3$/m, tools: [] },
  { folder: 'node', file: 'retry.test.mjs', passes: /pass 2$/m, tools: ['ky'] },
  { folder: 'node', file: 'circuit-breaker.test.mjs', passes: /pass 1$/m, tools: ['opossum'] },
  { folder: 'vitest', file: 'policies.test.mjs', passes: /Tests +2 passed/, tools: ['vitest'] },
  { folder: 'jest', file: 'policies.test.js', passes: /Tests: +1 passed/, tools: ['jest'], onlyCommonJs: true },
  { folder: 'playwright', file: 'page.spec.mjs', passes: /2 passed/, tools: ['@playwright/test'] },
];

describe('examples/ci', () => {
  for (const { folder, file, passes, tools, onlyCommonJs } of written) {
    for (const type of onlyCommonJs ? ['commonjs'] : ['commonjs', 'module']) {
      toolTest(
        tools,
        `Decisions, a fixture: ${folder}/${file} passes in a new project of type ${type}, made as its head says`,
        { runtime: 'node' },
        async ({ t }) => {
          const project = await emptyFolder(t);
          const all = await readdir(join(examples, folder));
          const heads = await Promise.all(
            all.map(async (name) => commandsOf(await readFile(join(examples, folder, name), 'utf8'))),
          );
          // What has no head of its own belongs to those that have one.
          const parts = all.filter((name, place) => name === file || heads[place] === undefined);
          for (const name of parts) await cp(join(examples, folder, name), join(project, name));
          const commands = (heads[all.indexOf(file)] ?? []).map((command) =>
            command.startsWith('npm install ')
              ? command.replaceAll(/(?<= )@?[a-z][\w/-]*(?= |$)/g, (word) =>
                  word === 'install' ? word : placeOf(word),
                )
              : command,
          );
          assert.ok(commands[0]?.includes(madePackage));
          const { stdout, stderr } = await shell(
            project,
            // The Chromium of this machine stands in for the one that Playwright would fetch.
            [
              'npm init -y',
              `npm pkg set type=${type}`,
              ...commands.filter((each) => !each.includes('install chromium')),
            ],
            { CHROMIUM: chromiumPath() },
          );
          assert.match(stripVTControlCharacters(stdout + stderr), passes);
        },
      );
    }
  }

  test('Decisions, a fixture: each of these in JavaScript is run', async () => {
    const there: string[] = [];
    for (const folder of await readdir(examples, { withFileTypes: true })) {
      if (!folder.isDirectory()) continue;
      for (const name of await readdir(join(examples, folder.name)))
        if (/\.(?:test|spec)\./.test(name)) there.push(`${folder.name}/${name}`);
    }
    assert.deepEqual(there.sort(), written.map(({ folder, file }) => `${folder}/${file}`).sort());
  });

  toolTest(
    ['pytest'],
    'Decisions, a fixture: the tests for pytest pass where npx finds the package, as the head says',
    { runtime: 'node' },
    async ({ t }) => {
      const project = await emptyFolder(t);
      await cp(join(examples, 'pytest'), project, { recursive: true });
      await cp(join(root, 'integrations/pytest/pytest_l_plate.py'), join(project, 'conftest.py'));
      await shell(project, ['npm init -y', `npm install --save-dev '${madePackage}'`]);
      const environment = { PATH: `${dirname(process.execPath)}${delimiter}${machinePath}` };
      const { stdout } = await python(['-m', 'pytest', '-p', 'no:cacheprovider'], { cwd: project, environment });
      assert.match(stdout, / 4 passed/);
    },
  );

  test('Decisions, a fixture: the tests in Go pass where npx finds the package, and are as gofmt writes them', {
    skip: !there.includes('go') && 'no go; or not started by npm run test:clients',
  }, async (t) => {
    const project = await emptyFolder(t);
    await cp(join(examples, 'go'), project, { recursive: true });
    const { stdout } = await shell(project, [
      'npm init -y',
      `npm install --save-dev '${madePackage}'`,
      'test -z "$(gofmt -l .)"',
      'go vet ./...',
      'go test -count=1 -v ./...',
    ]);
    assert.equal(stdout.match(/^--- PASS: /gm)?.length, 3);
  });

  toolTest(
    ['dotnetcore2'],
    'Decisions, a fixture: the tests for xUnit pass where npx finds the package, with a stand-in for xUnit',
    async ({ t }) => {
      const project = await emptyFolder(t);
      await shell(project, ['npm init -y', `npm install --save-dev '${madePackage}'`]);
      const { compile, host } = await dotnet();
      const sources = ['LPlate.cs', 'PoliciesTests.cs'].map((name) => join(examples, 'dotnet', name));
      const program = join(project, 'tests.dll');
      await compile(program, [...sources, programPath('Xunit.cs')]);
      const { stdout } = await shell(project, [`'${host}' '${program}'`]);
      assert.match(stdout, /^(?:passed \w+\n){3}disposed\n$/);
    },
  );

  test('Decisions, a fixture: the test for JUnit compiles with Testcontainers, and passes where L-Plate listens', {
    skip: !there.includes('java') && 'no java; or not started by npm run test:clients',
  }, async (t) => {
    const folder = await emptyFolder(t);
    await cp(join(examples, 'junit'), folder, { recursive: true });
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
    for (const command of [
      'node --test',
      'npx playwright test',
      'python -m pytest',
      'go test -count=1 ./...',
      'dotnet test',
      'mvn -B test',
    ])
      assert.ok(commands.includes(command), command);
    assert.deepEqual(jobs.node.strategy.matrix.node, [24, 26]);
  });
});
