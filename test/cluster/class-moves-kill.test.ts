import { deepEqual, equal, ok } from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import pg from 'pg';
import { administer } from '../support/engines.ts';
import { extent } from '../support/extent.ts';
import { type TestClient, testSecrets } from '../support/lplate.ts';
import { startPostgres } from '../support/postgres.ts';
import { Receiver } from '../support/receiver.ts';
import { type ClaimEvent, topicPath } from '../support/topic.ts';
import { until } from '../support/until.ts';
import { emptyDatabase, Nodes } from './support/nodes.ts';
import { shareServer } from './support/servers.ts';

/*
 * A trainer moves the clocks of 200 clients, with claims on their way, events to read and webhooks to deliver. Then the node
 * that does so is killed in the middle, again and again. TEST_EXTENT=full has more rounds.
 */

const clientCount = 200;

/** Those with a subscription. */
const subscriberCount = 5;

const rounds = extent(3, 10);

/** Milliseconds within which a move of all is seen by all, on every node. */
const seenWithin = extent(10_000, 3000);

/** Milliseconds within which housekeeping of others goes on with a move: it comes each minute, and needs some seconds. */
const finishedWithin = 75_000;

/** The same of programs that start, which begin with it. */
const finishedAtStart = 55_000;

const hour = 3600;

interface Move {
  readonly advance: string;
  readonly seconds: number;
}

/** So far that all that is on its way ends, or that slow claims have one status left: all rounds together take less than a week. */
const moves: readonly Move[] = [
  { advance: 'P1D', seconds: 24 * hour },
  { advance: 'PT150M', seconds: 2.5 * hour },
];
const pastRetention: Move = { advance: 'P8D', seconds: 8 * 24 * hour };

/** Seconds between two changes of the claims that each client registers before a move. */
const paces = [1, 600, hour];

interface Registered {
  readonly claimId: string;
  readonly registeredAt: string;
  readonly paceSeconds: number;
  readonly outcome: string;
}

interface Send {
  readonly token?: string;
  readonly json?: object;
  /** The node that is called; default: one after the other. */
  readonly node?: number;
}

interface Owner extends TestClient {
  readonly policy: string;
  readonly claims: Registered[];
  /** The cursor behind its first event. */
  first: string | undefined;
}

const postgres = await shareServer(startPostgres);

// In full, housekeeping is waited for five times.
const timeout = extent(300_000, 1_200_000);

test('Decisions, the range: a move of all clocks', { timeout }, async (t) => {
  const moved = await Moved.begin(t);

  await t.test('is seen by all clients on every node within seconds', async (t) => {
    await moved.register();
    const took: number[] = [];
    // What is late for the server is late again, and what is late for the machine most likely not.
    while (took.length < 3 && took.every((ms) => ms > seenWithin)) took.push(await moved.moveAll(0, moves[0] as Move));
    t.diagnostic(`seen after ${took.join(', ')} ms`);
    ok(took.some((ms) => ms <= seenWithin));
    await moved.assertFits();
  });

  await t.test('beyond retention takes the events from before from all clients alike', async () => {
    await moved.readFirst();
    await moved.moveAll(1, pastRetention);
    await moved.assertPastRetention();
  });

  await t.test('comes to its end when its node is killed, and moves each client once', { timeout }, async (t) => {
    let inTheMiddle = 0;
    for (let round = 0; round < rounds; round += 1) {
      const move = moves[round % moves.length] as Move;
      const node = round % 3;
      await moved.register();
      const there = await moved.killIn(node, move);
      if (there < clientCount) inTheMiddle += 1;
      // All begin anew, or else the others go on.
      const anew = round % 2 === 0;
      if (anew) await moved.startAgain([0, 1, 2]);
      const took = await moved.reach(move.seconds, anew ? finishedAtStart : finishedWithin, anew ? [] : [node]);
      t.diagnostic(`${there} were moved; the others ${took} ms after ${anew ? 'the start' : 'its end'}`);
      if (!anew) await moved.startAgain([node]);
      await moved.assertFits();
    }
    ok(inTheMiddle > rounds / 2, `${inTheMiddle} of ${rounds} moves were cut off in the middle`);
  });
});

class Moved {
  readonly #nodes: Nodes;
  readonly #url: string;
  readonly #database: pg.Client;
  readonly #receiver: Receiver;
  readonly #owners: readonly Owner[];
  /** Seconds by which all are ahead. */
  #ahead = 0;
  #calls = 0;

  private constructor(nodes: Nodes, url: string, database: pg.Client, receiver: Receiver, owners: readonly Owner[]) {
    this.#nodes = nodes;
    this.#url = url;
    this.#database = database;
    this.#receiver = receiver;
    this.#owners = owners;
  }

  static async begin(t: TestContext): Promise<Moved> {
    const url = await emptyDatabase(postgres);
    const nodes = await Nodes.start(t, url, {
      ...{ EVENTS_DUPLICATE_RATE: '0', WEBHOOK_ALLOW: '127.0.0.1/32' },
      ...{ WEBHOOK_CALLS_PER_CLIENT: '1000000', WEBHOOK_CALLS_PER_HOST: '1000000', LOG_LEVEL: 'warn' },
    });
    const database = new pg.Client({ connectionString: url });
    database.on('error', () => {});
    await database.connect();
    t.after(() => database.end());
    const receiver = await Receiver.open(t);
    const owners: Owner[] = [];
    await each(Array.from({ length: clientCount }), async (_, at) => {
      const client = await nodes.client();
      const { token } = client;
      const policy = await nodes.call('POST', '/policies', { token, json: { regNumber: `MOVED-${at}` } });
      if (at < subscriberCount)
        await nodes.call('POST', '/claims/v1/subscriptions', { token, json: { url: receiver.url } });
      owners[at] = { ...client, policy: policy.json.id, claims: [], first: undefined };
    });
    return new Moved(nodes, url, database, receiver, owners);
  }

  /** Claims of all clients that are on their way. */
  async register(): Promise<void> {
    await each(this.#owners, async ({ token, policy, claims }, at) => {
      const outcome = at % 2 === 0 ? 'APPROVED' : 'REJECTED';
      for (const paceSeconds of paces) {
        const json = { policyNumber: policy, outcome, paceSeconds };
        const answer = await this.#send('POST', '/claims/v1/claims', { token, json });
        equal(answer.status, 201, JSON.stringify(answer.json));
        claims.push({ outcome, paceSeconds, ...answer.json });
      }
    });
  }

  /** Returns after how many milliseconds all had seen it. */
  async moveAll(node: number, { advance, seconds }: Move): Promise<number> {
    const began = performance.now();
    const { status, json } = await this.#sendMove(node, advance);
    deepEqual([status, json.moved], [200, clientCount]);
    await this.reach(seconds, finishedWithin);
    return Math.round(performance.now() - began);
  }

  /** Kills a node when it has moved some. Returns how many were moved when it was gone. */
  async killIn(node: number, { advance, seconds }: Move): Promise<number> {
    const enough = 1 + Math.floor(Math.random() * 0.6 * clientCount);
    let over = false;
    const move = this.#sendMove(node, advance)
      .catch(() => {})
      .finally(() => (over = true));
    while (!over && (await this.#countAhead(seconds)) < enough);
    await this.#nodes.kill(node);
    await move;
    return this.#countAhead(seconds);
  }

  /** Ends these nodes, if they are there, and starts them again. */
  async startAgain(nodes: readonly number[]): Promise<void> {
    await Promise.all(nodes.map((node) => this.#nodes.kill(node)));
    await Promise.all(nodes.map((node) => this.#nodes.restart(node)));
  }

  /**
   * All clients come to be ahead by so much more in time, and not further, as every node sees them that is not gone. Returns
   * after how many milliseconds.
   */
  async reach(seconds: number, within: number, gone: readonly number[] = []): Promise<number> {
    this.#ahead += seconds;
    const nodes = [0, 1, 2].filter((node) => !gone.includes(node));
    const wanted = nodes.map(() => ({ [this.#ahead]: clientCount }));
    // A trainer makes 600 calls a minute at each node.
    for (const began = performance.now(); ; await pause(200)) {
      const seen = await Promise.all(nodes.map((node) => this.#aheadOn(node)));
      const took = Math.round(performance.now() - began);
      const all = isDeepStrictEqual(seen, wanted);
      if (all && took <= within) return took;
      if (took <= within) continue;
      deepEqual(seen, wanted, `clients by the seconds that they are ahead, after ${took} ms`);
      throw new Error(`all were moved after ${took} ms, which is late`);
    }
  }

  /** Clocks, claims, events and webhooks of each client are as they were to be. */
  async assertFits(): Promise<void> {
    const late = `select 1 from claims where client_id <> 'preset-fleet'
      and (due_at <= '${new Date().toISOString()}' or due_at is not null and pace_seconds = 1)`;
    await until(async () => (await administer(late, this.#url)).length === 0, 'what was due is done');
    const delivered = new Map<string, string[]>();
    await each(this.#owners, async (owner, at) => {
      await this.#renewToken(owner);
      const { json: clock } = await this.#send('GET', '/range/v1/me/clock', owner);
      equal(clock.aheadSeconds, this.#ahead, owner.id);
      const { json: list } = await this.#send('GET', '/claims/v1/claims?pageSize=500', owner);
      const events = await this.#events(owner);
      const expected = owner.claims.map((claim) => expectedOf(claim, Date.parse(clock.now)));
      const shown = new Map<string, { status: string; updatedAt: string }>(
        list.items.map((claim: { claimId: string }) => [claim.claimId, claim]),
      );
      deepEqual(
        owner.claims.map(({ claimId }) => [claimId, shown.get(claimId)?.status, shown.get(claimId)?.updatedAt]),
        expected.map(({ claimId, status, updatedAt }) => [claimId, status, updatedAt]),
      );
      for (const { claimId, changes } of expected) deepEqual(changesOf(claimId, events), changes, claimId);
      const ids = new Set(events.map(({ eventId }) => eventId));
      equal(
        ids.size,
        expected.reduce((sum, { changes }) => sum + changes.length, 0),
        `events of ${owner.id}`,
      );
      if (at < subscriberCount) for (const { eventId, data } of events) push(delivered, data.claimId, eventId);
    });
    const missing = () => [...delivered.values()].flat().filter((id) => !this.#receiver.eventIds.includes(id));
    await until(() => missing().length === 0, 'all events were delivered');
    const came = new Map<string, string[]>();
    for (const { event } of this.#receiver.calls) {
      // What was under way when its node was killed comes again.
      if (!came.get(event.data.claimId)?.includes(event.eventId)) push(came, event.data.claimId, event.eventId);
    }
    deepEqual(came, new Map([...came.keys()].map((claimId) => [claimId, delivered.get(claimId)])));
  }

  /** Each client reads its first event. */
  async readFirst(): Promise<void> {
    await each(this.#owners, async (owner) => {
      const { json } = await this.#send('GET', `${topicPath}?limit=1`, owner);
      equal(json.events.length, 1);
      owner.first = json.next;
    });
  }

  /** Nothing is left of the claims until now, which were closed before the last move. */
  async assertPastRetention(): Promise<void> {
    await each(this.#owners, async (owner) => {
      await this.#renewToken(owner);
      const { status, json } = await this.#send('GET', `${topicPath}?after=${owner.first}`, owner);
      deepEqual([status, json.type?.split('/').at(-1)], [410, 'cursor-expired'], owner.id);
      deepEqual(await this.#events(owner), [], owner.id);
      owner.claims.length = 0;
    });
    this.#receiver.calls.length = 0;
  }

  /** All events of a client that are kept. */
  async #events({ token }: Owner): Promise<ClaimEvent[]> {
    const events: ClaimEvent[] = [];
    for (let next = 'earliest'; ; ) {
      const { status, json } = await this.#send('GET', `${topicPath}?after=${next}&limit=100`, { token });
      equal(status, 200, JSON.stringify(json));
      events.push(...json.events);
      if (json.events.length < 100) return events;
      next = json.next;
    }
  }

  async #renewToken(owner: Owner): Promise<void> {
    const json = { client_id: owner.id, client_secret: owner.secret };
    owner.token = (await this.#send('POST', '/insurer/v1/auth/token', { json })).json.access_token;
  }

  #sendMove(node: number, advance: string) {
    const token = testSecrets.trainerToken;
    return this.#send('POST', '/range/v1/trainer/clock', { token, json: { advance }, node });
  }

  /** How many clients are ahead by which seconds, as a node sees it. */
  async #aheadOn(node: number): Promise<Record<number, number>> {
    const token = testSecrets.trainerToken;
    const { json } = await this.#send('GET', '/range/v1/trainer/learners?pageSize=500', { token, node });
    const counts: Record<number, number> = {};
    for (const { clientId, clock } of json.items)
      if (!clientId.startsWith('preset-')) counts[clock.aheadSeconds] = (counts[clock.aheadSeconds] ?? 0) + 1;
    return counts;
  }

  /** Not checked against the descriptions: of thousands of answers, that takes longer than the calls. */
  async #send(method: string, path: string, { token, json, node = this.#calls++ % 3 }: Send) {
    const headers = new Headers({ 'Content-Type': 'application/json' });
    if (token !== undefined) headers.set('Authorization', `Bearer ${token}`);
    const body = json === undefined ? null : JSON.stringify(json);
    const response = await fetch(`${this.#nodes.program(node).url}${path}`, { method, headers, body });
    // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
    return { status: response.status, json: (await response.json()) as any };
  }

  /** How many are ahead by so many seconds more, by the database. */
  async #countAhead(seconds: number): Promise<number> {
    const { rows } = await this.#database.query<{ count: string }>(
      'select count(*) as count from clients where preset = 0 and clock_offset >= $1',
      [(this.#ahead + seconds) * 1000],
    );
    return Number(rows[0]?.count);
  }
}

/** What became of a claim until `now`, and by which changes: each at the time when it was due. */
function expectedOf({ claimId, registeredAt, paceSeconds, outcome }: Registered, now: number) {
  const registered = Date.parse(registeredAt);
  const path = ['REGISTERED', 'UNDER_REVIEW', outcome, 'CLOSED'];
  const times = path.map((_, at) => registered + at * paceSeconds * 1000);
  const reached = times.filter((time) => time <= now).length - 1;
  const instants = times.map((time) => new Date(time).toISOString());
  const changes = path.slice(1, reached + 1).map((to, at) => [path[at], to, instants[at + 1]]);
  return { claimId, status: path[reached], updatedAt: instants[reached], changes };
}

function changesOf(claimId: string, events: readonly ClaimEvent[]) {
  const own = events.filter(({ data }) => data.claimId === claimId);
  return own.map(({ data, occurredAt }) => [data.previousStatus, data.newStatus, occurredAt]);
}

function push(lists: Map<string, string[]>, key: string, value: string): void {
  lists.set(key, [...(lists.get(key) ?? []), value]);
}

/** Some at a time. */
async function each<T>(all: readonly T[], act: (one: T, at: number) => Promise<void>): Promise<void> {
  const left = all.entries();
  const lanes = Array.from({ length: 10 }, async () => {
    for (const [at, one] of left) await act(one, at);
  });
  await Promise.all(lanes);
}
