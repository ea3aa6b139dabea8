import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { type Api, endpoint, type Handlers } from '../http/endpoint.ts';
import { ProblemError, type ProblemIdentifier } from '../http/problems/problem.ts';
import { probeLimit } from '../http/rate-limit.ts';
import { checkUnpacked, isJson, wrongMediaType } from '../http/requests/bodies.ts';
import { clientCertificate } from '../http/requests/client-certificate.ts';
import { rateLimitHeaders } from '../http/requests/header-names.ts';
import { parseJson } from '../http/requests/json.ts';
import { bodyCheck } from '../http/requests/names.ts';
import type { Policies } from './policies.ts';
import { problems as ownProblems } from './problems.ts';
import { probeTexts as texts, uncountedPing } from './route-texts.ts';
import { PolicyCheck } from './schemas.ts';
import { verifySignature } from './signature.ts';

export interface ProbeRoutesOptions {
  readonly context: Context;
  readonly policies: Policies;
}

/** Endpoints 9 and 10: a rate limit and a signed request, to practise on. */
export function probeRoutes(api: Api, options: ProbeRoutesOptions): void {
  const handle = handlers(options);
  const probe = probeLimit(options.context);
  const isOff = options.context.config.probeLimitPerMinute === 'off';
  if (isOff)
    endpoint(api, 'GET', '/limited/ping', uncountedPing, { handler: async () => ({ pong: true }), limit: probe });
  else endpoint(api, 'GET', '/limited/ping', texts.ping, { handler: handle.ping, limit: probe });
  const problems: ProblemIdentifier[] = ['invalid-signature', 'unavailable'];
  const behaviour = { body: 'bytes', problems } as const;
  if (options.context.config.tlsClientCa === undefined) {
    endpoint(api, 'POST', '/signed/policy-check', texts.checkPolicy, { ...behaviour, handler: handle.checkPolicy });
  } else {
    const handler = handle.checkPolicyOfCertified;
    endpoint(api, 'POST', '/signed/policy-check', texts.checkPolicyOfCertified, { ...behaviour, handler });
  }
}

function handlers({ context, policies }: ProbeRoutesOptions): Handlers<typeof texts> {
  // The body is verified as bytes, so its schema is applied by the handler rather than before it.
  const checkBody = bodyCheck<{ regNumber: string }>(PolicyCheck);

  /** The signature was right, and who looks for a fault should know that it is not there. */
  function readSigned(request: FastifyRequest, reply: FastifyReply, body: Buffer): { regNumber: string } {
    try {
      checkUnpacked(request);
      if (!isJson(request.declaredType)) throw wrongMediaType(request);
      return checkBody(request, reply, parseJson(body, request));
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      const detail = `The signature is right, but the body is not accepted. ${error.message}`;
      throw new ProblemError(error.identifier, detail, error.extras);
    }
  }

  async function check(request: FastifyRequest, reply: FastifyReply) {
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    const signature = verifySignature(request.headers['x-signature'], body, context.secrets.hmacSecret);
    if (!signature.valid) {
      throw new ProblemError('invalid-signature', signature.detail, {
        headers: { 'WWW-Authenticate': ownProblems['invalid-signature'].challenge },
      });
    }
    const { regNumber } = readSigned(request, reply, body);
    return { regNumber, insured: await policies.insured(regNumber) };
  }

  return {
    async ping(_request, reply) {
      return { pong: true, remaining: Number(reply.getHeader(rateLimitHeaders.remaining)) };
    },

    checkPolicy: check,

    async checkPolicyOfCertified(request, reply) {
      return { ...(await check(request, reply)), clientCertificate: clientCertificate(request) };
    },
  };
}
