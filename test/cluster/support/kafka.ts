import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeCertificates } from '../../support/certificates.ts';
import { ServerProcess } from '../../support/server-process.ts';
import { steadyPort } from '../../support/steady-port.ts';
import { isBroker } from './kcat.ts';
import { programs } from './requirements.ts';

/** The broker's addresses, `host:port`, by what a client has to bring. */
export interface Listeners {
  readonly plain: string;
  /** A login: PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512. */
  readonly sasl: string;
  readonly tls: string;
  readonly saslTls: string;
}

/** The one user there is, with a password for each mechanism: so it shows which one a client logged in by. */
export const kafkaUser = {
  name: 'l-plate',
  passwords: {
    PLAIN: 'plain-test-password',
    'SCRAM-SHA-256': 'scram-256-test-password',
    'SCRAM-SHA-512': 'scram-512-test-password',
  },
} as const;

/**
 * A Kafka of one node, broker and controller, as the Apache project publishes it. It makes no topic that a client
 * only asks for, so that a relay which forgets to is found out.
 */
export class KafkaServer extends ServerProcess {
  readonly listeners: Listeners;
  /** File of the authority that its certificate is verified by, in PEM. */
  readonly authority: string;
  readonly #home: string;

  constructor(home: string, listeners: Listeners, authority: string) {
    super({
      ...{ name: 'Kafka', file: programs.java, home, orderly: 'SIGTERM' },
      args: [...javaArguments, 'kafka.Kafka', join(home, 'server.properties')],
      answers: () => isBroker(listeners.plain),
    });
    this.listeners = listeners;
    this.authority = authority;
    this.#home = home;
  }

  /** What it has written since its first start. */
  log(): Promise<string> {
    return readFile(join(this.#home, 'log'), 'utf8');
  }

  /** Ends the server and removes its files. */
  async stop(): Promise<void> {
    await this.kill();
    await rm(this.#home, { recursive: true, force: true, maxRetries: 3 });
  }
}

// Quick to start and small: the broker of a test never runs long enough for more.
const javaArguments = [
  ...['-Xmx384m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'],
  ...Object.entries({
    ...{ showDateTime: true, dateTimeFormat: 'HH:mm:ss.SSS', defaultLogLevel: 'warn' },
    // Who leads a partition or coordinates a group, and what a log was found to hold after a kill.
    ...{ 'log.state.change.logger': 'info', 'log.org.apache.kafka.coordinator': 'info' },
    ...{ 'log.kafka.log': 'info', 'log.org.apache.kafka.storage': 'info' },
  }).map(([name, value]) => `-Dorg.slf4j.simpleLogger.${name}=${value}`),
  ...['-cp', join(programs.kafkaJars, '*')],
];

export async function startKafka(): Promise<KafkaServer> {
  const home = await mkdtemp(join(tmpdir(), 'l-plate-kafka-'));
  try {
    const address = async (): Promise<string> => `127.0.0.1:${await steadyPort()}`;
    const listeners = { plain: await address(), sasl: await address(), tls: await address(), saslTls: await address() };
    const { authority, certificate, key } = await makeCertificates(home);
    const identity = join(home, 'identity.pem');
    await writeFile(identity, (await readFile(key, 'utf8')) + (await readFile(certificate, 'utf8')));
    await mkdir(join(home, 'data'));
    await writeFile(join(home, 'server.properties'), properties(home, listeners, await address(), identity));
    format(home);
    const server = new KafkaServer(home, listeners, authority);
    await server.start();
    return server;
  } catch (error) {
    await rm(home, { recursive: true, force: true, maxRetries: 3 });
    throw error;
  }
}

function format(home: string): void {
  const { name, passwords } = kafkaUser;
  const formatted = spawnSync(
    programs.java,
    [
      ...[...javaArguments, 'kafka.tools.StorageTool', 'format', '--config', join(home, 'server.properties')],
      ...['--cluster-id', 'TC1QbGF0ZS1UZXN0cy0xMQ'],
      ...(['SCRAM-SHA-256', 'SCRAM-SHA-512'] as const).flatMap((mechanism) => [
        '--add-scram',
        `${mechanism}=[name=${name},password=${passwords[mechanism]}]`,
      ]),
    ],
    { cwd: home, encoding: 'utf8' },
  );
  if (formatted.status !== 0) throw new Error(`Kafka's storage: ${formatted.error ?? formatted.stderr}`);
}

function properties(home: string, { plain, sasl, tls, saslTls }: Listeners, controller: string, key: string): string {
  const login = 'org.apache.kafka.common.security';
  const { name, passwords } = kafkaUser;
  const settings = {
    'process.roles': 'broker,controller',
    'node.id': 1,
    'controller.quorum.voters': `1@${controller}`,
    'controller.listener.names': 'CONTROLLER',
    listeners: `PLAIN://${plain},SASL://${sasl},TLS://${tls},SASL_TLS://${saslTls},CONTROLLER://${controller}`,
    'listener.security.protocol.map':
      'PLAIN:PLAINTEXT,SASL:SASL_PLAINTEXT,TLS:SSL,SASL_TLS:SASL_SSL,CONTROLLER:PLAINTEXT',
    'inter.broker.listener.name': 'PLAIN',
    'log.dirs': join(home, 'data'),
    'auto.create.topics.enable': false,
    // Kafka's own default is what the relay asks for, which would not show whether it does.
    'log.retention.hours': 24,
    'ssl.keystore.type': 'PEM',
    'ssl.keystore.location': key,
    'sasl.enabled.mechanisms': 'PLAIN,SCRAM-SHA-256,SCRAM-SHA-512',
    ...Object.fromEntries(
      ['sasl', 'sasl_tls'].flatMap((listener) => [
        [
          `listener.name.${listener}.plain.sasl.jaas.config`,
          `${login}.plain.PlainLoginModule required user_${name}="${passwords.PLAIN}";`,
        ],
        ...['scram-sha-256', 'scram-sha-512'].map((mechanism) => [
          `listener.name.${listener}.${mechanism}.sasl.jaas.config`,
          `${login}.scram.ScramLoginModule required;`,
        ]),
      ]),
    ),
    // One node is all there is.
    'offsets.topic.replication.factor': 1,
    'offsets.topic.num.partitions': 1,
    'transaction.state.log.replication.factor': 1,
    'transaction.state.log.min.isr': 1,
    'transaction.state.log.num.partitions': 1,
    'group.initial.rebalance.delay.ms': 0,
    // After SIGKILL it is let in again when the session of its former self has run out: 9 s by default.
    'broker.session.timeout.ms': 2_000,
    'broker.heartbeat.interval.ms': 300,
  };
  return Object.entries(settings)
    .map(([setting, value]) => `${setting}=${value}\n`)
    .join('');
}
