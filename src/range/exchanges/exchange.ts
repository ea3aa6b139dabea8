import { isUtf8 } from 'node:buffer';
import type { DrillName } from '../../active-drills.ts';
import type { UsedSecret } from '../../clients/client.ts';
import type { StreamProgress } from '../../http/exchanges.ts';
import { byHand, consoleHeader } from '../../http/header-names.ts';
import { traceOf } from '../../text/trace-context.ts';
import { instant } from '../../time/clock.ts';
import {
  answerHeader,
  type Call,
  type Delivery,
  type Header,
  type Kind,
  keptBody,
  margin,
  plainUrl,
  unpacked,
  withoutCutSecret,
} from './call.ts';
import type { DecodedToken, Redaction, Redactor } from './redaction.ts';

const ofConsole = consoleHeader.toLowerCase();

/** Characters of a URL that are kept: the interfaces refuse longer ones. */
const keptUrl = 8192;

export const encodings = ['utf-8', 'base64'] as const;
export const ends = ['answered', 'cut', 'open'] as const;

/** An exchange as lists show it. */
export interface Summary {
  /** The `X-Request-Id` of the answer. */
  readonly id: string;
  readonly kind: Kind;
  readonly startedAt: string;
  readonly method: string;
  /** From the root of the server. */
  readonly url: string;
  readonly route: string;
  readonly status: number;
  readonly durationMs: number;
  readonly end: (typeof ends)[number];
  readonly problem: string | null;
  /** Absent where it is no call of the console. */
  readonly fromConsole?: true;
  /** Absent where the learner did not write it by hand in the console. */
  readonly byHand?: true;
  /** Of a request for a token, once its client has had a new secret. */
  readonly secretUsed?: UsedSecret;
  /** The drills that hit it. */
  readonly drills: readonly DrillName[];
  readonly remarks: readonly string[];
  /** Of a stream: how many events were sent, and why it ended; null while it goes on. */
  readonly stream?: { readonly events: number; readonly end: NonNullable<StreamProgress['end']> | null };
  /** Of a delivery to a webhook. */
  readonly delivery?: Delivery;
  /** Of the trace that its `traceparent` names; absent without one. */
  readonly traceId?: string;
}

export interface Body {
  /** Its beginning, redacted; in base64 if it is no UTF-8. */
  readonly text: string;
  readonly encoding: (typeof encodings)[number];
  /** Of the whole body as it was sent. */
  readonly bytes: number;
  readonly complete: boolean;
}

export interface Details {
  readonly request: {
    readonly httpVersion: string;
    readonly headers: readonly Header[];
    readonly body: Body | undefined;
  };
  readonly response: { readonly headers: readonly Header[]; readonly body: Body | undefined };
  readonly tokens: readonly DecodedToken[];
  /** By how many seconds the clock of the client was ahead when the call came. Absent where it was not. */
  readonly aheadSeconds?: number;
}

export type Exchange = Summary & Details;

/** An exchange as it is kept: nothing in it is a secret. */
export interface Composed {
  readonly summary: Summary;
  readonly details: Details;
  /** The URL without its query and personal prefix, for the filter of lists. */
  readonly path: string;
  readonly number: number;
  readonly address: string;
  readonly withoutToken: boolean;
}

/** `ahead`: by how many milliseconds the clock of the client was. */
export function compose(call: Call, remarks: readonly string[], redactor: Redactor, ahead: number): Composed {
  const redaction = redactor.begin();
  const url = cut(call.url, keptUrl, (text) => redaction.url(text));
  const answer = unpacked(call);
  // Of a long body only the beginning is there.
  const answerBytes = Math.max(
    answer.body.length,
    Number(answerHeader(call, 'content-length') ?? 0),
    call.stream?.bytes ?? 0,
  );
  const details: Details = {
    request: {
      httpVersion: call.httpVersion,
      headers: pairs(call.headers).map(({ name, value }) => redaction.requestHeader(name, value)),
      body:
        call.body &&
        bodyOf(call.body, call.body.length, redaction, codingOf(headerOf(call.headers, 'content-encoding'))),
    },
    response: {
      headers: answer.headers.map(({ name, value }) => ({
        name: redaction.header(name),
        value: redaction.header(value),
      })),
      body: bodyOf(answer.body, answerBytes, redaction, codingOf(answerHeader(call, 'content-encoding'))),
    },
    tokens: redaction.tokens,
    ...(ahead > 0 && { aheadSeconds: ahead / 1000 }),
  };
  const trace = traceOf(headerOf(call.headers, 'traceparent'));
  const summary: Summary = {
    id: call.id,
    kind: kindOf(call),
    startedAt: instant(Math.floor(call.at)),
    method: call.method,
    url,
    route: call.route,
    status: call.outcome.status,
    durationMs: Math.round(call.outcome.ms * 100) / 100,
    end: call.outcome.end,
    problem: call.problem ?? null,
    ...markOfConsole(call),
    ...(call.secretUsed && { secretUsed: call.secretUsed }),
    drills: call.drills ?? [],
    remarks: remarks.map((each) => redaction.text(each)),
    ...(call.stream && { stream: { events: call.stream.events, end: call.stream.end ?? null } }),
    ...(call.delivery && { delivery: call.delivery }),
    ...(trace && { traceId: trace.traceId }),
  };
  const path = plainUrl({ ...call, url }).split(/[?#]/, 1)[0] as string;
  const { number, address = 'unknown', withoutToken = false } = call;
  return { summary, details, path, number, address, withoutToken };
}

function markOfConsole({ headers }: Call): Pick<Summary, 'fromConsole' | 'byHand'> {
  const value = headerOf(headers, ofConsole);
  if (value === undefined) return {};
  return value === byHand ? { byHand: true } : { fromConsole: true };
}

function kindOf({ delivery, stream }: Call): Kind {
  if (delivery) return 'delivery';
  return stream ? 'stream' : 'call';
}

function pairs(rawHeaders: readonly string[]): Header[] {
  const found: Header[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    found.push({ name: rawHeaders[at] as string, value: rawHeaders[at + 1] as string });
  }
  return found;
}

function headerOf(rawHeaders: readonly string[], wanted: string): string | undefined {
  const at = rawHeaders.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === wanted);
  return at < 0 ? undefined : rawHeaders[at + 1];
}

/** The content coding of a body, if there is one. */
function codingOf(header = ''): string | undefined {
  const coding = header.trim().toLowerCase();
  if (/^(?:identity)?$/.test(coding)) return undefined;
  return /^[a-z]{2,10}$/.test(coding) ? coding : 'encoded';
}

/** The beginning of a body that has so many bytes. Undefined for none. What can't be read is not kept. */
function bodyOf(body: Buffer, bytes: number, redaction: Redaction, coding?: string): Body | undefined {
  if (body.length === 0) return undefined;
  const window = body.subarray(0, keptBody + margin);
  const complete = bytes <= keptBody;
  const hide = (text: string) => redaction.text(text);
  const text = decoded(window, bytes > window.length);
  // Who names a coding may have sent plain text all the same.
  if (text !== undefined && (coding === undefined || !control.test(text)))
    return { text: cut(text, keptBody, hide), encoding: 'utf-8', bytes, complete };
  const charset = coding === undefined ? charsetOf(window) : undefined;
  if (!charset)
    return { text: `(${coding ?? 'binary'}, ${bytes} bytes, not kept)`, encoding: 'utf-8', bytes, complete: false };
  // In the charset in which it came, so that its bytes come back.
  const kept = charset.encode(cut(charset.decode(window), keptBody / charset.width, hide, 'latin1'));
  return { text: kept.toString('base64'), encoding: 'base64', bytes, complete };
}

/** Undefined if it is no UTF-8. `partial`: its last character may be cut off. */
function decoded(bytes: Buffer, partial: boolean): string | undefined {
  if (!partial) return isUtf8(bytes) ? bytes.toString('utf8') : undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: true });
  } catch {
    return undefined;
  }
}

/** How bytes that are no UTF-8 stand for characters, so that the same bytes come back. */
interface Charset {
  /** Bytes of a character. */
  readonly width: 1 | 2;
  decode(bytes: Buffer): string;
  encode(text: string): Buffer;
}

const latin1: Charset = {
  width: 1,
  decode: (bytes) => bytes.toString('latin1'),
  encode: (text) => Buffer.from(text, 'latin1'),
};

const utf16: Charset = {
  width: 2,
  decode: (bytes) => bytes.toString('utf16le'),
  encode: (text) => Buffer.from(text, 'utf16le'),
};

const bigEndianUtf16: Charset = {
  width: 2,
  decode: (bytes) =>
    Buffer.from(bytes.subarray(0, bytes.length & ~1))
      .swap16()
      .toString('utf16le'),
  encode: (text) => Buffer.from(text, 'utf16le').swap16(),
};

/** In texts of our alphabets, zeros are in every second byte of UTF-16, and most bytes of others are ASCII. */
const mostlyZero = 0.4;
const mostHigh = 0.5;

/** A character that no text has. */
const control = /(?![\t\n\f\r\u0080-\u009f])\p{Cc}/u;

/** The charset of bytes that are no UTF-8; undefined if they are no text. */
function charsetOf(bytes: Buffer): Charset | undefined {
  const mark = bytes.length > 1 ? bytes.readUInt16BE() : 0;
  if (bytes.length % 2 === 0 || bytes.length > keptBody) {
    if (mark === 0xfffe) return utf16;
    if (mark === 0xfeff) return bigEndianUtf16;
    const zeros = [0, 0];
    for (let at = 0; at < bytes.length; at += 1) if (bytes[at] === 0) zeros[at % 2] = (zeros[at % 2] as number) + 1;
    const [even = 0, odd = 0] = zeros.map((count) => count / (bytes.length / 2));
    if (odd > mostlyZero && odd > even) return utf16;
    if (even > mostlyZero) return bigEndianUtf16;
  }
  const high = bytes.reduce((count, byte) => count + (byte >= 0x80 ? 1 : 0), 0);
  const isText = high <= bytes.length * mostHigh && !control.test(latin1.decode(bytes));
  return isText ? latin1 : undefined;
}

/** The first bytes of a text, redacted by `hide`. What is behind them may be cut off. */
function cut(text: string, most: number, hide: (text: string) => string, encoding: 'utf8' | 'latin1' = 'utf8'): string {
  const window = text.slice(0, most + margin);
  const isWhole = window.length === text.length && Buffer.byteLength(text, encoding) <= most;
  const redacted = hide(window);
  if (isWhole) return redacted;
  const left = withoutCutSecret(redacted);
  if (encoding === 'latin1') return left.slice(0, most);
  return new TextDecoder().decode(Buffer.from(left).subarray(0, most), { stream: true });
}
