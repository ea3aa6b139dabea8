import assert from 'node:assert/strict';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { madePackage } from '../support/make-package.ts';
import { machinePath } from '../support/older-node.ts';
import { launch, root } from '../support/program.ts';
import { readyOf } from '../support/ready.ts';
import { toolTest } from './support/tool-test.ts';
import { call, python } from './support/tools.ts';

/*
 * What is published for other stacks, built as a release builds it, in new projects that have the package; each runs what
 * docs/testing.md shows. There is no Docker here: the modules for Testcontainers meet a service that listens.
 */

const integrations = join(root, 'integrations');
const testing = await readFile(join(root, 'docs/testing.md'), 'utf8');
const there = (process.env.CLIENTS_RUNTIMES ?? '').split(' ');
const withoutJava = !there.includes('java') && 'no java; or not started by npm run test:clients';
const environment = { PATH: `${dirname(process.execPath)}${delimiter}${machinePath}` };

/** An example of the guide, by the file that its first line names. */
function example(name: string): string {
  const [, text] =
    new RegExp(`\`\`\`\\w+\\n(?:#|//) ${RegExp.escape(name)}(?:,[^\n]*)?\\n(.*?)\`\`\``, 's').exec(testing) ?? [];
  assert.ok(text, `${name} is not shown`);
  return text;
}

/** A new folder, with the package where `npx` looks for it. */
async function newProject(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'l-plate-integration-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  await call('npm', ['init', '-y'], { cwd: folder, environment });
  const offline = { npm_config_offline: 'true', npm_config_ignore_scripts: 'true' };
  await call('npm', ['install', '--no-fund', madePackage], {
    cwd: folder,
    environment: { ...environment, ...offline },
  });
  return folder;
}

/** A service with the settings that a source gives its container. @returns its port */
async function asTheContainer(t: TestContext, source: string, setting: RegExp): Promise<string> {
  const given = [...source.matchAll(setting)].map(([, name, value]) => [name, value] as const);
  assert.equal(given.length, 5);
  const environment = { ...Object.fromEntries(given), TRAINER_TOKEN: 'trainer-of-the-tests' };
  const { url } = await readyOf(launch(t, { args: ['--ready', 'json'], environment }));
  return new URL(url).port;
}

toolTest(
  ['pytest'],
  'Decisions, a fixture: the wheel gives pytest a fixture in a new project, by whose settings it starts the package',
  { runtime: 'node' },
  async ({ t }) => {
    const project = await newProject(t);
    const source = join(project, 'source');
    await cp(join(integrations, 'pytest'), source, { recursive: true });
    const wheels = join(project, 'wheels');
    await python(['-m', 'pip', 'wheel', '--quiet', '--no-deps', '--wheel-dir', wheels, source]);
    const [wheel = ''] = await readdir(wheels);
    assert.match(wheel, /^pytest_l_plate-[\d.]+-py3-none-any\.whl$/);
    const plugins = join(project, 'plugins');
    await python(['-m', 'pip', 'install', '--quiet', '--no-deps', '--target', plugins, join(wheels, wheel)]);
    const tests = join(project, 'tests');
    await cp(join(root, 'examples/ci/pytest'), tests, { recursive: true });
    await writeFile(join(tests, 'test_insured.py'), example('test_insured.py'));
    const pytest = (...args: string[]) =>
      python(['-m', 'pytest', '-p', 'no:cacheprovider', ...args], {
        cwd: tests,
        environment: { ...environment, PYTHONPATH: plugins },
      });
    assert.match((await pytest()).stdout, / 5 passed/);
    await writeFile(
      join(tests, 'test_settings.py'),
      'def test_seed(lplate):\n    id = lplate.client().credentials["client_id"]\n    assert id != "demo-28740b8aa4ce064d8cac"\n',
    );
    const settings = 'lplate_settings=--log-level warn --seed 48';
    assert.match((await pytest('-o', settings, 'test_settings.py')).stdout, / 1 passed/);
    await assert.rejects(pytest('test_settings.py'), / 1 failed/);
  },
);

/** A project of Maven beside the two modules, which it depends on, with a version of JUnit. */
async function mavenProject(folder: string, junit: string, tests: Readonly<Record<string, string>>): Promise<void> {
  const modules = { junit: 'junit', testcontainers: 'testcontainers/java' };
  for (const [name, from] of Object.entries(modules))
    await cp(join(integrations, from), join(folder, name), { recursive: true });
  const project = join(folder, 'project');
  await mkdir(join(project, 'src/test/java'), { recursive: true });
  for (const [name, text] of Object.entries(tests)) await writeFile(join(project, 'src/test/java', name), text);
  const pom = (own: string, name: string) =>
    `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
    <groupId>example</groupId><artifactId>${name}</artifactId><version>1</version>${own}</project>`;
  const depends = (group: string, artifact: string, version: string) =>
    `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version>
    <scope>test</scope></dependency>`;
  const plugin = (name: string, version: string) =>
    `<plugin><artifactId>${name}</artifactId><version>${version}</version></plugin>`;
  await writeFile(
    join(project, 'pom.xml'),
    pom(
      `<properties><maven.compiler.release>17</maven.compiler.release>
      <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties>
      <dependencies>${depends('l-plate', 'l-plate-junit', '0.1.0')}${depends('l-plate', 'l-plate-testcontainers', '0.1.0')}
      ${depends('org.junit.jupiter', 'junit-jupiter', junit)}</dependencies><build><plugins>
      ${plugin('maven-compiler-plugin', '3.14.1')}${plugin('maven-surefire-plugin', '3.5.4')}</plugins></build>`,
      'project',
    ),
  );
  const parts = ['junit', 'testcontainers', 'project'].map((name) => `<module>${name}</module>`).join('');
  await writeFile(join(folder, 'pom.xml'), pom(`<packaging>pom</packaging><modules>${parts}</modules>`, 'all'));
}

/** What is behind the container: its host and its port. */
const standIn = (port: string) => `
import static org.junit.jupiter.api.Assertions.assertEquals;
import java.util.Map;
import lplate.testcontainers.LPlateContainer;
import org.junit.jupiter.api.Test;

class StandInTest {
    static class Listening extends LPlateContainer {
        @Override public String getHost() { return "127.0.0.1"; }
        @Override public Integer getMappedPort(int port) { assertEquals(8080, port); return ${port}; }
    }

    @Test
    void itIsCalledAndReset() throws Exception {
        var lplate = new Listening().lplate();
        var client = lplate.client();
        lplate.advance("PT10S");
        client.drill("unavailable", Map.of("sequence", new String[] {"pass", "hit"}));
        assertEquals(401, lplate.call("GET", "/insurer/v1/policies", "none", null).status());
        var token = lplate.client().token();
        assertEquals(200, lplate.call("GET", "/insurer/v1/policies", token, null).status());
        lplate.reset();
        assertEquals(401, lplate.call("GET", "/insurer/v1/policies", token, null).status());
    }
}
`;

/** What the example of the guide does not show. */
const drilled = `
import static org.junit.jupiter.api.Assertions.assertEquals;
import java.util.Map;
import lplate.junit.LPlate;
import lplate.junit.LPlateExtension;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.extension.RegisterExtension;

class DrilledTest {
    @RegisterExtension
    static final LPlateExtension EXTENSION = new LPlateExtension("--log-level", "warn", "--seed", "47", "--now", "2026-03-01T09:00Z");

    @RepeatedTest(2)
    void eachTestHasTheFirstState(LPlate lplate, LPlate.Client client) throws Exception {
        assertEquals("demo-28740b8aa4ce064d8cac", client.id());
        var token = client.token();
        client.drill("unavailable", Map.of("sequence", new String[] {"hit"}));
        assertEquals(503, lplate.call("GET", "/insurer/v1/policies", token, null).status());
        assertEquals(200, lplate.call("GET", "/insurer/v1/policies", token, null).status());
        assertEquals(2, client.exchanges(Map.of("path", "/insurer/v1/policies")).size());
        client.advance("PT61M");
        assertEquals(401, lplate.call("GET", "/insurer/v1/policies", token, null).status());
    }
}
`;

for (const junit of ['5.14.4', '6.1.3']) {
  test(`Decisions, a fixture: the jars give JUnit ${junit} L-Plate in a new project; what is for a container meets one that listens`, {
    skip: withoutJava,
  }, async (t) => {
    const folder = await newProject(t);
    const source = await readFile(
      join(integrations, 'testcontainers/java/src/main/java/lplate/testcontainers/LPlateContainer.java'),
      'utf8',
    );
    const port = await asTheContainer(t, source, /^ +"([A-Z_]+)", "(.+)",$/gm);
    await mavenProject(folder, junit, {
      'InsuredTest.java': example('InsuredTest.java'),
      'DrilledTest.java': drilled,
      'StandInTest.java': standIn(port),
      // Compiled, and not run: its name is not that of a test.
      'ContainerIT.java': example('ContainerIT.java'),
    });
    const { stdout } = await call('mvn', ['-B', 'package'], { cwd: folder, environment });
    assert.match(stdout, /Tests run: 4, Failures: 0, Errors: 0, Skipped: 0\n/);
  });
}

test('Decisions, a fixture: the module for Testcontainers of Node.js is typed, and meets a service with the settings of its container', {
  skip: !there.includes('node') && 'not started by npm run test:clients',
}, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'l-plate-integration-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const module = join(folder, 'module');
  await cp(join(integrations, 'testcontainers/node'), module, { recursive: true });
  await call('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: module, environment });
  // Found by its own name, as a project finds it.
  await writeFile(join(module, 'container.test.mjs'), example('container.test.mjs'));
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const flags = '--noEmit --allowJs --checkJs --strict --skipLibCheck --target esnext --module nodenext'.split(' ');
  const types = ['--typeRoots', join(root, 'node_modules/@types'), '--types', 'node'];
  await call(process.execPath, [tsc, ...flags, ...types, join(module, 'container.test.mjs')], { cwd: module });
  const source = await readFile(join(module, 'index.js'), 'utf8');
  const port = await asTheContainer(t, source, /^ {2}([A-Z_]+): '(.+)',$/gm);
  const script = `
    import assert from 'node:assert/strict';
    import { LPlateContainer, StartedLPlateContainer } from 'l-plate-testcontainers';
    assert.equal(new LPlateContainer().environment.SEED, '47');
    const lplate = new StartedLPlateContainer({ getHost: () => '127.0.0.1', getMappedPort: (port) => port === 8080 && ${port} });
    const status = async (token) =>
      (await fetch(lplate.url + '/insurer/v1/policies', { headers: { Authorization: 'Bearer ' + token } })).status;
    const token = await lplate.token();
    assert.equal(await status(token), 200);
    await lplate.advance('PT61M');
    assert.equal(await status(token), 401);
    await lplate.reset();
    await assert.rejects(lplate.advance('a year'), /POST .*clock: 400 /);
  `;
  await call(process.execPath, ['--input-type=module', '--eval', script], { cwd: module });
});
