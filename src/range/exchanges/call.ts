import { STATUS_CODES } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { DrillName } from '../../active-drills.ts';
import type { UsedSecret } from '../../clients/client.ts';
import { sentHead } from '../../http/connections/node-internals.ts';
import { keptAnswer, noRoute, type Outcome, type StreamProgress } from '../../http/exchanges.ts';
import { nearestCall } from '../../http/requests/url.ts';
import type { MagicPlate } from '../../magic-plates.ts';
import type { Randomness } from '../../randomness.ts';
import type { MadeAttempt } from '../../webhooks/index.ts';
import type { Delivery, Header } from './schemas.ts';

/** Bytes of a body that are kept. */
export const keptBody = 16 * 1024;

/** Bytes behind them that are looked at, so that a secret across the limit is seen whole. */
export const margin = keptAnswer - keptBody;

/** A call as it is kept until it is written: what the server has of it, unchanged and with its secrets. */
export interface Call {
  readonly id: string;
  /** Counts the calls of this process. */
  readonly number: number;
  /** When it came, in milliseconds since 1970. */
  readonly at: number;
  readonly outcome: Outcome;
  readonly method: string;
  readonly url: string;
  /** The personal prefix that the URL begins with; absent where there is none. */
  readonly prefix: string | undefined;
  readonly route: string;
  /** What to call in its place, if nothing serves its path: `GET /shop/v1/orders`. */
  readonly nearest?: string | undefined;
  readonly httpVersion: string;
  /** Names and values in turn, as they were sent. */
  readonly headers: readonly string[];
  readonly body: Buffer | undefined;
  /** Its bytes, where `body` has only the beginning. */
  readonly bodyBytes?: number | undefined;
  /** Whether the body is not to be kept. */
  readonly hidesBody?: true | undefined;
  /**
   * The answer as it was sent, head and the beginning of the body. Bytes outside of the heap, since the strings that
   * the server has are trees of many parts, which the garbage collector would have to move.
   */
  readonly answer: Buffer;
  /** The beginning of the body of a long answer, apart from its head. */
  readonly longBody: Buffer | undefined;
  readonly problem: string | undefined;
  /** The drills that hit it. */
  readonly drills: DrillName[] | undefined;
  /** The magic plate whose outcome it met. */
  readonly plate?: MagicPlate | undefined;
  readonly secretUsed?: UsedSecret | undefined;
  /** Whether it ended what came of a token. */
  readonly hasRevoked?: boolean;
  /** The progress of a stream so far; its beginning is in `answer`. */
  readonly stream?: Readonly<Omit<StreamProgress, 'beginning'>> | undefined;
  /** Of a call that went the other way: to a webhook of the client. */
  readonly delivery?: Delivery;
  /** The `Date` of the client's own program: of its request, or of the answer of its receiver. */
  readonly programDate?: string | undefined;
  /** Of a delivery: whether the event comes twice on purpose, and was taken once. */
  readonly secondCopy?: boolean;
  /** When the token that came with it expires, in seconds since 1970, in real time. */
  readonly tokenExpiresAt: number | undefined;
  /** Bytes of memory that it takes. */
  readonly size: number;
  /** Where it came from, and whether without a token of its client. Noted when it is known whose it is. */
  address?: string;
  withoutToken?: boolean;
  /** Whether that was where its client has used no token, so that anybody may have made it. */
  fromElsewhere?: boolean;
}

/** Bytes of a body that is cheaper to copy than to keep apart. */
const shortBody = 4096;

/** Bytes of memory that a call takes besides its URL, headers and bodies. */
const overhead = 2000;

let calls = 0;

/** The number of the next call of this process. */
function nextNumber(): number {
  calls += 1;
  return calls;
}

/** What is nearest to a call whose path nothing serves: a method and a path without the personal prefix. */
export function callInPlaceOf(request: FastifyRequest, status: number): string | undefined {
  return request.route === noRoute && status === 404 ? nearestCall(request) : undefined;
}

/** The call that a request was. */
export function callOf(request: FastifyRequest, reply: FastifyReply, outcome: Outcome, at: number): Call {
  const { originalUrl: url, sentBody: body, caller, server } = request;
  const { rawHeaders: headers, personalPrefix: prefix } = request.raw;
  const head = outcome.end === 'open' ? headToBe(reply) : sentHead(reply.raw);
  // Of a form with a file the log has the size only, and of any other long body its beginning.
  const kept = body && request.routeOptions.config.maxBody !== undefined ? beginning(body) : body;
  const longBody = isLong(request.answer) ? beginning(request.answer) : undefined;
  const answer = packed(head, longBody ? '' : bodyOf(request, outcome));
  return {
    id: request.id,
    number: nextNumber(),
    at,
    outcome,
    method: request.method,
    url,
    prefix,
    route: request.route,
    nearest: callInPlaceOf(request, outcome.status),
    httpVersion: request.raw.httpVersion,
    headers,
    body: kept,
    bodyBytes: body?.length,
    hidesBody: request.routeOptions.config.hidesBody,
    answer,
    longBody,
    problem: request.problem,
    drills: request.drills,
    plate: request.plate,
    secretUsed: request.secretUsed,
    hasRevoked: request.hasRevoked,
    programDate: request.headers.date,
    stream: request.stream && progressOf(request.stream, outcome),
    tokenExpiresAt: caller && caller.expiresAt - server.clocks.offset(caller.clientId) / 1000,
    size: sizeOf(url, headers, kept, answer) + (longBody?.length ?? 0),
  };
}

/** In the place of the route of a call that went to a webhook. */
const webhookRoute = '(webhook)';

/** Headers of the receiver's answer that are kept: the others are nobody's business but the receiver's. */
export const keptHeaders = /^(?:content-type|location|retry-after)$/i;

/** Characters of each of them, and of a date. */
const longestHeader = 500;
const longestDate = 40;

/** An attempt to deliver an event, as a call that went the other way. Its status is 0 where nobody answered. */
export function deliveryCall(made: MadeAttempt, randomness: Randomness): Call {
  const { url, via, at, ms, status, error, subscriptionId, eventId, attempt, secondCopy } = made;
  const headers = Object.entries(made.headers).flat();
  const body = Buffer.from(made.body);
  const answer = packed(status === null ? '' : headOf(status, made.answered), made.responseBody ?? '');
  return {
    id: randomness.uuid('delivery'),
    number: nextNumber(),
    at,
    outcome: { status: status ?? 0, ms, end: status === null ? 'cut' : 'answered' },
    method: 'POST',
    url,
    prefix: undefined,
    route: webhookRoute,
    httpVersion: '1.1',
    headers,
    body,
    answer,
    longBody: undefined,
    problem: undefined,
    drills: made.drill && [made.drill],
    delivery: { subscriptionId, eventId, attempt, error, ...(via !== 'direct' && { via }) },
    programDate: dateOf(made.answered),
    secondCopy,
    tokenExpiresAt: undefined,
    size: sizeOf(url, headers, body, answer),
  };
}

/** The `Date` in names and values in turn. */
function dateOf(answered: readonly string[]): string | undefined {
  const at = answered.findIndex((name, index) => index % 2 === 0 && /^date$/i.test(name));
  return at < 0 ? undefined : answered[at + 1]?.slice(0, longestDate);
}

/** The head of the answer, as far as it is kept. `answered`: names and values in turn. */
function headOf(status: number, answered: readonly string[]): string {
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`];
  for (let at = 0; at < answered.length; at += 2) {
    const [name = '', value = ''] = answered.slice(at, at + 2);
    if (keptHeaders.test(name)) lines.push(`${name}: ${beginningOf(value)}`);
  }
  return `${lines.join('\r\n')}${headEnd}`;
}

/** Without what may be a secret that was cut off. */
function beginningOf(value: string): string {
  return value.length > longestHeader ? withoutCutSecret(value.slice(0, longestHeader)) : value;
}

/** A character that a secret may have. */
const ofSecret = /[\w.+/=%\\&#;-]/;

/** Without the secret that may have been cut off at its end. Read from there: a pattern would begin anew at each character. */
export function withoutCutSecret(text: string): string {
  const least = Math.max(0, text.length - margin);
  let end = text.length;
  while (end > least && ofSecret.test(text[end - 1] as string)) end -= 1;
  return text.slice(0, end);
}

/** Of a stream, what was sent by its end. */
function bodyOf({ stream, answer }: FastifyRequest, outcome: Outcome): string | Buffer | undefined {
  if (!stream) return answer;
  return outcome.end === 'open' ? undefined : stream.beginning;
}

function isLong(answer: string | Buffer | undefined): answer is Buffer {
  return Buffer.isBuffer(answer) && answer.length > shortBody;
}

/** Of a description a copy: a part of it would keep all of it in memory. */
function beginning(answer: Buffer): Buffer {
  return answer.length > keptAnswer ? Buffer.from(answer.subarray(0, keptAnswer)) : answer;
}

/** As it is now: it goes on. A connection is closed before its stream hears of it. */
function progressOf({ events, bytes, end }: StreamProgress, outcome: Outcome): Call['stream'] {
  return { events, bytes, end: end ?? (outcome.end === 'cut' ? 'caller-gone' : undefined) };
}

function sizeOf(url: string, headers: readonly string[], body: Buffer | undefined, answer: Buffer): number {
  let bytes = overhead + url.length + (body?.length ?? 0) + answer.length;
  for (const text of headers) bytes += text.length;
  return bytes;
}

function packed(head: string, body: string | Buffer = ''): Buffer {
  if (typeof body === 'string')
    return Buffer.from(head + (body.length > keptAnswer ? body.slice(0, keptAnswer) : body));
  return Buffer.concat([Buffer.from(head), body.subarray(0, keptAnswer)]);
}

/** Of a stream that begins: what will be sent first. */
function headToBe(reply: FastifyReply): string {
  const lines = Object.entries(reply.getHeaders()).map(([name, value]) => `${name}: ${value}`);
  return `\r\n${lines.join('\r\n')}${headEnd}`;
}

const headEnd = '\r\n\r\n';

/** The URL without its personal prefix. */
export function plainUrl({ url, prefix }: Call): string {
  return prefix === undefined ? url : url.replace(prefix, '');
}

/** The headers of the answer, and what is there of its body. */
export function unpacked({ answer, longBody }: Pick<Call, 'answer' | 'longBody'>): {
  readonly headers: readonly Header[];
  readonly body: Buffer;
} {
  // A call is written, and given its remarks, in one go: it is unpacked once.
  if (latest.answer !== answer) latest = { answer, ...unpack(answer, longBody) };
  return latest;
}

let latest: { answer?: Buffer; headers: Header[]; body: Buffer } = { headers: [], body: Buffer.alloc(0) };

function unpack(answer: Buffer, longBody: Buffer | undefined): { headers: Header[]; body: Buffer } {
  const end = answer.indexOf(headEnd);
  if (end < 0) return { headers: [], body: answer.subarray(0, 0) };
  // Behind the first line, which has the status.
  const lines = answer.toString('utf8', 0, end).split('\r\n').slice(1);
  const headers = lines.flatMap((line) => {
    const colon = line.indexOf(': ');
    return colon < 0 ? [] : [{ name: line.slice(0, colon), value: line.slice(colon + 2) }];
  });
  return { headers, body: longBody ?? answer.subarray(end + headEnd.length) };
}

/** A header of the answer, by its name in lower case. */
export function answerHeader(call: Call, wanted: string): string | undefined {
  return unpacked(call).headers.find(({ name }) => name.length === wanted.length && name.toLowerCase() === wanted)
    ?.value;
}
