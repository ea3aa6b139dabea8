import { isUtf8 } from 'node:buffer';
import type { FastifyRequest } from 'fastify';
import { wideEncoding } from '../../text/encoding.ts';
import { jsonFaults, positionOf, positionText, secondValue } from '../../text/json-faults.ts';
import { quoted } from '../../text/shown-value.ts';
import { ProblemError } from '../problems/problem.ts';
import { findDuplicate } from './duplicate-names.ts';
import { exampleBody } from './example-body.ts';
import { invalid } from './validation.ts';

/** Longer pointers lead too deep to be shown. */
const longestPointer = 200;

/**
 * Strict JSON in UTF-8. A byte order mark at the start is passed over. A member named `__proto__` is one that is not known,
 * like any other: `JSON.parse` gives it to the object itself, and the prototype stays as it is. `firstLine` is the line at
 * which the text begins, for one that is a line of a body.
 *
 * @throws {ProblemError} `malformed-json`, saying what is wrong and where; `validation-error` for a name that an object has
 *   twice
 */
export function parseJson(body: Buffer, request: FastifyRequest, firstLine = 1): unknown {
  if (body.length === 0) throw malformed(`The body is empty. Send a JSON object, such as ${exampleBody(request)}.`);
  const text = utf8Text(body);
  const value = parse(text, firstLine, request);
  const twice = findDuplicate(text, value);
  if (twice === undefined) return value;
  const { name, pointer } = twice;
  const [first, second] = [twice.first, twice.second].map((offset) =>
    positionText(positionOf(text, offset, firstLine)),
  );
  const shown = pointer.length > longestPointer ? '' : pointer;
  const subject = shown === '' ? `The name ${quoted(name)}` : '';
  const detail = `${subject} occurs twice in one object, at ${first} and ${second}. Send it once.`.trim();
  throw invalid([{ pointer: shown, detail }]);
}

function parse(text: string, firstLine: number, request: FastifyRequest): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof RangeError) throw malformed('The body is nested too deeply.');
    // V8 quotes a piece of the body in its message. A body may hold a secret.
    const faults = jsonFaults(text, firstLine);
    const { many } = request.routeOptions.config;
    const more = many !== undefined && faults.some((fault) => fault.endsWith(secondValue)) ? ` ${many}` : '';
    throw malformed(`The body is not JSON. ${faults.map(sentence).join(' ')}${more}`);
  }
}

const sentence = (fault: string) => `${fault.charAt(0).toUpperCase()}${fault.slice(1)}.`;

/** @throws {ProblemError} `malformed-json` for another encoding */
export function utf8Text(body: Buffer): string {
  const other = wideEncoding(body)?.slice(0, 'utf-16'.length).toUpperCase();
  if (other !== undefined) throw malformed(`Line 1, column 1: the body is ${other}. Send JSON in UTF-8.`);
  if (!isUtf8(body)) throw malformed(notUtf8(body));
  const text = body.toString('utf8');
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

function notUtf8(body: Buffer): string {
  if (body[0] === 0x1f && body[1] === 0x8b) return 'The body is compressed with gzip. Send it uncompressed.';
  const text = body.toString('utf8');
  let bytes = 0;
  for (let at = 0; ; at += 1) {
    const character = text.codePointAt(at) as number;
    // What can't be decoded becomes U+FFFD, which the text may have of itself.
    if (character === 0xfffd && body.toString('hex', bytes, bytes + 3) !== 'efbfbd') {
      const byte = body.toString('hex', bytes, bytes + 1).toUpperCase();
      return `${sentence(positionText(positionOf(text, at))).slice(0, -1)}: the byte ${byte} is not UTF-8. Send JSON in UTF-8, and not in Latin-1 or Windows-1252.`;
    }
    bytes += character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
    if (character > 0xffff) at += 1;
  }
}

export function malformed(detail: string): ProblemError {
  return new ProblemError('malformed-json', detail);
}
