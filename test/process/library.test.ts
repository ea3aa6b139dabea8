import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import http from 'node:http';
import https from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { Static } from 'typebox';
import type { Exchange, LPlate, LPlateError as LPlateFault, StartSettings } from '../../src/library.ts';
import type { ExchangeSummary } from '../../src/range/exchanges/schemas.ts';
import { configFrom } from '../../src/settings/config.ts';
import { notOfLibrary } from '../../src/settings/settings.ts';
import { makeCertificates } from '../support/certificates.ts';
import { launch, root } from '../support/program.ts';
import { until } from '../support/until.ts';

/* What tests of other projects start: `import { start } from 'l-plate'`, here from its source. */

/** A directory for temporary files that nothing but the services of a test uses. */
const directory = await mkdtemp(join(tmpdir(), 'l-plate-library-'));
/** One for what stays. */
const lasting = await mkdtemp(join(tmpdir(), 'l-plate-library-'));
process.env.TMPDIR = directory;
after(async () => {
  for (const each of [directory, lasting]) await rm(each, { recursive: true, force: true });
});
const { LPlateError, start } = await import('../../src/library.ts');
const library = pathToFileURL(join(root, 'src/library.ts')).href;

async function policies({ url }: LPlate, token: string, body?: object): Promise<Response> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const post = body && { method: 'POST', body: JSON.stringify(body) };
  return fetch(`${url}/insurer/v1/policies`, { headers, ...post });
}

/** A new token of a new client. */
async function tokenOf(lplate: LPlate): Promise<string> {
  return (await lplate.client()).token();
}

test('Library: it takes no variable that starts a mode of Node.js', async (t) => {
  const tells = `import { start } from '${library}'; const { url } = await start(); console.log(url);`;
  const watched = launch(t, {
    command: [process.execPath, '--input-type=module', '--eval', tells],
    environment: { WATCH_REPORT_DEPENDENCIES: '1', NODE_OPTIONS: '--no-warnings' },
  });
  assert.deepEqual(await watched.exit, { code: 0, signal: null });
  assert.match(watched.stdout(), /^http:/);
});

test('Library: two in one process have a port, secrets and data each, and leave nothing behind', async (t) => {
  const [first, second] = await Promise.all([start(), start()]);
  t.after(() => Promise.all([first.close(), second.close()]));
  assert.notEqual(first.url, second.url);
  assert.notEqual(first.secrets.hmacSecret, second.secrets.hmacSecret);
  assert.match(first.url, /^http:\/\/127\.0\.0\.1:\d+$/);
  assert.equal(first.publicUrl, first.url.replace('127.0.0.1', 'localhost'));
  const body = { regNumber: 'AB-1234' };
  assert.equal((await policies(first, await tokenOf(first), body)).status, 201);
  assert.equal((await policies(second, await tokenOf(second), body)).status, 201);
  await Promise.all([first.close(), second.close()]);
  for (const { url } of [first, second]) await assert.rejects(fetch(url));
  assert.deepEqual(await readdir(directory), []);
});

test('Library: settings are an object, and the variables of the environment count for nothing', async (t) => {
  const dataDir = join(lasting, 'data');
  process.env.TRAINER_TOKEN = 'from-the-environment';
  t.after(() => delete process.env.TRAINER_TOKEN);
  const lplate = await start({
    dataDir,
    rateLimitPerMinute: 1,
    webhookAllow: ['127.0.0.1/32', '::1/128'],
    hmacSecret: 'given',
  });
  t.after(() => lplate.close());
  assert.equal(lplate.secrets.hmacSecret, 'given');
  assert.notEqual(lplate.secrets.trainerToken, 'from-the-environment');
  const call = async () => (await fetch(`${lplate.url}/insurer/v1/coverage-options`)).status;
  assert.deepEqual([await call(), await call()], [200, 429]);
  await lplate.close();
  const kept = JSON.parse(await readFile(join(dataDir, 'secrets.json'), 'utf8'));
  assert.equal(kept.trainerToken, lplate.secrets.trainerToken, 'a directory that was given stays');
});

test('Library: a setting that can’t be used is refused with its name, and nothing is left behind', async () => {
  const { authority } = await makeCertificates(lasting);
  const refused = (settings: object, message: RegExp) =>
    assert.rejects(start(settings), { name: 'LPlateError', message, problem: undefined });
  await Promise.all([
    refused({ prot: 1 }, /^L-Plate can't start\. There is no setting "prot"\. Did you mean port\?$/),
    ...notOfLibrary.map((name) =>
      refused({ [name]: 'x' }, new RegExp(`^L-Plate can't start\\. There is no setting "${name}"`)),
    ),
    refused({ rateLimitPerMinute: 0 }, /^L-Plate can't start\. rateLimitPerMinute: "0" is not valid; use .*$/),
    ...[{ lessons: {} }, { lessons: null }, { now: new Date('x') }, { webhookAllow: [{}] }].map((settings) =>
      refused(settings, /^L-Plate can't start\. \w+: use a text, a number, a list of texts, or for now a valid Date$/),
    ),
    ...[null, 'x', 5, true, ['x'], new Map([['port', 1]]), Promise.resolve({}), () => ({})].map((settings) =>
      refused(
        settings as object,
        /^L-Plate can't start\. Give start\(\) an object of settings, such as \{ port: 8080 \}/,
      ),
    ),
    // Whoever gave no flag and no variable is told of neither.
    refused(
      { databaseUrl: 'postgres://db.example/lplate' },
      /^L-Plate can't start\. With databaseUrl, .* set hmacSecret, readerClientSecret, fleetClientSecret as well\.$/,
    ),
    refused({ seed: 1, dataDir: './data' }, /^L-Plate can't start\. seed: a service .* or use dataDir: 'memory'\.$/),
    refused(
      { tlsClientCa: authority },
      /^L-Plate can't start\. tlsClientCa: .* Set tls: 'self', or tlsCert and tlsKey\.$/,
    ),
    refused({ kafkaSaslMechanism: 'PLAIN' }, /set kafkaUsername and kafkaPassword as well\.$/),
  ]);
  assert.deepEqual(await readdir(directory), []);
});

test('Library: the clock moves the time of one client, or of all, and says why it can’t', async (t) => {
  const lplate = await start();
  t.after(() => lplate.close());
  const [ada, grace] = [await lplate.client(), await lplate.client()];
  const adasToken = await ada.token();
  const day = 24 * 60 * 60 * 1000;
  const ahead = async (clientId: string) => {
    const [now, own] = [await lplate.clock.now(), await lplate.clock.now(clientId)];
    return Math.round((own.getTime() - now.getTime()) / day);
  };
  await ada.advance('P40D');
  assert.deepEqual([await ahead(ada.clientId), await ahead(grace.clientId)], [40, 0]);
  await lplate.clock.advance('P1D', ada.clientId);
  await lplate.advance('P1D');
  assert.deepEqual([await ahead(ada.clientId), await ahead(grace.clientId)], [42, 1]);
  assert.equal((await policies(lplate, adasToken)).status, 401, 'the token has expired');
  for (const call of [() => lplate.clock.advance('1 day'), () => lplate.advance('1 day'), () => ada.advance('1 day')]) {
    const error: LPlateFault = await call().catch((reason) => reason);
    assert.ok(error instanceof LPlateError);
    assert.match(error.message, /^L-Plate refuses POST \S+\. advance: is not a duration\. Send an ISO 8601 duration/);
    assert.match(error.problem?.type ?? '', /\/problems\/validation-error$/);
    assert.equal(error.problem?.errors?.[0]?.pointer, '/advance');
  }
  await assert.rejects(lplate.clock.now('demo-nobody'), /There is no client with this id/);
});

test('Library: a client has tokens, plates that nobody insured, drills of its own and the log of its calls', async (t) => {
  const lplate = await start();
  t.after(() => lplate.close());
  const [ada, grace] = [await lplate.client(), await lplate.client()];
  const token = await ada.token();
  const insure = (of: string) => policies(lplate, of, { regNumber: ada.plate() });
  assert.equal((await insure(token)).status, 201);
  assert.equal((await insure(await ada.token('policies:read'))).status, 403);
  await assert.rejects(ada.token('policies'), (error: LPlateFault) => error.problem?.type.endsWith('/invalid-scope'));

  const drill = await ada.drill('unavailable', { share: 1, retryAfter: 1 });
  assert.deepEqual([drill.name, drill.parameters.retryAfter], ['unavailable', 1]);
  assert.ok(drill.endsAt > (await lplate.clock.now()));
  assert.equal((await insure(token)).status, 503);
  assert.equal((await insure(await grace.token())).status, 201, 'it hits nobody else');
  await drill.end();
  await drill.end();
  assert.equal((await insure(token)).status, 201);
  {
    await using _ = await ada.drill('unavailable');
    assert.equal((await insure(token)).status, 503);
  }
  assert.equal((await insure(token)).status, 201);
  await assert.rejects(
    ada.drill('unavailable', { retryAfter: -1 }),
    (error: LPlateFault) => error.problem?.errors?.[0]?.pointer === '/parameters/retryAfter',
  );

  const exchanges = await ada.exchanges({ path: '/insurer/v1/policies' });
  assert.deepEqual(
    exchanges.map(({ status, drills }) => [status, ...drills]),
    [[201], [403], [503, 'unavailable'], [201], [503, 'unavailable'], [201]],
  );
  assert.equal((await ada.exchanges({ status: 503 })).length, 2);
  assert.equal((await ada.exchanges({ status: '5xx', kind: 'call', problem: undefined })).length, 2);
  assert.equal((await ada.exchanges()).at(0)?.url, '/insurer/v1/demo-clients', 'the oldest comes first');
  // What it declares is what is answered.
  const described: (exchange: Static<typeof ExchangeSummary>) => Exchange = (exchange) => exchange;
  assert.ok(described);
});

test('Library: a client imports policies and has each row, with what refused it, also where time stands still', async (t) => {
  const lplate = await start({ now: '2026-03-02T10:00:00Z' });
  t.after(() => lplate.close());
  const client = await lplate.client();
  const regNumber = client.plate();
  const rows = [{ regNumber }, { regNumber }, { regNumber: client.plate(), holder: '' }];
  const done = await client.importPolicies(rows, { idempotencyKey: 'once' });
  assert.deepEqual(
    [done.created, done.refused, ...done.rows.map(({ line, status, problem }) => [line, status, problem?.status])],
    [1, 2, [1, 'created', undefined], [2, 'refused', 409], [3, 'refused', 400]],
  );
  assert.deepEqual(await client.importPolicies(rows, { idempotencyKey: 'once' }), done);
  const all = await client.importPolicies(Array.from({ length: 600 }, () => ({ regNumber: client.plate() })));
  assert.deepEqual([all.created, all.rows.length, all.rows.at(-1)?.line], [600, 600, 600]);
  await assert.rejects(client.importPolicies([]), (error: LPlateFault) => error.problem?.status === 400);
});

test('Library: a client makes a statement and has its file, adds a document and erases a holder, also where time stands still', async (t) => {
  const lplate = await start({ now: '2026-03-02T10:00:00Z' });
  t.after(() => lplate.close());
  const client = await lplate.client();
  const holder = 'Zelda Forgotten';
  const token = await client.token();
  const policy = (await (await policies(lplate, token, { regNumber: client.plate(), holder })).json()) as {
    id: string;
  };
  const { id, count, premiums, content } = await client.makeStatement({ month: '2026-03', format: 'csv' });
  assert.match(id, /^stm-/);
  assert.deepEqual([count, premiums.currency], [1, 'EUR']);
  assert.ok(
    content.includes(policy.id) && content.endsWith(`TRAILER,1,${premiums.amount},${content.split(',').at(-1)}`),
  );
  await assert.rejects(
    client.makeStatement({ month: '2999-01', format: 'csv' }),
    (error: LPlateFault) => error.problem?.status === 400,
  );
  await client.drill('late-statement', { seconds: 60 });
  await assert.rejects(
    client.makeStatement({ month: '2026-03', format: 'ndjson' }),
    /stm-\S+ is not completed.* call advance\(\)/,
  );
  const late = client.makeStatement({ month: '2026-03', format: 'ndjson', currency: 'JPY' });
  const posts = async () =>
    (await client.exchanges()).filter(({ method, url }) => method === 'POST' && /statements$/.test(url));
  await until(async () => (await posts()).length === 4, 'the late statement is asked for');
  await client.advance('PT55M');
  assert.equal((await late).premiums.currency, 'JPY');

  const headers = { Authorization: `Bearer ${await client.token()}`, 'Content-Type': 'application/json' };
  const body = JSON.stringify({ policyNumber: policy.id });
  const registered = await fetch(`${lplate.url}/claims/v1/claims`, { method: 'POST', headers, body });
  const { claimId } = (await registered.json()) as { claimId: string };
  // Every byte, and a name that a form could take for its own.
  const bytes = Uint8Array.from([...Buffer.from('%PDF-1.7\r\n'), ...Array(256).keys()]);
  const document = await client.addDocument(claimId, { name: 'Tür "links"\r\n.pdf', bytes });
  assert.match(document.name, /^Tür .*\.pdf$/);
  const answer = await fetch(`${lplate.url}/claims/v1/claims/${claimId}/documents/${document.id}`, { headers });
  assert.deepEqual(new Uint8Array(await answer.arrayBuffer()), bytes);

  const { touched } = await client.eraseHolder(holder);
  assert.deepEqual(
    touched.find(({ what }) => what === 'policies'),
    { what: 'policies', count: 1 },
  );
});

test('Library: no helper depends on what a test has replaced: timers, dates, fetch, http, the environment', async (t) => {
  const { env } = process;
  t.after(() => (process.env = env));
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'setImmediate', 'Date'] });
  t.mock.method(globalThis, 'Date', () => new Object());
  t.mock.method(globalThis, 'fetch', () => Promise.reject(new Error('replaced')));
  for (const module of [http, https]) t.mock.method(module, 'request', () => Promise.reject(new Error('replaced')));
  process.env = { TMPDIR: '/nowhere', HOME: '/nowhere', TZ: 'nowhere' };
  const lplate = await start({ tls: 'self' });
  const client = await lplate.client();
  const rows = Array.from({ length: 40 }, () => ({ regNumber: client.plate() }));
  await client.drill('slow-imports', { groupSeconds: 1 });
  assert.equal((await client.importPolicies(rows)).created, 40);
  await client.advance('P1D');
  assert.ok((await lplate.clock.now(client.clientId)).getTime() > (await lplate.clock.now()).getTime());
  assert.ok((await client.exchanges()).length > 0);
  await lplate.reset();
  const closing = lplate.close();
  // It gets the time that it needs all the same.
  t.mock.timers.tick(60_000);
  await closing;
});

test('Library: an error names the line of the test that it is thrown in, and nothing else than errors of the library comes', async (t) => {
  const lplate = await start();
  t.after(() => lplate.close());
  const client = await lplate.client();
  const circle: object[] = [];
  circle.push(circle);
  const wrong: readonly [string, () => Promise<unknown>][] = [
    ['start', () => start({ port: -1 })],
    ['advance', () => lplate.advance('x')],
    ['drill', () => client.drill('delay', null as never)],
    ['rows', () => client.importPolicies(null as never)],
    ['circle', () => client.importPolicies(circle)],
    ['token', () => client.token(null as never)],
  ];
  for (const [name, call] of wrong) {
    const here = async () => await call();
    const error: Error = await here().then(
      () => assert.fail(name),
      (reason) => reason,
    );
    assert.ok(error instanceof LPlateError, name);
    assert.match(error.stack ?? '', /library\.test\.ts:\d+/, name);
  }
  assert.deepEqual(await client.exchanges(null as never), await client.exchanges());
});

test('Library: with a time that stands still a client stays however far it is moved, and one that was removed is told so', async (t) => {
  const now = '2026-03-01T09:00Z';
  const [staying, going] = await Promise.all([start({ now }), start({ now, keepClientsDays: 1 })]);
  t.after(() => Promise.all([staying.close(), going.close()]));
  const client = await staying.client();
  for (const duration of ['P1D', 'P2Y', 'P2Y']) await staying.advance(duration);
  assert.match(await client.token(), /^ey/);
  await staying.reset();
  const removed = (error: LPlateFault) =>
    /This client was removed: reset\(\) .* keepClientsDays/.test(error.message) && error.problem?.status === 401;
  await assert.rejects(client.token(), removed);
  const idle = await going.client();
  await going.advance('P1D');
  await assert.rejects(idle.token(), removed);
});

test('Library: an import that a drill holds up where time stands still goes on when time is moved, and else ends with an error that says so', async (t) => {
  const lplate = await start({ now: '2026-03-02T10:00:00Z' });
  t.after(() => lplate.close());
  const client = await lplate.client();
  await client.drill('slow-imports', { groupSeconds: 10 });
  const rows = Array.from({ length: 50 }, () => ({ regNumber: client.plate() }));
  await assert.rejects(client.importPolicies(rows, { idempotencyKey: 'slow' }), (error: Error) =>
    /^The import imp-\S+ has done 0 of 50 rows.* call advance\(\)/.test(error.message),
  );
  const importing = client.importPolicies(rows, { idempotencyKey: 'slow' });
  await client.advance('PT55M');
  assert.equal((await importing).created, 50);
});

test('Library: a reset brings back the start, and is refused where data are kept', async (t) => {
  const lplate = await start({ seed: 47, now: new Date('2026-03-01T09:00Z'), rateLimitPerMinute: 'off' });
  t.after(() => lplate.close());
  const run = async () => {
    const client = await lplate.client();
    const regNumber = client.plate();
    const policy = await (await policies(lplate, await client.token(), { regNumber })).text();
    await lplate.advance('P1D');
    return [client.clientId, regNumber, policy, (await lplate.clock.now()).toISOString()];
  };
  const first = await run();
  assert.deepEqual([first[1], first[3]], ['TEST-0001', '2026-03-02T09:00:00.000Z']);
  assert.notEqual((await run())[0], first[0]);
  await lplate.reset();
  assert.deepEqual(await run(), first);

  const kept = await start({ dataDir: join(lasting, 'others') });
  t.after(() => kept.close());
  assert.notEqual((await kept.client()).plate(), 'TEST-0001', 'an earlier run may have insured that');
  await assert.rejects(kept.reset(), (error: LPlateFault) => error.problem !== undefined);
});

test('Library: it works by HTTPS, and where there is no trainer each call says so', async (t) => {
  const [secure, alone] = await Promise.all([start({ tls: 'self' }), start({ range: 'off' })]);
  assert.deepEqual(await readdir(directory), [], 'the certificates are in memory, too');
  assert.ok(!existsSync('memory'));
  const tells = `import { start } from '${library}'; start({ tls: 'self' }).catch(({ message }) => console.log(message));`;
  const nowhere = launch(t, {
    command: [process.execPath, '--input-type=module', '--eval', tells],
    environment: { TMPDIR: '/nowhere' },
  });
  await nowhere.exit;
  assert.match(nowhere.stdout(), /^L-Plate can't start\. HTTPS needs a directory for temporary files/);
  t.after(() => Promise.all([secure.close(), alone.close()]));
  const client = await secure.client();
  assert.match(await client.token(), /^ey/);
  await client.advance('P1D');
  const { advance } = await alone.client();
  await assert.rejects(advance('P1D'), (error: LPlateFault) => error.problem?.status === 404);
  await alone.close();
  await assert.rejects(
    alone.client(),
    (error: LPlateFault) => error.problem === undefined && /does not answer/.test(error.message),
  );
});

test('Library: each setting can be given as it is typed', async () => {
  const { authority, certificate, key } = await makeCertificates(lasting);
  // Whoever adds a setting adds it here, or the compiler refuses this.
  const given: Required<{ [Name in keyof StartSettings]: Exclude<StartSettings[Name], undefined> }> = {
    port: 0,
    host: '127.0.0.1',
    class: 'on',
    dataDir: 'memory',
    publicUrl: 'http://lplate.example',
    tls: 'self',
    tlsCert: certificate,
    tlsKey: key,
    tlsClientCa: authority,
    databaseUrl: 'postgres://lplate@db.example/lplate',
    databasePoolSize: 5,
    databaseTimeoutSeconds: 5,
    databaseTls: 'verify',
    databaseTlsCa: authority,
    redisUrl: 'redis://redis.example',
    kafkaBrokers: ['kafka.example:9092'] as const,
    kafkaPartitions: 3,
    kafkaReplicationFactor: 1,
    kafkaTls: 'verify',
    kafkaTlsCa: authority,
    kafkaTlsSni: 'on',
    kafkaSaslMechanism: 'PLAIN',
    kafkaUsername: 'lplate',
    databasePassword: 'a password',
    kafkaPassword: 'a-password',
    trustProxy: ['10.0.0.0/8'] as const,
    rateLimitPerMinute: 'off',
    probeLimitPerMinute: 100,
    soapLimitPerMinute: 0,
    rateLimitKey: 'client',
    demoClientsPerDay: 5,
    keepClientsDays: 2,
    demoClientsTotal: 5,
    policiesPerClient: 5,
    claimsPerClient: 5,
    streamsPerClient: 5,
    subscriptionsPerClient: 5,
    storedBytesPerClient: 5000,
    webhookOpenDeliveries: 5,
    webhookCallsPerClient: 5,
    webhookCallsPerHost: 5,
    webhookDisableHours: 5,
    eventsDuplicateRate: 0.5,
    eventsHeartbeatSeconds: 5,
    webhookAllow: ['127.0.0.1/32', '::1/128'] as const,
    requestTimeoutSeconds: 5,
    sendTimeoutSeconds: 5,
    connectionsTotal: 500,
    exchangesMegabytes: 50,
    bufferLimitMegabytes: 16,
    lessons: join(root, 'examples/class.json'),
    range: 'off',
    magicPlates: 'off',
    mcp: 'off',
    issuerName: 'A school',
    issuerUrl: 'https://school.example/',
    logLevel: 'warn',
    seed: 47,
    now: new Date('2026-03-01T09:00Z'),
    hmacSecret: 'a-secret',
    readerClientSecret: 'a-secret',
    fleetClientSecret: 'a-secret',
    trainerToken: 'a-token-of-a-trainer',
  };
  for (const [name, value] of Object.entries(given)) {
    // Some can't be set alone, or not here. That is not for the value.
    const faultOf = (text: string) => {
      try {
        configFrom({ [name]: text });
        return '';
      } catch (error) {
        const { message } = error as Error;
        return message.startsWith(`${name}: `) ? message : '';
      }
    };
    const text = value instanceof Date ? value.toISOString() : String(value);
    assert.equal(faultOf(text), '');
  }
});

test('Library: the service ends with the process that started it, which need not close it', async (t) => {
  const tells = `import { start } from '${library}'; console.log((await start()).url);`;
  const forgetful = launch(t, { command: [process.execPath, '--input-type=module', '--eval', tells] });
  assert.deepEqual(await forgetful.exit, { code: 0, signal: null });
  // Its standard error was the service's too: that is closed, so the service has ended.
  await assert.rejects(fetch(forgetful.stdout().trim()));

  const waits = launch(t, {
    command: [process.execPath, '--input-type=module', '--eval', `${tells} setInterval(() => {}, 1000);`],
  });
  await once(waits.child.stdout as NodeJS.ReadableStream, 'data');
  waits.child.kill('SIGKILL');
  await waits.exit;
  await assert.rejects(fetch(waits.stdout().trim()));
});
