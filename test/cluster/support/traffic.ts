import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { administer } from '../../support/engines.ts';
import { problem, type TestClient } from '../../support/lplate.ts';
import { EventStream } from '../../support/topic.ts';
import type { NodeAnswer, Nodes } from './nodes.ts';

/* What goes on while servers come and go: calls whose answers are kept account of, and streams that are followed. */

/** What was acknowledged of one policy. */
interface Kept {
  id: string;
  status: string;
  holder: string | null;
}

/** What goes on through three nodes until it is told to stop, and what must be true of it afterwards. */
export class Traffic {
  readonly answers: NodeAnswer[] = [];
  readonly #nodes: Nodes;
  readonly #client: TestClient;
  readonly #acknowledged = new Map<string, Kept>();
  readonly #asked = new Set<string>();
  readonly #clients: string[] = [];
  readonly #over: Promise<unknown>;
  #going = true;

  static async start(t: TestContext, nodes: Nodes, writers = 8): Promise<Traffic> {
    return new Traffic(t, nodes, await nodes.client(), writers);
  }

  private constructor(t: TestContext, nodes: Nodes, client: TestClient, writers: number) {
    this.#nodes = nodes;
    this.#client = client;
    const all = Array.from({ length: writers }, (_, writer) => this.#write(writer));
    this.#over = Promise.all([...all, this.#read(), this.#register()]);
    // A test that fails before it waits for it.
    this.#over.catch(() => {});
    t.after(() => (this.#going = false));
  }

  async #send(method: string, path: string, json?: unknown): Promise<NodeAnswer> {
    const answer = await this.#nodes.call(method, path, { token: this.#client.token, json });
    this.answers.push(answer);
    if (answer.status >= 300) {
      assert.deepEqual(problem(answer), [503, 'unavailable'], answer.text);
      assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
      await pause(20);
    }
    return answer;
  }

  /** One policy after the other: created, changed, every other one cancelled. */
  async #write(writer: number): Promise<void> {
    for (let number = 0; this.#going; number += 1) {
      const regNumber = `W${writer}-${number}`;
      this.#asked.add(regNumber);
      const keep = ({ status, json }: NodeAnswer) => {
        if (status < 300) this.#acknowledged.set(regNumber, json);
        return status < 300;
      };
      const created = await this.#send('POST', '/policies', { regNumber });
      if (!keep(created)) continue;
      keep(await this.#send('PUT', `/policies/${created.json.id}`, { holder: `Holder of ${regNumber}` }));
      if (number % 2 === 0) keep(await this.#send('POST', `/policies/${created.json.id}/cancel`));
    }
  }

  async #read(): Promise<void> {
    for (; this.#going; await pause(5)) await this.#send('GET', '/policies?pageSize=3');
  }

  async #register(): Promise<void> {
    for (; this.#going; await pause(5)) {
      const { status, json } = await this.#send('POST', '/demo-clients');
      if (status === 201) this.#clients.push(json.client_id);
    }
  }

  async stop(): Promise<void> {
    this.#going = false;
    await this.#over;
  }

  /** Compares with the database: all that was acknowledged is there, and nothing that nobody asked for. */
  async compare(url: string): Promise<void> {
    const rows = await administer<Kept & { reg_number: string; number: number }>(
      `select id, reg_number, status, holder, number from policies where client_id = '${this.#client.id}' order by number`,
      url,
    );
    assert.deepEqual(
      rows.map(({ number }) => number),
      rows.map((_, at) => at + 1),
    );
    const found = new Map(rows.map((row) => [row.reg_number, row]));
    const order = ['active', 'updated', 'cancelled'];
    for (const [regNumber, { id, status, holder }] of this.#acknowledged) {
      const row = found.get(regNumber);
      assert.equal(row?.id, id, `${regNumber} was acknowledged`);
      // A change that no answer came to may have been made.
      assert.ok(order.indexOf(row?.status ?? '') >= order.indexOf(status), `${regNumber} was ${status}`);
      if (holder !== null) assert.equal(row?.holder, holder);
    }
    for (const regNumber of found.keys()) assert.ok(this.#asked.has(regNumber));
    assert.ok(this.#acknowledged.size > 20, `${this.#acknowledged.size} policies`);
    const clients = new Set((await administer<{ id: string }>('select id from clients', url)).map(({ id }) => id));
    const lost = this.#clients.filter((id) => !clients.has(id));
    assert.deepEqual(lost, [], `${lost.length} of ${this.#clients.length} clients`);
  }

  /** Somebody met an outage, and nobody waited longer than so many milliseconds for an answer. */
  assertRefusedWithin(milliseconds: number): void {
    assert.ok(this.answers.some(({ status }) => status === 503));
    const slowest = Math.max(...this.answers.map(({ ms }) => ms));
    assert.ok(slowest < milliseconds, `a call took ${slowest} ms`);
  }
}

/** Someone who follows the topic through one node and comes back whenever the stream ends. */
export class Follower {
  readonly events = new Map<string, { claimId: string; newStatus: string }>();
  readonly #over: Promise<void>;
  #stream: EventStream | undefined;
  #going = true;

  constructor(t: TestContext, url: string, token: string) {
    this.#over = this.#follow(url, token);
    this.#over.catch(() => {});
    t.after(() => this.stop());
  }

  async #follow(url: string, token: string): Promise<void> {
    for (let lastEventId = ''; this.#going; await pause(200)) {
      const place = lastEventId === '' ? { after: 'earliest' } : { lastEventId };
      const stream = await EventStream.open(url, token, place).catch((error) => {
        assert.match(error.message, /^503 .*\/unavailable/);
      });
      if (!stream) continue;
      this.#stream = stream;
      if (!this.#going) stream.close();
      while (!stream.ended) {
        await Promise.race([stream.end(), pause(50)]);
        for (const { event } of stream.received) this.events.set(event.eventId, event.data);
      }
      lastEventId = stream.lastEventId || lastEventId;
    }
  }

  async stop(): Promise<void> {
    this.#going = false;
    this.#stream?.close();
    await this.#over;
  }
}
