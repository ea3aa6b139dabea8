import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { send } from './http1.ts';
import type { Answer, TestClient } from './lplate.ts';
import { until } from './until.ts';

/** A call that a stream sent. */
export interface SentCall {
  readonly id: string;
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** Where it holds its stream open, and sends its answers. */
interface Service {
  readonly url: string;
  call(
    method: string,
    path: string,
    options?: { token?: string; json?: unknown },
  ): Promise<Pick<Answer, 'status' | 'json'>>;
}

/** A program by paths from the root, which may answer nothing. */
export const serviceOf = ({ url }: Pick<Service, 'url'>): Service => ({
  url,
  async call(method, path, { token = '', json } = {}) {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    const body = json === undefined ? undefined : JSON.stringify(json);
    return send(`${url}${path}`, { method, headers, body });
  },
});

/** What is sent back of it; nothing where undefined. */
type Made = object | undefined;

/** A relay: holds a stream open, makes the calls that it is sent, and sends back what came of them. */
export class TestRelay {
  readonly calls: SentCall[] = [];
  /** The names of the events that came. */
  readonly events: string[] = [];
  /** The statuses that its answers got. */
  readonly answered: number[] = [];
  /** What it does with a call. */
  make: (call: SentCall) => Promise<Made> = make;
  ended = false;
  readonly #lplate: Service;
  readonly #client: TestClient;
  readonly #stream: IncomingMessage;

  private constructor(lplate: Service, client: TestClient, stream: IncomingMessage) {
    this.#lplate = lplate;
    this.#client = client;
    this.#stream = stream;
    let text = '';
    stream.setEncoding('utf8').on('data', (piece: string) => {
      const parts = (text + piece).split('\n\n');
      text = parts.pop() ?? '';
      for (const part of parts) this.#take(part);
    });
    stream.on('error', () => {});
    stream.on('close', () => {
      this.ended = true;
    });
  }

  /** Ends with the test. */
  static async open(t: { after(end: () => void): void }, lplate: Service, client: TestClient): Promise<TestRelay> {
    const headers = { Authorization: `Bearer ${client.token}`, Accept: 'text/event-stream' };
    const asked = request(`${lplate.url}/range/v1/me/relay`, { headers }).end();
    const [stream] = (await once(asked, 'response')) as [IncomingMessage];
    if (stream.statusCode !== 200) throw new Error(`the relay got ${stream.statusCode}`);
    t.after(() => asked.destroy());
    const relay = new TestRelay(lplate, client, stream);
    await until(async () => {
      const { json } = await lplate.call('GET', '/range/v1/me/relay', client);
      return typeof json.connectedAt === 'string';
    }, 'it is connected');
    return relay;
  }

  /** Breaks off, as a program does that is killed. */
  kill(): void {
    this.#stream.destroy();
  }

  #take(part: string): void {
    const { event, data } = Object.fromEntries(
      part.split('\n').map((line) => [line.split(': ')[0], line.slice(line.indexOf(': ') + 2)]),
    );
    if (event === undefined) return;
    this.events.push(event);
    if (event !== 'call') return;
    const call: SentCall = JSON.parse(data ?? '');
    this.calls.push(call);
    void this.#answer(call);
  }

  async #answer(call: SentCall): Promise<void> {
    const json = await this.make(call);
    if (json === undefined) return;
    const { token } = this.#client;
    const sent = this.#lplate.call('POST', `/range/v1/me/relay/${call.id}`, { token, json });
    // A service that has ended takes none. Who waits for it finds that it is not in `answered`.
    const answer = await sent.catch((error: Error) => {
      if (!/fetch failed|ECONN|socket hang up/.test(error.message)) throw error;
    });
    if (answer) this.answered.push(answer.status);
  }
}

/** Makes the call as it was sent. */
async function make({ method, url, headers, body }: SentCall): Promise<Made> {
  const asked = request(url, { method, headers, agent: false });
  asked.end(Buffer.from(body, 'base64'));
  try {
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    const pieces: Buffer[] = [];
    // One that is cut has answered all the same.
    response.on('data', (piece: Buffer) => pieces.push(piece)).on('error', () => {});
    await new Promise((resolve) => response.on('close', resolve));
    const answered = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
    const text = Buffer.concat(pieces).subarray(0, 2000).toString('base64');
    return { status: response.statusCode, headers: Object.fromEntries(answered), body: text };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ECONNREFUSED' ? { error: 'refused' } : { error: 'other', detail: `${code}` };
  }
}
