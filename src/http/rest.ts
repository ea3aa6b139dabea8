import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Tokens } from './bearer.ts';
import { ProblemError } from './problem.ts';
import { generalLimit } from './rate-limit.ts';
import { interfaceChecks } from './request-checks.ts';
import type { ServerContext } from './server-context.ts';
import { noSuchPath, pathOf } from './url.ts';

/**
 * Makes `scope` a REST interface: every request below its prefix counts against the general limit, its routes may name
 * a scope, and a path that is not taken is refused with the methods that are. To be called before routes are added.
 * `perMinute`: its limit, where that is not `rateLimitPerMinute`.
 */
export function restInterface(
  scope: FastifyInstance,
  context: ServerContext,
  tokens: Tokens,
  perMinute?: number,
): void {
  // The name of the system: nodes that share their counts must agree on it.
  const limit = generalLimit(scope.prefix.split('/')[1] ?? '', context, tokens, perMinute);
  scope.decorateRequest('caller', undefined);
  interfaceChecks(scope, { limit, tokens, notServed: wrongPathOrMethod });
}

/** The refusal of a request that no route of an interface answers: 404, or 405 where the path takes other methods. */
export function wrongPathOrMethod(request: FastifyRequest): ProblemError {
  const { servedPaths } = request.server;
  const path = pathOf(request);
  const methods = servedPaths.methodsOf(path);
  if (methods.length === 0) return noSuchPath(request);
  const allow = methods.join(', ');
  const detail = `${request.method} is not allowed here. Allowed methods: ${allow}. ${servedPaths.insteadOf(request.method, path)}`;
  return new ProblemError('method-not-allowed', detail.trim(), { headers: { Allow: allow } });
}
