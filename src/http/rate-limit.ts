import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Ground } from '../ground.ts';
import { addressKey } from './address.ts';
import { knownClient, type Tokens } from './bearer.ts';
import { ProblemError } from './problem.ts';
import type { Decision } from './sliding-window.ts';
import type { Window } from './windows.ts';

type Done = (error?: Error) => void;

/** Takes one call from the caller's share, sets the `RateLimit-*` headers, and refuses with 429 when none is left. */
export type Limit = (request: FastifyRequest, reply: FastifyReply, done: Done) => void;

/** Seconds of the window in which calls are counted (Limits). */
const windowSeconds = 60;

/** Where the calls under one limit are counted, and those that it refuses. */
interface Counter {
  readonly window: Window;
  readonly refused: () => void;
}

function counter(name: string, perMinute: number, { windows, metrics }: Ground): Counter {
  return { window: windows.open(name, perMinute, windowSeconds * 1000), refused: () => metrics.rateLimited(name) };
}

/** The general limit of the REST interface of this name: by address, or by client for a classroom behind one address. */
export function generalLimit(name: string, ground: Ground, tokens: Tokens): Limit {
  const { rateLimitPerMinute, rateLimitKey } = ground.config;
  if (rateLimitKey === 'address') return addressLimit(name, rateLimitPerMinute, ground);
  const calls = counter(name, rateLimitPerMinute, ground);
  return (request, reply, done) => {
    knownClient(tokens, request)
      .then((client) => take(calls, client ?? addressKey(request.ip), reply, done))
      .catch(done);
  };
}

/** The limit of the probe endpoint, always by address and apart from the general one. */
export function probeLimit(ground: Ground): Limit {
  return addressLimit('probe', ground.config.probeLimitPerMinute, ground);
}

/** A limit by address. Limits of one name share their counts, also those of several nodes. */
export function addressLimit(name: string, perMinute: number, ground: Ground): Limit {
  const calls = counter(name, perMinute, ground);
  return (request, reply, done) => take(calls, addressKey(request.ip), reply, done);
}

function take(calls: Counter, key: string, reply: FastifyReply, done: Done) {
  const decision = calls.window.admit(key);
  if (decision instanceof Promise) decision.then((decided) => show(decided, calls, reply, done)).catch(done);
  else show(decision, calls, reply, done);
}

function show(decision: Decision, { refused }: Counter, reply: FastifyReply, done: Done): void {
  const { admitted, limit, remaining, resetSeconds } = decision;
  reply.header('ratelimit-limit', String(limit));
  reply.header('ratelimit-remaining', String(remaining));
  reply.header('ratelimit-reset', String(resetSeconds));
  reply.header('ratelimit-policy', `${limit};w=${windowSeconds}`);
  if (admitted) {
    done();
    return;
  }
  refused();
  const detail = `The limit of ${limit} requests in ${windowSeconds} seconds is used up. The next one is free in ${resetSeconds} s.`;
  done(new ProblemError('rate-limit-exceeded', detail));
}
