import type { FastifyRequest, InjectOptions } from 'fastify';
import { type Api, endpoint } from '../../http/endpoint.ts';
import { ProblemError } from '../../http/problems/problem.ts';
import { originOf } from '../../http/requests/absolute-url.ts';
import { isJson, wrongMediaType } from '../../http/requests/bodies.ts';
import { remember } from '../../remember.ts';
import type { Config } from '../../settings/config.ts';
import { excerpt } from '../../text/excerpt.ts';
import { anyScope, clientTokenProblems } from '../refusals.ts';
import { base } from '../texts.ts';
import type { Server } from './sdk.js';
import { mcpText } from './texts.ts';
import type { Place } from './tools.ts';
import { type Document, tutorFor } from './tutor.ts';

export interface TutorRoutesOptions {
  readonly config: Pick<Config, 'mcp'>;
  /** The descriptions of all systems. */
  readonly descriptions: readonly Document[];
}

/** Loaded at the first call: most starts have none. */
const loadSdk = remember(() => import('./sdk.js'));

/** A tutor for assistants, by the Model Context Protocol. It keeps no sessions. */
export function tutorRoutes(api: Api, { config, descriptions }: TutorRoutesOptions): void {
  if (config.mcp === 'off') return;
  endpoint(api, 'POST', '/mcp', mcpText, {
    async handler(request, reply) {
      refuseForeign(request);
      if (!isJson(request.declaredType)) throw wrongMediaType(request);
      if (isBatch(request)) return reply.code(400).send(batchRefused as never);
      const sdk = await loadSdk();
      const answered = await answerOf(sdk, request, () => tutorFor(sdk, placeOf(api, request), descriptions));
      const type = answered.headers.get('content-type');
      if (type !== null) reply.type(type);
      // The text is that of the SDK, not of a schema. A notification has no answer.
      return reply.code(answered.status as 200).send(((await answered.text()) || undefined) as never);
    },
    scope: anyScope,
    body: 'bytes',
    problems: [...clientTokenProblems, 'foreign-origin'],
  });
}

/** Hosts whose pages are of this machine or network: an address, which no one can make lead elsewhere, or localhost. */
const fixedHost = /^(?:localhost|[\d.]+|\[[\da-f:.]+\])$/;

/**
 * A page from another site is refused, also one whose name was made to lead here (DNS rebinding), as the protocol wants: another
 * name than localhost is this service's only if `PUBLIC_URL` says so.
 *
 * @throws {ProblemError} `foreign-origin`
 */
function refuseForeign(request: FastifyRequest): void {
  const { origin } = request.headers;
  if (origin === undefined) return;
  const { publicUrlGiven } = request.server;
  if (origin === originOf(request) && (publicUrlGiven || fixedHost.test(new URL(origin).hostname))) return;
  const detail = `The page ${excerpt(origin, 60)} is not of this service. Call it from a program, without the header Origin.`;
  throw new ProblemError('foreign-origin', detail);
}

/** Several messages at once, which the protocol has no more since 2025-06-18: one call would be many, and two of the same id one. */
function isBatch({ body }: FastifyRequest): boolean {
  return (body as Uint8Array | undefined)?.find((byte) => byte > 0x20) === 0x5b;
}

const batchRefused = {
  jsonrpc: '2.0',
  error: { code: -32600, message: 'Send one message a request: the protocol has no batches.' },
  id: null,
};

type Sdk = Awaited<ReturnType<typeof loadSdk>>;

/** What the SDK answers: to a client with a handshake (before 2026-07-28) as JSON, not as a stream of one event. */
async function answerOf(sdk: Sdk, request: FastifyRequest, make: () => Server): Promise<Response> {
  if (!(await sdk.isLegacyRequest(asWebRequest(request)))) {
    // Nothing is announced: what the tutor has never changes.
    return sdk.createMcpHandler(make, { maxSubscriptions: 0 }).fetch(asWebRequest(request));
  }
  const transport = new sdk.WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await make().connect(transport);
  return transport.handleRequest(asWebRequest(request));
}

function asWebRequest(request: FastifyRequest): Request {
  // All that is answered is JSON, whatever was asked for.
  const headers = new Headers({ accept: 'application/json, text/event-stream', 'content-type': 'application/json' });
  for (const [name, value] of Object.entries(request.headers)) {
    if (name.startsWith('mcp-') && typeof value === 'string') headers.set(name, value);
  }
  const body = (request.body as Uint8Array<ArrayBuffer> | undefined) ?? '';
  return new Request(`${originOf(request)}${base}/mcp`, { method: 'POST', headers, body });
}

/** The service as the caller sees it, from the address that it calls from. */
function placeOf(api: Api, { ip, headers }: FastifyRequest): Place {
  const { authorization = '', host = '' } = headers;
  async function inject(request: InjectOptions) {
    const { statusCode, payload } = await api.inject({ ...request, remoteAddress: ip });
    return { status: statusCode, text: payload };
  }
  return {
    problems: api.problems,
    call: (method, url, body) =>
      inject({ method, url, headers: { authorization, host }, ...(body !== undefined && { payload: body as object }) }),
    // As a page of this service reads it, which is no call of anybody.
    open: (url) => inject({ method: 'GET', url, headers: { host, 'sec-fetch-site': 'same-origin' } }),
  };
}
