import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { Webhook } from 'standardwebhooks';
import type { LPlate, TestClient } from './lplate.ts';
import { type ClaimEvent, claimOn, insure } from './topic.ts';
import { until } from './until.ts';

export { until };

/*
 * A subscriber of webhooks: a real server on this machine that answers as a test tells it and remembers each call, and
 * what the owner of a subscription sees of it through the interface.
 */

/** One call, in the order in which they came whole. */
export interface ReceivedCall {
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly event: ClaimEvent;
}

/** A status, a redirect, an answer with a body, no answer at all, or a connection that breaks. */
export type Reply =
  | number
  | {
      readonly status: number;
      readonly location?: string;
      readonly headers?: OutgoingHttpHeaders;
      readonly body?: string;
    }
  | 'hang'
  | 'reset';

export class Receiver {
  readonly calls: ReceivedCall[] = [];
  readonly port: number;
  /** Where webhooks are sent to. */
  readonly url: string;
  /** How each call is answered; a promise delays the answer. */
  answer: (call: ReceivedCall) => Reply | Promise<Reply> = () => 204;
  readonly #server: Server;

  private constructor(server: Server) {
    const { address, port } = server.address() as AddressInfo;
    this.#server = server;
    this.port = port;
    this.url = `http://${address}:${port}/hooks`;
    server.on('request', (request, response) => void this.#take(request, response));
  }

  /** Ends with the test. */
  static async open(t: { after(end: () => void): void }, { host = '127.0.0.1', port = 0 } = {}): Promise<Receiver> {
    const server = createServer().listen(port, host);
    await once(server, 'listening');
    const receiver = new Receiver(server);
    t.after(() => receiver.close());
    return receiver;
  }

  /** Resolves when so many calls have come. */
  async until(count: number): Promise<void> {
    await until(() => this.calls.length >= count, `${count} calls`);
  }

  get eventIds(): string[] {
    return this.calls.map(({ headers }) => headers['webhook-id'] ?? '');
  }

  get attempts(): number[] {
    return this.calls.map(({ headers }) => Number(headers['webhook-attempt']));
  }

  /** Breaks off what it has not answered, and is not there any more. */
  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    try {
      for await (const piece of request) pieces.push(piece);
    } catch {
      return;
    }
    const body = Buffer.concat(pieces).toString();
    const { method = '', url: path = '' } = request;
    const headers = request.headers as Record<string, string>;
    const call = { method, path, headers, body, event: JSON.parse(body) };
    this.calls.push(call);
    const reply = await this.answer(call);
    if (reply === 'hang') return;
    if (reply === 'reset') request.socket.resetAndDestroy();
    else if (typeof reply === 'number') response.writeHead(reply).end();
    else {
      const { status, location, headers, body: text } = reply;
      response.writeHead(status, location ? { Location: location } : headers).end(text);
    }
  }
}

/** An answer that is held back until it is given. */
export function delayedReply(): { reply: Promise<Reply>; give(reply: Reply): void } {
  const { promise, resolve } = Promise.withResolvers<Reply>();
  return { reply: promise, give: resolve };
}

/** Whether another library makes the same signature for the time of the call; it verifies only calls of now. */
export function isSigned({ headers, body }: ReceivedCall, secret: string): boolean {
  const at = new Date(Number(headers['webhook-timestamp']) * 1000);
  // With two secrets there are two, separated by a space.
  const signatures = headers['webhook-signature']?.split(' ');
  return signatures?.includes(new Webhook(secret).sign(headers['webhook-id'] ?? '', at, body)) ?? false;
}

/** A delivery as the log shows it. */
export interface LoggedDelivery {
  number: number;
  eventId: string;
  claimId: string;
  status: string;
  attempts: {
    attempt: number;
    attemptedAt: string;
    responseStatus: number | null;
    responseBody: string | null;
    error: string | null;
  }[];
  attemptCounts: { total: number; taken: number; refused: number; unanswered: number };
  nextAttemptAt: string | null;
  createdAt: string;
}

/** The owner of a subscription. It asks for a new token each time, since tests let hours pass. */
export class Subscriber {
  readonly lplate: LPlate;
  readonly client: TestClient;
  readonly policyNumber: string;
  /** The path, id and secret of the subscription. */
  readonly path: string;
  readonly id: string;
  readonly secret: string;

  private constructor(
    lplate: LPlate,
    client: TestClient,
    policyNumber: string,
    { id, secret }: { id: string; secret: string },
  ) {
    this.lplate = lplate;
    this.client = client;
    this.policyNumber = policyNumber;
    this.path = `/claims/v1/subscriptions/${id}`;
    this.id = id;
    this.secret = secret;
  }

  /** Subscribes a client, a new one unless given, with a policy of its own. `how`: more of the subscription. */
  static async open(
    lplate: LPlate,
    url: string | undefined,
    given?: TestClient,
    how: object = {},
  ): Promise<Subscriber> {
    const client = given ?? (await lplate.client());
    const token = await lplate.token(client.id, client.secret);
    const policyNumber = await insure(lplate, token);
    const { status, json, text } = await lplate.call('POST', '/claims/v1/subscriptions', {
      token,
      json: { url, ...how },
    });
    if (status !== 201) throw new Error(text);
    return new Subscriber(lplate, client, policyNumber, json);
  }

  /** As it goes on after the program was started again. */
  on(lplate: LPlate): Subscriber {
    return new Subscriber(lplate, this.client, this.policyNumber, this);
  }

  async call(method: string, below = '') {
    const token = await this.lplate.token(this.client.id, this.client.secret);
    return this.lplate.call(method, `${this.path}${below}`, { token });
  }

  /** Registers a claim that changes three times, `paceSeconds` apart. Returns its id. */
  async claim(paceSeconds = 1): Promise<string> {
    const token = await this.lplate.token(this.client.id, this.client.secret);
    return claimOn(this.lplate, token, this.policyNumber, { paceSeconds });
  }

  /** The delivery log. */
  async log(): Promise<LoggedDelivery[]> {
    const { status, json, text } = await this.call('GET', '/deliveries?pageSize=500');
    if (status !== 200) throw new Error(text);
    return json.items;
  }

  /** Waits until no call is under way or due, and returns the log. */
  async settled(): Promise<LoggedDelivery[]> {
    let log: LoggedDelivery[] = [];
    await until(async () => {
      log = await this.log();
      const now = this.lplate.clock.now();
      // Of a disabled subscription nothing is tried.
      return log.every(({ status, nextAttemptAt: at }) => status !== 'pending' || at === null || Date.parse(at) > now);
    }, 'that nothing is due');
    return log;
  }

  /** Lets time pass to the millisecond, and waits until all that became due by it was tried. Returns the log. */
  async pass(milliseconds: number): Promise<LoggedDelivery[]> {
    this.lplate.clock.advance(milliseconds);
    await this.lplate.catchUp();
    return this.settled();
  }
}

/** A receiver, and a new client that has subscribed it. */
export async function subscribed(t: TestContext, lplate: LPlate) {
  const receiver = await Receiver.open(t);
  return { receiver, subscriber: await Subscriber.open(lplate, receiver.url) };
}
