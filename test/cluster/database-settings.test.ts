import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { type Certificates, makeCertificates } from '../support/certificates.ts';
import { administer } from '../support/engines.ts';
import { problem, testSecrets } from '../support/lplate.ts';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';
import { run } from '../support/program.ts';
import { steadyPort } from '../support/steady-port.ts';
import { count, emptyDatabase, type NodeAnswer, Nodes, until } from './support/nodes.ts';

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

for (const size of [2, 7]) {
  test(`The program, more than one node: DATABASE_POOL_SIZE=${size} bounds the connections of a node, two more apart`, async (t) => {
    const url = await emptyDatabase(postgres);
    const nodes = await one(t, url, { DATABASE_POOL_SIZE: String(size) });
    let most = 0;
    const calls = crowd(600, () => nodes.call('POST', '/demo-clients'));
    for (let over = false; !over; ) {
      most = Math.max(most, (await connections(url)).all);
      over = await Promise.race([calls.then(() => true), pause(10, false)]);
    }
    assert.deepEqual(count(await calls), { 201: 600 });
    // One hears signals and one holds the roles.
    assert.equal(most, size + 2);
  });
}

test('The program, more than one node: when all connections are busy for long, calls get 503, and go on when they are free', async (t) => {
  const url = await emptyDatabase(postgres);
  const nodes = await one(t, url, { DATABASE_POOL_SIZE: '2', DATABASE_TIMEOUT_SECONDS: '2' });
  const { token } = await nodes.client();
  const create = (at: number) => nodes.call('POST', '/policies', { token, json: { regNumber: `P-${at}` } });
  const release = await hold(t, url, 'lock table policies');
  const calls = crowd(40, create);
  await pause(100);
  assert.equal((await nodes.call('GET', '/coverage-options')).status, 200, 'what needs no database goes on');
  for (const answer of await calls) {
    assertUnavailable(answer);
    // Five for a connection, and two for the statement.
    assert.ok(answer.ms < 8_000, `${answer.ms} ms`);
  }
  assertUnavailable(await nodes.call('GET', '/policies', { token }));
  await release();
  assert.deepEqual(count(await crowd(40, create)), { 201: 40 });
  assert.deepEqual(
    nodes.log(0).filter(({ level }) => level >= 50),
    [],
  );
});

test('The program, more than one node: when PostgreSQL grants fewer connections than wanted, some calls get 503, none 500', async (t) => {
  const url = new URL(await emptyDatabase(postgres));
  // Superusers have no limit.
  await administer("create role modest login password 'modest' connection limit 4", postgres.url);
  await administer(`alter database ${url.pathname.slice(1)} owner to modest`, postgres.url);
  url.username = 'modest';
  url.password = 'modest';
  const nodes = await one(t, url.href);
  const { token } = await nodes.client();
  const answers = await crowd(200, (at) => nodes.call('POST', '/policies', { token, json: { regNumber: `Q-${at}` } }));
  const { 201: created = 0, 503: refused = 0 } = count(answers);
  assert.equal(created + refused, 200);
  assert.ok(created > 0 && refused > 0, `${created} created, ${refused} refused`);
  for (const answer of answers) if (answer.status === 503) assertUnavailable(answer);
  await until('a call that is alone succeeds', async () => {
    const { status } = await nodes.call('POST', '/policies', { token, json: { regNumber: 'Q-LAST' } });
    return status === 201;
  });
  assert.deepEqual(
    nodes.log(0).filter(({ level }) => level >= 50),
    [],
  );
});

test('The program, more than one node: DATABASE_TIMEOUT_SECONDS bounds what one statement may take, waiting for locks included', async (t) => {
  const url = await emptyDatabase(postgres);
  const [brief, patient] = await Promise.all(
    ['1', '3'].map((seconds) => one(t, url, { DATABASE_TIMEOUT_SECONDS: seconds })),
  );
  assert.ok(brief && patient);
  const { id, token } = await brief.client();
  const release = await hold(t, url, `select from clients where id = '${id}' for update`);
  const json = { regNumber: 'T-1' };
  const waits = [1_000, 3_000];
  const answers = await Promise.all([brief, patient].map((nodes) => nodes.call('POST', '/policies', { token, json })));
  for (const [at, answer] of answers.entries()) {
    const wait = waits[at] as number;
    assertUnavailable(answer);
    assert.ok(answer.ms >= wait && answer.ms < wait + 1_500, `${answer.ms} ms in place of ${wait}`);
  }
  await release();
  assert.equal((await brief.call('POST', '/policies', { token, json })).status, 201, 'nothing was left behind');
});

test('The program, more than one node: DATABASE_TLS encrypts every connection, and verifies by DATABASE_TLS_CA', async (t) => {
  const cases: [Record<string, string>, 'plain' | 'encrypted'][] = [
    [{}, 'plain'],
    [{ DATABASE_TLS: 'off' }, 'plain'],
    [{ DATABASE_TLS: 'on' }, 'encrypted'],
    [{ DATABASE_TLS: 'verify', DATABASE_TLS_CA: certificates.authority }, 'encrypted'],
  ];
  for (const [environment, expected] of cases) {
    const url = await emptyDatabase(postgres);
    const nodes = await one(t, url, environment);
    assert.deepEqual(count(await crowd(40, () => nodes.call('POST', '/demo-clients'))), { 201: 40 });
    // The pool, the one that hears signals and the one that holds the roles.
    const { all, encrypted } = await connections(url);
    assert.ok(all >= 4, `${all} connections`);
    assert.equal(encrypted, expected === 'encrypted' ? all : 0, JSON.stringify(environment));
    await nodes.kill(0);
  }
});

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

test('The program, more than one node: DATABASE_TLS=verify refuses a server that is not vouched for, or goes by another name', async (t) => {
  const url = await emptyDatabase(postgres);
  const strict = { DATABASE_URL: url, DATABASE_TLS: 'verify' };
  assert.match(await refusal(t, { ...strict, DATABASE_TLS_CA: otherAuthority }, 1), /verify|self-signed|signature/);
  assert.match(await refusal(t, strict, 1), /verify|self-signed/);

  // The certificate is for localhost and 127.0.0.1.
  const { port } = new URL(url);
  const elsewhere = createServer((client) => {
    const onward = connect(Number(port), '127.0.0.1');
    for (const socket of [client, onward]) socket.on('error', () => {});
    client.pipe(onward).pipe(client);
  });
  await new Promise<void>((resolve) => elsewhere.listen(Number(port), '127.0.0.2', resolve));
  t.after(() => elsewhere.close());
  const renamed = { ...strict, DATABASE_URL: url.replace('127.0.0.1', '127.0.0.2') };
  const told = await refusal(t, { ...renamed, DATABASE_TLS_CA: certificates.authority }, 1);
  assert.match(told, /127\.0\.0\.2 is not in the cert's list/);
  const unverified = await one(t, renamed.DATABASE_URL, { DATABASE_TLS: 'on' });
  assert.equal((await unverified.call('GET', '/readyz')).status, 200);
});

test('The program, more than one node: DATABASE_TLS is refused when the address says so too, which would win', async (t) => {
  const url = await emptyDatabase(postgres);
  for (const says of ['sslmode=no-verify', 'sslmode=disable', 'ssl=false']) {
    const told = await refusal(t, { DATABASE_URL: `${url}?${says}`, DATABASE_TLS: 'verify' }, 2);
    assert.match(told, /DATABASE_TLS.*DATABASE_URL/);
  }
  const nodes = await one(t, `${url}?sslmode=no-verify`);
  const { all, encrypted } = await connections(url);
  assert.ok(all > 0 && encrypted === all, 'by default the address says how');
  await nodes.kill(0);
});
