import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, lstat, mkdir, readFile, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { type Running, start } from '../../src/app.ts';
import { type Config, readConfig } from '../../src/settings/config.ts';
import type { Secrets } from '../../src/settings/secrets.ts';
import { StartupError } from '../../src/settings/startup-error.ts';
import { onPostgres, onSqlite } from '../support/engines.ts';
import { freePort, sign, testSecrets } from '../support/lplate.ts';
import { type Launch, launcher, run, startProgram, toldCommand } from '../support/program.ts';

/** The one line on the error output of a start that is refused. */
async function refusal(t: TestContext, code: 1 | 2, options: Launch): Promise<string> {
  const ended = await run(t, options);
  assert.equal(ended.stdout, '');
  assert.match(ended.stderr, /^L-Plate can't start\. [^\n]+\n$/);
  assert.equal(ended.code, code, ended.stderr);
  return ended.stderr.slice("L-Plate can't start. ".length, -1);
}

/** Starts in this process and stops again: what the program leaves in its data directory is the same. */
async function startOnce(dataDir: string, meanwhile = async (_running: Running) => {}): Promise<Secrets> {
  const running = await start({ ...(readConfig([], {}) as Config), dataDir, port: 0 }, { log: { write: () => {} } });
  try {
    await meanwhile(running);
    return running.secrets;
  } finally {
    await running.close();
  }
}

const given = {
  HMAC_SECRET: testSecrets.hmacSecret,
  READER_CLIENT_SECRET: testSecrets.readerClientSecret,
  FLEET_CLIENT_SECRET: testSecrets.fleetClientSecret,
};

onSqlite((engine) => {
  async function directory(): Promise<string> {
    const where = await engine.location();
    assert.ok('directory' in where);
    return join(where.directory, 'data');
  }

  test('Decisions, start-up: --help and --version answer and end with code 0', async (t) => {
    const help = await run(t, { args: ['--help'] });
    assert.deepEqual([help.code, help.stderr], [0, '']);
    assert.match(help.stdout, /--data-dir +DATA_DIR/);
    const version = await run(t, { args: ['--version'] });
    assert.deepEqual([version.code, version.stderr], [0, '']);
    const { version: wanted } = JSON.parse(await readFile(join(launcher, '../../package.json'), 'utf8'));
    assert.equal(version.stdout, `${wanted}\n`);
  });

  test('Decisions, start-up: an unknown flag and a bad value end the start with one line and code 2', async (t) => {
    assert.match(await refusal(t, 2, { args: ['--colour'] }), /'--colour'.*--help/);
    assert.match(await refusal(t, 2, { args: ['--prot', '8081'] }), /'--prot'.*mean --port\?/);
    assert.match(await refusal(t, 2, { args: ['--port', 'x\ny'] }), /^--port: /);
    assert.match(await refusal(t, 2, { environment: { RATE_LIMIT_PER_MINUTE: '0' } }), /^RATE_LIMIT_PER_MINUTE: /);
  });

  test('Decisions, start-up: a flag wins over its variable', async (t) => {
    const path = await directory();
    const environment = { PUBLIC_URL: 'http://from-variable.example' };
    const args = ['--public-url', 'http://from-flag.example'];
    const program = await startProgram(t, { directory: path }, { environment, args });
    assert.match(program.stdout(), /http:\/\/from-flag\.example\/insurer\/v1\n/);
    assert.doesNotMatch(program.stdout(), /from-variable/);
    assert.equal((await program.call('GET', '/coverage-options')).status, 200);
  });

  test('Decisions, start-up: a port in use ends the start with one line and code 1', async (t) => {
    const other = createServer().listen(0, '127.0.0.1');
    t.after(() => other.close());
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    const environment = { PORT: String(port), DATA_DIR: await directory() };
    const told = await refusal(t, 1, { environment, args: ['--range=on', `--port=${port}`] });
    const start = 'Stop the program that uses it, or choose another port:';
    assert.equal(told, `Port ${port} on 127.0.0.1 is in use. ${start} ${toldCommand} --range on --port ${port + 1}`);
  });

  test('Decisions, start-up: what was opened before the port was found in use is closed, and tells no more', async (t) => {
    const other = createServer().listen(0, '127.0.0.1');
    t.after(() => other.close());
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    const config = readConfig([], { HOST: '127.0.0.1', DATA_DIR: await directory() }) as Config;
    const logged: string[] = [];
    await assert.rejects(start({ ...config, port }, { log: { write: (line) => logged.push(line) } }), /is in use/);
    // What goes on once a second would have come up against a closed database.
    await pause(2500);
    assert.deepEqual(logged, []);
  });

  test('Decisions, start-up: an address of another machine ends the start with one line and code 1', async (t) => {
    const environment = { HOST: '192.0.2.1', DATA_DIR: await directory() };
    assert.match(await refusal(t, 1, { environment }), /^Can't listen on 192\.0\.2\.1:/);
  });

  test('Decisions, start-up: a data directory that is a file, or in use, ends the start with one line and code 1', async (t) => {
    const path = await directory();
    const program = await startProgram(t, { directory: path });
    const told = `L-Plate already runs with the data directory ${path} (process ${program.child.pid}, http://localhost:${new URL(program.url).port}). Use that one, `;
    const second = await refusal(t, 1, { environment: {}, args: ['--data-dir', path, '--rate-limit-key=client'] });
    assert.ok(second.startsWith(told));
    const [, beside = ''] = second.split('beside it: ');
    assert.match(beside, new RegExp(`^${toldCommand} --rate-limit-key client --data-dir \\S+-2 --port \\d+$`));
    await program.stop();
    const file = join(path, 'secrets.json');
    assert.match(await refusal(t, 1, { environment: { DATA_DIR: file } }), /it is not a directory$/);
  });

  const user = process.getuid?.() === 0 ? 65534 : undefined;
  const able =
    spawnSync(process.execPath, [launcher, '--version'], { ...(user && { uid: user, gid: user }) }).status === 0;
  const skip = able ? false : 'NO OTHER USER: root can read every directory, and no other user may enter this checkout';
  if (skip) console.error(skip);
  test('Decisions, start-up: an unreadable data directory ends the start with one line and code 1', {
    skip,
  }, async (t) => {
    const path = await directory();
    await mkdir(path);
    await chmod(path, user === undefined ? 0o000 : 0o700);
    t.after(() => chmod(path, 0o700));
    const environment = { DATA_DIR: path };
    const options = { environment, ...(user !== undefined && { user }) };
    assert.match(
      await refusal(t, 1, options),
      /can't be used: permission denied\. Choose one .*: \S.* --data-dir memory$/,
    );
  });

  test('Decisions, secrets: they are made once, kept in a file of the owner alone, and shown at every start', async (t) => {
    const path = await directory();
    const first = await startProgram(t, { directory: path });
    for (const secret of Object.values(first.secrets)) assert.match(secret, /^[\w-]{32}$/);
    assert.equal(new Set(Object.values(first.secrets)).size, 4);
    assert.equal(((await stat(path)).mode & 0o777).toString(8), '700');
    const file = join(path, 'secrets.json');
    assert.equal(((await stat(file)).mode & 0o777).toString(8), '600');
    assert.deepEqual(JSON.parse(await readFile(file, 'utf8')), first.secrets);
    await first.token('preset-reader', first.secrets.readerClientSecret);
    await first.token('preset-fleet', first.secrets.fleetClientSecret);
    const body = '{"regNumber":"FL-0001"}';
    const headers = { 'Content-Type': 'application/json', 'X-Signature': sign(body, first.secrets.hmacSecret) };
    const signed = `${first.url}/insurer/v1/signed/policy-check`;
    assert.equal((await fetch(signed, { method: 'POST', headers, body })).status, 200);
    await first.stop();

    await chmod(file, 0o644);
    const second = await startProgram(t, { directory: path });
    assert.deepEqual(second.secrets, first.secrets);
    assert.equal(((await stat(file)).mode & 0o777).toString(8), '600');
    await second.stop();
  });

  test('Decisions, secrets: a draft that a crash left open to others passes neither its mode nor its place on', async () => {
    for (const link of [false, true]) {
      const path = await directory();
      const elsewhere = `${path}-elsewhere`;
      await mkdir(path);
      await writeFile(link ? elsewhere : join(path, 'secrets.json.new'), 'half a draft');
      if (link) await symlink(elsewhere, join(path, 'secrets.json.new'));
      else await chmod(join(path, 'secrets.json.new'), 0o644);
      await startOnce(path);
      const file = await lstat(join(path, 'secrets.json'));
      assert.ok(file.isFile());
      assert.equal((file.mode & 0o777).toString(8), '600');
      if (link) assert.equal(await readFile(elsewhere, 'utf8'), 'half a draft');
    }
  });

  test('Decisions, start-up: data directory: where none can be made, the start ends with one line and code 1', {
    skip: process.platform !== 'linux',
  }, async (t) => {
    const environment = { PORT: String(await freePort()), DATA_DIR: '/proc/x' };
    const told = "The data directory /proc/x can't be used: its file system does not allow new files";
    assert.equal(await refusal(t, 1, { environment }), told);
  });

  test('Decisions, start-up: data directory: a database that was emptied ends the start with one line and code 1', async (t) => {
    const path = await directory();
    await startOnce(path);
    await truncate(join(path, 'l-plate.db'), 0);
    const environment = { PORT: String(await freePort()), DATA_DIR: path };
    assert.match(await refusal(t, 1, { environment }), /l-plate\.db is empty, but this directory was used before: /);
  });

  test('Decisions, secrets: one that is set wins over the kept one, which stays as it is', async (t) => {
    const path = await directory();
    const kept = await startOnce(path);
    const environment = { FLEET_CLIENT_SECRET: 'set-by-a-trainer' };
    const program = await startProgram(t, { directory: path }, { environment });
    assert.deepEqual(program.secrets, { ...kept, fleetClientSecret: 'set-by-a-trainer' });
    await program.token('preset-fleet', 'set-by-a-trainer');
    await assert.rejects(program.token('preset-fleet', kept.fleetClientSecret), /invalid-client/);
    await program.stop();
    assert.deepEqual(JSON.parse(await readFile(join(path, 'secrets.json'), 'utf8')), kept);
    await startOnce(path, async ({ url }) => {
      const body = JSON.stringify({ client_id: 'preset-fleet', client_secret: kept.fleetClientSecret });
      const headers = { 'Content-Type': 'application/json' };
      assert.equal((await fetch(`${url}/insurer/v1/auth/token`, { method: 'POST', headers, body })).status, 200);
    });
  });

  test('Decisions, secrets: a kept file that holds none ends the start with one line that shows nothing of it', async (t) => {
    for (const text of ['{"hmacSecret": "half-a-sec', '', '[]', '{"hmacSecret": 5}']) {
      const path = await directory();
      await mkdir(path);
      await writeFile(join(path, 'secrets.json'), text);
      const told = `${path}/secrets.json does not contain secrets. Fix it, or delete it to create new ones.`;
      if (text === '') assert.equal(await refusal(t, 1, { environment: { DATA_DIR: path } }), told);
      else await assert.rejects(startOnce(path), new StartupError(1, told));
      assert.equal(await readFile(join(path, 'secrets.json'), 'utf8'), text);
    }
  });

  test('Decisions, start-up: the banner has every address, and each answers', async (t) => {
    const program = await startProgram(t, { directory: await directory() });
    const shown = [...program.stdout().matchAll(/ (http:\/\/localhost:\d+\/\S*)$/gm)].map(([, url]) => url as string);
    const { port } = new URL(program.url);
    const paths = shown.map((url) => url.replace(`http://localhost:${port}`, ''));
    for (const path of [
      '/insurer/v1',
      '/insurer/v1/openapi.yaml',
      '/insurer/v0/openapi.yaml',
      '/claims/v1/openapi.yaml',
      '/claims/v1/asyncapi.yaml',
      '/range/v1/openapi.yaml',
      '/.well-known/jwks.json',
      '/.well-known/oauth-authorization-server',
      '/docs',
      '/problems',
      '/healthz',
    ]) {
      assert.ok(paths.includes(path), `${path} is not in the banner`);
    }
    // A base address is no resource of its own, and the topic asks who reads it.
    const unlike = new Map([
      ['/insurer/v1', 404],
      ['/claims/v1', 404],
      ['/range/v1', 404],
      ['/claims/v1/topics/claims.status-changed', 401],
    ]);
    for (const path of paths) {
      const { status } = await fetch(program.url + path);
      assert.equal(status, unlike.get(path) ?? 200, path);
    }
    assert.match(
      program.stdout(),
      new RegExp(`^L-Plate \\d+\\.\\d+\\.\\d+ is ready and listens on ${program.url}$`, 'm'),
    );
  });

  test('Decisions, start-up: nothing of a secret is in a log line', async (t) => {
    const environment = { LOG_LEVEL: 'trace', ...given };
    const program = await startProgram(t, { directory: await directory() }, { environment });
    const client = await program.client();
    const hidden = [
      ...Object.values(program.secrets),
      client.secret,
      client.token,
      client.token.split('.')[2] as string,
    ];
    await program.call('POST', '/policies', { token: client.token, json: { regNumber: 'LO-0001' } });
    await assert.rejects(program.token(client.id, `${client.secret}x`), /invalid-client/);
    const basic = Buffer.from(`${client.id}:${client.secret}`).toString('base64');
    const url = `${program.url}/insurer/v1`;
    const form = new URLSearchParams({ grant_type: 'client_credentials' });
    await fetch(`${url}/auth/token`, { method: 'POST', headers: { Authorization: `Basic ${basic}` }, body: form });
    await fetch(`${url}/policies?access_token=${client.token}`);
    await fetch(`${url}/${client.secret}`);
    await fetch(`${url}/policies`, { headers: { Authorization: `Bearer ${client.token}x` } });
    await program.stop();
    const [, log = ''] = program.stdout().split('Stop with Ctrl+C.\n');
    const lines = log.trim().split('\n');
    assert.ok(lines.length >= 8, 'there are too few log lines');
    for (const line of lines) JSON.parse(line);
    for (const secret of [...hidden, basic]) assert.ok(!log.includes(secret), `a secret is in the log: ${secret}`);
    assert.equal(program.stderr(), '');
  });
});

test('Decisions, secrets: with DATABASE_URL every secret must be set; those missing are named, and the code is 2', async (t) => {
  const DATABASE_URL = 'postgres://nobody:pass-word@127.0.0.1:1/none';
  const none = await refusal(t, 2, { environment: { DATABASE_URL } });
  assert.match(none, /HMAC_SECRET, READER_CLIENT_SECRET, FLEET_CLIENT_SECRET/);
  const one = await refusal(t, 2, { environment: { DATABASE_URL, ...given, READER_CLIENT_SECRET: '' } });
  assert.match(one, /READER_CLIENT_SECRET/);
  assert.doesNotMatch(one, /HMAC|FLEET|pass-word/);
  // A class without a trainer is none.
  assert.match(
    await refusal(t, 2, { args: ['--class'], environment: { DATABASE_URL, ...given } }),
    /: set TRAINER_TOKEN as well/,
  );
});

test('Decisions, start-up: a database that can not be reached ends the start with one line without the password, and code 1', async (t) => {
  const DATABASE_URL = `postgres://someone:pass-word@127.0.0.1:${await freePort()}/none`;
  const message = await refusal(t, 1, { environment: { DATABASE_URL, ...given } });
  assert.match(message, /^The PostgreSQL database at 127\.0\.0\.1:\d+\/none can't be used: .*ECONNREFUSED/);
  assert.doesNotMatch(message, /pass-word/);
});

onPostgres((engine) => {
  test('Decisions, start-up: a database that refuses the password ends the start with one line without it, and code 1', async (t) => {
    const where = await engine.location();
    assert.ok('url' in where);
    const url = new URL(where.url);
    url.password = 'pass-word';
    const environment = { DATABASE_URL: url.href, ...given };
    const message = await refusal(t, 1, { environment });
    assert.match(message, /password authentication failed/);
    assert.doesNotMatch(message, /pass-word/);
  });

  test('Decisions, start-up: with DATABASE_URL nothing is kept on this machine', async (t) => {
    const program = await startProgram(t, await engine.location(), { environment: { DATA_DIR: '/nowhere/at/all' } });
    assert.deepEqual(program.secrets, testSecrets);
    assert.deepEqual(await program.stop(), { code: 0, signal: null });
    await assert.rejects(stat('/nowhere'), { code: 'ENOENT' });
  });
});
