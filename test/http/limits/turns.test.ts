import { deepEqual, equal, ok } from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { addressKey } from '../../../src/http/requests/address.ts';
import type { callOf } from '../../../src/range/exchanges/call.ts';
import { PendingCalls } from '../../../src/range/exchanges/pending-calls.ts';
import { type Engine, onSqlite } from '../../support/engines.ts';
import { type LPlate, startLPlate, type TestClient } from '../../support/lplate.ts';
import { Receiver, Subscriber } from '../../support/receiver.ts';
import { alter, stored } from '../../support/stored.ts';
import { claimOn, insure } from '../../support/topic.ts';
import { until } from '../../support/until.ts';

/*
 * The two tables of docs/operations.md that tell of shares and turns. Each row of the first is held against the program, or
 * has a test that is named here. Each row of the second has a scene: one address has much of the work, of several clients; then
 * comes a little of another one. What is done is counted, and how much of the others' came before.
 */

const root = join(import.meta.dirname, '../../..');

/** The rows of the table in docs/operations.md whose first column has this name. */
function tableOf(first: string): string[][] {
  const lines = readFileSync(join(root, 'docs/operations.md'), 'utf8').split('\n');
  const start = lines.findIndex((line) => line.startsWith(`| ${first} |`));
  ok(start > 0, first);
  const rows = lines.slice(start + 2, lines.indexOf('', start));
  return rows.map((row) => row.slice(2, -2).split(' | '));
}

/** The name in backticks at the beginning of a cell. */
const nameIn = (cell = '') => /^`([^`]+)`/.exec(cell)?.[1] ?? cell;

/** `32 MB`: 32,000,000. */
function amount(cell = ''): number {
  const [, digits = '', unit] = /^([\d,]+)(?: (MB|GB))?$/.exec(cell) ?? [];
  return Number(digits.replaceAll(',', '')) * (unit === 'MB' ? 1e6 : unit === 'GB' ? 1e9 : 1);
}

/** What is no pool of places, and which tests hold it to its row. */
const keptShares: Readonly<Record<string, readonly [file: string, title: string]>> = {
  'policy-imports': ['insurer/imports.test.ts', 'an address may have as much as is left for others'],
  'claim-documents': ['claims/documents/documents.test.ts', 'an address has what is left for the others'],
  statements: ['insurer/statements/statements.test.ts', 'the oldest of the address with most goes'],
  exchanges: ['range/exchanges/stored-bytes.test.ts', 'half of it for one address'],
  'waiting-exchanges': ['range/exchanges/bounds.test.ts', 'all together take at most so many bytes'],
  'unsent-bytes': ['http/connections/connections.test.ts', 'BUFFER_LIMIT_MEGABYTES wait'],
  'stored-events': ['webhooks/bounds.test.ts', 'at the cap new claims are refused'],
};

const flooder = { 'X-Forwarded-For': '192.0.2.66' };
const victim = { 'X-Forwarded-For': '198.51.100.7' };

/** A client that was created at an address. */
async function clientAt(lplate: LPlate, headers: Record<string, string>): Promise<TestClient> {
  const { json } = await lplate.call('POST', '/demo-clients', { headers });
  const [id, secret] = [json.client_id, json.client_secret];
  return { id, secret, token: await lplate.token(id, secret) };
}

const settings = { trustProxy: 1, eventsDuplicateRate: 0, demoClientsPerDay: 0 } as const;

type Scene = (open: (more?: object) => Promise<LPlate>, t: { after(end: () => void): void }) => Promise<void>;

const scenes: Readonly<Record<string, Scene | 'insurer/imports.test.ts'>> = {
  'the import of policies': 'insurer/imports.test.ts',
  async 'the statements of months'(open) {
    const lplate = await open();
    const ask = async (headers: Record<string, string>, count: number) => {
      const { id, token } = await clientAt(lplate, headers);
      await lplate.call('POST', '/range/v1/me/drills', { token, json: { name: 'late-statement' } });
      for (let at = 0; at < count; at += 1) {
        const json = { month: '2026-03', format: 'csv' };
        deepEqual((await lplate.call('POST', '/statements', { token, headers, json })).status, 202);
      }
      return id;
    };
    await ask(flooder, 20);
    await ask(flooder, 20);
    const id = await ask(victim, 3);
    lplate.clock.advance(30_000);
    await lplate.catchUp();
    const order = await stored<{ clientId: string }>(
      lplate,
      `select s.client_id as "clientId" from statement_files f join statements s on s.id = f.statement_id order by f.rowid`,
    );
    const places = order.flatMap(({ clientId }, at) => (clientId === id ? [at] : []));
    deepEqual([order.length, places.length], [43, 3]);
    ok(Math.max(...places) < 6, `${places}`);
  },
  async 'the claims desk'(open) {
    const lplate = await open();
    const register = async (headers: Record<string, string>, count: number) => {
      const client = await clientAt(lplate, headers);
      const policy = await insure(lplate, client.token);
      for (let at = 0; at < count; at += 1) await claimOn(lplate, client.token, policy);
      return client;
    };
    await register(flooder, 150);
    await register(flooder, 150);
    lplate.clock.advance(1);
    const { id } = await register(victim, 3);
    lplate.clock.advance(10_000);
    await lplate.catchUp();
    const order = await stored<{ clientId: string }>(lplate, 'select client_id as "clientId" from events order by seq');
    const places = order.flatMap(({ clientId }, at) => (clientId === id ? [at] : []));
    ok(order.length >= 303 && places.length === 3);
    ok(Math.max(...places) < 100, `${places}`);
  },
  async 'deliveries are made of events'(open) {
    const lplate = await open({ webhookAllow: ['127.0.0.0/8', '::1/128'] });
    const prepare = async (headers: Record<string, string>, subscriptions: number, claims: number) => {
      const client = await clientAt(lplate, headers);
      // Nobody listens there.
      for (let at = 0; at < subscriptions; at += 1) await Subscriber.open(lplate, `http://127.0.0.1:9/${at}`, client);
      const policy = await insure(lplate, client.token);
      for (let at = 0; at < claims; at += 1) await claimOn(lplate, client.token, policy);
      return client;
    };
    const other = await prepare(victim, 1, 1);
    for (let at = 0; at < 2; at += 1) await prepare(flooder, 10, 120);
    lplate.clock.advance(10_000);
    await lplate.catchUp();
    await until(async () => (await stored(lplate, 'select 1 from deliveries')).length === 2401, 'all are there');
    const [row] = await stored<{ before: number }>(
      lplate,
      `select count(*) as before from deliveries where rowid < (
        select d.rowid from deliveries d join subscriptions s on s.id = d.subscription_id where s.client_id = '${other.id}'
      )`,
    );
    ok(Number(row?.before) <= 200, `${row?.before} others came before`);
  },

  async 'webhook delivery'(open, t) {
    const lplate = await open({
      webhookCallsPerHost: 100_000,
      webhookAllow: ['127.0.0.0/8', '::1/128'],
    });
    const receiver = await Receiver.open(t);
    receiver.answer = () => 500;
    const subscribe = async (client: TestClient, count: number) => {
      for (let at = 0; at < count; at += 1) {
        const subscriber = await Subscriber.open(lplate, `${receiver.url}/${client.id}/${at}`, client);
        await subscriber.call('POST', '/test');
      }
    };
    for (let at = 0; at < 12; at += 1) await subscribe(await clientAt(lplate, flooder), 10);
    await receiver.until(120);
    lplate.clock.advance(1);
    const { id } = await clientAt(lplate, victim).then(async (client) => {
      await subscribe(client, 1);
      return client;
    });
    await receiver.until(121);
    await until(
      async () =>
        (await stored(lplate, "select 1 from deliveries where attempts = 1 and status = 'pending'")).length === 121,
      'all are to be tried again',
    );
    lplate.clock.advance(60_000);
    await lplate.catchUp();
    await receiver.until(122);
    await until(() => receiver.calls.slice(121).some(({ path }) => path.includes(id)), 'its second call');
    const place = receiver.calls.slice(121).findIndex(({ path }) => path.includes(id));
    ok(place < 10, `${place} others came before`);
  },

  async 'the runs of capstones'(open) {
    const lplate = await open();
    await alter(
      lplate,
      'create table steps (client_id text)',
      `create trigger step after update of steps on capstone_runs when new.steps > old.steps
        begin insert into steps values (new.client_id); end`,
    );
    const run = async (headers: Record<string, string>) => {
      const client = await clientAt(lplate, headers);
      const path = '/range/v1/me/capstones/night-shift/runs';
      const answer = await lplate.call('POST', path, { token: client.token });
      deepEqual(answer.status, 201, answer.text);
      return client;
    };
    for (let at = 0; at < 60; at += 1) await run(flooder);
    lplate.clock.advance(1);
    const { id } = await run(victim);
    await alter(lplate, 'delete from steps');
    lplate.clock.advance(30_000);
    await lplate.catchUp();
    const steps = await stored<{ clientId: string }>(
      lplate,
      'select client_id as "clientId" from steps order by rowid',
    );
    const places = steps.flatMap(({ clientId }, at) => (clientId === id ? [at] : []));
    ok(places.length > 0 && steps.length > 60);
    // One of the other address for each of its own, at the most.
    ok(
      places.every((place, at) => place <= 2 * at + 1),
      `${places} of ${steps.length}`,
    );
  },

  async 'the erasure of names'(open) {
    const lplate = await open();
    await alter(
      lplate,
      'create table done (client_id text)',
      `create trigger done after update of completed_at on erasures when new.completed_at is not null
        begin insert into done values (new.client_id); end`,
    );
    const erase = async (headers: Record<string, string>, count: number) => {
      const client = await clientAt(lplate, headers);
      for (let at = 0; at < count; at += 1)
        await lplate.call('POST', '/erasures', { token: client.token, headers, json: { holder: `Somebody ${at}` } });
      return client;
    };
    for (let at = 0; at < 3; at += 1) await erase(flooder, 20);
    lplate.clock.advance(1);
    const { id } = await erase(victim, 1);
    await lplate.catchUp();
    // All at once, the victim's last.
    await alter(
      lplate,
      `update erasures set completed_at = null, expires_at = null, holder = 'Somebody', place = '', touched = '[]',
        due_at = created_at`,
      'delete from done',
    );
    lplate.clock.advance(10_000);
    await lplate.catchUp();
    const done = await stored<{ clientId: string }>(lplate, 'select client_id as "clientId" from done order by rowid');
    const place = done.findIndex(({ clientId }) => clientId === id);
    equal(done.length, 61);
    ok(place >= 0 && place < 3, `${place} others came before`);
  },

  async 'the log, and what lessons judge'() {
    const pending = new PendingCalls(48e6, () => {});
    const call = () =>
      ({ at: 0, size: 1, number: 0, outcome: { status: 200, end: 'complete' } }) as never as ReturnType<typeof callOf>;
    for (let at = 0; at < 500; at += 1) pending.add(`flood-${at}`, addressKey(flooder['X-Forwarded-For']), call());
    pending.add('victim', addressKey(victim['X-Forwarded-For']), call());
    const owners = [1, 2].map(() => pending.take(20)?.owner);
    deepEqual(owners, ['flood-0', 'victim']);
  },
};

/** The jobs that are nobody's but the service's own. */
const ofService = ['the relay to Kafka', 'the registration of fleet claims'];

/** Every source file. */
const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.ts'),
);
const sourceOf = (file: string) => readFileSync(join(root, 'src', file), 'utf8');

/** Tells whether a test file has a test with this in its title. */
const isTested = (file: string, title: string) =>
  readFileSync(join(root, 'test', file), 'utf8')
    .split('\n')
    .some((line) => line.includes(title) && /test\(|title/.test(line));

onSqlite((engine: Engine) => {
  test('Decisions, shares: the table of docs/operations.md has every pool with its shares, and all else that is shared', async (t) => {
    const lplate = await startLPlate(t, engine);
    const metrics = await (await fetch(`${lplate.url}/metrics`)).text();
    const places = new Map(
      [...metrics.matchAll(/^lplate_pool_places\{pool="([^"]+)",of="(\w+)"\} (\d+)$/gm)].map(
        ([, pool, of, count]) => [`${pool} ${of}`, Number(count)] as const,
      ),
    );
    const pools = new Set([...places.keys()].map((key) => key.split(' ')[0]));
    const rows = tableOf('share');
    deepEqual(rows.map(([cell]) => nameIn(cell)).sort(), [...pools, ...Object.keys(keptShares)].sort());
    // Live streams have one for each of their three kinds.
    equal(pools.size, sources.flatMap((file) => sourceOf(file).match(/new FairPool\(/g) ?? []).length + 2);
    for (const [cell, all, address, client] of rows) {
      const name = nameIn(cell);
      const kept = keptShares[name];
      if (kept) {
        ok(isTested(...kept), `${name}: ${kept}`);
        continue;
      }
      const own = client === '–' ? address : client;
      const told = ['all', 'address', 'client'].map((of) => places.get(`${name} ${of}`));
      deepEqual(told, [all, address, own].map(amount), name);
    }
  });

  test('Decisions, shares: the table of turns has every job that works for clients', () => {
    const rows = tableOf('work').map(([cell]) => nameIn(cell));
    deepEqual(rows.toSorted(), Object.keys(scenes).sort());
    const jobs = sources.flatMap((file) =>
      [...sourceOf(file).matchAll(/name: '([^']+)',\s+role:/g)].map(([, name = '']) => name),
    );
    ok(jobs.length > 5);
    deepEqual(jobs.filter((name) => !rows.includes(name)).sort(), ofService.toSorted());
  });

  for (const [cell, whose] of tableOf('work')) {
    const name = nameIn(cell);
    test(`Decisions, shares: turns of ${name} go by ${whose}`, { timeout: 120_000 }, async (t) => {
      const scene = scenes[name];
      ok(scene, 'a row has its scene');
      if (typeof scene === 'string') ok(isTested(scene, 'beside 200 large imports of two addresses'));
      else await scene((more) => startLPlate(t, engine, { ...settings, ...more }), t);
    });
  }
});
