import { type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Engine } from '../support/engines.ts';
import type { LPlate } from '../support/lplate.ts';
import { topicPath } from '../support/topic.ts';
import { until } from '../support/until.ts';

/*
 * A reader of the stream that costs little, so that a test can have a thousand of them, and that can stop reading
 * without hanging up.
 */

/** Milliseconds until what comes by itself is missed: far longer than it can take. */
const longest = 60_000;

/** For a test: what never comes must not hold up the others for ever. */
export const longTimeout = { timeout: 3 * longest };

export interface Heard {
  readonly id: string;
  readonly eventId: string;
  readonly claimId: string;
}

export interface ListenOptions {
  after?: string;
  lastEventId?: string;
  /** Takes nothing in until `resume`. */
  paused?: boolean;
  /** More for the query. */
  mark?: string;
}

export class Listener {
  readonly heard: Heard[] = [];
  /** Signs of life so far: comments, and ids without data. The comment at the start that says why nothing comes is none. */
  readonly signs: { comment?: string; id?: string }[] = [];
  /** All text so far. */
  text = '';
  /** How it ended: in good order, or cut off; undefined while it is open. */
  end: 'whole' | 'cut' | undefined;
  readonly answer: IncomingMessage;
  #rest = '';
  #id = '';
  #data: string | undefined;

  private constructor(answer: IncomingMessage, paused: boolean) {
    this.answer = answer;
    answer.setEncoding('utf8').on('error', () => {});
    answer.once('close', () => (this.end = answer.complete ? 'whole' : 'cut'));
    if (!paused) this.resume();
  }

  /** Resolves when the stream is open; fails with the status when it is refused. */
  static async open(lplate: LPlate, token: string, options: ListenOptions = {}): Promise<Listener> {
    const { after = 'earliest', lastEventId, paused = false, mark = '' } = options;
    const headers: Record<string, string> = { Accept: 'text/event-stream', Authorization: `Bearer ${token}` };
    if (lastEventId !== undefined) headers['Last-Event-ID'] = lastEventId;
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const asked = request(`${lplate.url}${topicPath}?after=${after}${mark}`, { headers, agent: false }, resolve);
      asked.on('error', reject).end();
    });
    if (answer.statusCode === 200) return new Listener(answer, paused);
    answer.resume();
    throw new Error(`refused: ${answer.statusCode}`);
  }

  /** Goes on taking in what comes. */
  resume(): void {
    this.answer.on('data', (text: string) => this.#read(text));
  }

  async until(holds: () => boolean, what: string): Promise<void> {
    await until(() => {
      if (holds()) return true;
      if (this.end) throw new Error(`the stream ended (${this.end}) before ${what}`);
      return false;
    }, what);
  }

  close(): void {
    this.answer.destroy();
  }

  #read(text: string): void {
    this.text += text;
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#take(line);
  }

  #take(line: string): void {
    if (line === ': still here') this.signs.push({ comment: line.slice(2) });
    if (line.startsWith('id: ')) this.#id = line.slice(4);
    if (line.startsWith('data: ')) this.#data = line.slice(6);
    if (line !== '') return;
    if (this.#data === undefined) this.signs.push({ id: this.#id });
    else {
      const { eventId, data: change } = JSON.parse(this.#data);
      this.heard.push({ id: this.#id, eventId, claimId: change.claimId });
    }
    this.#data = undefined;
  }
}

/** The request for a stream, as it is sent over a socket. */
export function streamRequest(token: string, query = '?after=latest'): string {
  const lines = [`GET ${topicPath}${query} HTTP/1.1`, 'Host: localhost', `Authorization: Bearer ${token}`];
  return [...lines, 'Accept: text/event-stream', '', ''].join('\r\n');
}

/** A connection to the server on which nothing has been sent. */
export async function dial(lplate: LPlate): Promise<Socket> {
  const socket = connect(lplate.config.port, '127.0.0.1');
  socket.on('error', () => {});
  await new Promise<void>((resolve) => socket.once('connect', resolve));
  return socket;
}

/** Opens as many streams as asked, as soon as there is room for all of them. */
export async function openTogether(lplate: LPlate, token: string, many: number): Promise<Listener[]> {
  let opened: Listener[] = [];
  await until(async () => {
    const tried = await Promise.allSettled(
      Array.from({ length: many }, () => Listener.open(lplate, token, { after: 'latest' })),
    );
    opened = tried.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    if (opened.length === many) return true;
    for (const each of opened) each.close();
    return false;
  }, `room for ${many} streams`);
  return opened;
}

/** Looks how many timers there are, and returns whether they are no more than that. A reader has some while it is there. */
export function timersNow({ name }: Engine): () => boolean {
  const timers = () => process.getActiveResourcesInfo().filter((what) => what === 'Timeout').length;
  // Connections that are idle for a moment have one each.
  const most = timers() + (name === 'postgres' ? 10 : 0);
  return () => timers() <= most;
}
