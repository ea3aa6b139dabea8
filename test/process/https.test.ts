import { equal, match, ok } from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { issueAuthority, issueServer } from '../../src/tls/issue.ts';
import { onPostgres, onSqlite } from '../support/engines.ts';
import { type Program, run, startProgram } from '../support/program.ts';

/** Below the address of the page that says how to trust it. */
const fingerprintOf = ({ stdout }: Program) =>
  /:\d+\/ca\n {2}its fingerprint \(SHA-256\) {3}((?:[\dA-F]{2}:){31}[\dA-F]{2})\n/.exec(stdout())?.[1];

/** The status of a call that curl verifies. */
async function verified({ url }: Program, root: string): Promise<string> {
  const address = `${url.replace('127.0.0.1', 'localhost')}/readyz`;
  const { stdout } = await promisify(execFile)('curl', [
    '-s',
    '-w',
    '%{http_code}',
    '--cacert',
    root,
    '-o',
    '/dev/null',
    address,
  ]);
  return stdout;
}

onSqlite((engine) => {
  test('Operations: the class authority outlives kill -9, and the certificate is the same', async (t) => {
    const where = await engine.location();
    ok('directory' in where);
    const directory = join(where.directory, 'data');
    const root = join(directory, 'tls/ca.pem');
    const first = await startProgram(t, { directory }, { args: ['--tls', 'self'] });
    const server = await readFile(join(directory, 'tls/server.pem'), 'utf8');
    ok(fingerprintOf(first));
    equal(await verified(first, root), '200');
    await first.stop('SIGKILL');
    const second = await startProgram(t, { directory }, { args: ['--tls', 'self'] });
    equal(fingerprintOf(second), fingerprintOf(first));
    equal(await readFile(join(directory, 'tls/server.pem'), 'utf8'), server);
    equal(await verified(second, root), '200');
    equal((await second.stop()).code, 0);
  });

  test('Operations: settings of HTTPS that can’t be used end the start with one line and code 2', async (t) => {
    const where = await engine.location();
    ok('directory' in where);
    const file = join(where.directory, 'key.pem');
    await writeFile(file, '-----BEGIN CERTIFICATE-----\n-----BEGIN PRIVATE KEY-----\n');
    for (const args of [
      ['--tls-cert', file, '--tls-key', file],
      ['--tls-cert', '/nowhere', '--tls-key', file],
      ['--tls-cert', file],
    ]) {
      const ended = await run(t, { args, environment: { DATA_DIR: join(where.directory, 'data') } });
      equal(ended.code, 2, ended.stderr);
      match(ended.stderr, /^L-Plate can't start\. [^\n]+\n$/);
    }
  });
});

onPostgres((engine) => {
  test('Operations: several workers serve HTTPS with the certificate that was given, and take a renewed one', async (t) => {
    const where = await engine.location();
    ok('url' in where);
    const directory = await mkdtemp(join(tmpdir(), 'l-plate-workers-'));
    t.after(() => rm(directory, { recursive: true }));
    const file = (name: string) => join(directory, name);
    const names = { names: ['localhost'], addresses: ['127.0.0.1'] };
    const authority = await issueAuthority('Test', names, Date.now());
    const put = async () => {
      const pair = await issueServer(authority.intermediate, names, Date.now());
      await writeFile(file('key.pem'), pair.key);
      await writeFile(file('cert.pem'), pair.cert);
    };
    await put();
    await writeFile(file('ca.pem'), authority.root);
    const args = ['--workers', '2', '--tls-cert', file('cert.pem'), '--tls-key', file('key.pem')];
    const program = await startProgram(t, where, { args });
    match(program.stdout(), /listens on https:/);
    for (let call = 0; call < 4; call += 1) equal(await verified(program, file('ca.pem')), '200');
    await put();
    const renewals = () => program.stdout().split('has changed; new connections use the new one').length - 1;
    while (renewals() < 2) await pause(50);
    equal(await verified(program, file('ca.pem')), '200');
    equal((await program.stop()).code, 0);
    const ended = await run(t, {
      args: ['--workers', '2', '--tls-cert', file('ca.pem'), '--tls-key', file('key.pem')],
      environment: { DATABASE_URL: where.url, HMAC_SECRET: 'a', READER_CLIENT_SECRET: 'b', FLEET_CLIENT_SECRET: 'c' },
    });
    equal(ended.code, 2, ended.stderr);
    match(ended.stderr, /^L-Plate can't start\. HTTPS: [^\n]+\n$/);
  });
});
