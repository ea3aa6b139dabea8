import type { FastifyRequest } from 'fastify';
import { BoundedCache } from '../../bounded-cache.ts';
import { addressKey } from '../../http/requests/address.ts';
import { isClientId, type Tokens } from '../../http/requests/bearer.ts';
import { prefixClient } from '../../http/requests/personal-prefix.ts';
import { shownPath } from '../../http/requests/url.ts';
import type { Clock } from '../../time/clock.ts';
import { callInPlaceOf } from './call.ts';
import type { Findings } from './findings.ts';
import type { Redactor } from './redaction.ts';

/*
 * Whose call it is: the client of its token; of a request for a token, the client that it names; else the client of its
 * personal prefix; else the one that it created; else, if exactly one client was seen from its address in the last minutes,
 * that one; else nobody's. A client was seen where a token of it was sent or given out, or it was created: a name alone,
 * which anybody can send, is no evidence.
 */

/** Stands in the place of a client's id for calls of nobody. */
export const nobody = '';

/** The same for the trainer. No client has it. */
export const trainerId = 'trainer';

/** Milliseconds for which a client counts as being at an address. */
const seenFor = 15 * 60 * 1000;

/** Milliseconds in which a client is not noted again. */
const seenGrain = 1000;

/** Addresses that are remembered. */
const maxAddresses = 10_000;

/** Calls of nobody that are remembered for an address, and addresses that have some. */
const maxUnattributed = 5;
const maxUnattributedAddresses = 1000;

/** Characters of a path that are told, and of a query: a longer one is left out. */
const longestPath = 200;
const longestQuery = 500;

/** A call that could be of any client at its address, or of none. */
export interface UnattributedCall {
  readonly method: string;
  /** Without its query. */
  readonly path: string;
  /** With its question mark, and without what may be a secret; empty if there is none. */
  readonly query: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly why: string;
  /** What to call in its place, if nothing serves its path. */
  readonly nearest: string | undefined;
  /** Whether a client was used there by then, which may have made it. */
  readonly mayBeOfClient: boolean;
}

/**
 * Whose call it is, whether without a token of it, its secret or its creation, and whether it came from an address where the
 * client has used none of these either: then anybody may have made it.
 */
export interface Attributed {
  readonly owner: string;
  readonly withoutToken: boolean;
  readonly fromElsewhere: boolean;
}

/** Tells whether a client has used a token at an address, as far as the log goes back. */
export type UsedBefore = (clientId: string, address: string) => Promise<boolean>;

const own = (owner: string): Attributed => ({ owner, withoutToken: false, fromElsewhere: false });

/** Addresses of clients that are remembered, those where one was used and those where it was not. */
const maxUses = 20_000;

/** Milliseconds for which an address counts as one where a client was not used. Another node may see it there. */
const unusedHolds = 10_000;

interface Sighting {
  readonly clientId: string;
  /** On the clock's elapsed scale. */
  readonly at: number;
}

export class Attribution {
  readonly #tokens: Tokens;
  readonly #clock: Clock;
  readonly #findings: Findings;
  /** The last one that was noted: calls often come several from one address. */
  #latest = { ip: '', clientId: '', at: 0 };
  /** The two clients that were seen last: whether there were more does not matter. */
  readonly #seen = new BoundedCache<string, { readonly last: Sighting; readonly other: Sighting | undefined }>(
    maxAddresses,
  );
  readonly #unattributed = new BoundedCache<string, readonly UnattributedCall[]>(maxUnattributedAddresses);
  readonly #redactor: Redactor;
  readonly #usedBefore: UsedBefore;
  /** By client and address: true where it was used, else when nothing of that was found, on the clock's elapsed scale. */
  readonly #uses = new BoundedCache<string, true | number>(maxUses);

  constructor(tokens: Tokens, clock: Clock, findings: Findings, redactor: Redactor, usedBefore: UsedBefore) {
    this.#redactor = redactor;
    this.#usedBefore = usedBefore;
    this.#tokens = tokens;
    this.#clock = clock;
    this.#findings = findings;
  }

  /** The last calls from the address of `request` that are nobody's, latest first. */
  unattributed({ ip }: FastifyRequest): UnattributedCall[] {
    const since = this.#clock.now() - seenFor;
    return (this.#unattributed.get(addressKey(ip)) ?? []).filter(({ at }) => at >= since);
  }

  /** No promise for a call whose token was accepted, or that created a client and says of nobody else that it is its. */
  owner(request: FastifyRequest, status: number): string | Promise<Attributed> {
    const { clientId } = request;
    if (clientId === undefined || status === 401) return this.#find(request, status);
    this.#see(request, clientId);
    const isCreated = status === 201 && request.caller === undefined;
    return isCreated && saysWhose(request) ? this.#creator(request, clientId) : clientId;
  }

  /** Whose call it is that created the client `created`. */
  async #creator(request: FastifyRequest, created: string): Promise<Attributed> {
    const holder = await this.#holder(request);
    if (holder !== undefined) return own(holder);
    const prefixed = prefixClient(request);
    if (prefixed !== undefined && (await this.#exists(prefixed))) return this.#unproven(request, prefixed);
    return own(created);
  }

  /** Whose call it is by what it says itself. Undefined if it says nothing that is known. */
  async named(request: FastifyRequest, status: number): Promise<Attributed | undefined> {
    const { clientId } = request;
    return clientId === undefined || status === 401 ? this.#named(request, status) : own(clientId);
  }

  async #find(request: FastifyRequest, status: number): Promise<Attributed> {
    // Asked first: what is seen while the database is asked comes later.
    const alone = this.alone(request);
    const named = await this.#named(request, status);
    if (named) return named;
    if (alone === undefined) this.#noteUnattributed(request, status, prefixClient(request));
    return alone === undefined ? own(nobody) : { owner: alone, withoutToken: true, fromElsewhere: false };
  }

  async #named(request: FastifyRequest, status: number): Promise<Attributed | undefined> {
    const holder = await this.#holder(request);
    if (holder !== undefined) {
      this.#see(request, holder);
      return own(holder);
    }
    const named = namedClient(request);
    if (named !== undefined && status === 200) {
      // It got a token, so there is one. Sighting at once: its next call may come before an answer of the database.
      this.#see(request, named);
      return own(named);
    }
    if (named !== undefined && (await this.#exists(named))) return this.#unproven(request, named);
    const prefixed = prefixClient(request);
    const isKnown = prefixed !== undefined && (await this.#exists(prefixed));
    return isKnown ? this.#unproven(request, prefixed) : undefined;
  }

  /** The call of a client that it only names. */
  async #unproven({ ip }: FastifyRequest, owner: string): Promise<Attributed> {
    return { owner, withoutToken: true, fromElsewhere: !(await this.#isUsedAt(owner, addressKey(ip))) };
  }

  async #isUsedAt(clientId: string, address: string): Promise<boolean> {
    const key = `${clientId} ${address}`;
    const known = this.#uses.get(key);
    const now = this.#clock.elapsed();
    if (known === true) return true;
    if (known !== undefined && now - known < unusedHolds) return false;
    try {
      const isUsed = await this.#usedBefore(clientId, address);
      // It may have been used there meanwhile.
      if (this.#uses.get(key) !== true) this.#uses.set(key, isUsed || now);
      return this.#uses.get(key) === true;
    } catch {
      // The database is away.
      return false;
    }
  }

  #noteUnattributed(request: FastifyRequest, status: number, prefixed: string | undefined): void {
    const key = addressKey(request.ip);
    const mayBeOfClient = prefixed !== undefined || this.#seen.has(key);
    const why =
      prefixed !== undefined
        ? 'Its path begins with /for/ and a client_id that does not exist.'
        : this.#seen.has(key)
          ? 'It had no token that holds, and more than one client was used from this address in the last 15 minutes.'
          : 'It had no token that holds, and no client was used from this address before it.';
    const nearest = callInPlaceOf(request, status);
    const query = this.#redactor.begin().url(request.url).match(/\?.*/s)?.[0] ?? '';
    const call = {
      method: request.method,
      path: shownPath(request, longestPath),
      query: query.length > longestQuery ? '' : query,
      at: this.#clock.now(),
      why: nearest === undefined ? why : `Nothing is at its path. ${why}`,
      nearest,
      mayBeOfClient,
    };
    this.#findings.loseCall(key, call.at);
    this.#unattributed.set(key, [call, ...(this.#unattributed.get(key) ?? [])].slice(0, maxUnattributed));
  }

  /** The client of a token that has expired, or was not looked at: the call was refused before, or needs none. */
  async #holder(request: FastifyRequest): Promise<string | undefined> {
    // Also behind another word than Bearer, or without a space, which is refused.
    const sent = request.headers.authorization ?? '';
    const at = sent.indexOf('eyJ');
    if (at < 0 || !/^[\w.-]+$/.test(sent.slice(at))) return undefined;
    const token = sent.slice(at);
    try {
      const holder = await this.#tokens.holder(token);
      return holder !== undefined && (await this.#exists(holder)) ? holder : undefined;
    } catch {
      return undefined;
    }
  }

  async #exists(clientId: string): Promise<boolean> {
    try {
      return isClientId(clientId) && (await this.#tokens.existed(clientId));
    } catch {
      // The database is away.
      return false;
    }
  }

  /** Nobody was seen. */
  forget(): void {
    this.#seen.clear();
    this.#unattributed.clear();
    this.#uses.clear();
    this.#latest = { ip: '', clientId: '', at: 0 };
  }

  #see({ ip }: FastifyRequest, clientId: string): void {
    const now = this.#clock.elapsed();
    const { ip: latestIp, clientId: latestClient, at } = this.#latest;
    if (clientId === latestClient && ip === latestIp && now - at < seenGrain) return;
    this.#latest = { ip, clientId, at: now };
    const key = addressKey(ip);
    const seen = this.#seen.get(key);
    if (seen?.last.clientId === clientId && now - seen.last.at < seenGrain) return;
    this.#findings.see(key, clientId);
    this.#uses.set(`${clientId} ${key}`, true);
    const last = { clientId, at: now };
    this.#seen.set(key, { last, other: seen?.last.clientId === clientId ? seen.other : seen?.last });
  }

  /** The only client that was used at the address of `request` in the last minutes. */
  alone({ ip }: FastifyRequest): string | undefined {
    const seen = this.#seen.get(addressKey(ip));
    const since = this.#clock.elapsed() - seenFor;
    if (!seen || seen.last.at < since || (seen.other && seen.other.at >= since)) return undefined;
    return seen.last.clientId;
  }
}

/** Tells whether a call says of itself whose it is. */
export const saysWhose = (request: FastifyRequest) =>
  request.headers.authorization !== undefined || prefixClient(request) !== undefined;

/** The client that a request for a token names. */
function namedClient({ routeOptions, body, headers }: FastifyRequest): string | undefined {
  if (!routeOptions.config.oauthErrors) return undefined;
  const { client_id: named } = (body !== null && typeof body === 'object' ? body : {}) as { client_id?: unknown };
  if (typeof named === 'string') return named;
  const [, basic] = /^basic\s+(.*)$/is.exec(headers.authorization ?? '') ?? [];
  if (basic === undefined) return undefined;
  // Also of one who forgot to encode it: base64 has no colon.
  const credentials = basic.includes(':') ? basic : Buffer.from(basic, 'base64').toString('utf8');
  return credentials.split(':', 1)[0];
}
