import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { ProblemError } from '../problems/problem.ts';

/*
 * Conditional requests (RFC 9110, section 13). A tag stands in double quotes, also here. Ours are strong: the same tag
 * is the same answer, byte for byte.
 */

const ifMatch = 'The `ETag` of what you read, with its quotes, a list of tags, or `*`.';

/** The headers of a change, for the description. */
export const ChangeConditions = Type.Object({
  'If-Match': Type.Optional(
    Type.String({ description: `${ifMatch} The change is made only if nothing has changed since; else it is 412.` }),
  ),
  'If-None-Match': Type.Optional(
    Type.String({
      description: 'The change is made only if what is there has none of these tags; with `*` it is 412.',
    }),
  ),
});

/** The headers of a read, for the description. */
export const ReadConditions = Type.Object({
  'If-Match': Type.Optional(Type.String({ description: `${ifMatch} If it has changed since, the response is 412.` })),
  'If-None-Match': Type.Optional(
    Type.String({
      description: 'The `ETag` of what you have, with its quotes: if nothing has changed, the response is 304.',
    }),
  ),
});

/** The headers of a read of a file, for the description. */
export const FileConditions = Type.Object({
  ...ReadConditions.properties,
  Range: Type.Optional(
    Type.String({
      description:
        'The part that you want, as one range of bytes: `bytes=0-1023`, `bytes=1024-`, the last as `bytes=-500`. Several ranges return the whole file.',
      examples: ['bytes=0-1023'],
    }),
  ),
  'If-Range': Type.Optional(
    Type.String({
      description:
        'The `ETag` of what you have a part of, with its quotes: if the file is another one now, you get all of it.',
    }),
  ),
});

/** The headers that are conditions for a resource with a tag. */
export const conditionNames = Object.keys(ReadConditions.properties);

/** What a request demands of the tag of its resource. */
export interface Conditions {
  readonly ifMatch: string | undefined;
  readonly ifNoneMatch: string | undefined;
}

export function conditionsOf({ headers }: FastifyRequest): Conditions {
  return { ifMatch: headers['if-match'], ifNoneMatch: headers['if-none-match'] };
}

/**
 * Sets the `ETag` of an answer to GET or HEAD, which may be kept, but not used again without asking. True when the caller
 * has it already: the answer is then 304.
 *
 * @throws {ProblemError} `precondition-failed`
 */
export function isKnown(request: FastifyRequest, reply: FastifyReply, tag: string): boolean {
  const { ifMatch, ifNoneMatch } = conditionsOf(request);
  if (ifMatch !== undefined) requireMatch(ifMatch, tag);
  reply.header('etag', tag).header('cache-control', 'no-cache');
  return namesTag(ifNoneMatch, tag);
}

/**
 * Compares the conditions of a change with the tag of what is to be changed, in the transaction that changes it
 * (RFC 9110, section 13.2.2).
 *
 * @throws {ProblemError} `precondition-failed`
 */
export function requireConditions({ ifMatch, ifNoneMatch }: Conditions, tag: string): void {
  if (ifMatch !== undefined) requireMatch(ifMatch, tag);
  if (!namesTag(ifNoneMatch, tag)) return;
  const detail = `If-None-Match allows the change only if the resource does not have the ETag ${tag}, which it has. To change what you read, send If-Match: ${tag}.`;
  throw new ProblemError('precondition-failed', detail);
}

/** Tells whether an `If-None-Match` names the tag. A proxy may have made it a weak one, which is the same here. */
function namesTag(header: string | undefined, tag: string): boolean {
  return header?.split(',').some((each) => ['*', tag].includes(each.trim().replace(/^W\//, ''))) ?? false;
}

/** A weak tag never matches, and what is no tag neither. */
function requireMatch(ifMatch: string, tag: string): void {
  if (ifMatch.trim() === '*' || ifMatch.split(',').some((each) => each.trim() === tag)) return;
  const detail = `If-Match does not have the current ETag, which is ${tag}.${adviceFor(ifMatch, tag)} Read the resource again, then send your change with the ETag of that response.`;
  throw new ProblemError('precondition-failed', detail);
}

function adviceFor(ifMatch: string, tag: string): string {
  if (!ifMatch.includes('"')) return ` A tag has double quotes around it, such as If-Match: ${tag}.`;
  if (/^\s*W\//.test(ifMatch)) return ' A weak tag (W/) never matches: send the tag as ETag had it.';
  return '';
}
