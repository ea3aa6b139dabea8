import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Taken } from './limits/coarse-window.ts';
import type { Window } from './limits/rate-limit-store.ts';
import type { Decision } from './limits/sliding-window.ts';
import { ProblemError } from './problems/problem.ts';
import { addressKey } from './requests/address.ts';
import { existingClient, type Tokens } from './requests/bearer.ts';
import { clientOfCall, noteDrill } from './requests/faults.ts';
import { rateLimitHeaders } from './requests/header-names.ts';
import type { ServerContext } from './server-context.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A limit of the endpoint's own, in place of the general one. */
    limit?: Limit;
    /** Counted by address whatever `RATE_LIMIT_KEY` says and whatever token comes with it. */
    countedByAddress?: true;
  }
}

type Done = (error?: Error) => void;

/** Takes one call from the caller's share, sets the `RateLimit-*` headers, and refuses with 429 when none is left. */
export type Limit = (request: FastifyRequest, reply: FastifyReply, done: Done) => void;

/** Seconds of the window in which calls are counted (Limits). */
const windowSeconds = 60;

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

/** Learners of a class who may call from one address before they have a token. */
const roomSize = 40;

/** Where the calls under one limit are counted, and those that it refuses. */
interface Counter {
  readonly window: Window;
  readonly refused: () => void;
}

function counter(name: string, perMinute: number, { rateLimits, metrics }: ServerContext): Counter {
  return { window: rateLimits.open(name, perMinute, windowSeconds * 1000), refused: () => metrics.rateLimited(name) };
}

/**
 * The general limit of the REST interface of this name: by address, or by client for a classroom behind one address.
 * By client only counts who sends a token that was checked and whose client exists; else each new client would bring
 * its address more calls. In a class one address may be that of a whole room. With a `perMinute` of its own it is not subject to drills. Where `rateLimitPerMinute` is off,
 * nothing is counted but by drills.
 */
export function generalLimit(name: string, context: ServerContext, tokens: Tokens, perMinute?: number): Limit {
  const { rateLimitPerMinute } = context.config;
  const isOff = rateLimitPerMinute === 'off';
  const limit = isOff ? noLimit : counted(name, perMinute ?? rateLimitPerMinute, context, tokens);
  return perMinute === undefined ? smallLimit(name, limit, context, tokens) : limit;
}

export const noLimit: Limit = (_request, _reply, done) => done();

function counted(name: string, perMinute: number, context: ServerContext, tokens: Tokens): Limit {
  const { rateLimitKey, class: inClass } = context.config;
  const calls = counter(name, perMinute, context);
  const ofAddress = inClass === 'on' ? counter(`${name}-room`, perMinute * roomSize, context) : calls;
  return (request, reply, done) => {
    const byAddress = rateLimitKey === 'address' || request.routeOptions.config.countedByAddress;
    if (byAddress) return take(ofAddress, addressKey(request.ip), reply, done);
    existingClient(tokens, request)
      .then((client) =>
        client ? take(calls, client, reply, done) : take(ofAddress, addressKey(request.ip), reply, done),
      )
      .catch(done);
  };
}

/**
 * The drill `small-rate-limit` before the general limit: a call counts against both, and the headers tell of the small
 * one. What it refuses does not count against the other.
 */
function smallLimit(name: string, general: Limit, context: ServerContext, tokens: Tokens): Limit {
  const { drills, rateLimits, metrics } = context;
  const counters = new Map<number, Counter>();
  const counterOf = (limit: number): Counter => {
    const found = counters.get(limit) ?? {
      window: rateLimits.open(`${name}-drill-${limit}`, limit, windowSeconds * 1000),
      refused: () => metrics.rateLimited('small-rate-limit'),
    };
    counters.set(limit, found);
    return found;
  };
  async function check(request: FastifyRequest, reply: FastifyReply): Promise<Decision | undefined> {
    const clientId = await clientOfCall(request, tokens);
    const drill = clientId === undefined ? undefined : drills.of(clientId, 'small-rate-limit');
    if (!drill) return undefined;
    const calls = counterOf(drill.parameters.limit);
    const decision = await calls.window.admit(`${clientId} ${drill.id}`);
    if (!decision.admitted) noteDrill(request, 'small-rate-limit');
    show(decision, calls, reply, (refusal) => {
      if (refusal) throw refusal;
    });
    return decision;
  }
  return (request, reply, done) => {
    if (!drills.isUsed('small-rate-limit')) {
      general(request, reply, done);
      return;
    }
    const admit = (small: Decision | undefined) =>
      general(request, reply, (refusal) => {
        if (small && !refusal) showLimit(small, windowSeconds, reply);
        done(refusal);
      });
    check(request, reply).then(admit, done);
  };
}

/** Does `work`, unless the caller's address has no more of it left today. Work that fails doesn't count. */
export type DailyLimit = <T>(request: FastifyRequest, reply: FastifyReply, work: () => Promise<T>) => Promise<T>;

/**
 * How often something may be done for one address in 24 hours, counted by the hour. Where it is refused, the
 * `RateLimit-*` headers tell of this limit. `limit` 0 is none; `what` is what is done, in the plural.
 */
export function dailyLimit(
  name: string,
  limit: number,
  { rateLimits }: ServerContext,
  { what, refused }: { what: string; refused: () => void },
): DailyLimit {
  if (limit === 0) return (_request, _reply, work) => work();
  const window = rateLimits.openLong(name, { limit, windowMs: day * 1000, stepMs: hour * 1000 });
  return async (request, reply, work) => {
    const taken = await window.take(addressKey(request.ip));
    if (taken.admitted) return worked(taken, work);
    refused();
    showLimit(taken, day, reply);
    const detail = `One address can create at most ${limit} ${what} a day, and yours has. You can create the next one in ${taken.resetSeconds} s.`;
    throw new ProblemError('rate-limit-exceeded', detail);
  };
}

/** Does `work`, unless a client has no more of it left in this hour. Work that fails doesn't count. */
export type HourlyLimit = <T>(clientId: string, reply: FastifyReply, work: () => Promise<T>) => Promise<T>;

/** How often a client may do something in an hour. `what` is what it gets, in the plural. */
export function hourlyLimit(
  name: string,
  limit: number,
  { rateLimits, metrics }: ServerContext,
  what: string,
): HourlyLimit {
  const window = rateLimits.openLong(name, { limit, windowMs: hour * 1000, stepMs: minute * 1000 });
  return async (clientId, reply, work) => {
    const taken = await window.take(clientId);
    if (taken.admitted) return worked(taken, work);
    metrics.rateLimited(name);
    showLimit(taken, hour, reply);
    const detail = `A client can have at most ${limit} ${what} an hour, and yours has had them. You can get the next one in ${taken.resetSeconds} s.`;
    throw new ProblemError('rate-limit-exceeded', detail);
  };
}

async function worked<T>(taken: Taken, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    taken.release();
    throw error;
  }
}

/** The limit of the probe endpoint, always by address and apart from the general one; none if it is off. */
export function probeLimit(context: ServerContext): Limit {
  const { probeLimitPerMinute } = context.config;
  return probeLimitPerMinute === 'off' ? noLimit : addressLimit('probe', probeLimitPerMinute, context);
}

/** A limit by address. Limits of one name share their counts, also those of several nodes. */
export function addressLimit(name: string, perMinute: number, context: ServerContext): Limit {
  const calls = counter(name, perMinute, context);
  return (request, reply, done) => take(calls, addressKey(request.ip), reply, done);
}

/** Pages a minute that an address gets, and copies of texts that are made for it: or as many as it may make calls. */
const pagesPerMinute = 1200;
const copiesPerMinute = 300;

/** The limit of pages, and of all else that has none of its own. */
export const pageLimit = (context: ServerContext) => quietLimit('pages', pagesPerMinute, context);

/** The limit of copies that are made for other places (`StoredCopies`). */
export const copyLimit = (context: ServerContext) => quietLimit('copies', copiesPerMinute, context);

/** By address. No header tells of it before it refuses. */
function quietLimit(name: string, least: number, context: ServerContext): Limit {
  const { rateLimitPerMinute } = context.config;
  if (rateLimitPerMinute === 'off') return noLimit;
  const calls = counter(name, Math.max(least, rateLimitPerMinute), context);
  return (request, reply, done) => {
    const decide = (decision: Decision) => (decision.admitted ? done() : show(decision, calls, reply, done));
    const decision = calls.window.admit(addressKey(request.ip));
    if (decision instanceof Promise) decision.then(decide).catch(done);
    else decide(decision);
  };
}

function take(calls: Counter, key: string, reply: FastifyReply, done: Done) {
  const decision = calls.window.admit(key);
  if (decision instanceof Promise) decision.then((decided) => show(decided, calls, reply, done)).catch(done);
  else show(decision, calls, reply, done);
}

function show(decision: Decision, { refused }: Counter, reply: FastifyReply, done: Done): void {
  showLimit(decision, windowSeconds, reply);
  if (decision.admitted) {
    done();
    return;
  }
  refused();
  const { limit, resetSeconds } = decision;
  const detail = `You have reached the limit of ${limit} requests in ${windowSeconds} seconds. Try again in ${resetSeconds} s.`;
  done(new ProblemError('rate-limit-exceeded', detail));
}

/** Says on a 429 when to call again: when the limit that was shown has room. */
export function showRetryAfter(reply: FastifyReply): void {
  if (!reply.hasHeader('Retry-After')) reply.header('Retry-After', reply.getHeader(rateLimitHeaders.reset));
}

// Fastify sends names in lower case, and to turn them into it takes time at each answer.
const sent = {
  limit: rateLimitHeaders.limit.toLowerCase(),
  remaining: rateLimitHeaders.remaining.toLowerCase(),
  reset: rateLimitHeaders.reset.toLowerCase(),
  policy: rateLimitHeaders.policy.toLowerCase(),
};

function showLimit({ limit, remaining, resetSeconds }: Decision, seconds: number, reply: FastifyReply): void {
  reply.header(sent.limit, String(limit));
  reply.header(sent.remaining, String(remaining));
  reply.header(sent.reset, String(resetSeconds));
  reply.header(sent.policy, `${limit};w=${seconds}`);
}
