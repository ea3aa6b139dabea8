import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { guides } from '../../src/navigation.ts';
import { machinePath, olderNode } from '../support/older-node.ts';
import { banner, launch, root } from '../support/program.ts';
import { toolTest } from './support/tool-test.ts';
import { type Called, call, home } from './support/tools.ts';

/*
 * The package as `npm pack` makes it, in a folder that had nothing, with this machine's own older Node.js and npm: as a
 * program, and as a library in the tests that docs/package.md shows.
 */

const older = olderNode();
const skip = older ? false : 'NO OLDER NODE.JS: the package is not tried with one';
if (skip) console.error(`\n*** ${skip} ***\n`);
if (process.env.CI === 'true') assert.ok(older, `${skip}`);

const environment = { PATH: `${dirname(older ?? '')}${delimiter}${machinePath}`, HOME: homedir() };
const page = await readFile(join(root, 'docs/package.md'), 'utf8');

/** An example of the page, by its name in the first line. */
function example(name: string): string {
  const [, text] = new RegExp(`\`\`\`\\w+\\n// ${RegExp.escape(name)}\\n(.*?)\`\`\``, 's').exec(page) ?? [];
  assert.ok(text, `${name} is not in docs/package.md`);
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
let place: string | undefined;
let tarball: { path: string; size: number; files: string[] };

before(async () => {
  if (skip) return;
  place = await mkdtemp(join(tmpdir(), 'l-plate-package-'));
  folder = join(place, 'empty');
  await mkdir(folder);
  const { stdout } = await call('npm', ['pack', '--json', '--pack-destination', place], { cwd: root, environment });
  // What prepack writes comes before it.
  const [packed] = JSON.parse(stdout.slice(stdout.indexOf('[')));
  const files = packed.files.map(({ path }: { path: string }) => path);
  tarball = { path: join(place, packed.filename), size: packed.size, files };
  await shell(commands('npm install l-plate').replace('l-plate', `--prefer-offline ${tarball.path}`));
});

after(async () => {
  if (place) await rm(place, { recursive: true, force: true });
});

/** Runs commands where the package is installed. Nothing of the test runner counts there. */
function shell(text: string): Promise<Called> {
  return call('bash', ['-euc', `unset NODE_TEST_CONTEXT NODE_COMPILE_CACHE\n${text}`], { cwd: folder, environment });
}

test('Package: it has what runs, with source maps, and neither tests nor sources; its size is told', { skip }, () => {
  const places = new Set(tarball.files.map((path) => path.split('/')[0]));
  const wanted = [
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'bin',
    'console',
    'contracts',
    'dist',
    'docs',
    'examples',
    'kits',
    'package.json',
  ];
  assert.deepEqual([...places].sort(), wanted);
  // The guide for trainers names it.
  assert.deepEqual(
    tarball.files.filter((path) => path.startsWith('examples/')),
    ['examples/class.json'],
  );
  // The kit for TypeScript is handed out as it is.
  const own = tarball.files.filter((path) => !path.startsWith('kits/'));
  const wrong = own.filter((path) => /\.test\.|\.tsx?$|^console\/(?!dist\/)|setup|compile/.test(path));
  assert.deepEqual(wrong, []);
  for (const name of ['dist/main.js', 'dist/main.js.map', 'dist/library.cjs', 'dist/library.d.cts'])
    assert.ok(tarball.files.includes(name), name);
  const [, told = ''] = /the package has ([\d.]+) MB/.exec(page) ?? [];
  assert.ok(Math.abs(Number(told) - tarball.size / 1e6) < 0.3, `${tarball.size} bytes are not about ${told} MB`);
});

test('Package: in an empty folder npx starts it, its first call answers 201, and SIGTERM to npx ends it', {
  skip,
}, async (t) => {
  const start = `cd '${folder}' && exec ${commands('npx l-plate').trim()}`;
  const launched = launch(t, { command: ['bash', '-c', start], environment, family: true });
  await banner(launched);
  const [, port] = / listens on http:\/\/127\.0\.0\.1:(\d+)$/m.exec(launched.stdout()) ?? [];
  const { stdout } = await shell(commands('curl ').replace('8080', `${port}`));
  assert.match(stdout, /^\{"client_id":"demo-[0-9a-f]{20}","client_secret":"[\w-]{43}"\} 201\n$/);
  assert.ok(existsSync(join(folder, 'data/l-plate.db')));
  launched.child.kill('SIGTERM');
  // When all that share its outputs have ended.
  await launched.exit;
  await assert.rejects(fetch(`http://127.0.0.1:${port}/healthz`));
});

test('Package: every guide that it serves is there', { skip }, async (t) => {
  const start = `cd '${folder}' && exec node node_modules/l-plate/bin/lplate.js`;
  const launched = launch(t, { command: ['bash', '-c', start], environment });
  await banner(launched);
  const [, url] = / listens on (\S+)$/m.exec(launched.stdout()) ?? [];
  for (const { name } of guides) assert.equal((await fetch(`${url}/guides/${name}.md`)).status, 200, name);
  const front = await (await fetch(`${url}/`, { headers: { Accept: 'text/html' } })).text();
  const [asset] = /\/assets\/[\w-]+\.js/.exec(front) ?? [];
  assert.equal((await fetch(`${url}${asset}`)).status, 200);
});

test('Package: what is compiled at a start is kept beside it, or with the user where that can’t be written', {
  skip,
}, async () => {
  const modules = join(folder, 'node_modules/l-plate/node_modules');
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

test('Package: the library in a test in plain JavaScript, by the test runner of an older Node.js', {
  skip,
}, async () => {
  await writeFile(join(folder, 'policy.test.mjs'), example('policy.test.mjs'));
  const { stdout } = await shell(
    `node --version\n${commands('node --test').replace('--test', '--test --test-reporter=tap')}`,
  );
  assert.match(stdout, /^v2[0-5]\./);
  assert.match(stdout, /^# pass 1$/m);
  assert.match(stdout, /^# fail 0$/m);
});

/** What the compiler must see through: wrong names and values. Without the types of Node.js, and with old libraries. */
const wrongSettings = `
import { start } from 'l-plate';
export async function wrong() {
  // @ts-expect-error: there is no such setting
  await start({ prot: 1 });
  // @ts-expect-error: a number is wanted
  await start({ port: '8080' });
  await using lplate = await start({ trustProxy: 1, lessons: 'class.json', kafkaBrokers: [], logLevel: 'info' });
  const now: Date = await lplate.clock.now();
  return [now, lplate.secrets.trainerToken] satisfies [Date, string | undefined];
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
    await writeFile(join(folder, 'signed.test.mts'), example('signed.test.mts'));
    const nodeTypes = { typeRoots: [join(root, 'node_modules/@types')], types: ['node'] };
    // The declarations of Node.js need newer libraries than ours.
    await compile('signed.test.mts', { module: 'nodenext', skipLibCheck: true, ...nodeTypes });
    await shell('node signed.test.mjs');
  });
}

toolTest(['jest'], 'Package: the library in a test by Jest, as CommonJS and as a module', async () => {
  assert.ok(older);
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
  assert.ok(older);
  await mkdir(join(folder, 'vitest'), { recursive: true });
  const text = example('claims.test.js');
  const imported = text.replace("const { start } = require('l-plate')", "import { start } from 'l-plate'");
  await writeFile(join(folder, 'vitest/claims.test.js'), imported);
  for (const pool of ['forks', 'threads', 'vmThreads']) {
    await shell(
      `node '${join(home('node'), 'node_modules/vitest/vitest.mjs')}' run --root vitest --globals --pool ${pool}`,
    );
  }
});
