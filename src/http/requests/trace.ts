import type { FastifyRequest } from 'fastify';
import { keptTrace, stateOf, traceOf } from '../../text/trace-context.ts';

/** The trace of a call, as what it causes keeps it; null without one. A state with a secret in it is not kept. */
export function traceOfCall({ headers, server }: FastifyRequest): string | null {
  const { traceparent, tracestate } = headers;
  const state = server.secretFinder.isIn(String(tracestate ?? '')) ? undefined : stateOf(tracestate);
  return keptTrace(traceOf(traceparent), state);
}
