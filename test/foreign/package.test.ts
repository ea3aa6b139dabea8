import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { guides } from '../../src/navigation.ts';
import { madePackage } from '../support/make-package.ts';
import { machinePath, olderNode } from '../support/older-node.ts';
import { banner, launch, root } from '../support/program.ts';
import { toolTest } from './support/tool-test.ts';
import { type Called, call, home } from './support/tools.ts';

/*
 * The package as `npm run package` and `npm pack` make it, in a folder that had nothing: as a program, and as a library in
 * the tests that docs/package.md shows. On each version of Node.js that it is for: the first comes from npm, the other
 * is ours.
 */

const first = join(home('node'), 'node_modules/node-24-linux-x64/bin/node');
const skip =
  existsSync(first) && existsSync(madePackage)
    ? false
    : 'NO PACKAGE, or no Node.js 24 from npm: npm run test:clients makes one and installs the other';
if (skip) console.error(`\n*** ${skip} ***\n`);
if (process.env.CI === 'true') assert.ok(!skip, `${skip}`);
const versions = [
  ['24', first],
  ['26', process.execPath],
] as const;

const environmentOf = (node: string) => ({
  PATH: `${dirname(node)}${delimiter}${machinePath}`,
  HOME: homedir(),
});
const page = await readFile(join(root, 'docs/package.md'), 'utf8');
const testing = await readFile(join(root, 'docs/testing.md'), 'utf8');

/** An example of the page, or of the one about tests, by its name in the first line. */
function example(name: string, of = page): string {
  const [, text] = new RegExp(`\`\`\`\\w+\\n// ${RegExp.escape(name)}\\n(.*?)\`\`\``, 's').exec(of) ?? [];
  assert.ok(text, `${name} is not shown`);
  return text;
}

/** The commands of the page whose text begins so. */
function commands(beginning: string): string {
  const found = [...page.matchAll(/```sh[ \w]*\n(.*?)```/gs)].map(([, text = '']) => text);
  const [text] = found.filter((each) => each.startsWith(beginning));
  assert.ok(text, `${beginning} is not in docs/package.md`);
  return text;
}

/** Where the package is installed, in a place that goes after the tests. */
let folder: string;
let installed: string;
let place: string | undefined;
let tarball: { path: string; size: number; files: string[] };

before(async () => {
  if (skip) return;
  place = await mkdtemp(join(tmpdir(), 'l-plate-package-'));
  folder = join(place, 'empty');
  installed = join(folder, 'node_modules/l-plate');
  await mkdir(folder);
  const { stdout } = await call('npm', ['pack', '--json', '--pack-destination', place], {
    cwd: madePackage,
    environment: environmentOf(first),
  });
  const [packed] = JSON.parse(stdout);
  const files = packed.files.map(({ path }: { path: string }) => path);
  tarball = { path: join(place, packed.filename), size: packed.size, files };
  await shell(commands('npm install l-plate').replace('l-plate', `--prefer-offline ${tarball.path}`));
});

after(async () => {
  if (place) await rm(place, { recursive: true, force: true });
});

/** Runs commands where the package is installed. Nothing of the test runner counts there. */
function shell(text: string, node = first): Promise<Called> {
  const environment = environmentOf(node);
  return call('bash', ['-euc', `unset NODE_TEST_CONTEXT NODE_COMPILE_CACHE\n${text}`], { cwd: folder, environment });
}

const read = (file: string) => readFile(join(installed, file), 'utf8');

test('Package: it has what runs, and neither tests nor sources; its size is told', { skip }, () => {
  const places = new Set(tarball.files.map((path) => path.split('/')[0]));
  const wanted = [
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'THIRD-PARTY-NOTICES',
    'bin',
    'console',
    'contracts',
    'docs',
    'examples',
    'kits',
    'lib',
    'package.json',
    'sbom.cdx.json',
  ];
  assert.deepEqual([...places].sort(), wanted);
  // The guide for trainers names the first; the others are the code of lessons.
  assert.deepEqual(
    tarball.files.filter((path) => /^examples\/(?!path\/)/.test(path)).sort(),
    ['WalkThePath.java', 'class.json', 'walk-the-path.sh', 'walk_the_path.py'].map((name) => `examples/${name}`),
  );
  assert.ok(tarball.files.includes('examples/path/learner.js'));
  // The kit for TypeScript is handed out as it is.
  const own = tarball.files.filter((path) => !path.startsWith('kits/'));
  const wrong = own.filter((path) =>
    /\.test\.|\.tsx?$|^console\/(?!dist\/)|setup|build\.js|\.map\.(?:gz|br)$/.test(path),
  );
  assert.deepEqual(wrong, []);
  const [, told = ''] = /the package has ([\d.]+) MB/.exec(page) ?? [];
  assert.ok(Math.abs(Number(told) - tarball.size / 1e6) < 0.3, `${tarball.size} bytes are not about ${told} MB`);
});

test('Package: nothing comes with it, no program but its own can be called, and it takes 20 MB at the most', {
  skip,
}, async () => {
  // What is compiled at a start counts.
  await shell('npx l-plate --version');
  const modules = join(folder, 'node_modules');
  assert.deepEqual((await readdir(modules)).sort(), ['.bin', '.package-lock.json', 'l-plate']);
  assert.deepEqual((await readdir(join(modules, '.bin'))).sort(), ['l-plate', 'lplate']);
  const sizes = (await readdir(modules, { recursive: true })).map(
    async (name) => (await stat(join(modules, name))).size,
  );
  const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  assert.ok(bytes < 20e6, `${bytes} bytes`);
  assert.equal(JSON.parse(await read('package.json')).dependencies, undefined);
});

/**
 * The packages whose files were bundled, as the source maps name them. A style has no map of its icons, and the SDK of MCP was
 * bundled before.
 */
async function bundled(): Promise<string[]> {
  const sdk = ['@modelcontextprotocol/core', '@modelcontextprotocol/server', 'zod'];
  const names = new Set(['@scalar/fastify-api-reference', 'heroicons', ...sdk]);
  for (const file of tarball.files.filter((path) => path.endsWith('.map'))) {
    for (const source of JSON.parse(await read(file)).sources as string[]) {
      const [, name] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source) ?? [];
      if (name) names.add(name);
    }
  }
  return [...names].sort();
}

test('Package: the notices and the bill of materials name each package that was bundled, and no other', {
  skip,
}, async () => {
  const notices = await read('THIRD-PARTY-NOTICES');
  const listed = [...notices.matchAll(/^(@?[\w./-]+) \d+\.\d+\.\d\S* \(.+\)$/gm)].map(([, name = '']) => name);
  const names = await bundled();
  assert.ok(names.includes('fastify') && names.includes('preact') && names.includes('temporal-polyfill'));
  assert.deepEqual([...new Set(listed)].sort(), names);
  const { bomFormat, specVersion, components } = JSON.parse(await read('sbom.cdx.json'));
  assert.deepEqual([bomFormat, specVersion], ['CycloneDX', '1.6']);
  const inBill = new Set<string>(components.map(({ name }: { name: string }) => name));
  assert.deepEqual([...inBill].sort(), names);
  // No text is missing but of those who bring none, which are named with their licence.
  for (const part of notices.split(`${'-'.repeat(80)}\n`)) assert.match(part, /licen[cs]e|copyright|contains|MIT|ISC/i);
});

toolTest(['publint', '@arethetypeswrong/cli'], 'Package: its manifest and declarations are found right', async () => {
  const tool = (script: string) => `'${process.execPath}' '${join(home('node'), 'node_modules', script)}'`;
  const told = await shell(`${tool('publint/src/cli.js')} ${installed} --strict`);
  assert.match(told.stdout, /All good!/);
  await shell(`${tool('@arethetypeswrong/cli/dist/index.js')} '${tarball.path}' --no-emoji`);
});

for (const [version, node] of versions) {
  test(`Package: on Node.js ${version}, in an empty folder npx starts it, its first call answers 201, and SIGTERM to npx ends it`, {
    skip,
  }, async (t) => {
    await rm(join(folder, 'data'), { recursive: true, force: true });
    const start = `cd '${folder}' && exec ${commands('npx l-plate').trim()}`;
    const environment = environmentOf(node);
    const launched = launch(t, { command: ['bash', '-c', start], environment, family: true });
    await banner(launched);
    const [, port] = / listens on http:\/\/127\.0\.0\.1:(\d+)$/m.exec(launched.stdout()) ?? [];
    const { stdout } = await shell(commands('curl ').replace('8080', `${port}`), node);
    assert.match(stdout, /^\{"client_id":"demo-[0-9a-f]{20}","client_secret":"[\w-]{43}"\} 201\n$/);
    assert.ok(existsSync(join(folder, 'data/l-plate.db')));
    launched.child.kill('SIGTERM');
    // When all that share its outputs have ended.
    await launched.exit;
    await assert.rejects(fetch(`http://127.0.0.1:${port}/healthz`));
  });

  test(`Package: on Node.js ${version}, it makes certificates of its own, and serves by HTTPS`, { skip }, async (t) => {
    const command = ['bash', '-c', `cd '${folder}' && exec npx l-plate --tls self --data-dir memory`] as const;
    const launched = launch(t, { command, environment: environmentOf(node), family: true });
    await banner(launched);
    const [, port] = / listens on https:\/\/127\.0\.0\.1:(\d+)$/m.exec(launched.stdout()) ?? [];
    const { stdout } = await shell(`curl -s --insecure -w ' %{http_code}' https://127.0.0.1:${port}/healthz`);
    assert.match(stdout, / 200$/);
  });

  test(`Package: on Node.js ${version}, npm run goes on to run that of the project`, { skip }, async () => {
    const { stdout } = await shell('npm pkg set scripts.which="node --version" && npm run --silent which', node);
    assert.match(stdout, new RegExp(`^v${version}\\.`));
  });

  test(`Package: on Node.js ${version}, every guide, description and kit, the console and the script of the reference are there`, {
    skip,
  }, async (t) => {
    const start = `cd '${folder}' && exec node node_modules/l-plate/bin/lplate.js --data-dir memory`;
    const launched = launch(t, { command: ['bash', '-c', start], environment: environmentOf(node) });
    await banner(launched);
    const [, url] = / listens on (\S+)$/m.exec(launched.stdout()) ?? [];
    for (const { name } of guides) assert.equal((await fetch(`${url}/guides/${name}.md`)).status, 200, name);
    const front = await (await fetch(`${url}/`, { headers: { Accept: 'text/html' } })).text();
    const [asset] = /\/assets\/[\w-]+\.js/.exec(front) ?? [];
    assert.equal((await fetch(`${url}${asset}`)).status, 200);
    const map = await fetch(`${url}${asset}.map`);
    assert.deepEqual([map.status, map.headers.get('content-encoding')], [200, null]);
    assert.ok(((await map.json()) as { sources: string[] }).sources.length > 0);
    assert.match(await (await fetch(`${url}/docs/scalar.js`)).text(), /scalar/i);
    for (const system of ['insurer/v1', 'insurer/v0', 'claims/v1', 'vehicle-registry/v2', 'range/v1']) {
      for (const form of ['openapi.yaml', 'openapi.json'])
        assert.equal((await fetch(`${url}/${system}/${form}`)).status, 200, `${system} ${form}`);
    }
    assert.equal((await fetch(`${url}/claims/v1/asyncapi.yaml`)).status, 200);
    assert.equal((await fetch(`${url}/vehicle-registry/v1?wsdl`)).status, 200);
    const listed = await fetch(`${url}/kits`, { headers: { Accept: 'application/json' } });
    const { kits } = (await listed.json()) as { kits: { url: string }[] };
    for (const { url: kit } of kits) assert.equal((await fetch(kit)).status, 200, kit);
  });

  test(`Package: on Node.js ${version}, a stack trace names the lines of the sources`, { skip }, async () => {
    const script = `import { load } from './node_modules/l-plate/bin/program.js';
      const { main } = await load('main');
      await main(undefined, {}).catch(({ stack }) => console.log(stack));`;
    const { stdout } = await shell(`node --input-type=module --eval "${script}"`, node);
    assert.match(stdout, /^TypeError/);
    const [, file = '', line] = /\/(src\/main\.ts):(\d+):/.exec(stdout) ?? [];
    const text = (await readFile(join(root, file), 'utf8')).split('\n')[Number(line) - 1];
    assert.match(text ?? '', /readConfig\(args, environment/);
  });
}

for (const [version, node] of versions) {
  test(`Package: on Node.js ${version}, an error that no test takes shows readable lines, its own line among them`, {
    skip,
  }, async () => {
    await writeFile(join(folder, 'wrong.mjs'), "import { start } from 'l-plate';\nawait start({ prot: 1 });\n");
    const { stdout } = await shell('node wrong.mjs 2>&1 || true', node);
    assert.match(stdout, /LPlateError: L-Plate can't start\. There is no setting "prot"\. Did you mean port\?/);
    assert.match(stdout, /wrong\.mjs:2:/);
    for (const line of stdout.split('\n')) assert.ok(line.length < 200, line);
  });
}

const older = olderNode();

test('Package: an older Node.js is told in one line how to go on', {
  skip: skip || (older ? false : 'NO OLDER NODE.JS'),
}, async (t) => {
  assert.ok(older);
  const line = (flags: string) =>
    new RegExp(
      `^L-Plate needs Node\\.js 24 or newer; this is v\\d+\\.\\d+\\.\\d+\\. .*: npx -p node@26 -p l-plate l-plate${flags}\n$`,
    );
  const environment = environmentOf(older);
  const command = [older, join(installed, 'bin/lplate.js')] as const;
  const launched = launch(t, { command, environment, args: ['--version'] });
  assert.deepEqual(await launched.exit, { code: 1, signal: null });
  assert.match(launched.stderr(), line(' --version'));
  const script = "require('l-plate').start().catch(({ message }) => console.log(message));";
  const { stdout } = await shell(`node --eval "${script}"`, older);
  assert.match(stdout, line(''));
});

test('Package: what is compiled at a start is kept beside it, or with the user where that can’t be written', {
  skip,
}, async () => {
  const modules = join(installed, 'node_modules');
  const kept = async (place: string) => (await readdir(place, { recursive: true })).length;
  await rm(modules, { recursive: true, force: true });
  await shell('node node_modules/l-plate/bin/lplate.js --version');
  assert.ok((await kept(join(modules, '.cache/l-plate'))) > 5);
  await rm(modules, { recursive: true });
  // A file, in which not even root can make a directory.
  await writeFile(modules, '');
  await shell('XDG_CACHE_HOME="$PWD/caches" node node_modules/l-plate/bin/lplate.js --version');
  assert.ok((await kept(join(folder, 'caches/l-plate'))) > 5);
  await rm(modules);
});

for (const [version, node] of versions) {
  test(`Package: on Node.js ${version}, the library in a test in plain JavaScript, by the test runner of Node.js`, {
    skip,
  }, async () => {
    await writeFile(join(folder, 'policy.test.mjs'), example('policy.test.mjs'));
    await writeFile(join(folder, 'claim.test.mjs'), example('claim.test.mjs', testing));
    const { stdout } = await shell(
      `node --version\n${commands('node --test').replace('--test', '--test --test-reporter=tap claim.test.mjs')}`,
      node,
    );
    assert.match(stdout, new RegExp(`^v${version}\\.`));
    assert.match(stdout, /^# pass 2$/m);
    assert.match(stdout, /^# fail 0$/m);
  });
}

/** What the compiler must see through: wrong names and values. Without the types of Node.js, and with old libraries. */
const wrongSettings = `
import { type Client, LPlateError, start } from 'l-plate';
export async function wrong() {
  // @ts-expect-error: there is no such setting
  await start({ prot: 1 });
  // @ts-expect-error: a number is wanted
  await start({ port: '8080' });
  // @ts-expect-error: the library starts one process
  await start({ workers: 2 });
  await using lplate = await start({ trustProxy: 1, lessons: 'class.json', kafkaBrokers: [], logLevel: 'info' });
  await start({ rateLimitPerMinute: 'off', now: new Date(), webhookAllow: ['::1/128'] as const, seed: undefined });
  const now: Date = await lplate.clock.now();
  const client: Client = await lplate.client();
  // @ts-expect-error: there is no such drill
  await client.drill('unavailible');
  // @ts-expect-error: it has no such parameter
  await client.drill('unavailable', { retryAfter: 1, seconds: 1 });
  await using drill = await client.drill('delay', { when: 'before' });
  const [first] = await client.exchanges({ status: '5xx' });
  const fault = new LPlateError('a fault').problem?.errors?.[0]?.pointer;
  return [now, lplate.secrets.trainerToken, drill.endsAt, first?.drills, fault] satisfies [
    Date, string | undefined, Date, readonly string[] | undefined, string | undefined,
  ];
}
`;

for (const [which, place] of [
  ['the TypeScript of this project', root],
  ['TypeScript 5', home('node')],
] as const) {
  test(`Package: the library in a test in TypeScript with strict, by ${which}`, { skip }, async () => {
    const tsc = join(place, 'node_modules/typescript/bin/tsc');
    const compile = async (file: string, options: object) => {
      const strict = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true };
      const compilerOptions = { ...strict, skipLibCheck: false, target: 'es2022', ...options };
      await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [file] }));
      await shell(`node '${tsc}' --project .`);
    };
    await writeFile(join(folder, 'wrong.mts'), wrongSettings);
    await writeFile(join(folder, 'wrong.cts'), wrongSettings);
    for (const file of ['wrong.mts', 'wrong.cts']) {
      await compile(file, { module: 'nodenext', lib: ['es2022'], types: [], noEmit: true });
    }
    await compile('wrong.mts', {
      module: 'esnext',
      moduleResolution: 'bundler',
      lib: ['es2022'],
      types: [],
      noEmit: true,
    });
    await writeFile(join(folder, 'retry.test.mts'), example('retry.test.mts'));
    const nodeTypes = { typeRoots: [join(root, 'node_modules/@types')], types: ['node'] };
    // The declarations of Node.js need newer libraries than ours.
    await compile('retry.test.mts', { module: 'nodenext', skipLibCheck: true, ...nodeTypes });
    await shell('node retry.test.mjs');
  });
}

toolTest(['jest'], 'Package: the library in a test by Jest, as CommonJS and as a module', async () => {
  const jest = `node '${join(home('node'), 'node_modules/jest/bin/jest.js')}' --rootDir jest`;
  await mkdir(join(folder, 'jest'), { recursive: true });
  const text = example('claims.test.js');
  await writeFile(join(folder, 'jest/claims.test.js'), text);
  await shell(`${jest} claims.test.js`);
  const imported = text.replace("const { start } = require('l-plate')", "import { start } from 'l-plate'");
  assert.notEqual(imported, text);
  await writeFile(join(folder, 'jest/claims.test.mjs'), imported);
  await shell(`NODE_OPTIONS=--experimental-vm-modules ${jest} --testMatch '**/*.mjs'`);
});

toolTest(['vitest'], 'Package: the library in a test by Vitest, in each of its pools', async () => {
  await mkdir(join(folder, 'vitest'), { recursive: true });
  const imports = [...page.matchAll(/`(import \{[^}]*\} from '(?:vitest|l-plate)')`/g)].map(([, line = '']) => line);
  assert.equal(imports.length, 2);
  const text = example('claims.test.js').replace(/^const .*$/m, imports.join(';\n'));
  await writeFile(join(folder, 'vitest/claims.test.js'), text);
  const vitest = join(home('node'), 'node_modules/vitest');
  await symlink(vitest, join(folder, 'node_modules/vitest'));
  for (const pool of ['forks', 'threads', 'vmThreads']) {
    await shell(`node '${vitest}/vitest.mjs' run --root vitest --pool ${pool}`);
  }
});

const replacing = `import { mock, test } from 'node:test';
import nock from 'nock';
mock.timers.enable();
const { start } = await import('l-plate');
test('all is replaced before it is loaded', async () => {
  nock.disableNetConnect();
  await using lplate = await start();
  const client = await lplate.client();
  await client.drill('slow-imports', { groupSeconds: 1 });
  const { created } = await client.importPolicies([{ regNumber: client.plate() }]);
  if (created !== 1) throw new Error('not imported');
});
`;

toolTest(['nock'], 'Package: the helpers work where timers and calls were replaced before it was loaded', async () => {
  await symlink(join(home('node'), 'node_modules/nock'), join(folder, 'node_modules/nock'));
  await writeFile(join(folder, 'replacing.test.mjs'), replacing);
  const { stdout } = await shell('node --test --test-timeout=60000 replacing.test.mjs', process.execPath);
  assert.match(stdout, /pass 1$/m);
});
