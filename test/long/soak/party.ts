import assert from 'node:assert/strict';
import { type IncomingMessage, request } from 'node:http';
import type { TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Program } from '../../support/program.ts';
import type { ReceivedCall } from '../../support/receiver.ts';
import { type ClaimEvent, topicPath } from '../../support/topic.ts';
import type { TimedCall } from './call-times.ts';

/** Milliseconds between two claims of a client. */
const claimEveryMs = 330;

/** Milliseconds until what comes by itself is missed. */
const longest = 120_000;

/** A client of the soak: its streams, its webhooks, and the claims that feed them. */
export class Party {
  readonly token: string;
  readonly #program: Program;
  readonly #policy: string;
  readonly #streams: Stream[] = [];
  #subscription = '';
  /** The distinct events in the order of the log, once everything has arrived. */
  #log: ClaimEvent[] = [];

  private constructor(program: Program, token: string, policy: string) {
    this.#program = program;
    this.token = token;
    this.#policy = policy;
  }

  static async open(
    t: TestContext,
    program: Program,
    { streams, slow, webhooks }: { streams: number; slow: number; webhooks: readonly string[] },
  ): Promise<Party> {
    const { token } = await program.client();
    const regNumber = `SK-${Math.random().toString(36).slice(2, 12)}`;
    const policy = await program.call('POST', '/policies', { token, json: { regNumber } });
    const party = new Party(program, token, policy.json.id);
    for (const url of webhooks) party.#subscription = (await party.#post('/claims/v1/subscriptions', { url })).id;
    for (let number = 0; number < streams; number += 1) {
      party.#streams.push(await Stream.open(t, program.url, token, number < slow));
    }
    return party;
  }

  get events(): number {
    return this.#log.length;
  }

  /** Calls that take the same time however many claims, events and deliveries the client has. */
  get timedCalls(): TimedCall[] {
    const headers = { Authorization: `Bearer ${this.token}` };
    const get = (kind: string, path: string) => ({ kind, path, init: { headers }, status: 200 });
    return [
      get('a policy', `/insurer/v1/policies/${this.#policy}`),
      get('claims', '/claims/v1/claims?pageSize=20'),
      get('events', `${topicPath}?limit=20`),
      get('deliveries', `/claims/v1/subscriptions/${this.#subscription}/deliveries?pageSize=20`),
      {
        kind: 'a new claim',
        path: '/claims/v1/claims',
        init: {
          method: 'POST',
          headers: { ...headers, 'Content-Type': 'application/json' },
          body: JSON.stringify({ policyNumber: this.#policy, paceSeconds: 1 }),
        },
        status: 201,
      },
    ];
  }

  async registerClaims(running: () => boolean): Promise<void> {
    for (; running(); await pause(claimEveryMs * (0.5 + Math.random()))) {
      const outcome = Math.random() < 0.5 ? 'APPROVED' : 'REJECTED';
      await this.#post('/claims/v1/claims', { policyNumber: this.#policy, outcome, paceSeconds: 1 });
    }
  }

  /** Waits until the log holds three events of each claim and every stream has them all; each in order. */
  async assertEverythingArrived(): Promise<void> {
    const late = Date.now() + longest;
    for (;;) {
      const claims = await this.#get('/claims/v1/claims?pageSize=1&status=CLOSED');
      const all = await this.#get('/claims/v1/claims?pageSize=1');
      this.#log = distinct(await this.#drain());
      if (claims.totalItems === all.totalItems && this.#log.length === 3 * all.totalItems) break;
      assert.ok(Date.now() < late, 'the claims of the soak are not closed in time');
      await pause(500);
    }
    assertInOrder(this.#log);
    const wanted = this.#log.map(({ eventId }) => eventId);
    for (const stream of this.#streams) {
      stream.hurry();
      while (stream.eventIds.size < wanted.length && Date.now() < late) {
        await pause(200);
      }
      assert.equal(stream.ended, false, 'a stream of the soak has ended');
      assert.deepEqual([...stream.eventIds], wanted, 'a stream missed events');
    }
  }

  /** A receiver that takes every call gets every event, those of a claim in order. Returns how many calls. */
  async assertDelivered(calls: () => readonly ReceivedCall[]): Promise<number> {
    const late = Date.now() + longest;
    for (;;) {
      const events = distinct(calls().map(({ event }) => event));
      if (events.length === this.#log.length) {
        assertInOrder(events);
        return calls().length;
      }
      assert.ok(Date.now() < late, `a webhook has ${events.length} of ${this.#log.length} events`);
      await pause(500);
    }
  }

  async #drain(): Promise<ClaimEvent[]> {
    const events: ClaimEvent[] = [];
    for (let after = 'earliest'; ; ) {
      const read = await this.#get(`${topicPath}?limit=500&after=${after}`);
      events.push(...read.events);
      after = read.next;
      if (read.events.length < 500) return events;
    }
  }

  async #post(path: string, body: object): Promise<{ id: string }> {
    const headers = { Authorization: `Bearer ${this.token}`, 'Content-Type': 'application/json' };
    const answer = await fetch(this.#program.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    if (answer.status !== 201) throw new Error(`${path}: ${await answer.text()}`);
    return (await answer.json()) as { id: string };
  }

  // biome-ignore lint/suspicious/noExplicitAny: lists of several shapes
  async #get(path: string): Promise<any> {
    const answer = await fetch(this.#program.url + path, { headers: { Authorization: `Bearer ${this.token}` } });
    if (answer.status !== 200) throw new Error(`${path}: ${await answer.text()}`);
    return answer.json();
  }
}

/** Keeps the ids of its events, each where it came first; a slow one takes a little at times until it is told to hurry. */
class Stream {
  readonly eventIds = new Set<string>();
  ended = false;
  readonly #answer: IncomingMessage;
  #rest = '';
  #timer: NodeJS.Timeout | undefined;

  private constructor(answer: IncomingMessage, slow: boolean) {
    this.#answer = answer.setEncoding('utf8');
    answer.on('close', () => (this.ended = true)).on('error', () => {});
    if (slow) this.#timer = setInterval(() => this.#take(answer.read(512) ?? answer.read()), 1000);
    else answer.on('data', (text: string) => this.#take(text));
  }

  static open(t: TestContext, url: string, token: string, slow: boolean): Promise<Stream> {
    return new Promise((resolve, reject) => {
      const headers = { Accept: 'text/event-stream', Authorization: `Bearer ${token}` };
      const asked = request(`${url}${topicPath}?after=earliest`, { headers, agent: false }, (answer) => {
        if (answer.statusCode !== 200) return reject(new Error(`a stream is refused: ${answer.statusCode}`));
        const stream = new Stream(answer, slow);
        t.after(() => stream.#close());
        resolve(stream);
      });
      asked.on('error', reject).end();
    });
  }

  hurry(): void {
    if (!this.#timer) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#answer.on('data', (text: string) => this.#take(text));
  }

  #close(): void {
    clearInterval(this.#timer);
    this.#answer.destroy();
  }

  #take(text: string | null): void {
    const blocks = (this.#rest + (text ?? '')).split('\n\n');
    this.#rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const data = /^data: (.*)$/m.exec(block)?.[1];
      if (data !== undefined) this.eventIds.add(JSON.parse(data).eventId);
    }
  }
}

/** Each event where it came first. */
function distinct(events: readonly ClaimEvent[]): ClaimEvent[] {
  return [...new Map(events.map((event) => [event.eventId, event])).values()];
}

/** The events of a claim follow one another. */
function assertInOrder(events: readonly ClaimEvent[]): void {
  const reached = new Map<string, string>();
  for (const { data } of events) {
    assert.equal(data.previousStatus, reached.get(data.claimId) ?? 'REGISTERED', `${data.claimId} is out of order`);
    reached.set(data.claimId, data.newStatus);
  }
}
