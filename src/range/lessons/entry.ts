import type { DrillName } from '../../active-drills.ts';
import type { UsedSecret } from '../../clients/client.ts';
import { ticketType } from '../../clients/token-forms.ts';
import { excerpt } from '../../text/excerpt.ts';
import type { Body, Delivery, Exchange, Header, Kind } from '../exchanges/schemas.ts';
import type { JudgedExchange } from './judged-exchange.ts';

/*
 * What lessons see of an exchange: the facts that one of them may ask for, small enough that the last 150 of a client stay
 * in memory. It is made of what the log has, so secrets, tokens and signatures are not in it.
 */

/** Characters of a body that are kept. Of a longer one, only the ids and events in it. */
const keptText = 2000;

/** Ids and events of one body that are kept. */
const maxFound = 500;

/** Headers of requests that our lessons look at, in lower case. */
export const lessonHeaders: ReadonlySet<string> = new Set([
  'authorization',
  'accept',
  'content-type',
  'idempotency-key',
  'if-match',
  'if-none-match',
  'if-modified-since',
  'if-range',
  'range',
  'etag',
  'last-event-id',
  'x-signature',
  'webhook-signature',
  'webhook-timestamp',
  'traceparent',
]);
const answerHeaders = new Set([
  'content-encoding',
  'content-range',
  'content-type',
  'etag',
  'link',
  'location',
  'retry-after',
  'www-authenticate',
  'idempotency-replayed',
  'l-plate-ignored',
  'ratelimit-limit',
]);

export interface Message {
  /** By name in lower case; only those that lessons look at. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as it was sent, redacted; empty if there was none, or it is longer than 2,000 characters. */
  readonly text: string;
  /** The length of the whole body. */
  readonly bytes: number;
}

/** An event of the topic, as it was sent. */
export interface SentEvent {
  readonly eventId: string;
  readonly claimId: string;
  readonly policyNumber: string;
  readonly previousStatus: string;
  readonly newStatus: string;
  /** Empty where there is none. */
  readonly statusReason: string;
}

/** What a page of a list says of it. */
interface ListPage {
  /** Of all pages together. */
  readonly totalItems: number;
  /** The `updatedAt` of the last item on this page; empty where there is none. */
  readonly lastUpdatedAt: string;
}

/** Lines of the file of a statement, or of a part of it. */
interface FileLines {
  /** Bytes that were sent: fewer than `answer.bytes` where it ended early. */
  readonly bytes: number;
  /** How many line ends there are. */
  readonly ends: number;
  /** What stands before the first one. */
  readonly first: string;
  /** What stands behind the last one: empty where a line ends there. */
  readonly tail: string;
  /** The rows that the trailer counts; undefined where there is none. */
  readonly rows: number | undefined;
}

/** The claims of a token, without what nobody asks for. */
interface TokenClaims {
  readonly jti?: string;
  readonly sub?: string;
  readonly scope?: string;
  /** Seconds since 1970, on the client's clock. */
  readonly iat?: number;
  readonly exp?: number;
  /** Of a token for a person. */
  readonly consent_id?: string;
  /** It is bound to a certificate. */
  readonly isBound?: true;
}

export interface Entry {
  /** The `X-Request-Id` of the answer. */
  readonly id: string;
  readonly clientId: string;
  readonly kind: Kind;
  /** When the call came, and when its answer had gone: milliseconds since 1970, in real time. */
  readonly at: number;
  readonly endedAt: number;
  /** By how many seconds the clock of the client was ahead when the call came. */
  readonly aheadSeconds: number;
  /** Method and pattern of the route: `GET /insurer/v1/policies/:policyId`. */
  readonly call: string;
  /** Without a personal prefix and without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** The same as it was sent, with its question mark; empty without one. */
  readonly search: string;
  readonly status: number;
  readonly problem: string | null;
  readonly end: Exchange['end'];
  readonly drills: readonly DrillName[];
  /** Of a request for a token, once the client has had a new secret. */
  readonly secretUsed: UsedSecret | undefined;
  /** Whether a token was revoked, and with it all that came of its consent. */
  readonly hasRevoked: boolean;
  /** Of the token that was sent or given out. */
  readonly token: TokenClaims | undefined;
  /** Who signed in at the page for people that was answered, or decided there: the id of the person. */
  readonly signedIn: string | undefined;
  /** The `kid` of its header. */
  readonly tokenKey: string | undefined;
  readonly sent: Message;
  readonly answer: Message;
  /** The ids of the items of a list that was answered. */
  readonly ids: readonly string[];
  /** Of a page of a list whose body the log has as a whole. */
  readonly page: ListPage | undefined;
  /** Of a file of a statement whose bytes the log has all, as text. */
  readonly file: FileLines | undefined;
  /** Tells whether the policy that was not found is there, and somebody else's. */
  readonly isOfAnother: boolean;
  /** Those that were answered, streamed or delivered. */
  readonly events: readonly SentEvent[];
  /** The positions in the topic that an answer named, in their order: `next` of a batch, each `id` of a stream. */
  readonly cursors: readonly string[];
  readonly stream: Exchange['stream'];
  readonly delivery: Delivery | undefined;
  /** Bytes of memory that it takes, roughly. */
  readonly size: number;
}

/** Undefined for a call of the console, which no lesson counts. Of the headers of the request only `kept` are kept. */
export function entryOf(exchange: JudgedExchange, kept = lessonHeaders): Entry | undefined {
  const { request, response, tokens } = exchange;
  if (exchange.fromConsole || exchange.fromElsewhere) return undefined;
  const [path, query] = pathAndQuery(exchange.url);
  const at = Date.parse(exchange.startedAt);
  const decoded = tokens as { header: { kid?: string; typ?: string }; claims: SentClaims }[];
  // A page for people has a ticket, which is no token.
  const token = decoded.find(({ header }) => header.typ !== ticketType);
  const ticket = decoded.find(({ header }) => header.typ === ticketType);
  const sent = messageOf(request.headers, request.body, kept);
  const answer = messageOf(response.headers, response.body, answerHeaders);
  const events = eventsIn((exchange.kind === 'delivery' ? request : response).body);
  const ids = events.length > 0 ? [] : idsIn(response.body);
  const page = pageIn(response.body);
  const file = linesIn(answer, response.body);
  const cursors = cursorsIn(exchange.kind, response.body);
  const size =
    780 +
    exchange.url.length +
    sizeOf(sent) +
    sizeOf(answer) +
    60 * (ids.length + cursors.length) +
    (file ? file.first.length + file.tail.length : 0) +
    300 * events.length;
  // Copies: a part of a string keeps the whole of it in memory, such as a body of which there is one id.
  const copied = JSON.parse(JSON.stringify({ path, query, sent, answer, ids, page, file, events, cursors }));
  return {
    ...copied,
    id: exchange.id,
    clientId: exchange.clientId,
    kind: exchange.kind,
    at,
    endedAt: at + exchange.durationMs,
    aheadSeconds: exchange.aheadSeconds ?? 0,
    size,
    call: `${exchange.method} ${exchange.route}`,
    query: new URLSearchParams(copied.query),
    search: copied.query && `?${copied.query}`,
    status: exchange.status,
    problem: exchange.problem,
    end: exchange.end,
    drills: exchange.drills,
    secretUsed: exchange.secretUsed,
    hasRevoked: exchange.revoked ?? false,
    token: token && claimsOf(token.claims),
    signedIn: ticket?.claims.sub,
    tokenKey: token?.header.kid,
    isOfAnother: exchange.isOfAnother ?? false,
    stream: exchange.stream,
    delivery: exchange.delivery,
  };
}

/** A path, or path and query, that was sent, as a sentence shows it. */
export const shownPath = (path: string): string => excerpt(path, 200);

/** When a call came, by the clock of its client: milliseconds since 1970. */
export const ownTime = ({ at, aheadSeconds }: Entry) => at + aheadSeconds * 1000;

/** Tells whether it got the kept answer of an earlier call with its `Idempotency-Key`: nothing was done anew. */
export const isReplayed = ({ answer }: Pick<Entry, 'answer'>) => answer.headers['idempotency-replayed'] !== undefined;

/** The method of a call. */
export const methodOf = ({ call }: Pick<Entry, 'call'>): string => call.slice(0, call.indexOf(' '));

/** The header that an answer says is wrong, if it does. */
export const refusedHeader = ({ text }: Message): string | undefined => /"header":"([^"]+)"/.exec(text)?.[1];

/** The body as JSON; undefined if it is none, or was too long to be kept. */
// biome-ignore lint/suspicious/noExplicitAny: bodies have every shape, and each predicate looks for its own
export function jsonOf(message: Message): any {
  if (!isJson(message)) return undefined;
  if (!parsed.has(message)) parsed.set(message, parse(message.text));
  return parsed.get(message);
}

/** A member of what was sent, as JSON or as a form. */
export const memberOf = ({ sent }: Entry, name: string): unknown =>
  jsonOf(sent)?.[name] ?? new URLSearchParams(sent.text).get(name);

/** Tells whether two calls are the same, as far as can be seen: the body of one that was refused with 401 or 403 was not read. */
export const isSameCall = (a: Entry, b: Entry) =>
  a.call === b.call && a.path === b.path && `${a.query}` === `${b.query}`;

/** Whether it is of a list that is asked for some of its items alone. */
export const isFiltered = ({ query }: Pick<Entry, 'query'>) =>
  ['status', 'regNumber', 'policyNumber', 'updatedSince'].some((name) => query.has(name));

const isJson = ({ text }: Message) => /^\s*[[{]/.test(text);

/** Each new call of a client is compared with those before it, up to 300 of them. */
const parsed = new WeakMap<Message, unknown>();

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function pathAndQuery(url: string): [string, string] {
  const plain = url.replace(/^\/for\/[^/?#]*(?=[/?#]|$)/, '');
  const [path = '', query = ''] = plain.split('?', 2);
  return [path, query];
}

type SentClaims = Omit<TokenClaims, 'isBound'> & { readonly cnf?: unknown };

function claimsOf({ jti, sub, scope, iat, exp, consent_id, cnf }: SentClaims): TokenClaims {
  const some = { ...(consent_id !== undefined && { consent_id }), ...(cnf !== undefined && { isBound: true }) };
  return { jti, sub, scope, iat, exp, ...some } as TokenClaims;
}

function messageOf(headers: readonly Header[], body: Body | undefined, wanted: ReadonlySet<string>): Message {
  const found: Record<string, string> = {};
  for (const { name, value } of headers) {
    const lower = name.toLowerCase();
    if (wanted.has(lower)) found[lower] = value;
  }
  const isKept = body?.complete && body.encoding === 'utf-8' && body.text.length <= keptText;
  return { headers: found, text: isKept ? body.text : '', bytes: body?.bytes ?? 0 };
}

function sizeOf(message: Message): number {
  const { headers, text } = message;
  // What it says as JSON is kept, too.
  let size = (isJson(message) ? 3 : 1) * text.length;
  for (const [name, value] of Object.entries(headers)) size += name.length + value.length + 32;
  return size;
}

const lastMembers = /"newStatus":"[A-Z_]+"(?:,"statusReason":"[^"]*")?/;

/** Also of a body that was cut off. */
function eventsIn(body: Body | undefined): SentEvent[] {
  if (!body?.text.includes('"eventId"')) return [];
  const events: SentEvent[] = [];
  // Piece by piece: a pattern for a whole event would look for its end anew at each beginning.
  for (const piece of body.text.split('"eventId":"').slice(1)) {
    const last = lastMembers.exec(piece);
    if (!last) continue;
    const text = piece.slice(0, last.index + last[0].length);
    const member = (name: string) => new RegExp(`"${name}":"([^"]+)"`).exec(text)?.[1] ?? '';
    events.push({
      eventId: text.slice(0, text.indexOf('"')),
      claimId: member('claimId'),
      policyNumber: member('policyNumber'),
      previousStatus: member('previousStatus'),
      newStatus: member('newStatus'),
      statusReason: member('statusReason'),
    });
    if (events.length >= maxFound) break;
  }
  return events;
}

function cursorsIn(kind: Kind, body: Body | undefined): string[] {
  const named = kind === 'stream' ? /^id: (\d+-[12])$/gm : /^\{"events":\[.*"next":"(\d+-[12])"/g;
  return [...(body?.text.matchAll(named) ?? [])].slice(-maxFound).map(([, cursor]) => cursor as string);
}

/** By its end: the items may be many. */
function pageIn(body: Body | undefined): ListPage | undefined {
  const { complete, text } = body ?? {};
  if (!complete || !text?.startsWith('{"items":[')) return undefined;
  const total = /"totalItems":(\d+)/.exec(text.slice(text.lastIndexOf(']')))?.[1];
  const member = '"updatedAt":"';
  const at = text.lastIndexOf(member);
  const lastUpdatedAt = at < 0 ? '' : text.slice(at + member.length, text.indexOf('"', at + member.length));
  return total === undefined ? undefined : { totalItems: Number(total), lastUpdatedAt };
}

/** Characters of a line that are kept: more than a row has. */
const keptLine = 500;

function linesIn({ headers }: Message, body: Body | undefined): FileLines | undefined {
  if (
    !body?.complete ||
    body.encoding !== 'utf-8' ||
    !/^(?:text\/csv|application\/x-ndjson)/.test(headers['content-type'] ?? '')
  )
    return undefined;
  const lines = body.text.split('\n');
  const [first = '', tail = ''] = [lines[0], lines.at(-1)].map((line) => line?.slice(0, keptLine));
  const trailer = /^(?:TRAILER[,;]|\{"trailer":\{"count":)(\d+)/.exec(lines.at(-2) ?? '')?.[1];
  const bytes = Buffer.byteLength(body.text);
  return { bytes, ends: lines.length - 1, first, tail, rows: trailer === undefined ? undefined : Number(trailer) };
}

function idsIn(body: Body | undefined): string[] {
  if (!body?.text.startsWith('{"items":[')) return [];
  return [...body.text.matchAll(/"(?:id|claimId)":"([^"]+)"/g)].slice(0, maxFound).map(([, id]) => id as string);
}
