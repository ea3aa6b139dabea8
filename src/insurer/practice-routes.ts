import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { Context } from '../context.ts';
import { checkUnpacked, isJson, parseJson, wrongMediaType } from '../http/bodies.ts';
import { ProblemError } from '../http/problem.ts';
import { probeLimit } from '../http/rate-limit.ts';
import { bodyCheck } from '../http/validation.ts';
import type { Policies } from './policies.ts';
import { PolicyCheck, PolicyCheckResult, Pong } from './schemas.ts';
import { verifySignature } from './signature.ts';

export interface PracticeRoutesOptions {
  readonly context: Context;
  readonly policies: Policies;
}

/** Endpoints 9 and 10: a rate limit and a signed request, to practise on. */
export const practiceRoutes: FastifyPluginAsyncTypebox<PracticeRoutesOptions> = async (api, { context, policies }) => {
  // Endpoint 9
  const probe = probeLimit(context);
  api.get(
    '/limited/ping',
    {
      schema: {
        operationId: 'ping',
        tags: ['Range'],
        summary: 'Try a rate limit',
        description:
          'Allows a few calls a minute from one address, counted apart from the general limit. The `RateLimit-` headers describe this limit.',
        response: { 200: Pong },
      },
      config: { limit: probe, success: 'How many calls are left.' },
    },
    async (_request, reply) => ({ pong: true, remaining: Number(reply.getHeader('RateLimit-Remaining')) }),
  );

  // Endpoint 10. The body is verified as bytes, so its schema is applied here rather than before the handler.
  const checkBody = bodyCheck<{ regNumber: string }>(PolicyCheck);
  api.post(
    '/signed/policy-check',
    {
      schema: {
        operationId: 'checkPolicy',
        tags: ['Range'],
        summary: 'Ask whether a vehicle is insured, with a signed body',
        description:
          'The header `X-Signature` carries the HMAC-SHA256 of the exact bytes of the body, in hexadecimal, keyed with the secret that the program prints when it starts. An error response explains what is wrong with the signature.',
        security: [{ signature: [] }],
        body: { content: { 'application/json': { schema: PolicyCheck } } },
        response: { 200: PolicyCheckResult },
      },
      config: {
        body: 'bytes',
        success: 'Whether a policy in force covers the vehicle today.',
        problems: ['invalid-signature', 'unavailable'],
      },
    },
    async (request) => {
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      const signature = verifySignature(request.headers['x-signature'], body, context.secrets.hmacSecret);
      if (!signature.valid) {
        throw new ProblemError('invalid-signature', signature.detail, {
          headers: { 'WWW-Authenticate': 'Signature realm="lplate", algorithm="hmac-sha256", headers="x-signature"' },
        });
      }
      checkUnpacked(request);
      if (!isJson(request.declaredType)) throw wrongMediaType(request);
      const { regNumber } = checkBody(parseJson(body));
      return { regNumber, insured: await policies.insured(regNumber) };
    },
  );
};
