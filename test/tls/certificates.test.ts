import { deepEqual, equal, match, notEqual, ok, rejects } from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { copyFile, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:https';
import { isIP } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { connect, type TLSSocket, type TlsOptions } from 'node:tls';
import { promisify } from 'node:util';
import { pino } from 'pino';
import { banner } from '../../src/process/banner.ts';
import { type Config, readConfig } from '../../src/settings/config.ts';
import { StartupError } from '../../src/settings/startup-error.ts';
import { day as dayMs } from '../../src/time/units.ts';
import { classAuthority } from '../../src/tls/class-authority.ts';
import { issueAuthority, issueServer } from '../../src/tls/issue.ts';
import { machineNames } from '../../src/tls/machine-names.ts';
import type { Pair, PairFiles } from '../../src/tls/pair.ts';
import { openTls } from '../../src/tls/tls.ts';
import { onSqlite } from '../support/engines.ts';
import { ask, connectHttp2, newClient, startSecure } from '../support/http2.ts';
import { sign, startLPlate } from '../support/lplate.ts';
import { root as project } from '../support/program.ts';

const names = { names: ['localhost', 'class.local'], addresses: ['127.0.0.1', '::1'], told: ['localhost'] };

async function scratch(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'l-plate-tls-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** The certificates of a file, that of the server first. */
const chainAt = async ({ certFile }: PairFiles) =>
  [...(await readFile(certFile, 'utf8')).matchAll(/-+BEGIN.*?END CERTIFICATE-+/gs)].map(
    ([text]) => new X509Certificate(text),
  );

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

test('Operations: the class authority signs servers only, by a key that is not the root’s; all of it lasts 90 days', async (t) => {
  const now = Date.now();
  const directory = await scratch(t);
  const { root, fingerprint, files } = await classAuthority(directory, names, now);
  const above = new X509Certificate(root);
  const [server, intermediate] = (await chainAt(files)) as [X509Certificate, X509Certificate];
  equal(above.fingerprint256, fingerprint);
  equal(above.ca, true);
  ok(above.verify(above.publicKey));
  ok(intermediate.ca && intermediate.checkIssued(above) && intermediate.verify(above.publicKey));
  equal(server.ca, false);
  ok(server.checkIssued(intermediate) && server.verify(intermediate.publicKey));
  for (const name of await readdir(join(directory, 'tls'))) {
    const text = await readFile(join(directory, 'tls', name), 'utf8');
    if (text.includes('PRIVATE KEY')) ok(!above.checkPrivateKey(createPrivateKey(text)), `${name} is the root’s`);
  }
  equal(server.subjectAltName, 'DNS:localhost, DNS:class.local, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1');
  deepEqual(server.keyUsage, ['1.3.6.1.5.5.7.3.1']);
  ok(server.validFromDate.getTime() < now - dayMs / 2, 'a clock that is late');
  for (const each of [server, intermediate, above]) {
    equal((each.validToDate.getTime() - each.validFromDate.getTime()) / dayMs, 90);
  }
  equal(server.publicKey.asymmetricKeyDetails?.namedCurve, 'prime256v1');
});

test('Operations: the authority stays; its certificate is renewed when a name is missing or it ends within a month', async (t) => {
  const directory = await scratch(t);
  const now = Date.now();
  const first = await classAuthority(directory, names, now);
  const serial = async () => (await certificateAt(first.files)).serialNumber;
  const begun = await serial();
  equal((await classAuthority(directory, names, now + 57 * dayMs)).fingerprint, first.fingerprint);
  equal(await serial(), begun, 'it is renewed too early');
  await classAuthority(directory, { ...names, addresses: ['127.0.0.1'] }, now);
  equal(await serial(), begun, 'one name less needs no new certificate');
  await classAuthority(directory, { ...names, addresses: ['192.168.2.7'] }, now);
  const renewed = await serial();
  ok(renewed !== begun);
  ok((await certificateAt(first.files)).checkIP('192.168.2.7'));
  const last = await classAuthority(directory, names, now + 59 * dayMs);
  ok(last.fingerprint !== first.fingerprint, 'an authority near its end');
  ok(!new X509Certificate(last.root).publicKey.equals(new X509Certificate(first.root).publicKey));
  match(last.replaced ?? '', /^it ends on \d{4}-/);
  ok((await serial()) !== renewed);
  const [, intermediate] = await chainAt(last.files);
  ok(intermediate?.verify(new X509Certificate(last.root).publicKey));
});

test('Operations: an authority goes on while the names that callers are told are those it can sign for; others are left out', async (t) => {
  const directory = await scratch(t);
  const now = Date.now();
  const own = { names: ['laptop', 'laptop.school.example'], addresses: ['8.8.8.8', '2001:db8::5'], told: ['8.8.8.8'] };
  const first = await classAuthority(directory, own, now);
  equal(first.replaced, undefined);
  const moved = { names: ['laptop.cafe.example'], addresses: ['10.9.8.7', '172.31.0.1', 'fd12::1', '2001:db8::6'] };
  const next = await classAuthority(directory, { ...moved, told: ['10.9.8.7', 'class.local', 'www.laptop'] }, now);
  deepEqual([next.fingerprint, next.replaced], [first.fingerprint, undefined]);
  const { subjectAltName } = await certificateAt(next.files);
  equal(subjectAltName, 'IP Address:10.9.8.7, IP Address:172.31.0.1, IP Address:FD12:0:0:0:0:0:0:1');
  for (const host of ['8.8.4.4', 'class.example', '2001:db8::6', '172.32.0.1', 'laptop.school.example.org']) {
    const last = await classAuthority(directory, { names: [], addresses: [], told: [host] }, now);
    equal(last.replaced, `it can't sign for ${host}`);
    await classAuthority(directory, own, now);
  }
});

test('Operations: an authority that was made under another name of the machine is replaced at a start, which says so, and signs for the name', async (t) => {
  const directory = await scratch(t);
  const now = Date.now();
  const first = await classAuthority(directory, { ...names, names: ['localhost', 'laptop'], machine: 'laptop' }, now);
  equal(first.replaced, undefined);
  const same = await classAuthority(
    directory,
    { ...names, names: ['localhost', 'laptop.school.example'], machine: 'laptop' },
    now,
  );
  deepEqual([same.fingerprint, same.replaced], [first.fingerprint, undefined], 'another domain');
  const unnamed = await classAuthority(directory, names, now);
  equal(unnamed.fingerprint, first.fingerprint, 'callers are told another name');
  const other = { ...names, names: ['localhost', 'desk'], machine: 'desk' };
  const next = await classAuthority(directory, other, now);
  equal(next.replaced, 'it was made under another name, laptop, and this machine is desk');
  equal((await certificateAt(next.files)).checkHost('desk'), 'desk');
  equal((await classAuthority(directory, other, now)).replaced, undefined);
  deepEqual(
    machineNames({ host: '0.0.0.0', publicUrl: 'https://class.example', publicUrlGiven: true }).machine,
    undefined,
  );
});

onSqlite((engine) => {
  test('Operations: a start with --tls self in a folder of another machine says on the terminal that the authority is new, and why', async (t) => {
    const location = await engine.location();
    ok('directory' in location);
    const { replaced: _, ...first } = await classAuthority(
      location.directory,
      { ...names, machine: 'elsewhere' },
      Date.now(),
    );
    const { lplate } = await startSecure(t, { ...engine, location: async () => location });
    notEqual(lplate.authorityFingerprint, first.fingerprint);
    match(
      banner(lplate.config, lplate),
      /THE CLASS AUTHORITY IS NEW, since it was made under another name, elsewhere, .*: everyone must trust it anew, as https:.*\/ca says\./,
    );
    ok(lplate.log.some((line) => line.includes('there is a new class authority')));
  });
});

test('Operations: whatever the key of the authority signs, a verifier takes local names and networks and those of the machine only', async (t) => {
  const directory = await scratch(t);
  const file = (name: string) => join(directory, name);
  const machine = { names: ['laptop.school.example', 'localhost'], addresses: ['8.8.8.8', '2001:db8::5'] };
  const { root, intermediate } = await issueAuthority('Test', machine, Date.now());
  await writeFile(file('ca.pem'), root);
  await writeFile(file('intermediate.pem'), intermediate.cert);
  const verified = async (host: string) => {
    const hosts = isIP(host) ? { names: [], addresses: [host] } : { names: [host], addresses: [] };
    await writeFile(file('server.pem'), (await issueServer(intermediate, hosts, Date.now())).cert);
    const args = ['verify', '-CAfile', file('ca.pem'), '-untrusted', file('intermediate.pem'), file('server.pem')];
    const { stdout } = await promisify(execFile)('openssl', args).catch((error) => error as { stdout: string });
    return stdout.trim().endsWith(': OK');
  };
  const taken = [
    ...['localhost', 'a.localhost', 'room.local', 'laptop.school.example', 'www.laptop.school.example'],
    ...['127.0.0.1', '127.255.255.255', '10.0.0.0', '10.255.255.255', '172.16.0.0', '172.31.255.255', '192.168.0.0'],
    ...['192.168.255.255', '8.8.8.8', '::1', 'fc00::', 'fdff:ffff::1', '2001:db8::5'],
  ];
  const refused = [
    ...['evil.example', 'local.evil.example', 'evillocal', 'school.example', 'evil-laptop.school.example', '*.example'],
    ...['126.255.255.255', '128.0.0.0', '9.255.255.255', '11.0.0.0', '172.15.255.255', '172.32.0.0', '192.167.255.255'],
    ...['192.169.0.0', '8.8.8.9', '::2', 'fbff::1', 'fe00::', 'fe80::1', '2001:db8::6', '::7f00:1'],
  ];
  for (const host of taken) ok(await verified(host), `${host} is refused`);
  for (const host of refused) ok(!(await verified(host)), `${host} is taken`);
});

test('Operations: an authority without constraints, of an earlier version, is replaced, and its key removed', async (t) => {
  const directory = await scratch(t);
  const tls = join(directory, 'tls');
  const old =
    'mkdir tls; openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -noenc -days 3650 -subj /CN=old -addext keyUsage=keyCertSign -keyout tls/ca-key.pem -out tls/ca.pem';
  execFileSync('bash', ['-ec', old], { cwd: directory, stdio: 'ignore' });
  const before = new X509Certificate(await readFile(join(tls, 'ca.pem')));
  const { fingerprint, replaced } = await classAuthority(directory, names, Date.now());
  ok(fingerprint !== before.fingerprint256);
  equal(replaced, 'that of an earlier version could sign for any website');
  const files = ['ca.pem', 'intermediate-key.pem', 'intermediate.pem', 'server-key.pem', 'server.pem'];
  deepEqual((await readdir(tls)).toSorted(), files);
  equal((await classAuthority(directory, names, Date.now())).fingerprint, fingerprint);
});

test('Operations: what a crash or a broken disk leaves of the authority’s files is whole at the next start', async (t) => {
  const directory = await scratch(t);
  const tls = (name: string) => join(directory, 'tls', name);
  const first = await classAuthority(directory, names, Date.now());
  await writeFile(tls('server.pem'), 'half');
  equal((await classAuthority(directory, names, Date.now())).fingerprint, first.fingerprint);
  await copyFile(tls('intermediate-key.pem'), tls('server-key.pem'));
  equal((await classAuthority(directory, names, Date.now())).fingerprint, first.fingerprint);
  ok((await certificateAt(first.files)).checkPrivateKey(createPrivateKey(await readFile(tls('server-key.pem')))));
  await rm(tls('intermediate.pem'));
  const next = await classAuthority(directory, names, Date.now());
  ok(next.fingerprint !== first.fingerprint);
  equal((await chainAt(next.files))[1]?.checkIssued(new X509Certificate(next.root)), true);
  await rm(tls('ca.pem'));
  await rejects(classAuthority(directory, names, Date.now()), /HTTPS can't start: .*ca\.pem.* Restore all files/);
});

test('Operations: an authority is renewed with a new key while the service runs, a month before it ends, and the log tells', async (t) => {
  const dataDir = await scratch(t);
  const lines: string[] = [];
  const log = pino({ base: null }, { write: (line) => void lines.push(line) });
  const tls = await openTls({ ...(readConfig(['--tls', 'self'], {}) as Config), dataDir }, log);
  ok(tls?.authority);
  t.after(() => tls.close());
  const { fingerprint, renewAt, endsAt } = tls.authority;
  const taken = new Promise<TlsOptions>((resolve) => tls.onChange(resolve));
  await tls.keepUp(renewAt - 1);
  deepEqual([tls.authority.fingerprint, lines], [fingerprint, []]);
  ok(endsAt - renewAt >= 30 * dayMs);
  await tls.keepUp(renewAt + 1);
  const renewed = tls.authority.fingerprint;
  ok(renewed !== fingerprint);
  match(lines.join(''), new RegExp(`"level":40.*"fingerprint":"${renewed}".*everyone must trust it anew, as /ca says`));
  const { cert } = await taken;
  const [, intermediate] = String(cert).split(/(?<=END CERTIFICATE-+\n)/);
  ok(new X509Certificate(intermediate ?? '').checkIssued(new X509Certificate(tls.authority.root)));
});

test('Operations: the keys of the authority can be read by its user only, and damage is told in one line', async (t) => {
  const directory = await scratch(t);
  await classAuthority(directory, names, Date.now());
  const tls = join(directory, 'tls');
  for (const [name, mode] of [
    ['', 0o700],
    ['intermediate-key.pem', 0o600],
    ['server-key.pem', 0o600],
  ] as const) {
    equal((await stat(join(tls, name))).mode & 0o777, mode, name);
  }
  await copyFile(join(tls, 'server-key.pem'), join(tls, 'intermediate-key.pem'));
  const damaged = classAuthority(directory, names, Date.now());
  await rejects(damaged, (error: StartupError) => {
    match(
      error.message,
      /^HTTPS can't start: the key in .*intermediate-key\.pem does not belong to .*intermediate\.pem\. Restore all/,
    );
    return error.exitCode === 1 && !error.message.includes('\n');
  });
});

test('Operations: a certificate names the machine, also where PUBLIC_URL and HOST say more', () => {
  const given = { publicUrl: 'https://[2001:db8::1]:8443', publicUrlGiven: true };
  const { names, addresses, told } = machineNames({ ...given, host: '0.0.0.0' });
  deepEqual(told, ['2001:db8::1']);
  ok(names.includes('localhost') && names.some((name) => name.endsWith('.local')), `${names}`);
  for (const address of ['127.0.0.1', '::1', '2001:db8::1']) ok(addresses.includes(address), address);
  ok(!addresses.includes('0.0.0.0'));
  ok(
    machineNames({ host: '::', publicUrl: 'https://lplate.example', publicUrlGiven: true }).names.includes(
      'lplate.example',
    ),
  );
});

onSqlite((engine) => {
  test('Operations: files of HTTPS that can’t be used stop the start in one line; one that has expired is warned of', async (t) => {
    const directory = await scratch(t);
    const files = { certFile: join(directory, 'cert.pem'), keyFile: join(directory, 'key.pem') };
    const { intermediate } = await issueAuthority('Test', names, Date.now());
    const [one, other] = [
      await issueServer(intermediate, names, Date.now()),
      await issueServer(intermediate, names, Date.now()),
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
    const early = await issueAuthority('Test', names, Date.now() - 500 * dayMs);
    await put(files, await issueServer(early.intermediate, names, Date.now() - 500 * dayMs));
    const lplate = await begin();
    t.after(() => lplate.close());
    match(lplate.log.join(''), /"level":40.*the certificate for HTTPS ended on \d{4}-\d\d-\d\d/);
  });

  test('Operations: a renewed certificate is taken without a restart while connections stay; a bad one changes nothing', async (t) => {
    const directory = await scratch(t);
    const files = { certFile: join(directory, 'cert.pem'), keyFile: join(directory, 'key.pem') };
    const authority = await issueAuthority('Test', names, Date.now());
    await put(files, await issueServer(authority.intermediate, names, Date.now()));
    const lplate = await startLPlate(t, engine, { tlsCert: files.certFile, tlsKey: files.keyFile });
    const { port } = lplate.config;
    const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: authority.root });
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
    const session = connectHttp2(t, { lplate, root: authority.root });
    equal(await ready(), 200);
    equal((await ask(session, { ':path': '/readyz' })).status, 200);
    const before = await presented(port);

    await put(files, await issueServer(authority.intermediate, names, Date.now()));
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
    await put(files, await issueServer(authority.intermediate, names, Date.now()));
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

  test('Operations: with client certificates the signed check tells what it saw; the commands of the guide make them, and solve the lesson', async (t) => {
    const directory = await scratch(t);
    const guide = await readFile(join(project, 'docs/operations.md'), 'utf8');
    const [, section = ''] = guide.split('### Client certificates');
    const [make = '', call = '', bind = ''] = [...section.matchAll(/```sh\n(.*?)```/gs)].map(([, text = '']) => text);
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
    const foreign =
      'openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -noenc -subj /CN=Foreign -addext keyUsage=keyCertSign -keyout foreign-key.pem -out foreign.pem';
    execFileSync('bash', ['-ec', foreign], { cwd: directory, stdio: 'ignore' });
    const other = await check({ cert: await read('foreign.pem'), key: await read('foreign-key.pem') });
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
    const run = async (commands: string, variables: Record<string, string>) => {
      const here = commands.replaceAll('localhost:8080', `localhost:${lplate.config.port}`);
      const env = { ...process.env, ...variables };
      return (await promisify(execFile)('bash', ['-ec', here], { cwd: directory, env })).stdout;
    };
    const checked = await run(call, { HMAC_SECRET: lplate.secrets.hmacSecret });
    equal(JSON.parse(checked).clientCertificate.subject, 'CN=Learner 1');
    const client = await newClient(connectHttp2(t, secure));
    match(await run(bind, { CLIENT_ID: client.id, CLIENT_SECRET: client.secret }), /"status":401,.*\}\{"items":\[\]/s);
    const lesson = { ':path': '/range/v1/me/lessons/mutual-tls', authorization: `Bearer ${client.token}` };
    equal((await ask(connectHttp2(t, secure), lesson)).json.state, 'solved');
    const description = await ask(connectHttp2(t, secure), { ':path': '/insurer/v1/openapi.yaml' });
    ok(description.text.includes('CertifiedPolicyCheckResult'));
    const plain = await startLPlate(t, engine);
    ok(!(await (await fetch(`${plain.url}/insurer/v1/openapi.yaml`)).text()).includes('lientCertificate'));
  });
});
