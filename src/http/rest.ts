import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { bearerCheck, type Tokens } from './bearer.ts';
import { ProblemError } from './problem.ts';
import { generalLimit, type Limit } from './rate-limit.ts';
import { noSuchPath } from './server.ts';
import type { ServerContext } from './server-context.ts';
import { checkTarget, pathOf, targetProblem } from './url.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A limit of the endpoint's own, in place of the general one. */
    limit?: Limit;
  }
}

/**
 * Makes `scope` a REST interface: what every endpoint registered in it afterwards has in common. The order of checks
 * is that of the decisions: rate limit, then Host and URL as such, whether the path takes the method, then the caller (401), then the scope
 * (403). Body and handler come after.
 */
export function restInterface(scope: FastifyInstance, context: ServerContext, tokens: Tokens): void {
  // The name of the system: nodes that share their counts must agree on it.
  const limit = generalLimit(scope.prefix.split('/')[1] ?? '', context, tokens);
  const methods = new Map<string, Set<string>>();
  scope.decorateRequest('caller', undefined);

  scope.addHook('onRoute', (route) => {
    const taken = methods.get(route.url) ?? new Set();
    methods.set(route.url, taken);
    for (const method of [route.method].flat()) taken.add(method);
    const checks = [route.config?.limit ?? limit, checkTarget, checkParameters];
    if (route.config?.scope) checks.push(bearerCheck(tokens, route.config.scope));
    // The server checks the target of any request; here its turn comes when the request is counted.
    const before = [route.onRequest ?? []].flat().filter((hook) => hook !== checkTarget);
    route.onRequest = [...before, ...checks];
  });

  // A path that nothing serves is refused before its body is read: else its content type would be judged first.
  scope.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done();
    limit(request, reply, (refusal) => done(refusal ?? targetProblem(request) ?? wrongPathOrMethod(request, methods)));
  });
  scope.setNotFoundHandler((request) => {
    throw wrongPathOrMethod(request, methods);
  });
}

function checkParameters(request: FastifyRequest, _reply: FastifyReply, done: (refusal?: Error) => void): void {
  // A path that ends in two slashes fits a pattern with nothing in the place of the parameter.
  const empty = Object.values(request.params as object).includes('');
  done(empty ? noSuchPath(request) : undefined);
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
