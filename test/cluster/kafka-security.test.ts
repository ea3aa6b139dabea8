import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, it, type TestContext, test } from 'node:test';
import { createServer } from 'node:tls';
import type { Config } from '../../src/settings/config.ts';
import { makeCertificates } from '../support/certificates.ts';
import type { Engine } from '../support/engines.ts';
import { type LPlate, testSecrets } from '../support/lplate.ts';
import { type Program, startProgram } from '../support/program.ts';
import { type Restartable, restartable } from '../support/restart.ts';
import { startTcpRelay } from '../support/tcp-relay.ts';
import { drain } from '../support/topic.ts';
import { until } from '../support/until.ts';
import { type KafkaServer, kafkaUser, type Listeners, startKafka } from './support/kafka.ts';
import { readTopic } from './support/kcat.ts';
import { topic } from './support/relayed.ts';
import { failed, records, relayLag, removeTopic, said, withAdmin } from './support/relaying.ts';

/* Encryption and login at Kafka. What there is to relay are the events of the fleet, which the first start makes. */

let directory: string;
let kafka: KafkaServer;
let authority: string;
let otherAuthority: string;
before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'l-plate-test-'));
  kafka = await startKafka();
  authority = await readFile(kafka.authority, 'utf8');
  otherAuthority = await readFile((await makeCertificates(directory)).authority, 'utf8');
});
after(async () => {
  await kafka?.stop();
  await rm(directory, { recursive: true, force: true });
});
// Each test begins with no topic.
afterEach(() => removeTopic(kafka));

const engine: Engine = {
  name: 'sqlite',
  location: async () => ({ directory: await mkdtemp(join(directory, 'data-')) }),
};

type Security = Pick<Config, 'kafkaBrokers'> & Partial<Config>;
type Mechanism = (typeof mechanisms)[number];
const mechanisms = ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'] as const;

const at = (listener: keyof Listeners) => ({ kafkaBrokers: [kafka.listeners[listener]] });
const address = (listener: keyof Listeners) => {
  return { host: '127.0.0.1', port: Number(kafka.listeners[listener].split(':')[1]) };
};
const login = (kafkaSaslMechanism: Mechanism, kafkaPassword: string = kafkaUser.passwords[kafkaSaslMechanism]) => ({
  ...{ kafkaSaslMechanism, kafkaUsername: kafkaUser.name, kafkaPassword },
});
const verify = () => ({ kafkaTls: 'verify', kafkaTlsCa: authority }) as const;
/** The broker by a name that its certificate does not hold. Every resolver of names takes it for 127.0.0.1. */
const misnamed = () => ({ kafkaBrokers: [`127.1:${address('tls').port}`] });

/** Starts on a database, an empty one unless given, and logs all there is. */
async function start(t: TestContext, security: Security, place?: Restartable): Promise<LPlate> {
  const settings = { ...security, eventsDuplicateRate: 0, logLevel: 'trace' } as const;
  const lplate = await (place ?? (await restartable(engine))).start(settings);
  t.after(() => lplate.close());
  return lplate;
}

/** Another client finds every event in the topic, and nothing was said. */
async function assertRelays(lplate: LPlate): Promise<void> {
  await lplate.catchUp();
  const token = await lplate.token('preset-fleet', testSecrets.fleetClientSecret);
  const { events } = await drain(lplate, token);
  assert.ok(events.length > 20);
  const there = (await records(lplate, kafka)).map(({ value }) => value);
  assert.deepEqual(there.sort(), events.map((event) => JSON.stringify(event)).sort());
  assert.deepEqual(said(lplate), []);
}

/** Nothing is delivered, which is said once, and all else goes on. */
async function assertRefused(lplate: LPlate): Promise<void> {
  await until(() => said(lplate).length > 0, 'it is said', 30_000);
  // Which tries again, and must not say it again.
  await lplate.catchUp();
  assert.deepEqual(said(lplate), [failed]);
  assert.ok((await relayLag(lplate)) > 20);
  assert.equal(await withAdmin(kafka, async (admin) => (await admin.listTopics()).includes(topic)), false);
  const { token } = await lplate.client();
  assert.equal((await lplate.call('POST', '/policies', { token, json: { regNumber: 'AB-1' } })).status, 201);
  assert.equal((await fetch(`${lplate.url}/readyz`)).status, 200);
}

const accepted: [way: string, security: () => Security][] = [
  ...mechanisms.map((mechanism): [string, () => Security] => [
    `${mechanism} without encryption`,
    () => ({ ...at('sasl'), ...login(mechanism) }),
  ]),
  ...mechanisms.map((mechanism): [string, () => Security] => [
    `${mechanism} over TLS that verifies`,
    () => ({ ...at('saslTls'), ...login(mechanism), ...verify() }),
  ]),
  ['TLS that verifies by a given authority', () => ({ ...at('tls'), ...verify() })],
  ['TLS that does not verify an unknown authority', () => ({ ...at('tls'), kafkaTls: 'on' })],
  ['TLS that does not verify the name', () => ({ ...misnamed(), kafkaTls: 'on' })],
];

for (const [way, security] of accepted) {
  test(`The program, settings: relays to Kafka by ${way}`, async (t) => {
    await assertRelays(await start(t, security()));
  });
}

const refused: [why: string, security: () => Security][] = [
  ['no encryption where the broker wants it', () => at('tls')],
  ['an authority that Node.js does not know, without KAFKA_TLS_CA', () => ({ ...at('tls'), kafkaTls: 'verify' })],
  ['another authority', () => ({ ...at('tls'), kafkaTls: 'verify', kafkaTlsCa: otherAuthority })],
  ['a name that the certificate does not hold', () => ({ ...misnamed(), ...verify() })],
  ['no login where the broker wants it', () => at('sasl')],
  ['more copies of each partition than there are brokers', () => ({ ...at('plain'), kafkaReplicationFactor: 2 })],
  ...mechanisms.map((mechanism): [string, () => Security] => [
    `a wrong password, by ${mechanism}`,
    () => ({ ...at('sasl'), ...login(mechanism, 'wrong') }),
  ]),
];

// They wait most of the time, so all at once.
describe('What is refused', { concurrency: true }, () => {
  for (const [why, security] of refused) {
    it(`The program, settings: does not relay to Kafka, says so once and serves on with ${why}`, async (t) => {
      await assertRefused(await start(t, security()));
    });
  }

  it('The program, settings: lives on when the connection is reset after the login was refused', async (t) => {
    const heard = (data: Buffer, client: Socket) => data.includes('Authentication failed') && client.resetAndDestroy();
    const proxy = await startTcpRelay(t, address('sasl'), { heard });
    const security = { kafkaBrokers: [`127.0.0.1:${proxy.port}`], ...login('PLAIN', 'wrong') };
    await assertRefused(await start(t, security));
  });

  it('The program, settings: hangs up after each attempt that was refused', async (t) => {
    const clients = new Set<Socket>();
    const proxy = await startTcpRelay(t, address('plain'), { heard: (_, client) => void clients.add(client) });
    const kafkaBrokers = [`127.0.0.1:${proxy.port}`];
    const lplate = await start(t, { kafkaBrokers, kafkaReplicationFactor: 2 });
    await assertRefused(lplate);
    assert.ok(clients.size > 1);
    await until(() => [...clients].every((client) => client.destroyed), 'no connection is left');
  });
});

test('The program, settings: after a wrong password for Kafka, all is told once the right one is given, and neither is shown', async (t) => {
  const { directory: place } = (await engine.location()) as { directory: string };
  const answers: string[] = [];
  async function run(password: string): Promise<Program> {
    const program = await startProgram(
      t,
      { directory: place },
      {
        environment: {
          ...{ KAFKA_BROKERS: kafka.listeners.saslTls, KAFKA_TLS: 'verify', KAFKA_TLS_CA: kafka.authority },
          ...{ KAFKA_SASL_MECHANISM: 'PLAIN', KAFKA_USERNAME: kafkaUser.name, KAFKA_PASSWORD: password },
          ...{ EVENTS_DUPLICATE_RATE: '0', LOG_LEVEL: 'trace' },
        },
      },
    );
    return program;
  }
  const visit = async (program: Program) => {
    for (const path of ['/', '/readyz', '/metrics', '/nowhere', '/claims/v1/claims', '/claims/v1/openapi.yaml'])
      answers.push(await (await fetch(`${program.url}${path}`)).text());
  };

  const wrong = await run('not-the-password-of-kafka');
  await until(() => wrong.stdout().includes(failed), 'it is said', 30_000);
  const { token } = await wrong.client();
  assert.equal((await wrong.call('POST', '/policies', { token, json: { regNumber: 'AB-1' } })).status, 201);
  await visit(wrong);
  assert.deepEqual(await wrong.stop(), { code: 0, signal: null });
  const right = await run(kafkaUser.passwords.PLAIN);
  await until(async () => (await relayLag(right)) === 0, 'all is relayed', 30_000);
  await visit(right);
  assert.deepEqual(await right.stop(), { code: 0, signal: null });

  // As docs/operations.md tells to read it.
  const there = await readTopic(kafka.listeners.saslTls, topic, {
    ...{ 'security.protocol': 'SASL_SSL', 'ssl.ca.location': kafka.authority, 'sasl.mechanism': 'PLAIN' },
    ...{ 'sasl.username': kafkaUser.name, 'sasl.password': kafkaUser.passwords.PLAIN },
  });
  assert.ok(new Set(there.map(({ value }) => JSON.parse(value ?? '').eventId)).size > 20);
  for (const { stdout, stderr } of [wrong, right]) {
    assert.equal(stderr(), '');
    assert.equal(stdout().match(/the relay to Kafka/g)?.length ?? 0, stdout() === wrong.stdout() ? 1 : 0);
    answers.push(stdout());
  }
  for (const text of answers) {
    for (const password of ['not-the-password-of-kafka', kafkaUser.passwords.PLAIN]) {
      assert.ok(!text.includes(password));
      assert.ok(!text.includes(Buffer.from(password).toString('base64').slice(0, 16)));
    }
  }
});

test('The program, settings: KAFKA_TLS_SNI names the broker in TLS; without it nobody is named', async (t) => {
  const { certificate, key } = await makeCertificates(directory);
  const asked: unknown[] = [];
  const server = createServer({ cert: await readFile(certificate), key: await readFile(key) }, (socket) => {
    asked.push(socket.servername);
    socket.on('error', () => {}).destroy();
  }).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const kafkaBrokers = [`localhost:${(server.address() as AddressInfo).port}`];
  for (const [kafkaTlsSni, name] of [['on', 'localhost'] as const, ['off', false] as const]) {
    asked.length = 0;
    const lplate = await start(t, { kafkaBrokers, kafkaTls: 'on', kafkaTlsSni });
    await until(() => asked.length > 0, 'it is called', 30_000);
    await lplate.close();
    assert.deepEqual([...new Set(asked)], [name]);
  }
});
