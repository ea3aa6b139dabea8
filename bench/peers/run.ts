import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { cpus, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { autocannon } from '../autocannon.ts';
import { endWithUs, newDirectory } from '../cleanup.ts';
import { connections } from '../load.ts';
import { memoryOf } from './memory.ts';

/*
 * npm run bench:peers: L-Plate beside other programs that answer for a service in tests. Fetches each in the version that is
 * pinned here into a folder that goes afterwards, starts them in turn as they are delivered, and prints a table. Needs Linux,
 * npm, Java, Maven and Go; what lacks its program is left out, and named.
 *
 *   npm run bench:peers                      all, three times
 *   npm run bench:peers -- prism wiremock    these and L-Plate
 *   npm run bench:peers -- --quick           once, briefly: for a look, not for a figure to quote
 */

interface Peer {
  readonly name: string;
  readonly version: string;
  /** What it can answer of the same thing: coverage options by our description or a stub, else a small answer of its own. */
  readonly path: string;
  readonly headers?: Record<string, string>;
  fetch(): void;
  command(port: number): readonly string[];
  readonly environment?: (port: number) => Record<string, string>;
}

interface Figures {
  /** Milliseconds from the start of the process to its first answer. */
  readonly start: number;
  /** Megabytes of all its processes, two seconds after that. */
  readonly memory: number;
  /** 0 for a program that ends the connection with each answer: autocannon counts none of these. */
  readonly perSecond: number;
}

const root = join(import.meta.dirname, '../..');
const folder = newDirectory(tmpdir());
const [java, go] = [join(folder, 'java'), join(folder, 'go')];
const description = join(folder, 'insurer.yaml');
const options = '/coverage-options';
/** The answer that L-Plate gives, for those who are told what to answer. */
let answer = '';

const run = (file: string, args: readonly string[], environment = {}) =>
  execFileSync(file, args, {
    cwd: folder,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
const npm = (name: string, version: string) =>
  run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', `${name}@${version}`]);
const bin = (name: string) => join(folder, 'node_modules/.bin', name);

/** Brings a library and what it needs from Maven Central into a folder of its own. */
function maven(groupId: string, artifactId: string, version: string): void {
  const pom = join(folder, `${artifactId}.xml`);
  writeFileSync(
    pom,
    `<project><modelVersion>4.0.0</modelVersion><groupId>bench</groupId><artifactId>peers</artifactId><version>1</version>
     <dependencies><dependency><groupId>${groupId}</groupId><artifactId>${artifactId}</artifactId><version>${version}</version>
     </dependency></dependencies></project>`,
  );
  const goal = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies';
  run('mvn', ['-B', '-q', '-f', pom, goal, `-DoutputDirectory=${join(java, artifactId)}`]);
}

const lplate: Peer = {
  name: 'L-Plate',
  version: JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version,
  path: `/insurer/v1${options}`,
  fetch() {
    run(process.execPath, [join(root, 'package/build.js')]);
    npm('l-plate', `file:${join(root, 'dist/package')}`);
  },
  // Every other program answers without end, and so does it for once.
  command: (port) => {
    const settings = ['--port', `${port}`, '--data-dir', 'memory', '--rate-limit-per-minute', 'off'];
    return [process.execPath, join(folder, 'node_modules/l-plate/bin/lplate.js'), ...settings];
  },
};

const peers: Readonly<Record<string, Peer>> = {
  prism: {
    name: 'Prism',
    version: '5.16.0',
    path: options,
    fetch: () => npm('@stoplight/prism-cli', '5.16.0'),
    command: (port) => [process.execPath, bin('prism'), 'mock', '--port', `${port}`, description],
  },
  mockoon: {
    name: 'Mockoon CLI',
    version: '9.9.0',
    path: `/insurer/v1${options}`,
    fetch: () => npm('@mockoon/cli', '9.9.0'),
    command: (port) => [process.execPath, bin('mockoon-cli'), 'start', '--data', description, '--port', `${port}`],
  },
  wiremock: {
    name: 'WireMock',
    version: '3.13.2',
    path: options,
    fetch() {
      maven('org.wiremock', 'wiremock-standalone', '3.13.2');
      mkdirSync(join(folder, 'mappings'), { recursive: true });
      const stub = {
        request: { method: 'GET', urlPath: options },
        response: { status: 200, body: answer, headers: { 'Content-Type': 'application/json' } },
      };
      writeFileSync(join(folder, 'mappings/options.json'), JSON.stringify(stub));
    },
    command: (port) => {
      const jar = join(java, 'wiremock-standalone/wiremock-standalone-3.13.2.jar');
      return ['java', '-jar', jar, '--port', `${port}`, '--root-dir', folder];
    },
  },
  'stripe-mock': {
    name: 'stripe-mock',
    version: '0.203.0',
    path: '/v1/country_specs/US',
    headers: { Authorization: 'Bearer sk_test_123' },
    fetch: () => run('go', ['install', 'github.com/stripe/stripe-mock@v0.203.0'], { GOBIN: go }),
    command: (port) => [join(go, 'stripe-mock'), '-http-port', `${port}`],
  },
  'mock-oauth2-server': {
    name: 'mock-oauth2-server',
    version: '6.0.2',
    path: '/default/.well-known/openid-configuration',
    fetch: () => maven('no.nav.security', 'mock-oauth2-server', '6.0.2'),
    command: () => {
      const place = join(java, 'mock-oauth2-server');
      const jars = readdirSync(place).map((name) => join(place, name));
      return ['java', '-cp', jars.join(delimiter), 'no.nav.security.mock.oauth2.StandaloneMockOAuth2ServerKt'];
    },
    environment: (port) => ({ SERVER_PORT: `${port}` }),
  },
};

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

/** Waits for the first good answer. @throws when it ends before, or has none after two minutes */
async function firstAnswer(child: ChildProcess, url: string, headers: Record<string, string>): Promise<string> {
  for (const end = performance.now() + 120_000; performance.now() < end; ) {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`);
    const response = await fetch(url, { headers }).catch(() => undefined);
    if (response?.ok) return response.text();
    await response?.body?.cancel();
    await pause(10);
  }
  throw new Error('no answer within two minutes');
}

async function measured(peer: Peer, warmUp: number, seconds: number): Promise<Figures> {
  const port = await freePort();
  const [program = '', ...args] = peer.command(port);
  const { path, headers = {} } = peer;
  const begun = performance.now();
  const env = { ...process.env, ...peer.environment?.(port) };
  // A process group of its own, which ends whole.
  const child = spawn(program, args, { cwd: folder, env, stdio: 'ignore', detached: true });
  endWithUs(child);
  const exit = once(child, 'exit');
  try {
    const url = `http://127.0.0.1:${port}`;
    const given = await firstAnswer(child, url + path, headers);
    const start = performance.now() - begun;
    if (peer === lplate) {
      answer = given;
      writeFileSync(description, await (await fetch(`${url}/insurer/v1/openapi.yaml`)).text());
    }
    await pause(2000);
    const memory = memoryOf(child.pid ?? 0);
    const load = { method: 'GET' as const, paths: [path], headers };
    await autocannon(url, load, warmUp, 0);
    const sent = await autocannon(url, load, seconds, 0);
    if (sent.failures > 0) throw new Error(`${sent.failures} of ${sent.requests} requests failed`);
    return { start, memory, perSecond: sent.requests / sent.seconds };
  } finally {
    if (child.pid && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
    await exit;
  }
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

const asked = process.argv.slice(2);
const quick = asked.includes('--quick');
const names = asked.filter((each) => each !== '--quick');
const unknown = names.filter((name) => !(name in peers));
if (unknown.length > 0) throw new Error(`No peer ${unknown.join(', ')}. There are ${Object.keys(peers).join(', ')}`);
const [times, warmUp, seconds] = quick ? [1, 1, 2] : [3, 3, 6];

const found = new Map<Peer, Figures[]>();
const leftOut = (peer: Peer, error: unknown) => {
  if (peer === lplate) throw error;
  found.delete(peer);
  console.error(`Left out: ${peer.name}: ${(error as Error).message}`);
};
const wanted = Object.entries(peers).flatMap(([key, peer]) =>
  names.length === 0 || names.includes(key) ? [peer] : [],
);
for (const peer of [lplate, ...wanted]) {
  try {
    console.error(`Fetching ${peer.name} ${peer.version} …`);
    peer.fetch();
    // Once for nothing: files are in memory then, and what L-Plate answers is known to the others.
    await measured(peer, 1, 1);
    found.set(peer, []);
  } catch (error) {
    leftOut(peer, error);
  }
}
// In turn, so that a busy minute of the machine is not one program's alone.
for (let time = 1; time <= times; time += 1) {
  for (const [peer, figures] of found) {
    console.error(`${peer.name}, ${time} of ${times} …`);
    try {
      figures.push(await measured(peer, warmUp, seconds));
    } catch (error) {
      leftOut(peer, error);
    }
  }
}
const rows = [...found].map(([{ name, version, path }, figures]) => {
  const [start, memory, perSecond] = (['start', 'memory', 'perSecond'] as const).map((each) =>
    Math.round(median(figures.map((one) => one[each]))),
  );
  return `| ${name} ${version} | ${start} | ${memory} | ${perSecond || '—'} | \`GET ${path}\` |`;
});
const date = new Date().toISOString().slice(0, 10);
console.log(`${date}, ${process.platform} ${process.arch}, ${cpus().length} × ${cpus()[0]?.model}, Node.js ${process.version},
medians of ${times}, ${connections} connections by autocannon, ${seconds} s after ${warmUp} s of the same

| program | start, ms | memory, MB | requests a second | what was asked |
| --- | --- | --- | --- | --- |
${rows.join('\n')}`);
