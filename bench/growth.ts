import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import pg from 'pg';
import { claimStatusChanged as topic } from '../src/claims/index.ts';
import { lastCopy } from '../src/events/cursor.ts';
import type { Composed } from '../src/range/exchanges/exchange.ts';
import { addTally } from '../src/range/exchanges/learners.ts';
import { type ExchangeFilter, writeExchanges } from '../src/range/exchanges/log.ts';
import { ByteChanges } from '../src/range/exchanges/stored-bytes.ts';
import { instant } from '../src/time/clock.ts';
import { quickDirectory } from '../test/support/memory.ts';
import { startPostgres } from '../test/support/postgres.ts';
import { newDirectory, openDirectory } from './cleanup.ts';
import type { Measured } from './measure.ts';
import { type Compared, type Effort, inPairs } from './pairs.ts';
import { changedAt, claimId, insertRows, owner, policyId, rows, subscriptionId } from './rows.ts';
import { openStock, type Stock } from './stock.ts';

/*
 * What each use case costs where the tables have few rows (A) and where they have very many (B): at 1.00 it does not grow
 * dearer. The use cases are called in this process, on databases in memory, so that neither HTTP nor a sync hides what
 * grows.
 */

interface UseCase {
  /** Why it may grow dearer: then its growth is told, and not judged. */
  readonly grows?: string;
  /** Is done before each time, and not measured. */
  readonly before?: (stock: Stock, time: number) => Promise<unknown>;
  /** `time` is another number each time. */
  readonly once: (stock: Stock, time: number) => Promise<unknown>;
}

/**
 * Rows of a table with few, by engine. With fewer PostgreSQL keeps one plan for a statement with a range; from some thousands
 * on it plans it at each call, which takes 0.1 to 0.2 ms and no more with a million.
 */
const few = { SQLite: 100, PostgreSQL: 20_000 };

/** Why a use case may grow dearer; undefined for those that must not. */
export const whyItGrows = (what: string) => useCases[what]?.grows;

const page = { page: 1, pageSize: 20 };
const lastPage = (items: number) => ({ page: items / 20, pageSize: 20 });

/** The use cases by what they are. Those that add rows stand after those that read them. */
const useCases: Readonly<Record<string, UseCase>> = {
  'read a policy': { once: ({ policies, size }, time) => policies.read(owner, policyId(time % size)) },
  'list policies, first page': { once: ({ policies }) => policies.list(owner, {}, page) },
  'list policies, last page': { once: ({ policies, size }) => policies.list(owner, {}, lastPage(size)) },
  'list policies of one vehicle': {
    grows: 'as many as one client owns are looked at: 10,000 by default, where these have a million',
    once: ({ policies }) => policies.list(owner, { regNumber: 'none' }, page),
  },
  'list policies, changed since the last 20': {
    once: ({ policies, size }) => policies.list(owner, { updatedSince: changedAt(size - 20) }, page),
  },
  'list policies, changed since long ago': {
    grows: 'the total is counted, in an index: as many as one client owns',
    once: ({ policies }) => policies.list(owner, { updatedSince: changedAt(0) }, page),
  },
  'list claims, changed since the last 20': {
    once: ({ claims, size }) => claims.list(owner, { updatedSince: changedAt(size - 20) }, page),
  },
  'list claims, first page': { once: ({ claims }) => claims.list(owner, {}, page) },
  'list claims, last page': { once: ({ claims, size }) => claims.list(owner, {}, lastPage(size)) },
  'events, from earliest': { once: (stock) => readEvents(stock, 'earliest') },
  'events, at the end': { once: (stock) => readEvents(stock, { seq: stock.size - 20, copy: lastCopy }) },
  'stored bytes': { once: ({ webhooks, database }) => webhooks.stored.of(database.sql, owner) },
  'list deliveries, first page': { once: ({ webhooks }) => webhooks.deliveryLog.list(topic, owner, hook, page) },
  'list deliveries, last page': {
    once: ({ webhooks, size }) => webhooks.deliveryLog.list(topic, owner, hook, lastPage(size / 2)),
  },
  'list exchanges': { once: (stock) => listExchanges(stock, {}) },
  'list exchanges, by status': { once: (stock) => listExchanges(stock, { status: '4xx' }) },
  'list exchanges, by kind': { once: (stock) => listExchanges(stock, { kind: 'call' }) },
  'list exchanges, by problem': { once: (stock) => listExchanges(stock, { problem: 'policy-not-found' }) },
  'list exchanges, by path': { once: (stock) => listExchanges(stock, { path: '/insurer/v1/' }) },
  'list learners, first page': {
    grows: 'the trainer sees how many there are, which an index counts: 3 ms at a million, 150 on PostgreSQL',
    once: ({ learners }) => learners.list(page),
  },
  'list learners, last page': {
    grows:
      'each call of a learner changes their order, so a page is found by counting those before it, in an index: 11 ms at a million',
    once: ({ learners, size }) => learners.list(lastPage(size)),
  },
  'housekeeping, nothing to do': { once: ({ housekeeping }) => housekeeping.run() },
  'remove a client': { before: addIdleClient, once: ({ removal }) => removal?.step() as Promise<unknown> },
  'create a policy': { once: ({ policies }, time) => policies.create(owner, { regNumber: `N-${time}` }) },
  'register a claim': {
    once: ({ claims }, time) =>
      claims.register(owner, { policyNumber: policyId(time % few.SQLite), paceSeconds: 3600 }),
  },
  'move a claim': {
    grows:
      'of 100 claims each index is one page, which a commit writes once; of more it writes the pages of the old and the new place: 1.4 times on SQLite from 20,000 claims on, and no more with a million',
    before: ({ database, size }, time) =>
      database.write(
        (sql) => sql.run`
          update claims set status = 'REGISTERED', due_at = ${instant(Date.now())} where id = ${claimId(time % size)}`,
      ),
    once: ({ desk }) => desk.round(),
  },
  'write an exchange': { once: writeExchange },
  'append an event': { once: append },
  'wake a stream': { once: wake },
  'make a delivery and try it': {
    grows:
      'a round looks once at each subscription with open deliveries: 3 µs each, and there are 500 at a million rows',
    before: async (stock) => {
      // Of the others none has events.
      await stock.database.write(
        (sql) => sql.run`update subscriptions set taken_seq = (select seq from event_head) where id = ${hook}`,
      );
      await append(stock);
    },
    once: deliver,
  },
};

/** The subscription of the owner. */
const hook = subscriptionId(0);

function readEvents({ events: { log } }: Stock, after: Parameters<typeof log.read>[2]) {
  log.endSharing();
  return log.read(topic, owner, after, 20);
}

function listExchanges({ exchanges }: Stock, filter: ExchangeFilter) {
  return exchanges.list(owner, filter, page);
}

function append({ database, events }: Stock): Promise<void> {
  const event = topic.sample(randomUUID(), Date.now());
  return database.write((sql) => events.log.append(sql, topic, [{ clientId: owner, event }]));
}

/** From an event until a reader that waits for it has it. */
async function wake(stock: Stock): Promise<void> {
  const { feed, log } = stock.events;
  const reader = feed.add(topic, { clientId: owner, scopes: new Set(), expiresAt: Date.now() }, () => {});
  const head = await log.head(stock.database.sql);
  const got = feed.batch(reader, { seq: head, copy: lastCopy }, 1, 10_000);
  await append(stock);
  log.announce();
  if ((await got).events.length !== 1) throw new Error('the stream was not woken');
  feed.remove(reader);
}

/** From the event until the attempt is saved. */
async function deliver({ webhooks }: Stock): Promise<void> {
  await new Promise<void>((again) => webhooks.jobs?.[0]?.run({ mayContinue: () => true, again }));
}

async function writeExchange({ database }: Stock, time: number): Promise<void> {
  const at = Date.now();
  const exchange: Composed = {
    path: '/insurer/v1/policies',
    number: time,
    address: '192.0.2.1',
    withoutToken: false,
    summary: {
      id: randomUUID(),
      kind: 'call',
      startedAt: instant(at),
      method: 'GET',
      url: '/insurer/v1/policies',
      route: '/insurer/v1/policies',
      status: 200,
      durationMs: 1,
      end: 'answered',
      problem: null,
      drills: [],
      remarks: [],
    },
    details: {
      request: { httpVersion: '1.1', headers: [] },
      response: { headers: [] },
      tokens: [],
    },
  };
  const tally = {
    calls: 1,
    refusals: 0,
    callsWithoutToken: 0,
    refusalsWithoutToken: 0,
    firstAt: at,
    lastAt: at,
    lastProblem: undefined,
  };
  await database.write(async (sql) => {
    const { kept } = await addTally(sql, owner, tally, [exchange]);
    const changes = new ByteChanges();
    await writeExchanges(sql, owner, [exchange], kept, changes);
    await changes.note(sql);
  });
}

/** With ten of what a client can have. */
async function addIdleClient({ database, size }: Stock, time: number): Promise<void> {
  const id = `'idle-${time}'`;
  const { clients, policies, claims, subscriptions, deliveries, exchanges, learners } = rows(size);
  const from = size + 1000 + 10 * time;
  const subscription = `'${subscriptionId(from)}'`;
  await database.write(async (sql) => {
    await insertRows(sql, 'clients', { ...clients, id, last_used_at: `'2000'` }, from, from + 1);
    await insertRows(sql, 'policies', { ...policies, client_id: id }, from, from + 10);
    await insertRows(sql, 'claims', { ...claims, client_id: id }, from, from + 10);
    await insertRows(sql, 'subscriptions', { ...subscriptions, client_id: id }, from, from + 1);
    await insertRows(sql, 'deliveries', { ...deliveries, subscription_id: subscription }, from, from + 10);
    await insertRows(sql, 'exchanges', { ...exchanges, client_id: id }, from, from + 10);
    await insertRows(sql, 'learners', { ...learners, client_id: id }, from, from + 1);
  });
}

export interface Grown {
  /** The rows of a table with few, and with very many. */
  readonly few: number;
  readonly many: number;
  /** By use case. */
  readonly compared: Record<string, Compared>;
}

export type Growth = Record<string, Grown>;

/** By engine. `quick`: on SQLite alone, and not so many rows. */
export async function growth(quick: boolean, told: (what: string) => void): Promise<Growth> {
  const effort = quick ? { pairs: 2, seconds: 0.1, warmUp: 0.1 } : { pairs: 5, seconds: 0.2, warmUp: 0.3 };
  const many = quick ? 20_000 : 1_000_000;
  const found: Growth = {};
  const memory = await quickDirectory();
  told(`SQLite: putting ${many} rows into each table`);
  found.SQLite = await onEngine(
    async (size) => openStock({ directory: newDirectory(memory) }, size),
    effort,
    { few: few.SQLite, many },
    told,
  );
  const server = quick ? undefined : await startPostgres({ dataIn: openDirectory() });
  if (!server) return found;
  try {
    told(`PostgreSQL: putting ${many} rows into each table`);
    const open = async (size: number) => {
      const url = new URL(server.url);
      url.pathname = `/rows_${size}`;
      await run(server.url, `create database rows_${size}`);
      // Production has the statistics.
      return openStock({ url: url.href }, size, () => run(url.href, 'vacuum analyze'));
    };
    found.PostgreSQL = await onEngine(open, effort, { few: few.PostgreSQL, many }, told);
  } finally {
    await server.stop();
  }
  return found;
}

async function run(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(statement);
  await client.end();
}

async function onEngine(
  open: (size: number) => Promise<Stock>,
  effort: Effort,
  { few, many }: Pick<Grown, 'few' | 'many'>,
  told: (what: string) => void,
): Promise<Grown> {
  const receiver = createServer((_request, response) => response.end()).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  const [small, large] = [await open(few), await open(many)];
  for (const { database } of [small, large])
    await database.write((sql) => sql.run`update subscriptions set url = ${url} where id = ${hook}`);
  const compared: Record<string, Compared> = {};
  for (const [what, useCase] of Object.entries(useCases)) {
    told(what);
    compared[what] = await inPairs(
      (seconds) => timed(useCase, small, seconds),
      (seconds) => timed(useCase, large, seconds),
      effort,
    );
  }
  await Promise.all([small.close(), large.close()]);
  receiver.close();
  return { few, many, compared };
}

let times = 0;

/** By the quickest tenth: whatever else the machine does only makes it slower. */
async function timed({ before, once }: UseCase, stock: Stock, seconds: number): Promise<Measured> {
  const took: number[] = [];
  const end = performance.now() + seconds * 1000;
  do {
    times += 1;
    await before?.(stock, times);
    await nextTurn();
    const begun = performance.now();
    await once(stock, times);
    took.push(performance.now() - begun);
  } while (performance.now() < end);
  took.sort((a, b) => a - b);
  const part = (share: number) => took[Math.floor(took.length * share)] as number;
  return { perSecond: 1000 / part(0.1), p50: part(0.5), p99: part(0.99), cpu: Number.NaN };
}
