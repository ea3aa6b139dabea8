import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { type Certificates, makeCertificates } from '../support/certificates.ts';
import { administer } from '../support/engines.ts';
import { problem, testSecrets } from '../support/lplate.ts';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';
import { run } from '../support/program.ts';
import { expectLockWaits } from '../support/server-log.ts';
import { steadyPort } from '../support/steady-port.ts';
import { startTcpRelay } from '../support/tcp-relay.ts';
import { until } from '../support/until.ts';
import { count, emptyDatabase, type NodeAnswer, Nodes } from './support/nodes.ts';

let directory: string;
let certificates: Certificates;
let otherAuthority: string;
let postgres: PostgresServer;
before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'l-plate-test-'));
  certificates = await makeCertificates(directory);
  const other = await mkdtemp(join(directory, 'other-'));
  otherAuthority = (await makeCertificates(other)).authority;
  postgres = (await startPostgres({ tls: certificates })) as PostgresServer;
});
after(async () => {
  await postgres?.stop();
  await rm(directory, { recursive: true, force: true });
});

/** Milliseconds that nobody should wait for an answer, however slow the machine. */
const patience = 30_000;

const one = (t: TestContext, url: string, environment: Record<string, string> = {}) =>
  Nodes.start(t, url, environment, 1);

const crowd = (many: number, call: (at: number) => Promise<NodeAnswer>) =>
  Promise.all(Array.from({ length: many }, (_, at) => call(at)));

/** The connections of all nodes to a database, and how many of them are encrypted. */
async function connections(url: string): Promise<{ all: number; encrypted: number }> {
  const [row] = await administer<{ all: string; encrypted: string }>(
    `select count(*) as all, count(*) filter (where s.ssl) as encrypted
      from pg_stat_activity a join pg_stat_ssl s using (pid)
      where a.application_name = 'l-plate' and a.datname = current_database()`,
    url,
  );
  return { all: Number(row?.all), encrypted: Number(row?.encrypted) };
}

/** Locks held by hand, as by somebody else's work, until `release`. */
async function hold(t: TestContext, url: string, statement: string): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  t.after(() => client.end());
  await client.query('begin');
  await client.query(statement);
  return async () => void (await client.query('rollback'));
}

/** An answer of 503 that says when to come back. */
function assertUnavailable(answer: NodeAnswer): void {
  assert.deepEqual(problem(answer), [503, 'unavailable']);
  assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
}

/** A start that is refused: its one line. */
async function refusal(t: TestContext, environment: Record<string, string>, code: number): Promise<string> {
  const { hmacSecret, readerClientSecret, fleetClientSecret } = testSecrets;
  const secrets = {
    HMAC_SECRET: hmacSecret,
    READER_CLIENT_SECRET: readerClientSecret,
    FLEET_CLIENT_SECRET: fleetClientSecret,
  };
  const {
    code: actual,
    stdout,
    stderr,
  } = await run(t, {
    environment: { PORT: String(await steadyPort()), ...secrets, ...environment },
  });
  assert.deepEqual([actual, stdout], [code, ''], stderr);
  assert.match(stderr, /^L-Plate can't start\. .*\n$/);
  assert.ok(!stderr.includes(new URL(postgres.url).password), 'the password is not told');
  return stderr;
}

// At the same time: most of it is waiting.
describe('The program, more than one node: the settings of PostgreSQL', { concurrency: 8 }, () => {
  /** Waits until a node has as many connections as it may: one hears signals and one holds the roles. */
  async function full(url: string, size: number): Promise<void> {
    await until(async () => (await connections(url)).all >= size + 2, 'all are in use', patience);
    // Time for one more, were there one.
    await pause(300);
    assert.equal((await connections(url)).all, size + 2);
  }

  test('DATABASE_POOL_SIZE bounds the connections of a node, two more apart', async (t) => {
    const url = await emptyDatabase(postgres);
    const nodes = await one(t, url, { DATABASE_POOL_SIZE: '7' });
    const release = await hold(t, url, 'lock table clients');
    const calls = crowd(40, () => nodes.call('POST', '/demo-clients'));
    await full(url, 7);
    await release();
    // Whoever waited for a connection for five seconds was refused: a slow machine takes so long to fill them.
    const { 201: created = 0, 503: refused = 0 } = count(await calls);
    assert.equal(created + refused, 40, `${created} created, ${refused} refused`);
    assert.deepEqual(await connections(url), { all: 9, encrypted: 0 }, 'by default nothing is encrypted');
  });

  test('when all connections are busy for long, calls get 503, and go on when they are free', async (t) => {
    const url = await emptyDatabase(postgres);
    // Creates of one client wait for each other behind the table.
    await expectLockWaits(url);
    const nodes = await one(t, url, { DATABASE_POOL_SIZE: '2', DATABASE_TIMEOUT_SECONDS: '2' });
    const { token } = await nodes.client();
    const create = (at: number) => nodes.call('POST', '/policies', { token, json: { regNumber: `P-${at}` } });
    const release = await hold(t, url, 'lock table policies');
    const calls = crowd(40, create);
    await full(url, 2);
    assert.equal((await nodes.call('GET', '/coverage-options')).status, 200, 'what needs no database goes on');
    for (const answer of await calls) {
      assertUnavailable(answer);
      assert.ok(answer.ms < patience, `${answer.ms} ms`);
    }
    assertUnavailable(await nodes.call('GET', '/policies', { token }));
    await release();
    assert.deepEqual(count(await crowd(40, create)), { 201: 40 });
    assert.deepEqual(
      nodes.log(0).filter(({ level }) => level >= 50),
      [],
    );
  });

  test('when PostgreSQL grants fewer connections than wanted, some calls get 503, none 500', async (t) => {
    const url = new URL(await emptyDatabase(postgres));
    // Superusers have no limit.
    await administer("create role modest login password 'modest' connection limit 4", postgres.url);
    await administer(`alter database ${url.pathname.slice(1)} owner to modest`, postgres.url);
    url.username = 'modest';
    url.password = 'modest';
    const nodes = await one(t, url.href);
    // What begins with the service may have all four for a moment.
    let token = '';
    await until(async () => {
      token = await nodes.client().then(
        (client) => client.token,
        () => '',
      );
      return token !== '';
    }, 'a client has a token');
    // Every other one only reads: its way to a connection is another.
    const answers = await crowd(200, (at) =>
      at % 2 === 0
        ? nodes.call('POST', '/policies', { token, json: { regNumber: `Q-${at}` } })
        : nodes.call('GET', '/policies', { token }),
    );
    const writes = answers.filter((_, at) => at % 2 === 0);
    const reads = answers.filter((_, at) => at % 2 === 1);
    for (const [some, done] of [
      [writes, 201],
      [reads, 200],
    ] as const) {
      const { [done]: served = 0, 503: refused = 0 } = count(some);
      assert.equal(served + refused, 100);
      assert.ok(served > 0 && refused > 0, `${served} served, ${refused} refused`);
      for (const answer of some) if (answer.status === 503) assertUnavailable(answer);
    }
    await until(async () => {
      const { status } = await nodes.call('POST', '/policies', { token, json: { regNumber: 'Q-LAST' } });
      return status === 201;
    }, 'a call that is alone succeeds');
    assert.deepEqual(
      nodes.log(0).filter(({ level }) => level >= 50),
      [],
    );
  });

  test('DATABASE_TIMEOUT_SECONDS bounds what one statement may take, waiting for locks included', async (t) => {
    const url = await emptyDatabase(postgres);
    await expectLockWaits(url);
    const [brief, patient] = await Promise.all(
      ['2', '5'].map((seconds) => one(t, url, { DATABASE_TIMEOUT_SECONDS: seconds })),
    );
    assert.ok(brief && patient);
    const { id, token } = await brief.client();
    const release = await hold(t, url, `select from clients where id = '${id}' for update`);
    const json = { regNumber: 'T-1' };
    const answers = await Promise.all(
      [brief, patient].map((nodes) => nodes.call('POST', '/policies', { token, json })),
    );
    for (const answer of answers) assertUnavailable(answer);
    const waiting = "select pid from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
    assert.deepEqual(await administer(waiting, url), [], 'PostgreSQL itself has given up');
    const [soon = 0, later = 0] = answers.map(({ ms }) => ms);
    assert.ok(soon >= 2_000 && later >= 5_000 && later - soon > 1_000, `${soon} and ${later} ms`);
    await release();
    assert.equal((await brief.call('POST', '/policies', { token, json })).status, 201, 'nothing was left behind');
  });

  /** The server by an address that is not in its certificate, which is for localhost and 127.0.0.1. */
  async function elsewhere(t: TestContext): Promise<{ renamed: (url: string) => string }> {
    const port = Number(new URL(postgres.url).port);
    const relay = await startTcpRelay(t, { host: '127.0.0.1', port }, { host: '127.0.0.2' });
    return { renamed: (url) => url.replace(`127.0.0.1:${port}`, `127.0.0.2:${relay.port}`) };
  }

  test('DATABASE_TLS encrypts every connection; verify refuses a server that is not vouched for, or goes by another name', async (t) => {
    const { renamed } = await elsewhere(t);
    const same = (url: string) => url;
    const verify = { DATABASE_TLS: 'verify', DATABASE_TLS_CA: certificates.authority };
    const cases = [
      { place: same, environment: { DATABASE_TLS: 'off' }, expected: 'plain' },
      { place: renamed, environment: { DATABASE_TLS: 'on' }, expected: 'encrypted' },
      { place: same, environment: verify, expected: 'encrypted' },
    ];
    const seen = cases.map(async ({ place, environment, expected }) => {
      const url = await emptyDatabase(postgres);
      const nodes = await one(t, place(url), environment);
      assert.deepEqual(count(await crowd(40, () => nodes.call('POST', '/demo-clients'))), { 201: 40 });
      // The pool, the one that hears signals and the one that holds the roles.
      const { all, encrypted } = await connections(url);
      assert.ok(all >= 4, `${all} connections`);
      assert.equal(encrypted, expected === 'encrypted' ? all : 0, JSON.stringify(environment));
    });
    await Promise.all(seen);

    const { url } = postgres;
    const strangers = { ...verify, DATABASE_TLS_CA: otherAuthority };
    assert.match(await refusal(t, { ...strangers, DATABASE_URL: url }, 1), /verify|self-signed|signature/);
    assert.match(await refusal(t, { DATABASE_TLS: 'verify', DATABASE_URL: url }, 1), /verify|self-signed/);
    const told = await refusal(t, { ...verify, DATABASE_URL: renamed(url) }, 1);
    assert.match(told, /127\.0\.0\.2 is not in the cert's list/);
  });

  test('DATABASE_TLS is refused when the address says so too, which would win', async (t) => {
    const url = await emptyDatabase(postgres);
    for (const says of ['sslmode=no-verify', 'ssl=false']) {
      const told = await refusal(t, { DATABASE_URL: `${url}?${says}`, DATABASE_TLS: 'verify' }, 2);
      assert.match(told, /DATABASE_TLS.*DATABASE_URL/);
    }
    await one(t, `${url}?sslmode=no-verify`);
    const { all, encrypted } = await connections(url);
    assert.ok(all > 0 && encrypted === all, 'by default the address says how');
  });
});
