import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { absoluteUrl } from '../http/requests/absolute-url.ts';
import type { Tokens } from '../http/requests/bearer.ts';
import { clientOfCall, noteDrill } from '../http/requests/faults.ts';
import { second } from '../time/units.ts';

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
  const year = new Date(Math.max(now, deprecatedAt)).getUTCFullYear() + 2;
  if (year !== latest.year) latest = { year, text: new Date(Date.UTC(year, 11, 31, 23, 59, 59)).toUTCString() };
  return latest.text;
}

// It is the same for nearly every answer.
let latest = { year: 0, text: '' };

/** When v1 ended for a client that has the drill on, in milliseconds since 1970 by its clock: before each of its answers. */
function endedAt(client: string, { drills, clocks }: Context): number | undefined {
  const drill = drills.of(client, 'sunset');
  if (!drill) return undefined;
  const started = drill.startedAt + clocks.offsetAt(client, drill.startedAt);
  // The clock of another node may be ahead.
  return Math.min(started, clocks.now(client)) - second;
}

/** Answers a call that the drill `sunset` hit. */
export type Ended = (request: FastifyRequest, reply: FastifyReply) => FastifyReply;

/** Adds the headers to every answer below the prefix of `scope`, and the end of it for clients that have the drill on. */
export function endOfV1(scope: FastifyInstance, context: Context, tokens: Tokens, ended: Ended): void {
  const { drills, clocks } = context;
  /** Goes on with the client, at once where it is known: a promise costs every answer. */
  const withClient = (
    request: FastifyRequest,
    goOn: (client: string | undefined) => void,
    failed: (error: Error) => void,
  ): void => {
    const client = clientOfCall(request, tokens);
    if (client instanceof Promise) client.then(goOn).catch(failed);
    else goOn(client);
  };
  scope.addHook('onSend', (request, reply, _payload, done) => {
    const announce = (client: string | undefined) => {
      const end = client === undefined ? undefined : endedAt(client, context);
      // It can't have ended before it was deprecated (RFC 9745, section 4).
      reply.header('deprecation', `@${Math.floor(Math.min(deprecatedAt, end ?? deprecatedAt) / second)}`);
      reply.header('sunset', end === undefined ? sunsetOf(clocks.now(client)) : new Date(end).toUTCString());
      reply.header('link', `<${absoluteUrl(request, successor)}>; rel="successor-version"`);
      done();
    };
    // OPTIONS tells of methods, not of the service.
    if (request.method === 'OPTIONS') done();
    else withClient(request, announce, done);
  });
  scope.addHook('preValidation', (request, reply, done) => {
    const end = (client: string | undefined) => {
      if (client === undefined || !drills.of(client, 'sunset')) {
        done();
        return;
      }
      noteDrill(request, 'sunset');
      ended(request, reply);
    };
    if (drills.isUsed('sunset')) withClient(request, end, done);
    else done();
  });
}
