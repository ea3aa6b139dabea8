import { createHash } from 'node:crypto';
import type { DrillName } from '../../active-drills.ts';
import { BoundedCache } from '../../bounded-cache.ts';
import { magicPlates } from '../../magic-plates.ts';
import { traceOf } from '../../text/trace-context.ts';
import { responseSeconds } from '../../webhooks/retry-intervals.ts';
import { catalogue } from '../drills/catalogue.ts';
import { answerHeader, type Call, plainUrl, unpacked } from './call.ts';
import type { Note } from './schemas.ts';

/*
 * What a colleague who looks over your shoulder would say to a call: plain sentences, each with a code and what else a
 * program needs of it: nobody is to find meaning in a sentence. What a remark needs of the calls
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

const sentTwice: Note = {
  code: 'event-again',
  text: 'You had taken this event already. Some come twice on purpose, so that you can practise it: process each webhook-id once.',
  header: 'webhook-id',
};

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

const secretBefore: Note = {
  code: 'secret-before',
  text: 'This token was got with the secret before. It holds for 24 hours from the new one on: give this program the new one.',
};

const oldSecret = ({ secretUsed }: Call) => (secretUsed === 'before' ? secretBefore : undefined);

export class Remarks {
  readonly #memories = new BoundedCache<string, Memory>(maxClients);

  /** Makes the remarks on a call of `owner`; undefined where the calls before it may be anybody's. */
  of(owner: string | undefined, call: Call): Note[] {
    const drilled = (call.drills ?? []).map((drill) => hitBy(drill, call));
    if (call.delivery) return [...drilled, ...(call.secondCopy ? [sentTwice] : []), ...deliveryRemarks(call)];
    const itself = [
      ...drilled,
      unanswered(call),
      misdirected(call),
      ignored(call),
      untraced(call),
      expiring(call),
      oldSecret(call),
    ];
    const after = owner === undefined ? [] : this.#after(this.#memory(owner), call);
    return [...itself, ...after].filter((note) => note !== undefined);
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

/** A magic plate has the outcome of a drill, which was not on. */
function hitBy(drill: DrillName, { plate }: Call): Note {
  if (plate === undefined || magicPlates[plate].drill !== drill)
    return { code: 'drill', text: catalogue[drill].remark, drill };
  const text = `The registration number QQ-${plate} brings ${magicPlates[plate].says}, once in a minute: the next call with it succeeds.`;
  return { code: 'magic-plate', text };
}

/** The status is ours: nobody sent it. */
function unanswered({ outcome: { status, end }, drills }: Call): Note | undefined {
  if (status !== 499 || end !== 'cut' || drills?.includes('cut-connections')) return undefined;
  const text = 'The connection was closed before the answer. The status 499 stands for that; it was not sent.';
  return { code: 'unanswered', text };
}

function misdirected({ nearest, prefix = '' }: Call): Note | undefined {
  if (nearest === undefined) return undefined;
  const text = `Nothing is at this path. The nearest call is ${nearest.replace(' ', ` ${prefix}`)}.`;
  return { code: 'no-such-path', text };
}

function ignored(call: Call): Note | undefined {
  const header = 'L-Plate-Ignored';
  const names = answerHeader(call, header.toLowerCase());
  if (names === undefined) return undefined;
  const text = `Ignored, since nothing here has these names: ${names}.`;
  return { code: 'ignored-names', text, header, names: names.split(', ') };
}

function untraced({ headers }: Call): Note | undefined {
  const at = headers.findIndex((name, index) => index % 2 === 0 && /^traceparent$/i.test(name));
  if (at < 0 || traceOf(headers[at + 1])) return undefined;
  const text =
    'Its traceparent is malformed, so the call is of no trace. It is 00, 32, 16 and 2 digits of 0-9a-f with dashes between them, and neither id is all zero.';
  return { code: 'malformed-trace', text };
}

function expiring({ tokenExpiresAt, at }: Call): Note | undefined {
  if (tokenExpiresAt === undefined) return undefined;
  const left = tokenExpiresAt * 1000 - at;
  if (left <= 0 || left >= expiresSoon) return undefined;
  const text = `The token expires ${Math.ceil(left / 1000)} s after this call. Get a new one before that.`;
  return { code: 'token-expires', text, header: 'Authorization' };
}

function tooEarly(call: Call, waits: Memory['waits']): Note | undefined {
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
  const text = `This call came ${early} s before the Retry-After of the last 429 had passed. Wait as long as it says.`;
  return { code: 'retry-too-early', text, header: 'Retry-After' };
}

function skipped(call: Call, walks: Memory['walks']): Note | undefined {
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
  const text = `From page ${before.page} you went to page ${page}: ${between} not read. The Link header has the next page.`;
  return { code: 'pages-skipped', text, header: 'Link' };
}

/** A create that was cut and then sent again may be there twice, or stand in its own way. */
function repeated(call: Call, cuts: Memory['cuts']): Note | undefined {
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
  const text = `You sent the same ${ago} s before and closed the connection before its answer: it may have been done then already. With the same Idempotency-Key on both, it is done once and the second gets the first answer.`;
  return { code: 'repeated-create', text, header: 'Idempotency-Key' };
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
function readAgain(call: Call, { cursors, latest }: Memory): Note | undefined {
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
  const text = `You had read on from the cursor ${cursor} before, and gone further: these events come again. Process each eventId once, and store the cursor together with the result.`;
  return { code: 'cursor-again', text };
}

function deliveryRemarks(call: Call): Note[] {
  const { outcome, delivery, headers } = call;
  const { status, ms } = outcome;
  // Without headers nothing was sent.
  if (delivery?.error && headers.length === 0)
    return [{ code: 'not-called', text: `It was not called: ${delivery.error}.` }];
  if (delivery?.error) return [{ code: 'no-answer', text: `No answer: the receiver ${delivery.error}.` }];
  const notes: Note[] = [];
  if (ms >= slowAnswer) {
    const text = `The webhook answered after ${Math.round(ms / 1000)} s. After ${responseSeconds} s it counts as no answer: store the event, answer, and work on it then.`;
    notes.push({ code: 'slow-answer', text });
  }
  if (status >= 300 && status < 400) {
    const target = answerHeader(call, 'location');
    const where = target === undefined ? '.' : `: ${target}`;
    const text = `The webhook answered ${status}: redirects are not followed. Subscribe with the address itself${where}`;
    notes.push({ code: 'redirect', text });
  } else if (call.drills?.includes('forged-webhooks')) {
    notes.push(forgedRemark(call));
  } else if (status >= 400) {
    notes.push({ code: 'not-taken', text: `The webhook answered ${status}: only 2xx counts as delivered.` });
  }
  return notes;
}

function forgedRemark({ outcome: { status }, at, headers }: Call): Note {
  if (status >= 500) {
    const text = `The webhook answered ${status}: refuse what is forged with 4xx, since 5xx asks for it again.`;
    return { code: 'forgery-asked-again', text };
  }
  if (status >= 400) return { code: 'forgery-refused', text: `The webhook refused it with ${status}, as it should.` };
  const sentAt = Number(headers[headers.indexOf('webhook-timestamp') + 1]) * 1000;
  const [header, danger] =
    at - sentAt > oldTimestamp
      ? ['webhook-timestamp', 'Who recorded a call could send it again at any time.']
      : ['webhook-signature', 'Anybody who knows its address could send it events.'];
  const text = `The webhook answered ${status}: the receiver did not check the ${header}. ${danger}`;
  return { code: 'forgery-taken', text, header };
}

function remember<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > maxEach) map.delete(map.keys().next().value as string);
}
