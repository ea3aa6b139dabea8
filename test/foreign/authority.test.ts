import { deepEqual } from 'node:assert/strict';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { programPath } from './support/programs.ts';
import { type Place, toolTest } from './support/tool-test.ts';
import { call, jdk, python } from './support/tools.ts';

/* What somebody can do who has the key of a class authority: certificates that OpenSSL signs with it, to five verifiers. */

const [label = ''] = hostname().toLowerCase().split('.');

/** The host of each forged certificate, its subject, its names, and whether another intermediate is in between. */
const forged: [host: string, subject: string, names: string, nested?: true][] = [
  ['evil.example', '/CN=x', 'DNS:evil.example'],
  ['evil.example', '/CN=x', 'DNS:localhost,DNS:evil.example'],
  ['evil.example', '/CN=evil.example', ''],
  ['evil.example', '/CN=evil.example', 'IP:127.0.0.1'],
  ['evil.example', '/CN=evil.example', 'email:a@evil.example'],
  ['www.evil.example', '/CN=x', 'DNS:*.evil.example'],
  ['localhost.evil.example', '/CN=x', 'DNS:localhost.evil.example'],
  ['evillocal', '/CN=x', 'DNS:evillocal'],
  [`evil${label}.example`, '/CN=x', `DNS:evil${label}.example`],
  ['evil.example', '/CN=x', 'DNS:evil.example', true],
  ['room.local', '/CN=x', 'DNS:room.local', true],
];

const own = ['localhost', '127.0.0.1', `${label}.local`, label];

const issue = '-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -noenc -days 30';

/** Serves certificates and a key. Returns its port. */
async function serve({ t }: Place, cert: string, key: string): Promise<number> {
  const server = createServer({ cert, key }, (_request, response) => void response.end()).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** The addresses of servers with forged certificates. */
function forgeAll(place: Place): Promise<string[]> {
  const { folder } = place;
  const tls = join(folder, 'data/tls');
  return Promise.all(
    forged.map(async ([host, subject, names, nested], at) => {
      const leaf = ['basicConstraints=critical,CA:FALSE', 'extendedKeyUsage=serverAuth'];
      if (names) leaf.push(`subjectAltName=${names}`);
      const extensions = leaf.map((each) => `-addext "${each}"`).join(' ');
      const by = nested ? `nested${at}` : join(tls, 'intermediate');
      const commands = [
        `openssl req -x509 ${issue} -subj /CN=nested -CA ${tls}/intermediate.pem -CAkey ${tls}/intermediate-key.pem -addext basicConstraints=critical,CA:TRUE -keyout nested${at}-key.pem -out nested${at}.pem`,
        `openssl req -x509 ${issue} -subj ${subject} -CA ${by}.pem -CAkey ${by}-key.pem ${extensions} -keyout ${at}-key.pem -out ${at}.pem`,
        `cat ${at}.pem ${nested ? `nested${at}.pem` : ''} ${tls}/intermediate.pem > ${at}-chain.pem`,
      ];
      await call('bash', ['-ec', commands.join('\n')], { cwd: folder });
      const read = (name: string) => readFile(join(folder, name), 'utf8');
      return `https://${host}:${await serve(place, await read(`${at}-chain.pem`), await read(`${at}-key.pem`))}/`;
    }),
  );
}

/** What each verifier makes of each address, by name. */
async function verify({ folder }: Place, addresses: readonly string[]): Promise<Record<string, string[]>> {
  const ca = join(folder, 'data/tls/ca.pem');
  const store = join(folder, 'trust.p12');
  const inShell = async (command: (url: URL) => string) => {
    const lines = addresses.map(
      (address) => `if ${command(new URL(address))} > out 2>&1; then echo taken; else echo refused; fi`,
    );
    return lined((await call('bash', ['-c', lines.join('\n')], { cwd: folder })).stdout);
  };
  const names = [...new Set(addresses.map((address) => new URL(address).hostname))].filter(
    (name) => !/^[\d.]+$/.test(name),
  );
  await writeFile(join(folder, 'hosts'), `127.0.0.1 ${names.join(' ')}\n`);
  const trusted = ['-storetype', 'PKCS12', '-storepass', 'changeit'];
  await call(jdk('keytool'), ['-importcert', '-noprompt', '-file', ca, '-keystore', store, ...trusted]).catch(() => {});
  const properties = { trustStore: store, trustStorePassword: 'changeit' };
  const java = Object.entries(properties).map(([name, value]) => `-Djavax.net.ssl.${name}=${value}`);
  const options = { cwd: folder, environment: { NODE_EXTRA_CA_CERTS: ca } };
  return {
    openssl: await inShell(({ hostname: host, port }) => {
      const check = /^[\d.]+$/.test(host) ? '-verify_ip' : '-verify_hostname';
      return `openssl s_client -connect 127.0.0.1:${port} -CAfile ${ca} -verify_return_error ${check} ${host} < /dev/null`;
    }),
    curl: await inShell(
      ({ hostname: host, port, href }) =>
        `curl -s --noproxy '*' --resolve ${host}:${port}:127.0.0.1 --cacert ${ca} ${href}`,
    ),
    node: lined((await call(process.execPath, [programPath('trust.ts'), ...addresses], options)).stdout),
    python: lined((await python([programPath('trust.py'), ca, ...addresses])).stdout),
    java: lined(
      (
        await call(
          jdk('java'),
          [...java, '-Djdk.net.hosts.file=hosts', programPath('Trust.java'), ...addresses],
          options,
        )
      ).stdout,
    ),
  };
}

const lined = (text: string) => text.trim().split('\n');

const settings = { args: ['--tls', 'self'], runtime: 'java' } as const;

toolTest(
  ['requests'],
  'Operations: the key of a class authority forges no name but local ones and those of the machine: OpenSSL, curl, Node.js, Python, Java',
  settings,
  async (place) => {
    const foreign = await verify(place, await forgeAll(place));
    for (const [tool, verdicts] of Object.entries(foreign))
      deepEqual(
        verdicts,
        forged.map(() => 'refused'),
        tool,
      );
    const tls = (name: string) => readFile(join(place.folder, 'data/tls', name), 'utf8');
    const port = await serve(place, await tls('server.pem'), await tls('server-key.pem'));
    const addresses = own.map((host) => `https://${host}:${port}/`);
    for (const [tool, verdicts] of Object.entries(await verify(place, addresses))) {
      deepEqual(
        verdicts,
        own.map(() => 'taken'),
        tool,
      );
    }
  },
);
