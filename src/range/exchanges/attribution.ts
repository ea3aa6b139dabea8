import type { FastifyRequest } from 'fastify';
import { BoundedCache } from '../../bounded-cache.ts';
import { addressKey } from '../../http/address.ts';
import { isClientId, type Tokens } from '../../http/bearer.ts';
import { prefixClient } from '../../http/personal-prefix.ts';
import { shownPath } from '../../http/url.ts';
import type { Clock } from '../../time/clock.ts';
import type { Findings } from './findings.ts';

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

/** Characters of a path that are told. */
const longestPath = 200;

/** A call that could be of any client at its address, or of none. */
export interface UnattributedCall {
  readonly method: string;
  /** Without its query. */
  readonly path: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly why: string;
  /** Whether a client was used there by then, which may have made it. */
  readonly mayBeOfClient: boolean;
}

/** Whose call it is, and whether without a token of it, its secret or its creation: then anybody can make it. */
export interface Attributed {
  readonly owner: string;
  readonly withoutToken: boolean;
}

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

  constructor(tokens: Tokens, clock: Clock, findings: Findings) {
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
    if (holder !== undefined) return { owner: holder, withoutToken: false };
    const prefixed = prefixClient(request);
    if (prefixed !== undefined && (await this.#exists(prefixed))) return { owner: prefixed, withoutToken: true };
    return { owner: created, withoutToken: false };
  }

  async #find(request: FastifyRequest, status: number): Promise<Attributed> {
    // Asked first: what is seen while the database is asked comes later.
    const alone = this.#alone(request);
    const holder = await this.#holder(request);
    if (holder !== undefined) {
      this.#see(request, holder);
      return { owner: holder, withoutToken: false };
    }
    const named = namedClient(request);
    if (named !== undefined && status === 200) {
      // It got a token, so there is one. Sighting at once: its next call may come before an answer of the database.
      this.#see(request, named);
      return { owner: named, withoutToken: false };
    }
    if (named !== undefined && (await this.#exists(named))) return { owner: named, withoutToken: true };
    const prefixed = prefixClient(request);
    if (prefixed !== undefined && (await this.#exists(prefixed))) return { owner: prefixed, withoutToken: true };
    if (alone === undefined) this.#noteUnattributed(request, prefixed);
    return alone === undefined ? { owner: nobody, withoutToken: false } : { owner: alone, withoutToken: true };
  }

  #noteUnattributed(request: FastifyRequest, prefixed: string | undefined): void {
    const key = addressKey(request.ip);
    const mayBeOfClient = prefixed !== undefined || this.#seen.has(key);
    const why =
      prefixed !== undefined
        ? 'Its path begins with /for/ and a client_id that does not exist.'
        : this.#seen.has(key)
          ? 'It had no token, and more than one client was used from this address in the last 15 minutes.'
          : 'It had no token, and no client was used from this address before it.';
    const call = {
      method: request.method,
      path: shownPath(request, longestPath),
      at: this.#clock.now(),
      why,
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
    const last = { clientId, at: now };
    this.#seen.set(key, { last, other: seen?.last.clientId === clientId ? seen.other : seen?.last });
  }

  #alone({ ip }: FastifyRequest): string | undefined {
    const seen = this.#seen.get(addressKey(ip));
    const since = this.#clock.elapsed() - seenFor;
    if (!seen || seen.last.at < since || (seen.other && seen.other.at >= since)) return undefined;
    return seen.last.clientId;
  }
}

const saysWhose = (request: FastifyRequest) =>
  request.headers.authorization !== undefined || prefixClient(request) !== undefined;

/** The client that a request for a token names. */
function namedClient({ routeOptions, body, headers }: FastifyRequest): string | undefined {
  if (!routeOptions.config.oauthErrors) return undefined;
  const { client_id: named } = (body !== null && typeof body === 'object' ? body : {}) as { client_id?: unknown };
  if (typeof named === 'string') return named;
  const [, basic] = /^basic\s+(.*)$/is.exec(headers.authorization ?? '') ?? [];
  if (basic === undefined) return undefined;
  const [client = ''] = Buffer.from(basic, 'base64').toString('utf8').split(':', 1);
  return client;
}
