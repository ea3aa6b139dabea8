import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { DrillName } from '../../active-drills.ts';
import type { MagicPlate } from '../../magic-plates.ts';
import { existingClient, type Tokens } from './bearer.ts';
import { prefixClient } from './personal-prefix.ts';

/*
 * Faults of calls and answers that a client asked for (active-drills.ts). They come after the checks of who calls and before the
 * body is judged; what changes the answer, when the handler is done.
 */

/**
 * Applies the faults that are on for its client to a call. Undefined if there are none. Otherwise resolves with whether
 * the call goes on: if not, it was answered or cut.
 *
 * @param clientId whose call it is, where the request does not say it
 */
export type ApplyFaults = (
  request: FastifyRequest,
  reply: FastifyReply,
  clientId?: string,
) => Promise<boolean> | undefined;

/** What the drills offer to the server. */
export interface Faults {
  readonly apply: ApplyFaults;
  /** As `apply`, once its registration number is known: what a magic plate brings, if it is one. */
  meetPlate(request: FastifyRequest, reply: FastifyReply, regNumber: string): Promise<boolean>;
  /**
   * Keeps a call waiting for the milliseconds. Returns whether it goes on: its caller may be gone.
   *
   * @throws {ProblemError} `unavailable` when too many wait
   */
  wait(request: FastifyRequest, reply: FastifyReply, clientId: string, milliseconds: number): Promise<boolean>;
  /** Counts a call that a drill hit. */
  count(name: DrillName): void;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Absent where there are no drills. */
    readonly faults: Faults | undefined;
  }
  interface FastifyRequest {
    /** The drills that hit the call. */
    drills: DrillName[] | undefined;
    /** The magic plate whose outcome it met. */
    plate: MagicPlate | undefined;
    /** Does what is to happen while the request counts as running, for a handler that can tell. */
    beforeWork: (() => Promise<void>) | undefined;
    /** Changes the answer. Undefined if nothing is sent any more. */
    changeAnswer: ((payload: unknown) => Promise<{ payload: unknown } | undefined>) | undefined;
  }
}

/** Lets a call meet what the registration number brings that it is about. Returns whether it goes on. */
export async function meetPlate(request: FastifyRequest, reply: FastifyReply, regNumber: string): Promise<boolean> {
  return (await request.server.faults?.meetPlate(request, reply, regNumber)) ?? true;
}

/** Notes that a drill hit the call, for its log. */
export function noteDrill(request: FastifyRequest, name: DrillName): void {
  if (request.drills?.includes(name)) return;
  request.drills = [...(request.drills ?? []), name];
  request.server.faults?.count(name);
}

/** Lets the answer to a call end in the middle of its body, whatever else changes it. */
export function cutInTheMiddle(request: FastifyRequest, reply: FastifyReply): void {
  const change = request.changeAnswer;
  request.changeAnswer = async (payload) => {
    const changed = change ? await change(payload) : { payload };
    if (changed) cutAnswer(request, reply, changed.payload as Buffer);
    return undefined;
  };
}

/** Sends the head and half of the body, and closes the connection. */
export function cutAnswer(request: FastifyRequest, reply: FastifyReply, body: Buffer): void {
  const { raw } = reply;
  const half = body.subarray(0, Math.floor(body.length / 2));
  if (half.length === 0 || request.method === 'HEAD') {
    raw.destroy();
    return;
  }
  request.answer = half;
  raw.writeHead(reply.statusCode, { ...reply.getHeaders(), 'content-length': body.length } as never);
  raw.write(half, () => raw.destroy());
}

/**
 * Whose call it is, before its answer, as far as faults and limits of a client go: the client of its token, or of its
 * personal prefix.
 */
export function clientOfCall(
  request: FastifyRequest,
  tokens: Tokens,
): string | undefined | Promise<string | undefined> {
  const { clientId, headers, routeOptions } = request;
  if (routeOptions.config.countedByAddress) return undefined;
  if (clientId !== undefined) return clientId;
  const prefixed = prefixClient(request);
  if (headers.authorization === undefined) return prefixed;
  return existingClient(tokens, request).then((found) => found ?? prefixed);
}

/** Adds the hook that applies faults to calls. The hook that sends an answer changes it. */
export function applyFaults(server: FastifyInstance, faults: Faults | undefined): void {
  server.decorate('faults', faults);
  server.decorateRequest('drills', undefined);
  server.decorateRequest('plate', undefined);
  server.decorateRequest('beforeWork', undefined);
  server.decorateRequest('changeAnswer', undefined);
  if (!faults) return;
  server.addHook('preValidation', (request, reply, done) => {
    const met = faults.apply(request, reply);
    if (!met) {
      done();
      return;
    }
    // The log shows it, also if the call goes no further.
    if (Buffer.isBuffer(request.body)) request.sentBody = request.body;
    met.then((goesOn) => goesOn && done(), done);
  });
}
