import { eventFaults } from './event-check.ts';
import type { LPlate } from './lplate.ts';

/* Readers of the topic, as tests need them. Every event they see is checked against the AsyncAPI document. */

export const topicPath = '/claims/v1/topics/claims.status-changed';

export interface ClaimEvent {
  eventId: string;
  eventType: string;
  eventVersion: string;
  occurredAt: string;
  source: string;
  data: {
    claimId: string;
    policyNumber: string;
    previousStatus: string;
    newStatus: string;
    statusReason: string | null;
  };
}

/** A policy of the client with a vehicle of its own. Returns its id. */
export async function insure(lplate: LPlate, token: string, regNumber = newPlate()): Promise<string> {
  const { status, json, text } = await lplate.call('POST', '/policies', { token, json: { regNumber } });
  if (status !== 201) throw new Error(text);
  return json.id;
}

let plates = 0;
function newPlate(): string {
  plates += 1;
  return `T-${plates}`;
}

/** A claim on a policy. Returns its id. */
export async function claimOn(
  lplate: LPlate,
  token: string,
  policyNumber: string,
  wish: { outcome?: 'APPROVED' | 'REJECTED'; paceSeconds?: number } = {},
): Promise<string> {
  const { status, json, text } = await lplate.call('POST', '/claims/v1/claims', {
    token,
    json: { policyNumber, ...wish },
  });
  if (status !== 201) throw new Error(text);
  return json.claimId;
}

/** Lets time pass and the desk and webhooks do what became due by it. */
export async function pass(lplate: LPlate, seconds: number): Promise<void> {
  lplate.clock.advance(seconds * 1000);
  await lplate.catchUp();
}

/** One batch. */
export async function batch(
  lplate: LPlate,
  token: string,
  query = '',
): Promise<{ events: ClaimEvent[]; next: string; note?: string }> {
  const { status, json, text } = await lplate.call('GET', `${topicPath}${query}`, { token });
  if (status !== 200) throw new Error(text);
  for (const event of json.events) checked(event);
  return json;
}

/** All that follows a cursor, by batches of `limit`. */
export async function drain(
  lplate: LPlate,
  token: string,
  after = 'earliest',
  limit = 100,
): Promise<{ events: ClaimEvent[]; next: string }> {
  const events: ClaimEvent[] = [];
  let next = after;
  for (;;) {
    const read = await batch(lplate, token, `?after=${next}&limit=${limit}`);
    events.push(...read.events);
    next = read.next;
    if (read.events.length < limit) return { events, next };
  }
}

export interface StreamedEvent {
  id: string;
  event: ClaimEvent;
}

/** An open stream of server-sent events, read by the rules of the HTML standard as far as the topic uses them. */
export class EventStream {
  readonly response: Response;
  /** The events so far. */
  readonly received: StreamedEvent[] = [];
  /** The id that a client would send as Last-Event-ID now; also signs of life set it. */
  lastEventId = '';
  /** Milliseconds of the `retry` field. */
  retry: number | undefined;
  /** Blocks without data so far: events to some clients. */
  empty = 0;
  #data: string | undefined;
  /** Signs of life so far that are comments. */
  readonly comments: string[] = [];
  /** Other comments so far: why nothing comes. */
  readonly notes: string[] = [];
  ended = false;
  readonly #abort: AbortController;
  /** The first event that was not as described. */
  #fault: Error | undefined;
  #changed = Promise.withResolvers<void>();

  private constructor(response: Response, abort: AbortController) {
    this.response = response;
    this.#abort = abort;
    void this.#read();
  }

  /** Opens one. `after` goes into the query, `lastEventId` into the header. Throws when it is refused. */
  static async open(
    url: string,
    token: string,
    { after, lastEventId }: { after?: string; lastEventId?: string } = {},
  ): Promise<EventStream> {
    const abort = new AbortController();
    const headers = new Headers({ Accept: 'text/event-stream', Authorization: `Bearer ${token}` });
    if (lastEventId !== undefined) headers.set('Last-Event-ID', lastEventId);
    const query = after === undefined ? '' : `?after=${after}`;
    const response = await fetch(`${url}${topicPath}${query}`, { headers, signal: abort.signal });
    if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
    return new EventStream(response, abort);
  }

  /** Resolves when the condition holds, fails when the stream ends before or after ten seconds. */
  async until(holds: () => boolean): Promise<void> {
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      this.#tell();
    }, 10_000);
    try {
      while (!holds()) {
        if (this.#fault) throw this.#fault;
        if (late || this.ended) {
          throw new Error(`${late ? 'not so after 10 s' : 'the stream ended'}; ${this.received.length} events`);
        }
        await this.#changed.promise;
      }
    } finally {
      clearTimeout(timer);
    }
  }

  /** Resolves when the server has ended it. */
  async end(): Promise<void> {
    while (!this.ended) await this.#changed.promise;
    if (this.#fault) throw this.#fault;
  }

  close(): void {
    this.#abort.abort();
  }

  async #read(): Promise<void> {
    let text = '';
    try {
      for await (const chunk of this.response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        text += chunk;
        const lines = text.split('\n');
        text = lines.pop() ?? '';
        for (const line of lines) this.#take(line);
        this.#tell();
      }
    } catch {
      // It was cut, here or there.
    }
    this.ended = true;
    this.#tell();
  }

  #take(line: string): void {
    const [, field, value = ''] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
    if (line.startsWith(':')) (value === 'still here' ? this.comments : this.notes).push(value);
    if (field === 'id') this.lastEventId = value;
    if (field === 'retry') this.retry = Number(value);
    if (field === 'data') this.#data = value;
    if (line !== '') return;
    const data = this.#data;
    this.#data = undefined;
    if (data === undefined) {
      this.empty += 1;
      return;
    }
    try {
      this.received.push({ id: this.lastEventId, event: checked(JSON.parse(data)) });
    } catch (error) {
      this.#fault ??= error as Error;
    }
  }

  #tell(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}

function checked(event: ClaimEvent): ClaimEvent {
  const faults = eventFaults(event);
  if (faults.length > 0) throw new Error(`an event that is not as described: ${faults.join('; ')}`);
  return event;
}
