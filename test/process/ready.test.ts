import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, readlink, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { onPostgres } from '../support/engines.ts';
import { testSecrets } from '../support/lplate.ts';
import { launch, run } from '../support/program.ts';
import { readyOf } from '../support/ready.ts';
import { until } from '../support/until.ts';

const memory = ['--data-dir', 'memory'];
const json = ['--ready', 'json'];

async function folder(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'l-plate-ready-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

test('Decisions, a fixture: with --ready json standard output has one line when it listens, and log lines go to standard error', async (t) => {
  const program = launch(t, { args: [...memory, ...json] });
  const ready = await readyOf(program);
  equal((await fetch(`${ready.url}/readyz`)).status, 200);
  deepEqual(Object.keys(ready), ['url', 'publicUrl', 'secrets', 'version']);
  deepEqual(Object.keys(ready.secrets), ['hmacSecret', 'readerClientSecret', 'fleetClientSecret', 'trainerToken']);
  const { version } = JSON.parse(await readFile(join(import.meta.dirname, '../../package.json'), 'utf8'));
  deepEqual([ready.version, ready.publicUrl], [version, ready.url.replace('127.0.0.1', 'localhost')]);
  const credentials = { client_id: 'preset-fleet', client_secret: ready.secrets.fleetClientSecret };
  const headers = { 'Content-Type': 'application/json' };
  const token = await fetch(`${ready.url}/insurer/v1/auth/token`, {
    ...{ method: 'POST', headers, body: JSON.stringify(credentials) },
  });
  equal(token.status, 200);
  const trainer = { headers: { Authorization: `Bearer ${ready.secrets.trainerToken}` } };
  equal((await fetch(`${ready.url}/range/v1/trainer/learners`, trainer)).status, 200);
  program.child.kill('SIGTERM');
  deepEqual(await program.exit, { code: 0, signal: null });
  equal(program.stdout().split('\n').length, 2);
  const lines = program.stderr().trim().split('\n');
  ok(lines.length >= 3 && lines.every((line) => JSON.parse(line).time));
  for (const secret of Object.values(ready.secrets)) ok(!program.stderr().includes(secret ?? ''));
});

test('Decisions, a fixture: without a trainer the ready line has null for the token', async (t) => {
  const { secrets } = await readyOf(launch(t, { args: [...memory, ...json, '--range', 'off'] }));
  equal(secrets.trainerToken, null);
});

test('Decisions, a fixture: a ready file has the same line, for its owner alone, from when it listens until the end', async (t) => {
  const file = join(await folder(t), 'ready.json');
  // Of one that was killed.
  await writeFile(file, '{"url":"http://127.0.0.1:1"}');
  const program = launch(t, { args: [...memory, ...json, '--ready-file', file] });
  await readyOf(program);
  equal(await readFile(file, 'utf8'), program.stdout());
  equal((await stat(file)).mode & 0o777, 0o600);
  program.child.kill('SIGTERM');
  await program.exit;
  deepEqual(await readdir(join(file, '..')), []);
});

test('Decisions, a fixture: a ready file of before is gone before it listens, and while it does not start', async (t) => {
  const file = join(await folder(t), 'ready.json');
  await writeFile(file, '{}');
  const { code } = await run(t, { args: [...memory, '--ready-file', file, '--host', '192.0.2.1'] });
  equal(code, 1);
  deepEqual(await readdir(join(file, '..')), []);
});

test('Decisions, a fixture: a ready file that can’t be written ends the start with one line and code 1', async (t) => {
  const directory = await folder(t);
  await mkdir(join(directory, 'taken'));
  for (const file of ['taken', 'nowhere/ready.json']) {
    const { code, stdout, stderr } = await run(t, { args: [...memory, '--ready-file', join(directory, file)] });
    deepEqual([code, stdout], [1, '']);
    match(stderr, /^L-Plate can't start\. The file \S+ \(--ready-file\) can't be used: [^\n]+\n$/);
  }
});

test('Decisions, a fixture: with --data-dir memory nothing is written to a disk', {
  skip: process.platform !== 'linux' && 'no /proc',
}, async (t) => {
  const directory = await folder(t);
  const program = launch(t, { args: [...memory, ...json], environment: { TMPDIR: directory } });
  const { url } = await readyOf(program);
  for (let times = 0; times < 20; times += 1) {
    equal((await fetch(`${url}/insurer/v1/demo-clients`, { method: 'POST' })).status, 201);
  }
  const descriptors = `/proc/${program.child.pid}/fd`;
  const links = (await readdir(descriptors)).map((name) => readlink(join(descriptors, name)).catch(() => ''));
  // Devices, sockets and pipes; of files only those that a process has for itself in memory.
  deepEqual(
    (await Promise.all(links)).filter((link) => link.startsWith('/') && !link.startsWith('/dev/')),
    [],
  );
  deepEqual(await readdir(directory), []);
  await rm(join(import.meta.dirname, '../../memory'), { recursive: false }).then(
    () => ok(false, 'there is a directory of that name'),
    (error) => equal(error.code, 'ENOENT'),
  );
});

test('Decisions, a fixture: in memory secrets are made at each start, and the banner tells that nothing is kept', async (t) => {
  const programs = [
    launch(t, { args: [...memory] }),
    launch(t, { args: ['--seed', '47', '--now', '2026-03-01T09:00Z'] }),
  ];
  for (const { stdout } of programs) await until(() => stdout().includes('Stop with Ctrl+C.'), 'the banner');
  const [plain = '', seeded = ''] = programs.map(({ stdout }) => stdout());
  match(plain, /^Nothing is kept: /m);
  match(seeded, /^Time stands still at 2026-03-01T09:00:00\.000Z /m);
  match(seeded, /^FOR TESTS ONLY: seed 47\. Anybody can compute its ids and secrets\.$/m);
  const secret = (banner: string) => /HMAC_SECRET +(\S+)/.exec(banner)?.[1];
  notEqual(secret(plain), secret(seeded));
  match(seeded, /"level":40,.*"msg":"seeded: all ids and secrets can be guessed/);
});

onPostgres((engine) => {
  test('Decisions, a fixture: several workers say once, together, that they listen', async (t) => {
    const where = await engine.location();
    ok('url' in where);
    const file = join(await folder(t), 'ready.json');
    const { hmacSecret, readerClientSecret, fleetClientSecret } = testSecrets;
    const program = launch(t, {
      args: [...json, '--ready-file', file, '--workers', '2'],
      environment: {
        ...{ DATABASE_URL: where.url, HMAC_SECRET: hmacSecret },
        ...{ READER_CLIENT_SECRET: readerClientSecret, FLEET_CLIENT_SECRET: fleetClientSecret },
      },
    });
    const ready = await readyOf(program);
    deepEqual(ready.secrets, { hmacSecret, readerClientSecret, fleetClientSecret, trainerToken: null });
    equal((await fetch(`${ready.url}/readyz`)).status, 200);
    equal(await readFile(file, 'utf8'), program.stdout());
    program.child.kill('SIGTERM');
    deepEqual(await program.exit, { code: 0, signal: null });
    equal(program.stdout().split('\n').length, 2);
    deepEqual(await readdir(join(file, '..')), []);
  });
});
