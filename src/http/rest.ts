import type { FastifyInstance } from 'fastify';
import { generalLimit } from './rate-limit.ts';
import { interfaceChecks } from './request-checks.ts';
import type { Tokens } from './requests/bearer.ts';
import type { ServerContext } from './server-context.ts';

/**
 * Makes `scope` a REST interface: every request below its prefix counts against the general limit, and its routes may
 * name a scope. To be called before routes are added.
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
  interfaceChecks(scope, { limit, tokens });
}
