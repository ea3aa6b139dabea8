import assert from 'node:assert/strict';
import { type IncomingMessage, request } from 'node:http';
import type { TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Program } from '../../support/program.ts';
import type { ReceivedCall } from '../../support/receiver.ts';
import { type ClaimEvent, topicPath } from '../../support/topic.ts';

/** Milliseconds between two claims of a client. */
const claimEveryMs = 1500;

/** Milliseconds until what comes by itself is missed. */
const longest = 120_000;

/** A client of the soak: its streams, its webhooks, and the claims that feed them. */
export class Party {
  readonly token: string;
  readonly #program: Program;
  readonly #policy: string;
  readonly #streams: Stream[] = [];
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
    for (const url of webhooks) await party.#post('/claims/v1/subscriptions', { url });
    for (let number = 0; number < streams; number += 1) {
      party.#streams.push(await Stream.open(t, program.url, token, number < slow));
    }
    return party;
  }

  get events(): number {
    return this.#log.length;
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
      while (new Set(stream.events.map(({ eventId }) => eventId)).size < wanted.length && Date.now() < late) {
        await pause(200);
      }
      assert.equal(stream.ended, false, 'a stream of the soak has ended');
      assert.deepEqual(
        distinct(stream.events).map(({ eventId }) => eventId),
        wanted,
        'a stream missed events',
      );
    }
  }

  /** A receiver that takes every call has every event, those of a claim in order. Returns how many calls. */
  async assertDelivered(calls: readonly ReceivedCall[]): Promise<number> {
    const events = calls.map(({ event }) => event);
    const got = new Set(events.map(({ eventId }) => eventId));
    assert.deepEqual(
      this.#log.filter(({ eventId }) => !got.has(eventId)),
      [],
      'a webhook missed events',
    );
    assertInOrder(distinct(events));
    return calls.length;
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

  async #post(path: string, body: object): Promise<void> {
    const headers = { Authorization: `Bearer ${this.token}`, 'Content-Type': 'application/json' };
    const answer = await fetch(this.#program.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    if (answer.status !== 201) throw new Error(`${path}: ${await answer.text()}`);
    await answer.text();
  }

  // biome-ignore lint/suspicious/noExplicitAny: lists of several shapes
  async #get(path: string): Promise<any> {
    const answer = await fetch(this.#program.url + path, { headers: { Authorization: `Bearer ${this.token}` } });
    if (answer.status !== 200) throw new Error(`${path}: ${await answer.text()}`);
    return answer.json();
  }
}

/** A stream that keeps its events; a slow one takes a little every now and then until it is told to hurry. */
class Stream {
  readonly events: ClaimEvent[] = [];
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
      if (data !== undefined) this.events.push(JSON.parse(data));
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
