import { createHmac } from 'node:crypto';
import { type IncomingHttpHeaders, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { wayOf } from '../text/json-pointer.ts';
import type { Clock } from '../time/clock.ts';
import { lastIdOf } from './server-sent-events.ts';
import type { Step } from './stage.ts';

/** A call as it is sent: all names have their values. */
export interface Sent {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Milliseconds since 1970: when the call began, and when all of the answer was there. */
  readonly from: number;
  readonly to: number;
}

/** That there was no answer, or none that can be read. The end of a sentence: `did not answer within 10 seconds`. */
export interface NoAnswer {
  readonly failure: string;
  /** Whether it was not sent, since the call before it had no answer. */
  readonly isUnsent?: true;
}

/** How an answer without an end is read: until what came is enough, or for so long after its head. */
export interface Reading {
  readonly enough: (body: string) => boolean;
  readonly mostMs: number;
}

interface Manner {
  /** Beside other calls: it may take long. */
  readonly beside?: true;
  readonly reading?: Reading;
}

/** The key of signed bodies. Who examines says which one it is. */
export const hmacKey = 'examination';

const insurerBase = '/insurer/v1';
const answerWithin = 10_000;
const late = `did not answer within ${answerWithin / 1000} seconds`;
const longestAnswer = 5_000_000;
const longestStream = 200_000;
const betweenLooks = 30;
/** Milliseconds between two calls, for the side that is not ours. */
const between = 20;

/** A name in braces. JSON has none: quotes follow its braces. */
export const nameInBraces = /\{([a-z][\w.]*)\}/gi;

/** One of the two services. */
export class Side {
  readonly base: URL;
  readonly clock: Clock;
  readonly #paced: boolean;
  #next = 0;
  /** The call that others wait for. */
  #running: Promise<Answer | NoAnswer> | undefined;

  /** @param base the address that stands for `/insurer/v1` */
  constructor(base: URL, clock: Clock, { paced }: { paced: boolean }) {
    this.base = new URL(base.href.replace(/(?<!\/)\/+$/, ''));
    this.clock = clock;
    this.#paced = paced;
  }

  /** Where a path of the descriptions is. Other interfaces are beside the insurer's; a whole URL is none of the service. */
  addressOf(path: string): string {
    if (URL.canParse(path)) return path;
    const base = this.base.pathname.replace(/\/$/, '');
    if (/^\/insurer\/v1(?=[/?]|$)/.test(path)) return this.base.origin + base + path.slice(insurerBase.length);
    const before = base.endsWith(insurerBase) ? base.slice(0, -insurerBase.length) : '';
    return this.base.origin + before + path;
  }

  /** The path of the descriptions that an address of this side stands for. */
  pathOf(url: URL): string {
    const base = this.base.pathname.replace(/\/$/, '');
    const before = base.endsWith(insurerBase) ? base.slice(0, -insurerBase.length) : '';
    const whole = url.pathname;
    const beside = whole.startsWith(`${before}/`) ? whole.slice(before.length) : whole;
    // Below the root are also the other interfaces.
    if (/^\/(?:claims|vehicle-registry)\/v\d/.test(beside)) return beside;
    return whole === base || whole.startsWith(`${base}/`) ? insurerBase + whole.slice(base.length) : beside;
  }

  /** Why nothing can be sent to it; the end of a sentence. */
  unreachable(): Promise<string | undefined> {
    const { hostname, port, protocol } = this.base;
    const host = hostname.replace(/^\[|\]$/g, '');
    return new Promise((resolve) => {
      const socket = connect({ host, port: Number(port) || (protocol === 'https:' ? 443 : 80), timeout: answerWithin });
      const end = (why?: string) => {
        resolve(why);
        socket.destroy();
      };
      socket.on('connect', () => end());
      socket.on('timeout', () => end(late));
      socket.on('error', (error: NodeJS.ErrnoException) => end(failureOf(error)));
    });
  }

  /** One call after the other to the side that is not ours. What waited for a call that had no answer has none either. */
  async call(sent: Sent, { beside, reading }: Manner = {}): Promise<Answer | NoAnswer> {
    if (!this.#paced) return transport(sent, this.clock, reading);
    const made = this.#made(sent, this.#running, reading);
    if (!beside) {
      this.#running = made;
      void made.then(() => {
        if (this.#running === made) this.#running = undefined;
      });
    }
    return made;
  }

  async #made(
    sent: Sent,
    running: Promise<Answer | NoAnswer> | undefined,
    reading: Reading | undefined,
  ): Promise<Answer | NoAnswer> {
    const before = await running;
    if (before && 'failure' in before) return { ...before, isUnsent: true };
    await this.#turn(1);
    return transport(sent, this.clock, reading);
  }

  /** At the same time. Afterwards it is left alone for as long as if they had come one after the other. */
  async callAtOnce(all: readonly Sent[]): Promise<readonly (Answer | NoAnswer)[]> {
    await this.#turn(all.length);
    return Promise.all(all.map((sent) => transport(sent, this.clock)));
  }

  async #turn(calls: number): Promise<void> {
    if (!this.#paced) return;
    const now = this.clock.elapsed();
    const at = Math.max(this.#next, now);
    this.#next = at + calls * between;
    if (at > now) await delay(at - now);
  }
}

/** Each on a connection of its own, as curl does it: what one answer leaves behind does not reach the next. */
function transport({ method, url, headers, body }: Sent, clock: Clock, reading?: Reading): Promise<Answer | NoAnswer> {
  return new Promise((resolve) => {
    const from = clock.now();
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
    const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, {
      method,
      agent: false,
      headers: { accept: 'application/json, application/problem+json', ...length, ...headers },
    });
    const end = (result: Answer | NoAnswer) => {
      clearTimeout(timer);
      clearInterval(looking);
      resolve(result);
      request.destroy();
    };
    let timer = setTimeout(() => end({ failure: late }), answerWithin);
    let looking: NodeJS.Timeout | undefined;
    request.on('error', (error: NodeJS.ErrnoException) => end({ failure: failureOf(error) }));
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      const text = () => Buffer.concat(chunks).toString();
      const done = () => {
        const { statusCode: status = 0, headers: given } = response;
        end({ status, headers: given, body: text(), from, to: clock.now() });
      };
      if (reading) {
        clearTimeout(timer);
        timer = setTimeout(done, reading.mostMs);
        looking = setInterval(() => reading.enough(text()) && done(), betweenLooks);
      }
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        chunks.push(chunk);
        const most = reading ? longestStream : longestAnswer;
        if (size > most) end({ failure: `sent more than ${most / 1_000_000} MB` });
      });
      response.on('error', (error: NodeJS.ErrnoException) => end({ failure: failureOf(error) }));
      response.on('end', done);
    });
    request.end(body);
  });
}

function failureOf({ code = '', message }: NodeJS.ErrnoException): string {
  if (code === 'ECONNREFUSED') return 'can’t be reached: nothing listens at its address';
  if (code === 'ECONNRESET' || code === 'EPIPE') return 'closed the connection before its answer was complete';
  if (code.startsWith('HPE_')) return `sent what is no HTTP (${message})`;
  return `can’t be called (${code || message})`;
}

/** What a side gave in a row, by name. */
export type Names = Map<string, string>;

/** A step that names what no earlier step gave: it can't be sent. */
export class NameMissing extends Error {}

/** @throws {NameMissing} */
export function sentBy(side: Side, step: Step, names: Names): Sent {
  const filled = (text: string, coded = (value: string) => value) =>
    text.replace(nameInBraces, (_, name: string) => {
      const value = names.get(name);
      if (value === undefined) throw new NameMissing(`No step before it gives {${name}}`);
      return coded(value);
    });
  const written = bodyOf(step);
  const coded = isForm(step) ? encodeURIComponent : step.json === undefined ? undefined : inJson;
  const body = written === undefined ? undefined : filled(written, coded);
  const signature = () =>
    createHmac('sha256', hmacKey)
      .update(body ?? '')
      .digest('hex');
  const headers = Object.entries(headersOf(step, written)).map(([name, value]) => [
    name,
    filled(value.replaceAll('{signature}', signature)),
  ]);
  return {
    method: step.method,
    url: new URL(side.addressOf(filled(step.path))),
    headers: Object.fromEntries(headers),
    body,
  };
}

const inJson = (value: string) => JSON.stringify(value).slice(1, -1);

/** Whether its body is a form. */
export const isForm = ({ headers = {} }: Step) => headers['Content-Type'] === 'application/x-www-form-urlencoded';

/** The body of a step, with its names. */
export function bodyOf({ json, body }: Step): string | undefined {
  return body ?? (json === undefined ? undefined : JSON.stringify(json));
}

/** The headers of a step, with its names: those that follow from the rest of it, and its own. */
export function headersOf({ as, headers = {} }: Step, body: string | undefined): Record<string, string> {
  const has = (name: string) => Object.keys(headers).some((header) => header.toLowerCase() === name);
  return {
    ...(as !== undefined && !has('authorization') && { Authorization: `Bearer {${as}.token}` }),
    ...(body !== undefined && !has('content-type') && { 'Content-Type': 'application/json' }),
    ...headers,
  };
}

/** The place of the last id of a stream. */
export const streamId = 'stream:id';

/** What an answer has at a place: a JSON Pointer, `header:ETag`, or `stream:id`. */
export function kept(answer: Answer, place: string): string | undefined {
  if (place === streamId) return lastIdOf(answer.body);
  if (place.startsWith('header:')) {
    const value = answer.headers[place.slice('header:'.length).toLowerCase()];
    return Array.isArray(value) ? value[0] : value;
  }
  let value = parsed(answer.body);
  for (const name of wayOf(place)) value = (value as Record<string, unknown> | null | undefined)?.[name];
  return typeof value === 'string' ? value : value === undefined ? undefined : JSON.stringify(value);
}

/** The JSON of a body; undefined where it is none. */
export function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
