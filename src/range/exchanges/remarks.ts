import { createHash } from 'node:crypto';
import { BoundedCache } from '../../bounded-cache.ts';
import { traceOf } from '../../text/trace-context.ts';
import { catalogue } from '../drills/catalogue.ts';
import { answerHeader, type Call, plainUrl, unpacked } from './call.ts';

/*
 * What a colleague who looks over your shoulder would say to a call: plain sentences. What a remark needs of the calls
 * before is remembered for the clients that called last. Calls come in the order in which they ended.
 */

/** Clients whose last calls are remembered, limits and lists of each, and characters of one: some 25 MB in all. */
const maxClients = 2000;
const maxEach = 20;
const longestKey = 200;

/** Milliseconds before the end of a token from which on it is about to expire. */
const expiresSoon = 5 * 60 * 1000;

/** Milliseconds after which a walk through a list is taken to have ended. */
const walkEnds = 15 * 60 * 1000;

/** Milliseconds after which a call that was cut is not what a later one repeats. */
const repeatEnds = 15 * 60 * 1000;

/** Milliseconds from which on the answer of a webhook is slow. */
const slowAnswer = 5000;

/** Milliseconds from which on a receiver should refuse a webhook for its timestamp. */
const oldTimestamp = 5 * 60 * 1000;

const sentTwice =
  'You had taken this event already. Some come twice on purpose, so that you can practise it: process each webhook-id once.';

interface Memory {
  /** Until when it was told to wait, in milliseconds since 1970, by the limit. */
  readonly waits: Map<string, number>;
  /** The page that it read last, by the list. */
  readonly walks: Map<string, { readonly page: number; readonly at: number }>;
  /** When a POST was cut before its answer, by its path and body. */
  readonly cuts: Map<string, number>;
  /** The cursors that it read on from, by topic and cursor, and the latest of each topic. */
  readonly cursors: Map<string, true>;
  readonly latest: Map<string, string>;
}

const secretBefore =
  'This token was got with the secret before. It holds for 24 hours from the new one on: give this program the new one.';

const oldSecret = ({ secretUsed }: Call) => (secretUsed === 'before' ? secretBefore : undefined);

export class Remarks {
  readonly #memories = new BoundedCache<string, Memory>(maxClients);

  /** Makes the remarks on a call of `owner`; undefined where the calls before it may be anybody's. */
  of(owner: string | undefined, call: Call): string[] {
    const drilled = (call.drills ?? []).map((name) => catalogue[name].remark);
    if (call.delivery) return [...drilled, ...(call.secondCopy ? [sentTwice] : []), ...deliveryRemarks(call)];
    const itself = [...drilled, unanswered(call), ignored(call), untraced(call), expiring(call), oldSecret(call)];
    const after = owner === undefined ? [] : this.#after(this.#memory(owner), call);
    return [...itself, ...after].filter((remark) => remark !== undefined);
  }

  /** Forgets the calls before of some owners. */
  forget(whose: (owner: string) => boolean): void {
    for (const owner of [...this.#memories.keys()]) if (whose(owner)) this.#memories.delete(owner);
  }

  #after(memory: Memory, call: Call) {
    const { waits, walks, cuts } = memory;
    return [tooEarly(call, waits), skipped(call, walks), repeated(call, cuts), readAgain(call, memory)];
  }

  #memory(owner: string): Memory {
    let memory = this.#memories.get(owner);
    if (!memory) {
      const [waits, walks, cuts, cursors, latest] = Array.from({ length: 5 }, () => new Map<string, never>());
      memory = { waits, walks, cuts, cursors, latest } as Memory;
      this.#memories.set(owner, memory);
    }
    return memory;
  }
}

/** The status is ours: nobody sent it. */
function unanswered({ outcome: { status, end }, drills }: Call): string | undefined {
  if (status !== 499 || end !== 'cut' || drills?.includes('cut-connections')) return undefined;
  return 'The connection was closed before the answer. The status 499 stands for that; it was not sent.';
}

function ignored(call: Call): string | undefined {
  const names = answerHeader(call, 'l-plate-ignored');
  return names === undefined ? undefined : `Ignored, since nothing here has these names: ${names}.`;
}

function untraced({ headers }: Call): string | undefined {
  const at = headers.findIndex((name, index) => index % 2 === 0 && /^traceparent$/i.test(name));
  if (at < 0 || traceOf(headers[at + 1])) return undefined;
  return 'Its traceparent is malformed, so the call is of no trace. It is 00, 32, 16 and 2 digits of 0-9a-f with dashes between them, and neither id is all zero.';
}

function expiring({ tokenExpiresAt, at }: Call): string | undefined {
  if (tokenExpiresAt === undefined) return undefined;
  const left = tokenExpiresAt * 1000 - at;
  if (left <= 0 || left >= expiresSoon) return undefined;
  return `The token expires ${Math.ceil(left / 1000)} s after this call. Get a new one before that.`;
}

function tooEarly(call: Call, waits: Memory['waits']): string | undefined {
  const { at, outcome } = call;
  const policy = answerHeader(call, 'ratelimit-policy');
  if (policy === undefined) return undefined;
  // An interface has one general limit, and its probe another one.
  const limit = `${plainUrl(call).split(/[/?]/, 2)[1]} ${policy}`;
  const until = waits.get(limit);
  const seconds = Number(answerHeader(call, 'retry-after'));
  if (outcome.status === 429 && Number.isFinite(seconds)) remember(waits, limit, at + outcome.ms + seconds * 1000);
  if (until === undefined || at >= until) return undefined;
  const early = Math.ceil((until - at) / 1000);
  return `This call came ${early} s before the Retry-After of the last 429 had passed. Wait as long as it says.`;
}

function skipped(call: Call, walks: Memory['walks']): string | undefined {
  const { method, at, outcome } = call;
  // Lists have links to their other pages.
  if (method !== 'GET' || outcome.status !== 200 || answerHeader(call, 'link') === undefined) return undefined;
  const [path = '', query = ''] = plainUrl(call).split('?', 2);
  const parameters = new URLSearchParams(query);
  const page = Number(parameters.get('page') ?? 1);
  parameters.delete('page');
  parameters.sort();
  const list = short(`${path}?${parameters}`);
  const before = walks.get(list);
  remember(walks, list, { page, at });
  if (!before || at - before.at > walkEnds || page <= before.page + 1) return undefined;
  const between = page - before.page === 2 ? `page ${page - 1} was` : `pages ${before.page + 1} to ${page - 1} were`;
  return `From page ${before.page} you went to page ${page}: ${between} not read. The Link header has the next page.`;
}

/** A create that was cut and then sent again may be there twice, or stand in its own way. */
function repeated(call: Call, cuts: Memory['cuts']): string | undefined {
  const { method, outcome, at, body, headers } = call;
  const wasCut = outcome.end === 'cut';
  // Where it was not answered so, nothing was made and nothing was in the way.
  const fits = wasCut || (cuts.size > 0 && (outcome.status === 201 || outcome.status === 409));
  if (method !== 'POST' || !fits) return undefined;
  if (headers.some((name, index) => index % 2 === 0 && /^idempotency-key$/i.test(name))) return undefined;
  if (wasCut) {
    remember(cuts, requestKey(call, body), at);
    return undefined;
  }
  const before = cuts.get(requestKey(call, body));
  if (before === undefined || at - before > repeatEnds) return undefined;
  const ago = Math.max(1, Math.round((at - before) / 1000));
  return `You sent the same ${ago} s before and closed the connection before its answer: it may have been done then already. With the same Idempotency-Key on both, it is done once and the second gets the first answer.`;
}

function requestKey(call: Call, body: Buffer | undefined): string {
  return digest(`${plainUrl(call)} ${digest(body ?? '')}`);
}

/** A key that takes little memory. */
function short(key: string): string {
  return key.length > longestKey ? digest(key) : key;
}

function digest(bytes: string | Buffer): string {
  return createHash('sha256').update(bytes).digest('base64');
}

/** To read on from a cursor says that all before it was processed. To do so again after a later one takes that back. */
function readAgain(call: Call, { cursors, latest }: Memory): string | undefined {
  const { method, outcome } = call;
  if (method !== 'GET' || outcome.status !== 200) return undefined;
  const [path = '', query = ''] = plainUrl(call).split('?', 2);
  const [, cursor] = /(?:^|&)after=(\d+-[12])(?:&|$)/.exec(query) ?? [];
  if (cursor === undefined) return undefined;
  const again = cursors.has(`${path} ${cursor}`) && latest.get(path) !== cursor;
  remember(cursors, `${path} ${cursor}`, true);
  remember(latest, path, cursor);
  // A batch without events brings nothing twice.
  if (!again || !unpacked(call).body.includes('"eventId"')) return undefined;
  return `You had read on from the cursor ${cursor} before, and gone further: these events come again. Process each eventId once, and store the cursor together with the result.`;
}

function deliveryRemarks(call: Call): string[] {
  const { outcome, delivery, headers } = call;
  const { status, ms } = outcome;
  // Without headers nothing was sent.
  if (delivery?.error) {
    return [
      headers.length === 0 ? `It was not called: ${delivery.error}.` : `No answer: the receiver ${delivery.error}.`,
    ];
  }
  const remarks: string[] = [];
  if (ms >= slowAnswer) {
    remarks.push(
      `The webhook answered after ${Math.round(ms / 1000)} s. After 15 s it counts as no answer: store the event, answer, and work on it then.`,
    );
  }
  if (status >= 300 && status < 400) {
    const target = answerHeader(call, 'location');
    const where = target === undefined ? '.' : `: ${target}`;
    remarks.push(
      `The webhook answered ${status}: redirects are not followed. Subscribe with the address itself${where}`,
    );
  } else if (call.drills?.includes('forged-webhooks')) {
    remarks.push(forgedRemark(call));
  } else if (status >= 400) {
    remarks.push(`The webhook answered ${status}: only 2xx counts as delivered.`);
  }
  return remarks;
}

function forgedRemark({ outcome: { status }, at, headers }: Call): string {
  if (status >= 500)
    return `The webhook answered ${status}: refuse what is forged with 4xx, since 5xx asks for it again.`;
  if (status >= 400) return `The webhook refused it with ${status}, as it should.`;
  const sentAt = Number(headers[headers.indexOf('webhook-timestamp') + 1]) * 1000;
  if (at - sentAt > oldTimestamp)
    return `The webhook answered ${status}: the receiver did not check the webhook-timestamp. Who recorded a call could send it again at any time.`;
  return `The webhook answered ${status}: the receiver did not check the webhook-signature. Anybody who knows its address could send it events.`;
}

function remember<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > maxEach) map.delete(map.keys().next().value as string);
}
