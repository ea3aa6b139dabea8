import type { FastifyRequest } from 'fastify';
import { type Api, endpoint } from '../../http/endpoint.ts';
import { originOf } from '../../http/requests/absolute-url.ts';
import { remember } from '../../remember.ts';
import type { Config } from '../../settings/config.ts';
import { anyScope, clientTokenProblems } from '../refusals.ts';
import { base } from '../texts.ts';
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
      const sdk = await loadSdk();
      const asked = asWebRequest(request);
      const { hostname } = new URL(originOf(request));
      // A page of elsewhere whose name was made to lead here (DNS rebinding) is refused, as the protocol wants.
      const foreign = sdk.originValidationResponse(asked, [hostname]);
      const { fetch } = sdk.createMcpHandler(() => tutorFor(sdk, placeOf(api, request), descriptions, '1.0.0'), {
        // Nothing is announced: what the tutor has never changes.
        maxSubscriptions: 0,
      });
      const answered = foreign ?? (await fetch(asked));
      const type = answered.headers.get('content-type');
      if (type !== null) reply.type(type);
      // The text is that of the SDK, not of a schema.
      return reply.code(answered.status as 200).send((await answered.text()) as never);
    },
    scope: anyScope,
    body: 'bytes',
    problems: clientTokenProblems,
  });
}

function asWebRequest(request: FastifyRequest): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (/^(?:accept|origin|mcp-)/.test(name) && typeof value === 'string') headers.set(name, value);
  }
  if (request.declaredType !== undefined) headers.set('content-type', request.declaredType);
  const body = (request.body as Uint8Array<ArrayBuffer> | undefined) ?? '';
  return new Request(`${originOf(request)}${base}/mcp`, { method: 'POST', headers, body });
}

/** The service as the caller sees it, from the address that it calls from. */
function placeOf(api: Api, { ip, headers }: FastifyRequest): Place {
  const { authorization = '', host = '' } = headers;
  return {
    problems: api.problems,
    async call(method, url, body) {
      const { statusCode, payload } = await api.inject({
        ...{ method, url, remoteAddress: ip },
        headers: { authorization, host },
        ...(body !== undefined && { payload: body as object }),
      });
      return { status: statusCode, text: payload };
    },
  };
}
