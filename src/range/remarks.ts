import { LRUCache } from 'lru-cache';
import { answerHeader, type Call, plainUrl } from './call.ts';

/*
 * What a colleague who looks over your shoulder would say to a call: plain sentences. What a remark needs of the calls
 * before is remembered for the clients that called last. Calls come in the order in which they ended.
 */

/** Clients whose last calls are remembered, and limits and lists of each. */
const mostClients = 5000;
const mostEach = 20;

/** Milliseconds before the end of a token from which on it is about to expire. */
const expiresSoon = 5 * 60 * 1000;

/** Milliseconds after which a walk through a list is taken to have ended. */
const walkEnds = 15 * 60 * 1000;

interface Memory {
  /** Until when it was told to wait, in milliseconds since 1970, by the limit. */
  readonly waits: Map<string, number>;
  /** The page that it read last, by the list. */
  readonly walks: Map<string, { readonly page: number; readonly at: number }>;
}

export class Remarks {
  readonly #memories = new LRUCache<string, Memory>({ max: mostClients });

  /** What there is to say of a call of `owner`; undefined where the calls before it may be anybody's. */
  of(owner: string | undefined, call: Call): string[] {
    const itself = [ignored(call), expiring(call)];
    const after = owner === undefined ? [] : this.#after(this.#memory(owner), call);
    return [...itself, ...after].filter((remark) => remark !== undefined);
  }

  #after({ waits, walks }: Memory, call: Call) {
    return [tooEarly(call, waits), skipped(call, walks)];
  }

  #memory(owner: string): Memory {
    let memory = this.#memories.get(owner);
    if (!memory) {
      memory = { waits: new Map(), walks: new Map() };
      this.#memories.set(owner, memory);
    }
    return memory;
  }
}

function ignored(call: Call): string | undefined {
  const names = answerHeader(call, 'l-plate-ignored');
  return names === undefined ? undefined : `Ignored, since nothing here has these names: ${names}.`;
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
  const list = `${path}?${parameters}`;
  const before = walks.get(list);
  remember(walks, list, { page, at });
  if (!before || at - before.at > walkEnds || page <= before.page + 1) return undefined;
  const between = page - before.page === 2 ? `page ${page - 1} was` : `pages ${before.page + 1} to ${page - 1} were`;
  return `From page ${before.page} you went to page ${page}: ${between} not read. The Link header has the next page.`;
}

function remember<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > mostEach) map.delete(map.keys().next().value as string);
}
