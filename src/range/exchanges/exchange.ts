import { isUtf8 } from 'node:buffer';
import { byHand, consoleHeader } from '../../http/requests/header-names.ts';
import { bodyPlaceholder } from '../../text/redacted.ts';
import { traceOf } from '../../text/trace-context.ts';
import { instant } from '../../time/clock.ts';
import { answerHeader, type Call, keptBody, margin, plainUrl, unpacked, withoutCutSecret } from './call.ts';
import type { Redaction, Redactor } from './redaction.ts';
import type { Body, Exchange, Header, Kind, Note, Summary } from './schemas.ts';

const ofConsole = consoleHeader.toLowerCase();

/** Characters of a URL that are kept: the interfaces refuse longer ones. */
const keptUrl = 8192;

/** An exchange as it is kept: nothing in it is a secret. */
export interface Composed {
  readonly summary: Summary;
  readonly details: Omit<Exchange, keyof Summary>;
  /** The URL without its query and personal prefix, for the filter of lists. */
  readonly path: string;
  readonly number: number;
  readonly address: string;
  readonly withoutToken: boolean;
}

/** `ahead`: by how many milliseconds the clock of the client was. */
export function compose(call: Call, noted: readonly Note[], redactor: Redactor, ahead: number): Composed {
  const redaction = redactor.begin();
  const url = cut(call.url, keptUrl, (text) => redaction.url(text));
  const answer = unpacked(call);
  // Of a long body only the beginning is there.
  const answerBytes = Math.max(
    answer.body.length,
    Number(answerHeader(call, 'content-length') ?? 0),
    call.stream?.bytes ?? 0,
  );
  const details: Composed['details'] = {
    request: {
      httpVersion: call.httpVersion,
      headers: pairs(call.headers).map((header) =>
        isOfInbox(call, header) ? header : redaction.requestHeader(header.name, header.value),
      ),
      ...(call.body &&
        (call.hidesBody
          ? { body: notKept('hidden', call.body.length) }
          : bodyOf(call.body, call.bodyBytes ?? call.body.length, redaction, {
              type: headerOf(call.headers, 'content-type'),
              coding: codingOf(headerOf(call.headers, 'content-encoding')),
            }))),
    },
    response: {
      headers: answer.headers.map(({ name, value }) => ({
        name: redaction.header(name),
        value: redaction.header(value),
      })),
      ...bodyOf(answer.body, answerBytes, redaction, {
        type: answerHeader(call, 'content-type'),
        coding: codingOf(answerHeader(call, 'content-encoding')),
      }),
    },
    tokens: redaction.tokens,
    ...(ahead > 0 && { aheadSeconds: ahead / 1000 }),
  };
  const trace = traceOf(headerOf(call.headers, 'traceparent'));
  const notes = noted.map(({ names, ...note }) => ({
    ...note,
    text: redaction.text(note.text),
    ...(names && { names: names.map((name) => redaction.text(name)) }),
  }));
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
    ...(call.fromElsewhere && { fromElsewhere: true }),
    ...(call.secretUsed && { secretUsed: call.secretUsed }),
    ...(call.hasRevoked && { revoked: true }),
    drills: call.drills ?? [],
    remarks: notes.map(({ text }) => text),
    ...(notes.length > 0 && { notes }),
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

/** The signature of what lies in an inbox: nobody else sees it, and its owner is to check it. */
const isOfInbox = ({ delivery }: Call, { name }: Header) => delivery?.via === 'inbox' && name === 'webhook-signature';

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

/** Types of files, of which nothing is kept but what they are: nobody reads them in a log, and they may show a person. */
const fileType = /^(?:multipart\/form-data|image\/(?!svg)[\w.+-]{1,20}|application\/pdf)(?=\s*(?:;|$))/i;

interface About {
  readonly type: string | undefined;
  readonly coding: string | undefined;
}

/** The beginning of a body that has so many bytes, if there is one. What can't be read is not kept, and no file. */
function bodyOf(body: Buffer, bytes: number, redaction: Redaction, { type = '', coding }: About): { body?: Body } {
  if (body.length === 0) return {};
  const [file] = fileType.exec(type) ?? [];
  if (file !== undefined) return { body: notKept(file.toLowerCase(), bytes) };
  const window = body.subarray(0, keptBody + margin);
  const complete = bytes <= keptBody;
  const hide = (text: string) => redaction.text(text);
  const text = decoded(window, bytes > window.length);
  // Who names a coding may have sent plain text all the same.
  if (text !== undefined && (coding === undefined || !control.test(text)))
    return { body: { text: cut(text, keptBody, hide), encoding: 'utf-8', bytes, complete } };
  const charset = coding === undefined ? charsetOf(window) : undefined;
  if (!charset) return { body: notKept(coding ?? 'binary', bytes) };
  // In the charset in which it came, so that its bytes come back.
  const kept = charset.encode(cut(charset.decode(window), keptBody / charset.width, hide, 'latin1'));
  return { body: { text: kept.toString('base64'), encoding: 'base64', bytes, complete } };
}

function notKept(kind: string, bytes: number): Body {
  return { text: bodyPlaceholder(kind, bytes), encoding: 'utf-8', bytes, complete: false, omitted: true };
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
