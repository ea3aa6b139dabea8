import type { FastifyRequest } from 'fastify';
import { checkUnpacked, hasType, ndjson, wrongMediaType } from './bodies.ts';
import { exampleBody } from './example-body.ts';
import { malformed, utf8Text } from './json.ts';
import { invalid } from './validation.ts';

/** A line that is not blank, and its number from 1. */
export interface SentLine {
  readonly line: number;
  readonly text: string;
}

/**
 * The lines of a body that came as bytes. Blank ones are passed over, and count as lines. What a line has is not looked at.
 *
 * @throws {ProblemError} `unsupported-media-type`, `malformed-json` for an empty body or another encoding,
 *   `validation-error` for more than `most` lines
 */
export function linesOf(request: FastifyRequest, most: number): SentLine[] {
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  if (body.length > 0 || request.declaredType !== undefined) {
    checkUnpacked(request);
    if (!hasType(ndjson, request.declaredType)) throw wrongMediaType(request, [ndjson]);
  }
  const lines = utf8Text(body)
    .split('\n')
    .map((text, at) => ({ line: at + 1, text }))
    .filter(({ text }) => text.trim() !== '');
  if (lines.length === 0) {
    throw malformed(
      `The body is empty. Send one JSON object a line, with Content-Type: ${ndjson}, such as ${exampleBody(request)}.`,
    );
  }
  if (lines.length <= most) return lines;
  const detail = `The body has ${lines.length} lines, and the limit is ${most}. Send the rest in another request.`;
  throw invalid([{ pointer: '', detail }]);
}
