// In a process of its own: it has hooks for all its tests.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { nearName } from '../../src/http/requests/near-name.ts';
import { type Config, help, readConfig, settingNames, startLine } from '../../src/settings/config.ts';
import { StartupError } from '../../src/settings/startup-error.ts';

const defaults: Config = {
  port: 8080,
  class: 'off',
  host: 'localhost',
  dataDir: './data',
  publicUrl: 'http://localhost:8080',
  publicUrlGiven: false,
  logLevelGiven: false,
  lessonsFile: undefined,
  tls: 'off',
  tlsCert: undefined,
  tlsKey: undefined,
  tlsClientCa: undefined,
  databaseUrl: undefined,
  databasePoolSize: 10,
  databaseTimeoutSeconds: 10,
  databaseTls: 'url',
  databaseTlsCa: undefined,
  redisUrl: undefined,
  kafkaBrokers: [],
  kafkaPartitions: 6,
  kafkaReplicationFactor: 1,
  kafkaTls: 'off',
  kafkaTlsCa: undefined,
  kafkaTlsSni: 'off',
  kafkaSaslMechanism: 'none',
  kafkaUsername: undefined,
  databasePassword: undefined,
  kafkaPassword: undefined,
  workers: 1,
  trustProxy: false,
  rateLimitPerMinute: 60,
  probeLimitPerMinute: 5,
  soapLimitPerMinute: 0,
  rateLimitKey: 'address',
  demoClientsPerDay: undefined,
  keepClientsDays: 1,
  demoClientsTotal: 1_000_000,
  policiesPerClient: 10_000,
  claimsPerClient: 10_000,
  streamsPerClient: 20,
  subscriptionsPerClient: 10,
  storedBytesPerClient: 50_000_000,
  webhookOpenDeliveries: 10_000,
  webhookCallsPerClient: 300,
  webhookCallsPerHost: 600,
  webhookDisableHours: 24,
  eventsDuplicateRate: 0.1,
  eventsHeartbeatSeconds: 15,
  webhookAllow: [],
  webhookAllowFollows: false,
  requestTimeoutSeconds: 30,
  sendTimeoutSeconds: 30,
  bufferLimitMegabytes: 256,
  connectionsTotal: 10_000,
  magicPlates: 'on',
  mcp: 'on',
  issuerName: 'L-Plate',
  issuerUrl: undefined,
  logLevel: 'info',
  ready: 'text',
  readyFile: undefined,
  endWithStdin: 'off',
  seed: undefined,
  now: undefined,
  hmacSecret: undefined,
  readerClientSecret: undefined,
  fleetClientSecret: undefined,
  trainerToken: undefined,
  lessons: undefined,
  range: 'on',
  exchangesMegabytes: 2000,
};

const pem = '-----BEGIN CERTIFICATE-----\nMII=\n-----END CERTIFICATE-----\n';
const directory = mkdtempSync(join(tmpdir(), 'l-plate-config-'));
after(() => rmSync(directory, { recursive: true }));
const authorities = { first: join(directory, 'first.pem'), second: join(directory, 'second.pem') };
writeFileSync(authorities.first, pem);
writeFileSync(authorities.second, pem + pem);
const keys = { first: join(directory, 'first.key'), second: join(directory, 'second.key') };
for (const file of Object.values(keys))
  writeFileSync(file, '-----BEGIN PRIVATE KEY-----\nMII=\n-----END PRIVATE KEY-----\n');
const lessons = { first: join(directory, 'first.json'), second: join(directory, 'second.json') };
writeFileSync(lessons.first, '{"title":"Monday"}');
writeFileSync(lessons.second, '{}');

/** Setting, flag, variable, a text and its value, a second text and its value. */
const settings: [keyof Config, string | undefined, string, string, unknown, string, unknown][] = [
  ['port', '--port', 'PORT', '65535', 65535, '0', 0],
  ['host', '--host', 'HOST', '0.0.0.0', '0.0.0.0', '::1', '::1'],
  ['dataDir', '--data-dir', 'DATA_DIR', '/srv/l-plate', '/srv/l-plate', 'my data', 'my data'],
  ['publicUrl', '--public-url', 'PUBLIC_URL', 'https://a.example/', 'https://a.example', 'http://b:81', 'http://b:81'],
  ['tls', '--tls', 'TLS', 'self', 'self', 'off', 'off'],
  ['tlsCert', '--tls-cert', 'TLS_CERT', authorities.first, authorities.first, authorities.second, authorities.second],
  ['tlsKey', '--tls-key', 'TLS_KEY', keys.first, keys.first, keys.second, keys.second],
  ['tlsClientCa', '--tls-client-ca', 'TLS_CLIENT_CA', authorities.first, pem, authorities.second, `${pem}${pem}`],
  [
    'databaseUrl',
    '--database-url',
    'DATABASE_URL',
    'postgres://h/d',
    'postgres://h/d',
    'postgresql://u:p@h/d',
    'postgresql://u:p@h/d',
  ],
  ['databasePoolSize', '--database-pool-size', 'DATABASE_POOL_SIZE', '2', 2, '50', 50],
  ['databaseTimeoutSeconds', '--database-timeout-seconds', 'DATABASE_TIMEOUT_SECONDS', '1', 1, '60', 60],
  ['databaseTls', '--database-tls', 'DATABASE_TLS', 'verify', 'verify', 'on', 'on'],
  ['databaseTlsCa', '--database-tls-ca', 'DATABASE_TLS_CA', authorities.first, pem, authorities.second, `${pem}${pem}`],
  ['redisUrl', '--redis-url', 'REDIS_URL', 'redis://h', 'redis://h', 'rediss://u:p@h:1/2', 'rediss://u:p@h:1/2'],
  ['kafkaBrokers', '--kafka-brokers', 'KAFKA_BROKERS', 'k:9092', ['k:9092'], 'a:1, [::1]:2', ['a:1', '[::1]:2']],
  ['kafkaPartitions', '--kafka-partitions', 'KAFKA_PARTITIONS', '1', 1, '12', 12],
  ['kafkaReplicationFactor', '--kafka-replication-factor', 'KAFKA_REPLICATION_FACTOR', '3', 3, '2', 2],
  ['kafkaTls', '--kafka-tls', 'KAFKA_TLS', 'on', 'on', 'verify', 'verify'],
  ['kafkaTlsCa', '--kafka-tls-ca', 'KAFKA_TLS_CA', authorities.first, pem, authorities.second, `${pem}${pem}`],
  ['kafkaTlsSni', '--kafka-tls-sni', 'KAFKA_TLS_SNI', 'on', 'on', 'off', 'off'],
  ['kafkaSaslMechanism', '--kafka-sasl-mechanism', 'KAFKA_SASL_MECHANISM', 'PLAIN', 'PLAIN', 'none', 'none'],
  ['kafkaUsername', '--kafka-username', 'KAFKA_USERNAME', 'relay', 'relay', 'l plate', 'l plate'],
  ['workers', '--workers', 'WORKERS', '2', 2, '4', 4],
  ['trustProxy', '--trust-proxy', 'TRUST_PROXY', '1', 1, '10.0.0.0/8, ::1', ['10.0.0.0/8', '::1']],
  ['rateLimitPerMinute', '--rate-limit-per-minute', 'RATE_LIMIT_PER_MINUTE', '1', 1, '600', 600],
  ['probeLimitPerMinute', '--probe-limit-per-minute', 'PROBE_LIMIT_PER_MINUTE', '2', 2, '50', 50],
  ['soapLimitPerMinute', '--soap-limit-per-minute', 'SOAP_LIMIT_PER_MINUTE', '1', 1, '600', 600],
  ['rateLimitKey', '--rate-limit-key', 'RATE_LIMIT_KEY', 'client', 'client', 'address', 'address'],
  ['demoClientsPerDay', '--demo-clients-per-day', 'DEMO_CLIENTS_PER_DAY', '0', 0, '12000', 12_000],
  ['keepClientsDays', '--keep-clients-days', 'KEEP_CLIENTS_DAYS', 'off', 'off', '366', 366],
  ['demoClientsTotal', '--demo-clients-total', 'DEMO_CLIENTS_TOTAL', '0', 0, '50', 50],
  ['policiesPerClient', '--policies-per-client', 'POLICIES_PER_CLIENT', '3', 3, '1000000', 1_000_000],
  ['claimsPerClient', '--claims-per-client', 'CLAIMS_PER_CLIENT', '3', 3, '1000000', 1_000_000],
  ['streamsPerClient', '--streams-per-client', 'STREAMS_PER_CLIENT', '1', 1, '1000', 1000],
  ['subscriptionsPerClient', '--subscriptions-per-client', 'SUBSCRIPTIONS_PER_CLIENT', '1', 1, '50', 50],
  ['storedBytesPerClient', '--stored-bytes-per-client', 'STORED_BYTES_PER_CLIENT', '1', 1, '9000000', 9_000_000],
  ['webhookOpenDeliveries', '--webhook-open-deliveries', 'WEBHOOK_OPEN_DELIVERIES', '1', 1, '90', 90],
  ['webhookCallsPerClient', '--webhook-calls-per-client', 'WEBHOOK_CALLS_PER_CLIENT', '1', 1, '9000', 9000],
  ['webhookCallsPerHost', '--webhook-calls-per-host', 'WEBHOOK_CALLS_PER_HOST', '1', 1, '9000', 9000],
  ['webhookDisableHours', '--webhook-disable-hours', 'WEBHOOK_DISABLE_HOURS', '0', 0, '168', 168],
  ['eventsDuplicateRate', '--events-duplicate-rate', 'EVENTS_DUPLICATE_RATE', '0', 0, '0.25', 0.25],
  ['eventsHeartbeatSeconds', '--events-heartbeat-seconds', 'EVENTS_HEARTBEAT_SECONDS', '1', 1, '60', 60],
  [
    'webhookAllow',
    '--webhook-allow',
    'WEBHOOK_ALLOW',
    '192.168.1.7',
    ['192.168.1.7'],
    '10.0.0.0/8, fd00::/8',
    ['10.0.0.0/8', 'fd00::/8'],
  ],
  ['requestTimeoutSeconds', '--request-timeout-seconds', 'REQUEST_TIMEOUT_SECONDS', '5', 5, '3600', 3600],
  ['sendTimeoutSeconds', '--send-timeout-seconds', 'SEND_TIMEOUT_SECONDS', '5', 5, '3600', 3600],
  ['connectionsTotal', '--connections-total', 'CONNECTIONS_TOTAL', '10', 10, '500', 500],
  ['exchangesMegabytes', '--exchanges-megabytes', 'EXCHANGES_MEGABYTES', '1', 1, '50', 50],
  ['bufferLimitMegabytes', '--buffer-limit-megabytes', 'BUFFER_LIMIT_MEGABYTES', '16', 16, '65536', 65536],
  ['magicPlates', '--magic-plates', 'MAGIC_PLATES', 'off', 'off', 'on', 'on'],
  ['mcp', '--mcp', 'MCP', 'off', 'off', 'on', 'on'],
  ['issuerName', '--issuer-name', 'ISSUER_NAME', 'School of APIs', 'School of APIs', 'Trainer', 'Trainer'],
  [
    'issuerUrl',
    '--issuer-url',
    'ISSUER_URL',
    'https://school.example/api',
    'https://school.example/api',
    'https://school.example',
    'https://school.example/',
  ],
  ['logLevel', '--log-level', 'LOG_LEVEL', 'silent', 'silent', 'debug', 'debug'],
  ['ready', '--ready', 'READY', 'json', 'json', 'text', 'text'],
  ['readyFile', '--ready-file', 'READY_FILE', '/run/ready.json', '/run/ready.json', 'a b', 'a b'],
  ['seed', '--seed', 'SEED', '0', 0, '47', 47],
  [
    ...(['now', '--now', 'NOW', '2026-03-01T09:00Z', Date.UTC(2026, 2, 1, 9)] as const),
    ...(['2099-12-31T23:59:59.999+00:00', Date.UTC(2099, 11, 31, 23, 59, 59, 999)] as const),
  ],
  ['hmacSecret', undefined, 'HMAC_SECRET', 's3cret!', 's3cret!', 'other', 'other'],
  ['readerClientSecret', undefined, 'READER_CLIENT_SECRET', 's3cret!', 's3cret!', 'other', 'other'],
  ['fleetClientSecret', undefined, 'FLEET_CLIENT_SECRET', 's3cret!', 's3cret!', 'other', 'other'],
  [
    ...(['trainerToken', undefined, 'TRAINER_TOKEN', 'sixteen-letters-', 'sixteen-letters-'] as const),
    ...(['as-many-and-more', 'as-many-and-more'] as const),
  ],
  ['lessons', '--lessons', 'LESSONS', lessons.first, { title: 'Monday' }, lessons.second, {}],
  ['range', '--range', 'RANGE', 'off', 'off', 'on', 'on'],
  ['databasePassword', undefined, 'DATABASE_PASSWORD', 'ein # / ? % Wört', 'ein # / ? % Wört', 'other', 'other'],
  ['kafkaPassword', undefined, 'KAFKA_PASSWORD', 's3cret!', 's3cret!', 'other', 'other'],
];

/** What some settings can't do without. */
const needed: Partial<Record<keyof Config, NodeJS.ProcessEnv>> = {
  tlsCert: { TLS_KEY: keys.first },
  tlsKey: { TLS_CERT: authorities.first },
  tlsClientCa: { TLS_CERT: authorities.first, TLS_KEY: keys.first },
  workers: { DATABASE_URL: 'postgres://h/d' },
  kafkaSaslMechanism: { KAFKA_USERNAME: 'u', KAFKA_PASSWORD: 'p' },
};

function refusal(args: string[], environment: NodeJS.ProcessEnv = {}): string {
  try {
    readConfig(args, environment, nearName);
  } catch (error) {
    assert.ok(error instanceof StartupError, String(error));
    assert.equal(error.exitCode, 2);
    assert.doesNotMatch(error.message, /[\r\n]/);
    return error.message;
  }
  return assert.fail(`not refused: ${args} ${JSON.stringify(environment)}`);
}

/** Settings whose flags have no value. */
const switches = ['class', 'endWithStdin'];

test('Decisions, start-up: without flags and variables every setting has its default', () => {
  assert.deepEqual(readConfig([], {}), defaults);
  const found = ['publicUrlGiven', 'webhookAllowFollows', 'logLevelGiven', 'lessonsFile'];
  const names = [...settings.map(([name]) => name), ...switches, ...found];
  assert.deepEqual(Object.keys(defaults).sort(), names.sort());
});

test('Decisions, start-up: endWithStdin is set by END_WITH_STDIN=on, and by --end-with-stdin without a value', () => {
  const read = (args: string[], environment = {}) => (readConfig(args, environment) as Config).endWithStdin;
  assert.deepEqual(
    [read([]), read([], { END_WITH_STDIN: 'on' }), read(['--end-with-stdin'], { END_WITH_STDIN: 'off' })],
    ['off', 'on', 'on'],
  );
  assert.match(refusal([], { END_WITH_STDIN: 'yes' }), /^END_WITH_STDIN: "yes" is not valid/);
});

for (const [name, flag, variable, text, value, otherText, otherValue] of settings) {
  test(`Decisions, start-up: ${name} is set by ${variable}${flag ? ` and by ${flag}, which wins` : ' only'}`, () => {
    const read = (args: string[], environment: NodeJS.ProcessEnv) =>
      (readConfig(args, { ...needed[name], ...environment }) as Config)[name];
    assert.deepEqual(read([], { [variable]: text }), value);
    const empty = readConfig([], { [variable]: '' }) as Config;
    assert.deepEqual(empty[name], defaults[name], 'an empty variable counts as not set');
    if (flag === undefined) {
      const made = `--${variable.toLowerCase().replaceAll('_', '-')}`;
      const message = refusal([`${made}=${text}`], {});
      assert.match(message, new RegExp(`set the variable ${variable}`));
      assert.ok(!message.includes(text), 'the message shows the secret');
    } else {
      assert.deepEqual(read([flag, text], {}), value);
      assert.deepEqual(read([`${flag}=${otherText}`], { [variable]: text }), otherValue);
      assert.match(refusal([`${flag}=`], {}), new RegExp(`^${flag}: `));
    }
  });
}

test('Decisions, start-up: --help lists every flag and variable with its default; --version asks for the version', () => {
  assert.equal(readConfig(['--help'], {}), 'help');
  assert.equal(readConfig(['-h', '--port', 'nonsense'], {}), 'help');
  assert.equal(readConfig(['--version'], {}), 'version');
  const lines = help().split('\n');
  for (const [name, flag, variable] of settings) {
    const line = lines.find((each) => each.split(/\s+/).includes(variable));
    assert.ok(line, `${variable} is not listed`);
    if (flag) assert.ok(line.split(/\s+/).includes(flag), `${flag} is not listed`);
    const shown = defaults[name];
    if (typeof shown === 'number') assert.match(line, new RegExp(`\\(${shown}\\)$`));
  }
});

test('Decisions, start-up: the public URL follows the port unless it is set, and it is known which', () => {
  const read = (environment: NodeJS.ProcessEnv) => {
    const { publicUrl, publicUrlGiven } = readConfig(['--port=9000'], environment) as Config;
    return [publicUrl, publicUrlGiven];
  };
  assert.deepEqual(read({}), ['http://localhost:9000', false]);
  assert.deepEqual(read({ PUBLIC_URL: '' }), ['http://localhost:9000', false]);
  assert.deepEqual(read({ PUBLIC_URL: 'https://x' }), ['https://x', true]);
  assert.deepEqual(read({ PUBLIC_URL: 'http://localhost:9000' }), ['http://localhost:9000', true]);
});

const bad: [string, string[]][] = [
  ['PORT', ['65536', '-1', '80.5', '1e3', '0x50', ' 80', 'http', 'a\nb']],
  ['HOST', ['a b', 'http://localhost', 'a\nb']],
  ['PUBLIC_URL', ['localhost', 'ftp://a', 'http://a/b', 'http://a/?q', 'http://a/#f', 'http://u:p@a', 'a\nb']],
  ['TLS', ['on', 'SELF']],
  ['TLS_CERT', ['/nowhere.pem', '/dev/null', keys.first]],
  ['TLS_KEY', ['/nowhere.pem', '/dev/null', authorities.first]],
  ['TLS_CLIENT_CA', ['/nowhere.pem', '/dev/null']],
  ['DATABASE_URL', ['mysql://u:pass-word@h/d', 'u:pass-word@h', 'postgres', 'pass-word\nb']],
  ['DATABASE_POOL_SIZE', ['1', '1001']],
  ['DATABASE_TIMEOUT_SECONDS', ['0', '601']],
  ['DATABASE_TLS', ['yes', 'VERIFY']],
  ['DATABASE_TLS_CA', ['/nowhere.pem', '/dev/null']],
  ['REDIS_URL', ['http://h', 'localhost:6379', 'pass-word']],
  ['KAFKA_BROKERS', ['kafka', 'a:1,', 'a:b', 'http://a:1', 'a\nb']],
  ['KAFKA_PARTITIONS', ['0', '1001']],
  ['KAFKA_REPLICATION_FACTOR', ['0', '11']],
  ['KAFKA_TLS', ['url', 'true']],
  ['KAFKA_TLS_SNI', ['true']],
  ['KAFKA_SASL_MECHANISM', ['plain', 'GSSAPI']],
  ['KAFKA_USERNAME', ['a\nb']],
  ['WORKERS', ['0', '65', 'all']],
  ['TRUST_PROXY', ['true', '-1', '100', '10.0.0.0/33', '10.0.0.1,', 'localhost', 'a\nb']],
  ['RATE_LIMIT_PER_MINUTE', ['0', 'OFF', '-5', '1.5', 'none', '9007199254740993']],
  ['PROBE_LIMIT_PER_MINUTE', ['0', 'x']],
  ['SOAP_LIMIT_PER_MINUTE', ['-1', 'off', '1.5']],
  ['RATE_LIMIT_KEY', ['ADDRESS', 'ip', 'a\nb']],
  ['POLICIES_PER_CLIENT', ['0', 'x']],
  ['CLAIMS_PER_CLIENT', ['0', '1.5']],
  ['STREAMS_PER_CLIENT', ['0', 'many']],
  ['SUBSCRIPTIONS_PER_CLIENT', ['0', '-1']],
  ['EVENTS_DUPLICATE_RATE', ['1.1', '-0.1', '10%', '.5', '1e-1', 'often']],
  ['EVENTS_HEARTBEAT_SECONDS', ['0', '3601']],
  ['WEBHOOK_ALLOW', ['localhost', '10', '012.0.0.0/8', '::ffff:10.0.0.0/104', '10.0.0.0/33', 'fd00::/8,', 'a\nb']],
  ['REQUEST_TIMEOUT_SECONDS', ['0', '3601']],
  ['SEND_TIMEOUT_SECONDS', ['0', '3601']],
  ['CONNECTIONS_TOTAL', ['9', 'off']],
  ['EXCHANGES_MEGABYTES', ['0', 'all']],
  ['BUFFER_LIMIT_MEGABYTES', ['15', '65537']],
  ['LOG_LEVEL', ['loud', 'INFO']],
  ['READY', ['yes', 'JSON']],
  ['SEED', ['-1', '1.5', 'x', '9007199254740993']],
  [
    'NOW',
    ['2026-03-01', '2026-03-01T09:00', 'now', '1999-12-31T23:59Z', '2100-01-01T00:00Z', '2026-02-30T00:00Z', 'a\nb'],
  ],
  ['HMAC_SECRET', ['pass word', 'pass-wörd', 'pass-word\n', 'pass-word'.repeat(30)]],
  ['TRAINER_TOKEN', ['a', 'fifteen-letters', 'with blanks in it, long']],
];

for (const [variable, texts] of bad) {
  test(`Decisions, start-up: a ${variable} that can't be used is refused in one line that names it`, () => {
    for (const text of texts) {
      const message = refusal([], { [variable]: text });
      assert.match(message, new RegExp(`^${variable}: .*use |^${variable}: use `), message);
      assert.doesNotMatch(message, /pass/, 'the message shows what may be a password');
    }
  });
}

test('Decisions, start-up: of a file that can not be read the whole path is said, and why', () => {
  const told = (text: string) => refusal(['--lessons', text], {});
  const full = (path: string) => JSON.stringify(join(process.cwd(), path));
  assert.equal(told('no/such.json'), `--lessons: there is no file ${full('no/such.json')}; use a file of JSON`);
  assert.equal(
    told(import.meta.dirname),
    `--lessons: ${JSON.stringify(import.meta.dirname)} is a directory; use a file of JSON`,
  );
});

test('Settings: whoever set variables alone is told of variables', () => {
  const told = (environment: NodeJS.ProcessEnv, ...args: string[]) => {
    try {
      readConfig(args, environment);
      return '';
    } catch (error) {
      return (error as Error).message;
    }
  };
  const given = { SEED: '1', DATABASE_URL: 'postgres://localhost/lplate' };
  assert.match(told(given), /^SEED: a service with it .* Leave DATABASE_URL out\.$/);
  assert.match(told({ SEED: '1', DATA_DIR: './data' }), /or use DATA_DIR=memory\.$/);
  assert.match(told({ TLS: 'self', DATABASE_URL: given.DATABASE_URL }), /^TLS=self: .* Use TLS_CERT and TLS_KEY\.$/);
  assert.match(told({ WORKERS: '2' }), /^WORKERS: more than one needs PostgreSQL/);
  assert.match(told({}, '--workers', '2'), /^--workers: more than one needs PostgreSQL/);
});

test('Decisions, a fixture: a limit can be off', () => {
  const { rateLimitPerMinute, probeLimitPerMinute } = readConfig(['--rate-limit-per-minute', 'off'], {
    PROBE_LIMIT_PER_MINUTE: 'off',
  }) as Config;
  assert.deepEqual([rateLimitPerMinute, probeLimitPerMinute], ['off', 'off']);
});

test('Decisions, a fixture: a seed, a fixed time and data in memory go together, and with nothing that is kept or shared', () => {
  const dataDir = (...args: string[]) => (readConfig(args, {}) as Config).dataDir;
  assert.equal(dataDir('--seed', '1'), 'memory');
  const kept = (...args: string[]) => (readConfig(args, {}) as Config).keepClientsDays;
  assert.deepEqual([kept(), kept('--seed', '1'), kept('--now', '2026-03-01T09:00Z')], [1, 'off', 'off']);
  assert.deepEqual([kept('--class', '--seed', '1'), kept('--seed', '1', '--keep-clients-days', '3')], ['off', 3]);
  assert.equal(dataDir('--now', '2026-03-01T09:00Z'), 'memory');
  assert.equal(dataDir('--seed', '1', '--data-dir', 'memory'), 'memory');
  for (const args of [
    ['--seed', '1'],
    ['--now', '2026-03-01T09:00Z'],
    ['--data-dir', 'memory'],
  ]) {
    const [flag = ''] = args;
    const begins = new RegExp(`^${flag}.* begins empty .* Leave `);
    assert.match(refusal(args, { DATABASE_URL: 'postgres://h/d' }), begins);
    assert.match(refusal(args, { WORKERS: '2' }), begins);
    if (flag !== '--data-dir') assert.match(refusal(args, { DATA_DIR: '/srv/l-plate' }), begins);
  }
});

test('Decisions, start-up: settings that need another one say so', () => {
  assert.match(refusal(['--workers=2']), /needs PostgreSQL.*Set DATABASE_URL/);
  assert.match(
    refusal([], { KAFKA_SASL_MECHANISM: 'PLAIN', KAFKA_USERNAME: 'u' }),
    /set KAFKA_USERNAME and KAFKA_PASS/,
  );
  for (const KAFKA_BROKERS of ['k:1,10.0.0.1:2', '[::1]:1']) {
    assert.match(
      refusal([], { KAFKA_TLS_SNI: 'on', KAFKA_BROKERS }),
      /^KAFKA_TLS_SNI: KAFKA_BROKERS must contain host names/,
    );
  }
});

test('Decisions, start-up: settings of HTTPS that do not go together are refused', () => {
  const pair = { TLS_CERT: authorities.first, TLS_KEY: keys.first };
  assert.match(refusal([`--tls-cert=${authorities.first}`]), /^--tls-cert: set --tls-key as well/);
  assert.match(refusal([`--tls-key=${keys.first}`]), /^--tls-key: set --tls-cert as well/);
  assert.match(refusal(['--tls=self'], pair), /^--tls self: .*leave out --tls-cert and --tls-key/);
  assert.match(refusal(['--tls=self'], { DATABASE_URL: 'postgres://h/d' }), /^--tls self: with DATABASE_URL/);
  assert.match(refusal([`--tls-client-ca=${authorities.first}`]), /^--tls-client-ca: needs HTTPS/);
  assert.equal((readConfig([], pair) as Config).publicUrl, 'https://localhost:8080');
  assert.equal((readConfig(['--tls=self'], {}) as Config).publicUrl, 'https://localhost:8080');
});

test('Decisions, start-up: what is no flag is refused in one line', () => {
  assert.equal(refusal(['--colour=red']), "Unknown option '--colour'. --help lists the flags.");
  assert.equal(refusal(['--no-port']), "Unknown option '--no-port'. --help lists the flags.");
  assert.match(refusal(['--port']), /^Option '--port <value>' argument missing\. --help/);
  assert.match(refusal(['--port', '--host', 'x']), /--port.* --help/);
  assert.match(refusal(['--help=yes']), /does not take an argument\. --help/);
  for (const stray of ['8080', 'a.b', 'a\nb', '-']) {
    assert.match(refusal([stray]), /^Only flags are allowed, such as --port 8081\. --help/);
  }
  assert.match(refusal(['-x\ny']), /--help lists the flags/);
});

const flagsOf = settingNames.map((name) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`));

test('Decisions, start-up: an unknown flag is told the one that was probably meant, for every flag', () => {
  for (const flag of flagsOf.filter((name) => name.length > 3)) {
    for (const wrong of [`--${flag[0]}${flag}`, `--${flag.toUpperCase()}=x`, `-${flag}`, `--${flag}x`])
      assert.match(refusal(['--host', '::1', wrong]), new RegExp(`Did you mean --${flag}\\? --help`), wrong);
  }
  assert.match(
    refusal(['--datadir=/secret']),
    /^Unknown option '--datadir'\. Did you mean --data-dir\? --help lists the flags\.$/,
  );
  assert.doesNotMatch(refusal(['--colour=port']), /mean/);
});

test('Decisions, start-up: a command line that is suggested has the flags that were given, but for those it is about', () => {
  const cases: [given: string[], changed: Record<string, string>, line: string][] = [
    [[], { port: '8081' }, '--port 8081'],
    [
      ['--class', '--port', '8080', '--lessons=my lessons.json'],
      { port: '8081' },
      '--class --lessons "my lessons.json" --port 8081',
    ],
    [['--backup=b', '--data-dir', 'd', '--class'], { 'data-dir': 'b' }, '--class --data-dir b'],
    [['--database-url', 'postgres://me:secret@db/l'], { port: '1' }, '--database-url "postgres://…@db/l" --port 1'],
    [['--port', '1', '--port', '2', '--log-level=info'], { port: '3' }, '--log-level info --port 3'],
  ];
  for (const [given, changed, line] of cases) assert.equal(startLine(given, changed), `npm start -- ${line}`);
});

test('Decisions, start-up: npm start with a flag before -- is told to put it behind, for every flag', () => {
  const start = { npm_lifecycle_event: 'start', npm_package_name: 'l-plate' };
  const variable = (flag: string) => `npm_config_${flag.replaceAll('-', '_')}`;
  for (const flag of [...flagsOf, 'check-lessons', 'backup']) {
    for (const value of ['true', 'x', '']) {
      const told = refusal(['8081'], { ...start, [variable(flag)]: value });
      const isSecret = /secret|token|password/.test(flag);
      const shown = ['class', 'end-with-stdin'].includes(flag) ? '' : value === 'x' && !isSecret ? ' x' : ' …';
      assert.equal(told, `npm kept --${flag} for itself. Flags come after --: npm start -- --${flag}${shown}`);
    }
  }
  const asClass = { npm_config_all: 'true', npm_config_long: 'true', npm_config_loglevel: 'silent' };
  assert.equal(
    refusal([], { ...start, ...asClass, npm_config_port: '8081' }),
    'npm kept --port and --class for itself. Flags come after --: npm start -- --port 8081 --class',
  );
  const others = [
    { ...start, npm_config_yes: '', npm_config_loglevel: 'silent', npm_config_cache: '/x' },
    { ...start, npm_lifecycle_event: 'test', npm_config_port: '8081' },
    { ...start, npm_package_name: 'my-app', npm_config_port: '8081' },
    { npm_config_port: '8081' },
  ];
  for (const environment of others) assert.deepEqual(readConfig([], environment), defaults);
});
