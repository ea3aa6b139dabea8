import { maxHeaderSize } from 'node:http';
import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
} from 'fastify';
import { navigation, navigationWithoutConsole } from '../navigation.ts';
import type { Config } from '../settings/config.ts';
import type { SecretFinder } from '../text/secret-finder.ts';
import type { ClientClocks } from '../time/client-clocks.ts';
import type { Clock } from '../time/clock.ts';
import { problemOf } from './answers/error-mapping.ts';
import { compileSerializerLate } from './answers/serialization.ts';
import { StoredCopies } from './answers/stored-copies.ts';
import { Connections } from './connections/connections.ts';
import { secureOptions, speak } from './connections/protocols.ts';
import { declineUpgrade } from './connections/upgrades.ts';
import { type ExchangeObserver, keptAnswer, noRoute } from './exchanges.ts';
import { operationPaths } from './operations.ts';
import { oauthMembers, ofTokens } from './problems/oauth-error.ts';
import { problemBody } from './problems/problem.ts';
import type { ProblemTable } from './problems/problem-table.ts';
import { copyLimit, pageLimit, showRetryAfter } from './rate-limit.ts';
import { allMethods, checkRequests } from './request-checks.ts';
import { originOf } from './requests/absolute-url.ts';
import { dropPorts } from './requests/address.ts';
import type { Tokens } from './requests/bearer.ts';
import { bodyLimit, isForm, readBodies } from './requests/bodies.ts';
import { applyFaults, clientOfCall, type Faults } from './requests/faults.ts';
import { exposedHeaders, isOfConsole } from './requests/header-names.ts';
import { prefixClient } from './requests/personal-prefix.ts';
import { routableUrl, targetProblem } from './requests/url.ts';
import { compileValidator } from './requests/validation.ts';
import type { ServerContext } from './server-context.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Every problem that an answer can be. */
    readonly problems: ProblemTable;
    /** Whether every answer of an interface has the headers of a rate limit. */
    readonly countsCalls: boolean;
    readonly clock: Clock;
    readonly clocks: ClientClocks;
    readonly secretFinder: SecretFinder;
    readonly connections: Pick<Connections, 'closeIdle' | 'closeAll'>;
  }
  interface FastifyContextConfig {
    /** Scripts of other origins can't read its answers (RFC 9700, section 2.6). */
    closedToScripts?: true;
  }
  interface FastifyRequest {
    /** The pattern of the route that answers, for log and metrics: never the path itself, which may hold anything. */
    route: string;
    /** When the request came, on the clock's elapsed scale. */
    startedAt: number;
    /** The client of a verified token, or the one that was created. */
    clientId: string | undefined;
    /** The identifier of the problem that was answered. */
    problem: string | undefined;
  }
}

const exposed = exposedHeaders.join(', ');

/** What log and metrics show as the status when the caller hung up before there was one. */
const unanswered = 499;

/**
 * The HTTP server that all systems share: request ids, cross-origin rules, one log line and one measurement a
 * request, and every error as a problem. `tokens` knows who may be in a personal prefix; `observe` is told of each
 * exchange, `faults` are those that clients asked for.
 */
export function createServer(
  context: ServerContext,
  problems: ProblemTable,
  tokens: Tokens,
  observe?: ExchangeObserver,
  faults?: Faults,
): FastifyInstance {
  const { config, clock, clocks, randomness, log, metrics, secretFinder, tls } = context;
  const timeout = config.requestTimeoutSeconds * 1000;
  // The Host header is checked in `request-checks.ts`, so that its absence is answered with a problem.
  const http1 = {
    headersTimeout: timeout,
    connectionsCheckingInterval: Math.min(timeout, 1000),
    requireHostHeader: false,
    // Else the first of two would count, and which is first may change on the way.
    joinDuplicateHeaders: true,
    shouldUpgradeCallback: declineUpgrade,
  };
  const server = Fastify({
    // Probes come at any time, and must not change the ids of other requests.
    genReqId: ({ url }) => randomness.uuid(operationPaths.has(url ?? '') ? 'probe' : 'request'),
    trustProxy: trusted(config.trustProxy),
    bodyLimit,
    // Longer URLs than Node.js reads: the interfaces refuse them themselves, after counting them.
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: maxHeaderSize },
    requestTimeout: timeout,
    ...(tls ? { https: { ...http1, ...secureOptions(tls, timeout) } } : { http: http1 }),
    // While closing, requests that still come in get their answers.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    rewriteUrl: routableUrl,
  } as FastifyServerOptions);
  const connections = new Connections(server.server, context);
  server.decorate('connections', connections);
  speak(server.server, connections, context);
  server.setValidatorCompiler(compileValidator);
  server.setSerializerCompiler(compileSerializerLate);
  server.decorate('problems', problems);
  server.decorate('publicUrl', config.publicUrl);
  server.decorate('navigation', config.range === 'on' ? navigation : navigationWithoutConsole);
  server.decorate('descriptions', new Map());
  const copies = new StoredCopies(copyLimit(context));
  server.decorate('copies', copies);
  metrics.pool('copies', copies.pool);
  server.decorate('publicUrlGiven', config.publicUrlGiven);
  server.decorate('countsCalls', config.rateLimitPerMinute !== 'off' && config.probeLimitPerMinute !== 'off');
  server.decorate('clock', clock);
  server.decorate('clientExisted', (clientId) => tokens.existed(clientId));
  server.decorate('clocks', clocks);
  server.decorate('secretFinder', secretFinder);
  server.decorateRequest('route', noRoute);
  server.decorateRequest('startedAt', 0);
  server.decorateRequest('clientId', undefined);
  server.decorateRequest('problem', undefined);
  server.decorateRequest('answer', undefined);
  server.decorateRequest('secretUsed', undefined);
  server.decorateRequest('hasRevoked', false);
  server.decorateRequest('forReading', false);
  server.decorateRequest('nearestCalls', undefined);
  server.decorateRequest('stream', undefined);
  metrics.pool('body-bytes', readBodies(server));

  function beginExchange(request: FastifyRequest, reply: FastifyReply): void {
    request.startedAt = clock.elapsed();
    if (config.trustProxy !== false) dropPorts(request.raw.headers);
    // Fastify sends names in lower case; to turn them into it takes time at each answer.
    reply.header('x-request-id', request.id);
    if (!request.routeOptions.config.closedToScripts) {
      reply.header('access-control-allow-origin', '*');
      reply.header('access-control-expose-headers', exposed);
    }
    reply.header('x-content-type-options', 'nosniff');
    // What may be kept says so itself.
    reply.header('cache-control', 'no-store');
    // Fastify tells nobody of an answer that the caller cut.
    reply.raw.on('close', () => reply.raw.writableFinished || finish(request, reply, true));
  }

  function finish(request: FastifyRequest, reply: FastifyReply, cut?: true): void {
    const ms = clock.elapsed() - request.startedAt;
    const status = cut && !reply.raw.headersSent ? unanswered : reply.statusCode;
    metrics.request(request.method, request.route, status, ms / 1000);
    // An open console asks every few seconds: that would push all else out of a terminal.
    const level = status < 400 && request.method === 'GET' && isOfConsole(request) ? 'debug' : 'info';
    log[level]({
      requestId: request.id,
      method: request.method,
      route: request.route,
      status,
      cut,
      ms: Math.round(ms * 100) / 100,
      address: request.ip,
      client: request.clientId,
      problem: request.problem,
    });
    observe?.(request, reply, { status, ms: clock.stands ? 0 : ms, end: cut ? 'cut' : 'answered' });
  }

  function refuse(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const problem = problemOf(error, request, log);
    const entry = problems[problem.identifier];
    const { oauthErrors } = request.routeOptions.config;
    const body = {
      ...problemBody(problem, entry, originOf(request), request.id),
      ...(oauthErrors && oauthMembers(problem, entry)),
    };
    // Its endpoint may have said that it can be kept.
    reply.header('cache-control', 'no-store');
    // RFC 6749, section 5.2.
    if (oauthErrors) reply.headers(ofTokens);
    if (problem.extras.headers) reply.headers(problem.extras.headers);
    // A cap has none: no time is known after which there is room.
    if (problem.identifier === 'rate-limit-exceeded') showRetryAfter(reply);
    // As bytes: to a string Fastify would add a charset, which the media type does not have.
    const bytes = Buffer.from(JSON.stringify(body));
    // Clients of OAuth 2.0, which send forms, read `error` from plain JSON only (RFC 6749, section 5.2).
    const type = oauthErrors && isForm(request.declaredType) ? 'application/json' : 'application/problem+json';
    return reply.code(entry.status).type(type).send(bytes);
  }

  server.addHook('onRequest', (request, reply, done) => {
    beginExchange(request, reply);
    if (request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined) {
      const refusal = targetProblem(request);
      return refusal ? done(refusal) : void preflight(request, reply);
    }
    done();
  });
  checkRequests(server, pageLimit(context));
  applyFaults(server, faults);
  sendAnswersTogether(server, tokens, observe);
  server.addHook('onResponse', (request, reply, done) => {
    finish(request, reply);
    done();
  });
  server.setErrorHandler((error, request, reply) => refuse(error, request, reply));
  return server;
}

/**
 * Lets the answers of one turn of the event loop leave one right after the other, at its end. To write to a socket
 * costs most when its peer sleeps and must be woken; a peer that has just been woken is still awake for the next one.
 */
function sendAnswersTogether(server: FastifyInstance, tokens: Tokens, observe: ExchangeObserver | undefined): void {
  let ready: (() => void)[] = [];
  const leave = () => {
    const leaving = ready;
    ready = [];
    for (const send of leaving) send();
  };
  const prepare = (request: FastifyRequest, reply: FastifyReply, payload: unknown, send: () => void) => {
    if (observe) keepAnswer(request, reply, payload, observe);
    if (ready.push(send) === 1) setImmediate(leave);
  };
  const { clock, clocks } = server;
  // One hook for all: each one costs every answer.
  server.addHook('onSend', (request, reply, payload, done) => {
    const send = (client: string | undefined) => {
      if (clock.stands || clocks.offset(client) > 0) reply.header('date', new Date(clocks.now(client)).toUTCString());
      if (!request.changeAnswer) {
        prepare(request, reply, payload, done);
        return;
      }
      const change = (changed: unknown) => prepare(request, reply, changed, () => done(null, changed));
      request.changeAnswer(payload).then((changed) => changed && change(changed.payload), done);
    };
    const client = clocks.areMoved ? clientAnswered(request, tokens) : undefined;
    if (client instanceof Promise) client.then(send).catch(done);
    else send(client);
  });
}

/** Whose clock an answer has, in its date as in all its times. */
function clientAnswered(request: FastifyRequest, tokens: Tokens): string | undefined | Promise<string | undefined> {
  return request.clientId ?? clientOfCall(request, tokens) ?? prefixClient(request);
}

/** Keeps what is sent for the observer, or tells it of a stream that begins. */
function keepAnswer(request: FastifyRequest, reply: FastifyReply, payload: unknown, observe: ExchangeObserver): void {
  // The answer to HEAD is made as that to GET, and sent without it.
  if (request.method === 'HEAD') return;
  // A long one would stay in memory until its reader has taken it, and in more pieces than what is sent.
  if (typeof payload === 'string' && payload.length > keptAnswer) {
    request.answer = Buffer.from(payload.slice(0, keptAnswer));
  } else if (typeof payload === 'string' || Buffer.isBuffer(payload)) request.answer = payload;
  else if (payload && request.method !== 'HEAD') {
    const { clock } = request.server;
    const ms = clock.stands ? 0 : clock.elapsed() - request.startedAt;
    observe(request, reply, { status: reply.statusCode, ms, end: 'open' });
  }
}

function trusted(proxies: Config['trustProxy']): boolean | string[] | ((address: string, hop: number) => boolean) {
  if (proxies === false) return false;
  if (typeof proxies === 'number') return (_address, hop) => hop < proxies;
  // A proxy on this machine that was told localhost may come from either address of it.
  return proxies.some((each) => each.startsWith('127.')) ? [...proxies, '::1'] : proxies;
}

function preflight(request: FastifyRequest, reply: FastifyReply): void {
  reply.code(204).header('Access-Control-Allow-Methods', allMethods).header('Access-Control-Max-Age', '600');
  const headers = request.headers['access-control-request-headers'];
  if (headers) reply.header('Access-Control-Allow-Headers', headers);
  reply.send();
}
