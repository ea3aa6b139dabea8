import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { Limit } from './rate-limit.ts';
import { bearerCheck, type Tokens } from './requests/bearer.ts';
import { checkBody } from './requests/bodies.ts';
import { nameCheck } from './requests/names.ts';
import { checkPersonalPrefix } from './requests/personal-prefix.ts';
import { ServedPaths } from './requests/served-paths.ts';
import { allowedMethods, lostId, noSuchPath, pathOf, targetProblem, wrongPathOrMethod } from './requests/url.ts';

/** Lets a request pass by `done()`, or refuses it by `done(problem)`. */
type Check = (request: FastifyRequest, reply: FastifyReply, done: (refusal?: Error) => void) => void;

/** What an interface brings to the checks of the requests below its prefix. */
export interface InterfaceChecks {
  /** How its requests are counted where a route names no limit of its own. Absent: they are not. */
  readonly limit?: Limit;
  /** Who checks tokens. Without it no route may name a scope. */
  readonly tokens?: Tokens;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** The checks of the interface that this scope belongs to; at first, of the server as such. */
    interfaceChecks: InterfaceChecks;
  }
}

/**
 * The order of the checks of every request (Decisions, REST conventions): the first that refuses decides the answer.
 * `route` is undefined where none fits. A preflight comes before all this: it is answered in `server.ts`, not counted.
 */
function checksOf({ limit, tokens }: InterfaceChecks, route?: RouteOptions) {
  return {
    onRequest: [
      route?.config?.limit ?? limit, //                      429
      checkTarget, //                                        400, 414: Host, URL, Transfer-Encoding
      checkPersonalPrefix, //                                404: the client of /for/{client_id}
      route ? checkPath(route) : refuseUnserved, //          404, 405, or 204 to OPTIONS
      route && checkToken(route, tokens), //                 401, then 403
    ].filter((check) => check !== undefined),
    // Then Fastify reads the body, and `bodies.ts` decides how much of it.
    preValidation: [
      checkBody, //                                          413, 415, 400 malformed-json
    ],
    beforeValidation: [
      route && tokens && nameCheck(route), //                400 validation-error: names that are nearly known ones
    ].filter((check) => check !== undefined),
    // Then Fastify compares parameters and body with the schema of the route, by `validation.ts`: 400 validation-error.
  };
}

/** Those that some path takes. */
export const allMethods = 'GET, HEAD, POST, PUT, PATCH, DELETE';

/** Adds the checks to every route of the server, and to requests that no route answers. `limit` is that of what is no interface. */
export function checkRequests(server: FastifyInstance, limit: Limit): void {
  interfaceChecks(server, { limit });
  const servedPaths = new ServedPaths();
  server.decorate('servedPaths', servedPaths);
  server.addHook('onRoute', function (route) {
    servedPaths.add(route);
    const { onRequest, preValidation, beforeValidation } = checksOf(this.interfaceChecks, route);
    route.onRequest = [nameRoute(route), ...onRequest, ...[route.onRequest ?? []].flat()];
    route.preValidation = [...preValidation, ...[route.preValidation ?? []].flat(), ...beforeValidation];
  });
  // Before the body is read: else its content type would be judged first.
  server.addHook('onRequest', (request, reply, done) => {
    if (request.is404) inTurn(checksOf(request.server.interfaceChecks).onRequest, request, reply, done);
    else done();
  });
}

/** Says what an interface brings to the checks. To be called before its routes are added to `scope`. */
export function interfaceChecks(scope: FastifyInstance, checks: InterfaceChecks): void {
  scope.decorate('interfaceChecks', checks);
  // Makes Fastify find the interface of a path that it does not serve; the refusal has come by then.
  scope.setNotFoundHandler((request) => {
    throw wrongPathOrMethod(request);
  });
}

function inTurn(
  [check, ...others]: Check[],
  request: FastifyRequest,
  reply: FastifyReply,
  done: (refusal?: Error) => void,
): void {
  if (check) check(request, reply, (refusal) => (refusal ? done(refusal) : inTurn(others, request, reply, done)));
  else done();
}

/** Once for each route: to ask a request for its route's config makes an object each time. */
function nameRoute({ url, config }: RouteOptions): Check {
  const forReading = config?.document === true;
  return (request, _reply, done) => {
    request.route = url;
    request.forReading = forReading;
    done();
  };
}

function checkTarget(request: FastifyRequest, reply: FastifyReply, done: (refusal?: Error) => void): void {
  const refusal = targetProblem(request);
  // Of the server as a whole (RFC 9110, section 9.3.7).
  if (request.originalUrl === '*' && !refusal) reply.code(204).header('Allow', allMethods).send();
  else done(refusal);
}

/**
 * A path that ends in two slashes fits a pattern with nothing in the place of the parameter. And one that ends in a slash
 * may have lost its id: it must not delete all there are.
 */
function checkPath({ method, url }: RouteOptions): Check | undefined {
  if (!url.includes(':')) return method === 'DELETE' ? refuseLostId : undefined;
  return (request, _reply, done) => {
    const empty = Object.values(request.params as object).includes('');
    done(empty ? noSuchPath(request) : undefined);
  };
}

function refuseLostId(request: FastifyRequest, _reply: FastifyReply, done: (refusal?: Error) => void): void {
  done(pathOf(request).endsWith('/') ? lostId(request) : undefined);
}

/** Refuses a request that no route answers, but says to OPTIONS what the path takes. */
function refuseUnserved(request: FastifyRequest, reply: FastifyReply, done: (refusal?: Error) => void): void {
  const allow = request.method === 'OPTIONS' ? allowedMethods(request) : '';
  if (allow === '') done(wrongPathOrMethod(request));
  else reply.code(204).header('Allow', allow).send();
}

function checkToken({ method, url, config }: RouteOptions, tokens: Tokens | undefined): Check | undefined {
  const scope = config?.scope;
  if (scope === undefined) return undefined;
  if (tokens) return bearerCheck(tokens, scope);
  // Else the route would be open to all, whatever it says.
  throw new Error(`${method} ${url} names the scope ${scope}, but no REST interface is there that checks tokens`);
}
