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
 */
export function restInterface(scope: FastifyInstance, context: ServerContext, tokens: Tokens): void {
  // The name of the system: nodes that share their counts must agree on it.
  const limit = generalLimit(scope.prefix.split('/')[1] ?? '', context, tokens);
  const methods = new Map<string, Set<string>>();
  scope.decorateRequest('caller', undefined);
  interfaceChecks(scope, { limit, tokens, notServed: (request) => wrongPathOrMethod(request, methods) });
  scope.addHook('onRoute', (route) => {
    const taken = methods.get(route.url) ?? new Set();
    methods.set(route.url, taken);
    for (const method of [route.method].flat()) taken.add(method);
  });
}

function wrongPathOrMethod(request: FastifyRequest, methods: ReadonlyMap<string, ReadonlySet<string>>): ProblemError {
  const path = pathOf(request)
    .replace(/(?<=.)\/$/, '')
    .split('/');
  const fits = (pattern: string) => {
    const parts = pattern.split('/');
    return (
      parts.length === path.length &&
      parts.every((part, at) => part === path[at] || (part[0] === ':' && path[at] !== ''))
    );
  };
  const taken = [...methods].filter(([pattern]) => fits(pattern)).flatMap(([, each]) => [...each]);
  if (taken.length === 0) return noSuchPath(request);
  const allow = [...new Set(taken)].sort().join(', ');
  const detail = `${request.method} is not allowed here. Allowed methods: ${allow}.`;
  return new ProblemError('method-not-allowed', detail, { headers: { Allow: allow } });
}
