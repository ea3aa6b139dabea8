import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { launch, root, run } from '../support/program.ts';
import { until } from '../support/until.ts';

/** A copy of the project without a build of the console, or with the files of one, which need not be compressed again. */
async function project(t: TestContext, { withFiles = false } = {}): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'l-plate-build-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  const files = ['package.json', 'package-lock.json', 'README.md'];
  for (const name of ['bin', 'console', 'contracts', 'docs', 'kits', 'src', ...files]) {
    const leftOut = join(root, 'console/dist', withFiles ? 'manifest.json' : '');
    const filter = (path: string) => path !== leftOut;
    await cp(join(root, name), join(directory, name), { recursive: true, preserveTimestamps: true, filter });
  }
  await symlink(join(root, 'node_modules'), join(directory, 'node_modules'));
  return directory;
}

async function build(directory: string): Promise<void> {
  const child = spawn(process.execPath, [join(directory, 'console/build.js')], { stdio: 'inherit' });
  assert.deepEqual(await once(child, 'close'), [0, null]);
}

const dist = (directory: string) => join(directory, 'console/dist');

async function manifest(
  directory: string,
): Promise<{ entries: Record<string, string>; early: string[]; files: string[] }> {
  return JSON.parse(await readFile(join(dist(directory), 'manifest.json'), 'utf8'));
}

/** When the list of files was written last. */
const builtAt = async (directory: string) => (await stat(join(dist(directory), 'manifest.json'))).mtimeMs;

let newest = 0;

/** Makes a file newer than any other. */
async function touch(file: string): Promise<void> {
  newest = Math.max(newest, Date.now()) + 60_000;
  const later = new Date(newest);
  await utimes(file, later, later);
}

test('Decisions, console: it is built when a source is newer than the build, and only then', async (t) => {
  const directory = await project(t, { withFiles: true });
  await build(directory);
  const first = await builtAt(directory);
  await build(directory);
  assert.equal(await builtAt(directory), first);
  for (const source of [
    'console/style/tokens.css',
    'src/navigation.ts',
    'src/text/bytes.ts',
    'package-lock.json',
    'console/build.js',
  ]) {
    const before = await builtAt(directory);
    await touch(join(directory, source));
    await build(directory);
    assert.notEqual(await builtAt(directory), before, source);
  }
});

test('Decisions, console: builds at the same time don’t hurt each other, and each file, of which the first page has few, is there in all its forms', async (t) => {
  const directory = await project(t);
  await Promise.all([build(directory), build(directory)]);
  const { entries, early, files } = await manifest(directory);
  // A browser fetches six at a time: more rounds are waited for on a phone.
  assert.ok(early.length < 12, `the first page has ${early.length} scripts`);
  assert.deepEqual(Object.keys(entries).sort(), ['console', 'documents', 'reference', 'served', 'style', 'theme']);
  for (const name of Object.values(entries)) assert.ok(files.includes(name), name);
  // Maps, which only developer tools ask for, have one form, and the sources of the console alone.
  const maps = files.filter((name) => name.endsWith('.map'));
  const packed = files.filter((name) => !maps.includes(name));
  const there = [...maps, ...packed.flatMap((name) => [name, `${name}.br`, `${name}.gz`]), 'manifest.json'];
  assert.deepEqual((await readdir(dist(directory))).sort(), there.sort());
  for (const name of maps) {
    const { sources, sourcesContent } = JSON.parse(await readFile(join(dist(directory), name), 'utf8'));
    for (const [at, source] of sources.entries())
      assert.equal(sourcesContent[at] === null, source.includes('node_modules/'), source);
  }
  for (const name of packed) {
    const read = (ending: string) => readFile(join(dist(directory), name + ending));
    const plain = await read('');
    assert.ok(brotliDecompressSync(await read('.br')).equals(plain), name);
    assert.ok(gunzipSync(await read('.gz')).equals(plain), name);
  }
});

test('Decisions, console: what an older build made stays for a day, since a server that still runs may name it', async (t) => {
  const directory = await project(t, { withFiles: true });
  await build(directory);
  const { style = '' } = (await manifest(directory)).entries;
  const tokens = join(directory, 'console/style/tokens.css');
  const change = async (colour: string) => {
    await writeFile(tokens, (await readFile(tokens, 'utf8')).replace(/--plate: #\w+/, `--plate: ${colour}`));
    await touch(tokens);
    await build(directory);
    return (await manifest(directory)).entries.style;
  };
  assert.notEqual(await change('#000001'), style);
  assert.ok((await readdir(dist(directory))).includes(style));
  const old = new Date(Date.now() - 25 * 60 * 60 * 1000);
  await utimes(join(dist(directory), style), old, old);
  await change('#000002');
  assert.ok(!(await readdir(dist(directory))).includes(style));
});

test('Decisions, console: a start without a build is refused in one line that says how to build it', async (t) => {
  const directory = await project(t);
  const command = [process.execPath, join(directory, 'bin/lplate.js')] as const;
  const ended = await run(t, { command, environment: { DATA_DIR: join(directory, 'data') } });
  assert.deepEqual([ended.code, ended.stdout], [1, '']);
  assert.match(ended.stderr, /^L-Plate can't start\. The console is not built\. “npm start” builds it;[^\n]*\n$/);
});

test('Decisions, console: npm run dev builds it again when a source changes, and starts the program again', async (t) => {
  const directory = await project(t, { withFiles: true });
  await build(directory);
  const { scripts } = JSON.parse(await readFile(join(directory, 'package.json'), 'utf8'));
  const command = ['sh', '-c', `cd ${directory} && exec ${scripts.dev.replace(/^node/, process.execPath)}`] as const;
  const { stdout } = launch(t, { command, family: true, environment: { DATA_DIR: join(directory, 'data') } });
  const listening = async (times: number) => {
    const urls = () => [...stdout().matchAll(/listens on (\S+)$/gm)].map(([, url]) => url as string);
    await until(() => urls().length >= times, 'the program listens');
    return urls().at(-1) as string;
  };
  const style = async (url: string) => /\/assets\/style-\w+\.css/.exec(await (await fetch(url)).text())?.[0];
  const before = await style(await listening(1));
  const tokens = join(directory, 'console/style/tokens.css');
  await writeFile(tokens, (await readFile(tokens, 'utf8')).replace(/--plate: #\w+/, '--plate: #123456'));
  assert.notEqual(await style(await listening(2)), before);
});
