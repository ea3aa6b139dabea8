import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { ProblemError } from './problem.ts';

/*
 * Conditional requests (RFC 9110, section 13). A tag stands in double quotes, also here. Ours are strong: the same tag
 * is the same answer, byte for byte.
 */

/** The header of a change, for the description. */
export const IfMatch = Type.Object({
  'If-Match': Type.Optional(
    Type.String({
      description:
        'The `ETag` of what you read, with its quotes: the change is made only if nothing has changed since. Or a list of tags, or `*`.',
    }),
  ),
});

/** The header of a read, for the description. */
export const IfNoneMatch = Type.Object({
  'If-None-Match': Type.Optional(
    Type.String({
      description: 'The `ETag` of what you have, with its quotes: if nothing has changed, the response is 304.',
    }),
  ),
});

/** Sets the `ETag` of an answer to GET or HEAD. True when the caller has it already: the answer is then 304. */
export function isKnown(request: FastifyRequest, reply: FastifyReply, tag: string): boolean {
  reply.header('etag', tag);
  return namesTag(request.headers['if-none-match'], tag);
}

/** Tells whether an `If-None-Match` names the tag. A proxy may have made it a weak one, which is the same here. */
export function namesTag(header: string | undefined, tag: string): boolean {
  return header?.split(',').some((each) => ['*', tag].includes(each.trim().replace(/^W\//, ''))) ?? false;
}

/**
 * Compares an `If-Match` with the tag of what is to be changed, in the transaction that changes it. A weak tag never
 * matches, and what is no tag neither.
 *
 * @throws {ProblemError} `precondition-failed`
 */
export function requireMatch(ifMatch: string, tag: string): void {
  if (ifMatch.trim() === '*' || ifMatch.split(',').some((each) => each.trim() === tag)) return;
  const detail = `If-Match does not have the current ETag, which is ${tag}.${adviceFor(ifMatch, tag)} Read the resource again, then send your change with the ETag of that response.`;
  throw new ProblemError('precondition-failed', detail);
}

function adviceFor(ifMatch: string, tag: string): string {
  if (!ifMatch.includes('"')) return ` A tag has double quotes around it, such as If-Match: ${tag}.`;
  if (/^\s*W\//.test(ifMatch)) return ' A weak tag (W/) never matches: send the tag as ETag had it.';
  return '';
}
