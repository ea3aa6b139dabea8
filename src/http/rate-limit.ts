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

/** The general limit of the REST interface of this name: by address, or by client for a classroom behind one address. */
export function generalLimit(name: string, { config, windows }: Ground, tokens: Tokens): Limit {
  const window = windows.open(name, config.rateLimitPerMinute, windowSeconds * 1000);
  if (config.rateLimitKey === 'address') return (request, reply, done) => take(window, request, undefined, reply, done);
  return (request, reply, done) => {
    knownClient(tokens, request)
      .then((client) => take(window, request, client, reply, done))
      .catch(done);
  };
}

/** The limit of the probe endpoint, always by address and apart from the general one. */
export function probeLimit({ config, windows }: Ground): Limit {
  const window = windows.open('probe', config.probeLimitPerMinute, windowSeconds * 1000);
  return (request, reply, done) => take(window, request, undefined, reply, done);
}

function take(window: Window, request: FastifyRequest, client: string | undefined, reply: FastifyReply, done: Done) {
  const decision = window.admit(client ?? addressKey(request.ip));
  if (decision instanceof Promise) decision.then((decided) => show(decided, reply, done)).catch(done);
  else show(decision, reply, done);
}

function show({ admitted, limit, remaining, resetSeconds }: Decision, reply: FastifyReply, done: Done): void {
  reply.header('ratelimit-limit', String(limit));
  reply.header('ratelimit-remaining', String(remaining));
  reply.header('ratelimit-reset', String(resetSeconds));
  reply.header('ratelimit-policy', `${limit};w=${windowSeconds}`);
  if (admitted) {
    done();
    return;
  }
  const detail = `The limit of ${limit} requests in ${windowSeconds} seconds is used up. The next one is free in ${resetSeconds} s.`;
  done(new ProblemError('rate-limit-exceeded', detail));
}
