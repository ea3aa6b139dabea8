import { isUtf8 } from 'node:buffer';
import type { DrillName } from '../../active-drills.ts';
import type { StreamProgress } from '../../http/exchanges.ts';
import { consoleHeader } from '../../http/header-names.ts';
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
  /** The drills that hit it. */
  readonly drills: readonly DrillName[];
  readonly remarks: readonly string[];
  /** Of a stream: how many events were sent, and why it ended; null while it goes on. */
  readonly stream?: { readonly events: number; readonly end: NonNullable<StreamProgress['end']> | null };
  /** Of a delivery to a webhook. */
  readonly delivery?: Delivery;
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
}

/** `ahead`: by how many milliseconds the clock of the client was. */
export function compose(call: Call, remarks: readonly string[], redactor: Redactor, ahead: number): Composed {
  const redaction = redactor.begin();
  const url = cut(redaction.url(call.url), keptUrl, redaction);
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
      headers: pairs(call.headers).map(({ name, value }) => ({ name, value: redaction.requestHeader(name, value) })),
      body: call.body && bodyOf(call.body, call.body.length, redaction),
    },
    response: {
      headers: answer.headers.map(({ name, value }) => ({ name, value: redaction.text(value) })),
      body: bodyOf(answer.body, answerBytes, redaction),
    },
    tokens: redaction.tokens,
    ...(ahead > 0 && { aheadSeconds: ahead / 1000 }),
  };
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
    ...(isFromConsole(call) && { fromConsole: true }),
    drills: call.drills ?? [],
    remarks: remarks.map((each) => redaction.text(each)),
    ...(call.stream && { stream: { events: call.stream.events, end: call.stream.end ?? null } }),
    ...(call.delivery && { delivery: call.delivery }),
  };
  return { summary, details, path: plainUrl({ ...call, url }).split(/[?#]/, 1)[0] as string, number: call.number };
}

function isFromConsole({ headers }: Call): boolean {
  return headers.some((name, at) => at % 2 === 0 && name.toLowerCase() === ofConsole);
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

/** The beginning of a body that has so many bytes. Undefined for none. */
function bodyOf(body: Buffer, bytes: number, redaction: Redaction): Body | undefined {
  if (body.length === 0) return undefined;
  const window = body.subarray(0, keptBody + margin);
  const complete = bytes <= keptBody;
  const text = decoded(window, bytes > window.length);
  if (text !== undefined) return { text: cut(text, keptBody, redaction), encoding: 'utf-8', bytes, complete };
  // One character for each byte, so that the bytes come back.
  const latin = cut(window.toString('latin1'), keptBody, redaction, 'latin1');
  return { text: Buffer.from(latin, 'latin1').toString('base64'), encoding: 'base64', bytes, complete };
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

/** A character that a secret may have. */
const ofSecret = /[\w.+/=%-]/;

/** Without the secret that may have been cut off at its end. Read from there: a pattern would begin anew at each character. */
function withoutCutSecret(text: string): string {
  const least = Math.max(0, text.length - margin);
  let end = text.length;
  while (end > least && ofSecret.test(text[end - 1] as string)) end -= 1;
  return text.slice(0, end);
}

/** The first bytes of a text, redacted. What is behind them may be cut off. */
function cut(text: string, most: number, redaction: Redaction, encoding: 'utf8' | 'latin1' = 'utf8'): string {
  const window = text.slice(0, most + margin);
  const isWhole = window.length === text.length && Buffer.byteLength(text, encoding) <= most;
  const redacted = redaction.text(window);
  if (isWhole) return redacted;
  const bytes = Buffer.from(withoutCutSecret(redacted), encoding).subarray(0, most);
  return encoding === 'latin1' ? bytes.toString('latin1') : new TextDecoder().decode(bytes, { stream: true });
}
