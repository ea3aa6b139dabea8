import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { absoluteUrl } from '../http/absolute-url.ts';
import type { Tokens } from '../http/bearer.ts';
import { clientOfCall, noteDrill } from '../http/faults.ts';

/*
 * SOAP v1 has a successor, and each of its answers says so: since when (RFC 9745), until when (RFC 8594), and what comes
 * after it. The end moves with the clock, so it never comes but by the drill `sunset`.
 */

/** The day on which REST v2 was first served, in milliseconds since 1970. */
export const deprecatedAt = Date.UTC(2026, 10, 21);

/** The description of the successor: the address of its interface, and how to call it. */
export const successor = '/vehicle-registry/v2/openapi.yaml';

/** The last day of the year after the next, in the form of HTTP. Never before the successor existed. */
export function sunsetOf(now: number): string {
  const year = new Date(Math.max(now, deprecatedAt)).getUTCFullYear();
  return new Date(Date.UTC(year + 2, 11, 31, 23, 59, 59)).toUTCString();
}

/** Answers a call that the drill `sunset` hit. */
export type Ended = (request: FastifyRequest, reply: FastifyReply) => FastifyReply;

/** Adds the headers to every answer below the prefix of `scope`, and the end of it for clients that have the drill on. */
export function endOfV1(scope: FastifyInstance, { drills, clocks }: Context, tokens: Tokens, ended: Ended): void {
  scope.addHook('onSend', async (request, reply, payload) => {
    // OPTIONS tells of methods, not of the service.
    if (request.method === 'OPTIONS') return payload;
    const client = await clientOfCall(request, tokens);
    reply.header('deprecation', `@${deprecatedAt / 1000}`);
    reply.header('sunset', sunsetOf(clocks.now(client)));
    reply.header('link', `<${absoluteUrl(request, successor)}>; rel="successor-version"`);
    return payload;
  });
  scope.addHook('preValidation', async (request, reply) => {
    if (!drills.isUsed('sunset')) return undefined;
    const client = await clientOfCall(request, tokens);
    if (client === undefined || !drills.of(client, 'sunset')) return undefined;
    noteDrill(request, 'sunset');
    return ended(request, reply);
  });
}
