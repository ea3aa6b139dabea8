import type { FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';

export const streamType = 'text/event-stream';

/** A parameter of a type in `Accept`, and what is no weight: `; charset=utf-8`. */
const parameter = /;(?!\s*q\s*=)[^;,="]*(?:=(?:\s*"(?:\\.|[^"\\])*"|[^;,"]*))?/gi;

/**
 * The type that the caller likes best of those there are, the first where all are the same to it; undefined where it takes
 * none. Parameters don't keep a type from matching.
 */
export function acceptedType<Type extends string>(
  { headers }: FastifyRequest,
  types: readonly Type[],
): Type | undefined {
  const accept = headers.accept?.replace(parameter, '');
  return new Negotiator({ headers: { accept } }).mediaType([...types]) as Type | undefined;
}

/** Tells whether the caller would rather have a stream than JSON. */
export function wantsStream(request: FastifyRequest): boolean {
  return acceptedType(request, ['application/json', streamType]) === streamType;
}
