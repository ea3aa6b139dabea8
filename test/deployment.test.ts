import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { help, readConfig } from '../src/settings/config.ts';
import { onSqlite } from './support/engines.ts';
import { startLPlate } from './support/lplate.ts';

/* Whether the files for containers fit the program. That they are valid was seen with the schema of compose. */

interface Service {
  build?: string;
  image?: string;
  environment?: Record<string, string | number>;
  ports?: string[];
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: object;
  stop_grace_period?: string;
  read_only?: boolean;
  cap_drop?: string[];
  security_opt?: string[];
  volumes?: string[];
}

interface Compose {
  services: Record<string, Service>;
  configs: { balancer: { content: string } };
  volumes: Record<string, unknown>;
}

const root = join(import.meta.dirname, '..');
const read = (file: string) => readFile(join(root, file), 'utf8');
const compose: Compose = parse(await read('compose.yaml'), { merge: true });
const services = Object.entries(compose.services);
const nodes = services.filter(([, { build }]) => build !== undefined);
const dockerfile = await read('Dockerfile');
const instructions = dockerfile.replaceAll('\\\n', ' ').split('\n');
const settings = new Set([...help().matchAll(/^ {2}(?:--[\w-]+ +| +)([A-Z_]+) /gm)].map(([, name]) => name as string));

/** The variables of .env as `compose.env` has them. */
const env = Object.fromEntries([...(await read('compose.env')).matchAll(/^(\w+)=(.*)$/gm)].map(([, k, v]) => [k, v]));

/** A value as compose hands it on: its variables replaced. */
function interpolated(value: string | number): string {
  return String(value).replace(/\$\{(\w+):([-?])([^}]*)\}/g, (_, name, kind, rest) => {
    assert.ok(kind === '-' || env[name], `${name} is wanted by compose.yaml and missing from compose.env`);
    return env[name] ?? rest;
  });
}

test('Deployment: there are two nodes at least, and they are equal', () => {
  assert.ok(nodes.length >= 2);
  for (const [, node] of nodes) assert.deepEqual(node, nodes[0]?.[1]);
});

test('Deployment: what compose.yaml and the Dockerfile set are settings, and the program takes them', () => {
  assert.ok(settings.size > 30, 'the settings were not found in the help');
  const [, node] = nodes[0] ?? [];
  const environment = Object.fromEntries(
    Object.entries(node?.environment ?? {}).map(([name, value]) => [name, interpolated(value)]),
  );
  const [, set = ''] = /^ENV (.*)$/m.exec(dockerfile) ?? [];
  const image = Object.fromEntries(set.split(' ').map((pair) => pair.split('=')));
  for (const name of [...Object.keys(environment), ...Object.keys(image)]) {
    assert.ok(settings.has(name) || name === 'NODE_ENV', `${name} is no setting`);
  }
  const config = readConfig([], { ...image, ...environment });
  assert.ok(typeof config === 'object' && 'port' in config);
  assert.equal(new URL(config.databaseUrl ?? '').hostname, 'postgres');
  // A password is no part of a URL, where some characters would mean something else.
  for (const value of Object.values(node?.environment ?? {}))
    assert.doesNotMatch(String(value), /:\/\/.*\$\{.*(PASSWORD|SECRET)/);
  assert.equal(config.databasePassword, env.POSTGRES_PASSWORD);
  assert.equal(new URL(config.redisUrl ?? '').hostname, 'redis');
  assert.deepEqual(config.kafkaBrokers, ['kafka:9092']);
  assert.equal(config.host, '0.0.0.0');
  assert.equal(config.trustProxy, 1);
  for (const secret of [config.hmacSecret, config.readerClientSecret, config.fleetClientSecret]) assert.ok(secret);
  // What the balancer, the image and its check of health take for granted.
  assert.match(compose.configs.balancer.content, new RegExp(`server node-1:${config.port};`));
  assert.ok(instructions.includes(`EXPOSE ${config.port}`));
  assert.match(dockerfile, new RegExp(`process\\.env\\.PORT \\|\\| ${config.port}}`));
  assert.match(dockerfile, new RegExp(`chown 1000:1000 ${config.dataDir} `));
});

test('Deployment: every variable of compose.env is used', async () => {
  const text = await read('compose.yaml');
  for (const name of Object.keys(env)) assert.ok(text.includes(`\${${name}:?`), `${name} is not asked for`);
});

test('Deployment: images are named with a version', () => {
  const built = instructions.flatMap((line) => /^FROM (\S+)/.exec(line)?.[1] ?? []);
  const used = services.flatMap(([, { image }]) => image ?? []);
  assert.ok(built.length > 0 && used.length > 0);
  for (const image of [...built, ...used]) assert.match(image, /^[\w./-]+:\d[\w.-]*$/);
});

test('Deployment: the image has the Node.js that the clone has, and does not run as root', async () => {
  const [, needed] = /needed = (\d+)/.exec(await read('bin/brought-node.js')) ?? [];
  for (const line of instructions) if (line.startsWith('FROM ')) assert.match(line, new RegExp(`node:${needed}\\b`));
  const users = instructions.filter((line) => line.startsWith('USER '));
  // A number: a platform that refuses root can't look up a name.
  assert.deepEqual(users, ['USER 1000:1000']);
  assert.ok(instructions.indexOf('USER 1000:1000') < instructions.findIndex((line) => line.startsWith('ENTRYPOINT ')));
});

test('Deployment: what the Dockerfile copies is there and let through by .dockerignore', async () => {
  const through = (await read('.dockerignore')).match(/(?<=^!).*$/gm) ?? [];
  const copied = instructions
    .filter((line) => line.startsWith('COPY ') && !line.includes('--from='))
    .flatMap((line) => line.split(' ').slice(1, -1));
  // In part first, so that a change of the sources installs nothing anew.
  const whole = copied.filter((name) => !copied.some((other) => name.startsWith(`${other}/`)));
  assert.deepEqual([...new Set(whole)].sort(), through.sort());
  for (const name of copied) await access(join(root, name));
});

test('Deployment: the image has the package, and nothing else of the project', () => {
  const last = instructions.slice(instructions.findLastIndex((line) => line.startsWith('FROM ')));
  assert.ok(instructions.includes('RUN node package/build.js'));
  assert.deepEqual(
    last.filter((line) => line.startsWith('COPY ')),
    ['COPY --from=package /l-plate/dist/package ./'],
  );
});

test('Deployment: a node may write nothing, and gets no privileges', () => {
  for (const [, node] of nodes) {
    const { read_only, cap_drop, security_opt } = node;
    assert.deepEqual([read_only, cap_drop, security_opt], [true, ['ALL'], ['no-new-privileges:true']]);
  }
});

test('Deployment: every server says when it is well, and who needs it waits for that', () => {
  const checked = services.filter(([, { healthcheck }]) => healthcheck).map(([name]) => name);
  assert.match(dockerfile, /^HEALTHCHECK /m);
  const well = new Set([...checked, ...nodes.map(([name]) => name)]);
  for (const [name, { depends_on: needed = {} }] of services) {
    for (const [other, { condition }] of Object.entries(needed)) {
      assert.equal(condition, 'service_healthy', `${name} does not wait for ${other}`);
      assert.ok(well.has(other), `${other} never says that it is well`);
    }
  }
  const waits = (name: string) => Object.keys(compose.services[name]?.depends_on ?? {}).sort();
  for (const [name] of nodes) assert.deepEqual(waits(name), ['kafka', 'postgres', 'redis']);
  assert.deepEqual(waits('balancer'), nodes.map(([name]) => name).sort());
});

test('Deployment: what has state keeps it in a volume', () => {
  const kept = services.flatMap(([, { volumes = [] }]) => volumes.map((volume) => volume.split(':')[0]));
  assert.deepEqual(kept.sort(), Object.keys(compose.volumes).sort());
  for (const name of ['postgres', 'kafka']) assert.equal(compose.services[name]?.volumes?.length, 1, name);
});

/** The command of an instruction, run as the image would, but here: its exit code. */
async function runs(instruction: RegExp, more: string[], environment: Record<string, string>): Promise<number> {
  const [, command = ''] = instructions.flatMap((line) => instruction.exec(line) ?? []);
  const [file, ...given]: string[] = JSON.parse(command);
  assert.equal(file, 'node');
  const env = { PATH: process.env.PATH ?? '', ...environment };
  const [code] = await once(spawn(process.execPath, [...given, ...more], { cwd: root, env, stdio: 'ignore' }), 'close');
  return code;
}

onSqlite((engine) => {
  test('Deployment: the image starts the program, and its check of health tells whether it is ready', async (t) => {
    assert.equal(await runs(/^ENTRYPOINT (.*)$/, ['--version'], {}), 0);
    const lplate = await startLPlate(t, engine);
    const health = () => runs(/^HEALTHCHECK .*? CMD (.*)$/, [], { PORT: String(lplate.config.port) });
    assert.equal(await health(), 0);
    await lplate.close();
    assert.equal(await health(), 1, 'nobody is there');
    // As L-Plate answers while its database is away.
    const unready = createServer((_, response) => response.writeHead(503).end()).listen(lplate.config.port);
    t.after(() => unready.close());
    await once(unready, 'listening');
    assert.equal(await health(), 1);
  });

  test('Deployment: the check of health follows the service to HTTPS', async (t) => {
    const lplate = await startLPlate(t, engine, { tls: 'self' });
    const health = (TLS: string) => runs(/^HEALTHCHECK .*? CMD (.*)$/, [], { PORT: String(lplate.config.port), TLS });
    assert.deepEqual([await health('self'), await health('off')], [0, 1]);
  });
});

test('Deployment: the load balancer knows every node, holds no stream back, and tells whose call it is', () => {
  const { content } = compose.configs.balancer;
  const servers = [...content.matchAll(/server ([\w-]+):8080;/g)].map(([, name]) => name);
  assert.deepEqual(servers, Object.keys(Object.fromEntries(nodes)));
  assert.match(content, /proxy_set_header X-Forwarded-For \$\$remote_addr;/);
  // Without both, each call would take a new connection to its node.
  assert.match(content, /proxy_http_version 1\.1;\s+proxy_set_header Connection "";/);
  const [, seconds] = /proxy_read_timeout (\d+)s;/.exec(content) ?? [];
  assert.ok(Number(seconds) > 30, 'a long poll takes 30 seconds');
  assert.doesNotMatch(content, /proxy_ignore_headers/);
});

test('Deployment: a node gets more time to end than it takes', () => {
  // Requests under way get 8 seconds.
  for (const [, node] of nodes) assert.ok(Number.parseInt(node.stop_grace_period ?? '', 10) > 8);
});
