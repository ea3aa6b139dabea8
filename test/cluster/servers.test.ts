import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Admin, type BaseOptions } from '@platformatic/kafka';
import { Redis } from 'ioredis';
import pg from 'pg';
import { makeCertificates } from '../support/certificates.ts';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';
import { type KafkaServer, kafkaUser, startKafka } from './support/kafka.ts';
import { GroupMember, isBroker, readTopic, writeTopic } from './support/kcat.ts';
import { type RedisServer, startRedis } from './support/redis.ts';

/* The foreign servers of the cluster tests: they can be ended, killed and started again, and keep what they should. */

describe('Cluster tests: PostgreSQL', () => {
  let server: PostgresServer;
  let directory: string;
  let authority: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'l-plate-test-'));
    const tls = await makeCertificates(directory);
    authority = await readFile(tls.authority, 'utf8');
    const started = await startPostgres({ dataIn: tmpdir(), tls });
    assert.ok(started);
    server = started;
    await query('create table kept (number integer)');
  });
  after(async () => {
    await server?.stop();
    await rm(directory, { recursive: true, force: true });
  });

  for (const end of ['shutDown', 'kill'] as const) {
    it(`comes back after ${end} at the same address, with what was committed under load`, async () => {
      await query('truncate kept');
      const acknowledged: number[] = [];
      const clients = await Promise.all(Array.from({ length: 8 }, () => connected(server.url)));
      const writers = clients.map(async (client, writer) => {
        try {
          for (let number = writer; ; number += 8) {
            await client.query('insert into kept values ($1)', [number]);
            acknowledged.push(number);
          }
        } catch {
          // The server has gone.
        } finally {
          await client.end().catch(() => {});
        }
      });
      while (acknowledged.length < 200) await pause(5);
      await server[end]();
      await Promise.all(writers);
      await assert.rejects(connected(server.url), { code: 'ECONNREFUSED' });

      await server.start();
      const kept = new Set((await query('select number from kept')).map(({ number }) => number));
      assert.deepEqual(
        acknowledged.filter((number) => !kept.has(number)),
        [],
      );
    });
  }

  it('speaks TLS with a certificate that our authority vouches for', async () => {
    const client = await connected(server.url, { ca: authority, rejectUnauthorized: true });
    const { rows } = await client.query('select ssl from pg_stat_ssl where pid = pg_backend_pid()');
    await client.end();
    assert.deepEqual(rows, [{ ssl: true }]);
    await assert.rejects(connected(server.url, { rejectUnauthorized: true }), /unable to verify|self-signed/);
  });

  async function query(statement: string): Promise<{ number: number }[]> {
    const client = await connected(server.url);
    try {
      return (await client.query(statement)).rows;
    } finally {
      await client.end();
    }
  }
});

async function connected(url: string, ssl?: pg.ClientConfig['ssl']): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, ...(ssl && { ssl }) });
  client.on('error', () => {});
  await client.connect();
  return client;
}

describe('Cluster tests: Redis', () => {
  let server: RedisServer;
  before(async () => {
    server = await startRedis();
  });
  after(() => server?.stop());

  for (const end of ['shutDown', 'kill'] as const) {
    it(`comes back empty after ${end} at the same address`, async (t) => {
      const client = redis(t);
      await client.set('key', 'value');
      await server[end]();
      await assert.rejects(redis(t).ping());
      await server.start();
      assert.equal(await redis(t).get('key'), null);
    });
  }

  it('is silent while it is suspended, and goes on where it was', async (t) => {
    const client = redis(t);
    await client.set('key', 'value');
    server.suspend();
    const answer = client.get('key');
    assert.equal(await Promise.race([answer, pause(300, 'silent')]), 'silent');
    server.resume();
    assert.equal(await answer, 'value');
  });

  function redis(t: TestContext): Redis {
    const client = new Redis(server.url, { maxRetriesPerRequest: 0, retryStrategy: () => null });
    client.on('error', () => {});
    t.after(() => client.disconnect());
    return client;
  }
});

describe('Cluster tests: Kafka', () => {
  let server: KafkaServer;
  before(async () => {
    server = await startKafka();
  });
  after(() => server?.stop());

  it('makes no topic by itself', async () => {
    await assert.rejects(writeTopic(server.listeners.plain, 'nobody-made-it', records('a')), /Unknown topic/);
    await assert.rejects(readTopic(server.listeners.plain, 'nobody-made-it'), /Unknown topic/);
  });

  it('shows the key, value, partition, offset and time of each record', async (t) => {
    const since = Date.now();
    await createTopic(t, 'read', 3);
    await writeTopic(server.listeners.plain, 'read', records('a', 'b', 'c', 'd', 'a'));
    const read = await readTopic(server.listeners.plain, 'read');
    assert.deepEqual(read.map(({ key, value }) => `${key} ${value}`).sort(), [
      'a a-0',
      'a a-4',
      'b b-1',
      'c c-2',
      'd d-3',
    ]);
    assert.equal(new Set(read.filter(({ key }) => key === 'a').map(({ partition }) => partition)).size, 1);
    for (const { partition, offset, timestamp } of read) {
      assert.ok(partition >= 0 && partition < 3);
      assert.ok(offset >= 0 && offset < read.length);
      assert.ok(timestamp >= since && timestamp <= Date.now());
    }
  });

  // The orderly end is part of the tests of the relay.
  it('comes back after kill at the same addresses with its records, and a group goes on reading', async (t) => {
    await createTopic(t, 'kept', 2);
    const member = new GroupMember(server.listeners.plain, 'group-kept', 'kept');
    t.after(() => member.leave());
    await writeTopic(server.listeners.plain, 'kept', records('a', 'b', 'c'));
    await receivedAll(member, ['a-0', 'b-1', 'c-2']);
    await server.kill();
    await assert.rejects(isBroker(server.listeners.plain));
    await server.start();

    const kept = await readTopic(server.listeners.plain, 'kept');
    assert.deepEqual(kept.map(({ value }) => value).sort(), ['a-0', 'b-1', 'c-2']);
    await writeTopic(server.listeners.plain, 'kept', records('d'));
    await receivedAll(member, ['a-0', 'b-1', 'c-2', 'd-0']);
  });

  it('lets the next member of a group go on where the last one left', async (t) => {
    await createTopic(t, 'places', 1);
    await writeTopic(server.listeners.plain, 'places', records('a'));
    const first = new GroupMember(server.listeners.plain, 'places', 'places');
    t.after(() => first.leave());
    await receivedAll(first, ['a-0']);
    await first.leave();
    await writeTopic(server.listeners.plain, 'places', records('b'));
    const second = new GroupMember(server.listeners.plain, 'places', 'places');
    t.after(() => second.leave());
    await receivedAll(second, ['b-0']);
  });

  // librdkafka before 2.6.1 does not reckon SCRAM as Kafka 4 wants it, so that a library that does is asked.
  for (const mechanism of ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'] as const) {
    it(`knows its user by ${mechanism}, and nobody else`, async () => {
      const login = { mechanism, username: kafkaUser.name, password: kafkaUser.passwords[mechanism] };
      const tls = { ca: await readFile(server.authority, 'utf8') };
      await topics({ bootstrapBrokers: [server.listeners.sasl], sasl: login });
      await topics({ bootstrapBrokers: [server.listeners.saslTls], sasl: login, tls });
      const wrong = { ...login, password: 'wrong' };
      await assert.rejects(topics({ bootstrapBrokers: [server.listeners.sasl], sasl: wrong }));
      await assert.rejects(topics({ bootstrapBrokers: [server.listeners.saslTls], sasl: wrong, tls }));
      await assert.rejects(topics({ bootstrapBrokers: [server.listeners.sasl] }));
    });
  }

  it('has a certificate that our authority vouches for', async () => {
    const { tls } = server.listeners;
    await Promise.all([
      isBroker(tls, { 'security.protocol': 'ssl', 'ssl.ca.location': server.authority }).then(assert.ok),
      assert.rejects(isBroker(tls, { 'security.protocol': 'ssl' }), /certificate verify failed/),
    ]);
  });

  async function createTopic(t: TestContext, topic: string, partitions: number): Promise<void> {
    const admin = new Admin({ clientId: 'test', bootstrapBrokers: [server.listeners.plain] });
    t.after(() => admin.close());
    await admin.createTopics({ topics: [topic], partitions, replicas: 1 });
  }

  async function topics(options: Omit<BaseOptions, 'clientId'>): Promise<string[]> {
    const admin = new Admin({ clientId: 'test', retries: 0, connectTimeout: 2_000, timeout: 2_000, ...options });
    try {
      return await admin.listTopics();
    } finally {
      await admin.close();
    }
  }
});

/** One for each key, with the key and its place as the value. */
function records(...keys: string[]): { key: string; value: string }[] {
  return keys.map((key, place) => ({ key, value: `${key}-${place}` }));
}

/** Each at least once, and nothing else. */
async function receivedAll(member: GroupMember, values: readonly string[]): Promise<void> {
  const received = (): (string | null)[] => [...new Set(member.received.map(({ value }) => value))].sort();
  for (const started = Date.now(); Date.now() - started < 30_000 && member.reading; await pause(50)) {
    if (received().length >= values.length) break;
  }
  assert.deepEqual(received(), values);
}
