import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Ground } from '../ground.ts';
import { addressKey } from './address.ts';
import { knownClient, type Tokens } from './bearer.ts';
import { ProblemError } from './problem.ts';
import { type Decision, SlidingWindow } from './sliding-window.ts';

type Done = (error?: Error) => void;

/** Takes one call from the caller's share, sets the `RateLimit-*` headers, and refuses with 429 when none is left. */
export type Limit = (request: FastifyRequest, reply: FastifyReply, done: Done) => void;

/** Seconds of the window in which calls are counted (Limits). */
const windowSeconds = 60;

/** The general limit of one REST interface: by address, or by client for a classroom behind one address. */
export function generalLimit(ground: Ground, tokens: Tokens): Limit {
  const { config, clock } = ground;
  const window = new SlidingWindow({ limit: config.rateLimitPerMinute, windowMs: windowSeconds * 1000 });
  const take = (key: string, reply: FastifyReply, done: Done) => show(window.admit(key, clock.elapsed()), reply, done);
  if (config.rateLimitKey === 'address') return (request, reply, done) => take(addressKey(request.ip), reply, done);
  return (request, reply, done) => {
    knownClient(tokens, request)
      .then((client) => take(client ?? addressKey(request.ip), reply, done))
      .catch(done);
  };
}

/** The limit of the probe endpoint, always by address and apart from the general one. */
export function probeLimit({ config, clock }: Ground): Limit {
  const window = new SlidingWindow({ limit: config.probeLimitPerMinute, windowMs: windowSeconds * 1000 });
  return (request, reply, done) => show(window.admit(addressKey(request.ip), clock.elapsed()), reply, done);
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
