import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { copyFile, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { connect, type TLSSocket } from 'node:tls';
import { promisify } from 'node:util';
import { StartupError } from '../../src/settings/startup-error.ts';
import { classAuthority } from '../../src/tls/class-authority.ts';
import { issueAuthority, issueServer } from '../../src/tls/issue.ts';
import { machineNames } from '../../src/tls/machine-names.ts';
import type { Pair, PairFiles } from '../../src/tls/pair.ts';
import { onSqlite } from '../support/engines.ts';
import { ask, connectHttp2, startSecure } from '../support/http2.ts';
import { sign, startLPlate } from '../support/lplate.ts';
import { root as project } from '../support/program.ts';

const dayMs = 24 * 60 * 60 * 1000;
const names = { names: ['localhost', 'class.local'], addresses: ['127.0.0.1', '::1'] };

async function scratch(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'l-plate-tls-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

const certificateAt = async ({ certFile }: PairFiles) => new X509Certificate(await readFile(certFile));

async function put(files: PairFiles, { cert, key }: Pair): Promise<void> {
  for (const [file, text] of [
    [files.certFile, cert],
    [files.keyFile, key],
  ] as const) {
    // As those do who renew certificates: a new file takes the place of the old one.
    await writeFile(`${file}.tmp`, text);
    await rename(`${file}.tmp`, file);
  }
}

/** The certificate that a new connection meets. */
async function presented(port: number): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const { fingerprint256 } = socket.getPeerCertificate();
  socket.destroy();
  return fingerprint256;
}

test('Operations: the class authority signs servers only, and its certificate names the machine and lasts at most 397 days', async (t) => {
  const now = Date.now();
  const { root, fingerprint, files } = await classAuthority(await scratch(t), names, now);
  const above = new X509Certificate(root);
  const server = await certificateAt(files);
  equal(above.fingerprint256, fingerprint);
  equal(above.ca, true);
  ok(above.verify(above.publicKey));
  equal(server.ca, false);
  ok(server.checkIssued(above) && server.verify(above.publicKey));
  equal(server.subjectAltName, 'DNS:localhost, DNS:class.local, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1');
  deepEqual(server.keyUsage, ['1.3.6.1.5.5.7.3.1']);
  ok(server.validFromDate.getTime() < now - dayMs / 2, 'a clock that is late');
  equal((server.validToDate.getTime() - server.validFromDate.getTime()) / dayMs, 397);
  equal(server.publicKey.asymmetricKeyDetails?.namedCurve, 'prime256v1');
});

test('Operations: the authority stays; its certificate is renewed when a name is missing or it ends within a month', async (t) => {
  const directory = await scratch(t);
  const now = Date.now();
  const first = await classAuthority(directory, names, now);
  const serial = async () => (await certificateAt(first.files)).serialNumber;
  const begun = await serial();
  equal((await classAuthority(directory, names, now + 300 * dayMs)).fingerprint, first.fingerprint);
  equal(await serial(), begun, 'it is renewed too early');
  await classAuthority(directory, { ...names, addresses: ['127.0.0.1'] }, now);
  equal(await serial(), begun, 'one name less needs no new certificate');
  await classAuthority(directory, { ...names, addresses: ['192.0.2.7'] }, now);
  const renewed = await serial();
  ok(renewed !== begun);
  ok((await certificateAt(first.files)).checkIP('192.0.2.7'));
  await classAuthority(directory, { ...names, addresses: ['192.0.2.7'] }, now + 370 * dayMs);
  ok((await serial()) !== renewed);
  const last = await classAuthority(directory, names, now + 3640 * dayMs);
  ok(last.fingerprint !== first.fingerprint, 'an authority near its end');
  ok((await certificateAt(last.files)).verify(new X509Certificate(last.root).publicKey));
});

test('Operations: the keys of the authority can be read by its user only, and damage is told in one line', async (t) => {
  const directory = await scratch(t);
  await classAuthority(directory, names, Date.now());
  const tls = join(directory, 'tls');
  for (const [name, mode] of [
    ['', 0o700],
    ['ca-key.pem', 0o600],
    ['server-key.pem', 0o600],
  ] as const) {
    equal((await stat(join(tls, name))).mode & 0o777, mode, name);
  }
  await copyFile(join(tls, 'server-key.pem'), join(tls, 'ca-key.pem'));
  const damaged = classAuthority(directory, names, Date.now());
  await rejects(damaged, (error: StartupError) => {
    match(error.message, /^HTTPS can't start: the key in .*ca-key\.pem does not belong to .*ca\.pem\. Restore both/);
    return error.exitCode === 1 && !error.message.includes('\n');
  });
});

test('Operations: a certificate names the machine, also where PUBLIC_URL and HOST say more', () => {
  const { names, addresses } = machineNames({ host: '0.0.0.0', publicUrl: 'https://[2001:db8::1]:8443' });
  ok(names.includes('localhost') && names.some((name) => name.endsWith('.local')), `${names}`);
  for (const address of ['127.0.0.1', '::1', '2001:db8::1']) ok(addresses.includes(address), address);
  ok(!addresses.includes('0.0.0.0'));
  ok(machineNames({ host: '::', publicUrl: 'https://lplate.example' }).names.includes('lplate.example'));
});

onSqlite((engine) => {
  test('Operations: files of HTTPS that can’t be used stop the start in one line; one that has expired is warned of', async (t) => {
    const directory = await scratch(t);
    const files = { certFile: join(directory, 'cert.pem'), keyFile: join(directory, 'key.pem') };
    const authority = await issueAuthority('Test', Date.now());
    const [one, other] = [
      await issueServer(authority, names, Date.now()),
      await issueServer(authority, names, Date.now()),
    ];
    const begin = () => startLPlate(engine, { tlsCert: files.certFile, tlsKey: files.keyFile });
    const encrypted = execFileSync('openssl', ['pkcs8', '-topk8', '-passout', 'pass:x'], {
      input: one.key,
      encoding: 'utf8',
    });
    const wrong: [Pair, RegExp][] = [
      [{ cert: one.cert, key: other.key }, /does not belong to the certificate/],
      [
        { cert: one.cert, key: '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n' },
        /no valid private key/,
      ],
      [
        { cert: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n', key: one.key },
        /no valid certificate/,
      ],
      [{ cert: one.cert, key: encrypted }, /without a passphrase/],
    ];
    for (const [pair, message] of wrong) {
      await put(files, pair);
      await rejects(begin, (error: StartupError) => {
        match(error.message, message);
        return error instanceof StartupError && error.exitCode === 2 && !error.message.includes('\n');
      });
    }
    await put(files, await issueServer(authority, names, Date.now() - 500 * dayMs));
    const lplate = await begin();
    t.after(() => lplate.close());
    match(lplate.log.join(''), /"level":40.*the certificate for HTTPS ended on \d{4}-\d\d-\d\d/);
  });

  test('Operations: a renewed certificate is taken without a restart while connections stay; a bad one changes nothing', async (t) => {
    const directory = await scratch(t);
    const files = { certFile: join(directory, 'cert.pem'), keyFile: join(directory, 'key.pem') };
    const authority = await issueAuthority('Test', Date.now());
    await put(files, await issueServer(authority, names, Date.now()));
    const lplate = await startLPlate(t, engine, { tlsCert: files.certFile, tlsKey: files.keyFile });
    const { port } = lplate.config;
    const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: authority.cert });
    t.after(() => agent.destroy());
    const sockets = new Set<TLSSocket>();
    const ready = () =>
      new Promise<number | undefined>((resolve, reject) => {
        const asked = request({ port, host: '127.0.0.1', path: '/readyz', agent }, (answer) => {
          answer.resume().on('end', () => resolve(answer.statusCode));
        });
        asked
          .on('socket', (socket) => sockets.add(socket as TLSSocket))
          .on('error', reject)
          .end();
      });
    const session = connectHttp2(t, { lplate, root: authority.cert });
    equal(await ready(), 200);
    equal((await ask(session, { ':path': '/readyz' })).status, 200);
    const before = await presented(port);

    await put(files, await issueServer(authority, names, Date.now()));
    const renewed = (await certificateAt(files)).fingerprint256;
    ok(renewed !== before);
    while ((await presented(port)) !== renewed) await pause(50);
    equal(await ready(), 200);
    equal((await ask(session, { ':path': '/readyz' })).status, 200);
    equal(sockets.size, 1, 'the connection was closed');

    const refusals = () => lplate.log.filter((line) => line.includes('can’t be used; the old one stays'));
    await writeFile(files.certFile, 'no certificate');
    while (refusals().length === 0) await pause(50);
    await pause(1200);
    equal(refusals().length, 1);
    match(refusals()[0] as string, /"level":50.*cert\.pem has no valid certificate/);
    equal(await presented(port), renewed);
    await rm(files.certFile);
    while (refusals().length === 1) await pause(50);
    await put(files, await issueServer(authority, names, Date.now()));
    const last = (await certificateAt(files)).fingerprint256;
    while ((await presented(port)) !== last) await pause(50);
  });

  test('Operations: a call by plain HTTP to a port of HTTPS is told so', async (t) => {
    const { lplate } = await startSecure(t, engine);
    const answer = await fetch(`http://localhost:${lplate.config.port}/healthz`);
    const { type, detail } = (await answer.json()) as { type: string; detail: string };
    deepEqual([answer.status, type.split('/').at(-1)], [400, 'malformed-request']);
    match(detail, /^This port speaks HTTPS only\. Call https:\/\/localhost:\d+ instead\.$/);
  });

  test('Operations: the root of the class authority is at /ca.pem; /ca says how to trust it; without one there is neither', async (t) => {
    const secure = await startSecure(t, engine);
    const session = connectHttp2(t, secure);
    const file = await ask(session, { ':path': '/ca.pem' });
    deepEqual([file.headers.get('content-type'), file.text], ['application/x-x509-ca-cert', secure.root]);
    const page = await ask(session, { ':path': '/ca' });
    ok(page.text.includes(secure.lplate.authorityFingerprint as string));
    ok(page.text.includes(`https://localhost:${secure.lplate.config.port}/ca.pem`));
    ok((await ask(session, { ':path': '/' })).text.includes('/ca'));
    const plain = await startLPlate(t, engine);
    for (const path of ['/ca', '/ca.pem']) equal((await fetch(`${plain.url}${path}`)).status, 404);
  });

  test('Operations: with client certificates the signed check tells what it saw; the commands of the guide make them', async (t) => {
    const directory = await scratch(t);
    const guide = await readFile(join(project, 'docs/operations.md'), 'utf8');
    const [, section = ''] = guide.split('### Client certificates');
    const [make = '', call = ''] = [...section.matchAll(/```sh\n(.*?)```/gs)].map(([, text = '']) => text);
    execFileSync('bash', ['-ec', make], { cwd: directory, stdio: 'ignore' });
    const tlsClientCa = await readFile(join(directory, 'client-ca.pem'), 'utf8');
    const secure = await startSecure(t, engine, { tlsClientCa });
    const { lplate, root } = secure;
    await writeFile(join(directory, 'lplate-ca.pem'), root);
    const body = '{"regNumber":"AB-1234"}';
    const check = async (files: { cert?: Buffer; key?: Buffer }) => {
      const session = connectHttp2(t, secure, files);
      const headers = {
        ':method': 'POST',
        ':path': '/insurer/v1/signed/policy-check',
        'content-type': 'application/json',
      };
      const { status, json } = await ask(session, { ...headers, 'x-signature': sign(body) }, body);
      equal(status, 200);
      equal(json.insured, false);
      return json.clientCertificate;
    };
    const read = (name: string) => readFile(join(directory, name));
    const own = { cert: await read('client.pem'), key: await read('client-key.pem') };
    deepEqual(await check(own), {
      status: 'accepted',
      subject: 'CN=Learner 1',
      fingerprint: new X509Certificate(own.cert).fingerprint256,
    });
    equal((await check({})).status, 'missing');
    const foreign = await issueAuthority('Foreign', Date.now());
    const other = await check({ cert: Buffer.from(foreign.cert), key: Buffer.from(foreign.key) });
    match(other.reason, /^It is not for clients/);
    const ownKey = make.slice(make.indexOf('openssl', 10)).replace(/-CA\S* \S+ -CAkey \S+/, '');
    execFileSync('bash', ['-ec', ownKey], { cwd: directory, stdio: 'ignore' });
    const stranger = { cert: await read('client.pem'), key: await read('client-key.pem') };
    const refused = await check(stranger);
    deepEqual(
      [refused.status, refused.reason],
      ['refused', 'It is signed by its own key, not by an authority that this service knows.'],
    );
    await Promise.all([
      writeFile(join(directory, 'client.pem'), own.cert),
      writeFile(join(directory, 'client-key.pem'), own.key),
    ]);
    const { stdout } = await promisify(execFile)(
      'bash',
      ['-ec', call.replace('localhost:8080', `localhost:${lplate.config.port}`)],
      { cwd: directory, env: { ...process.env, HMAC_SECRET: lplate.secrets.hmacSecret } },
    );
    equal(JSON.parse(stdout).clientCertificate.subject, 'CN=Learner 1');
    const description = await ask(connectHttp2(t, secure), { ':path': '/insurer/v1/openapi.yaml' });
    ok(description.text.includes('CertifiedPolicyCheckResult'));
    const plain = await startLPlate(t, engine);
    ok(!(await (await fetch(`${plain.url}/insurer/v1/openapi.yaml`)).text()).includes('lientCertificate'));
  });
});
