import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { ProblemError } from '../problems/problem.ts';
import { chosenCoding } from '../requests/content-coding.ts';
import { isKnown, ReadConditions } from '../requests/preconditions.ts';

/*
 * A file that is downloaded: whole, or from where a download broke off (RFC 9110, section 14). Digests are those of RFC
 * 9530: `Content-Digest` of the bytes of this answer, `Repr-Digest` of the whole file in its coding.
 */

const pack = promisify(gzip);

/** Types that are packed already. */
const isPacked = /^(?:image\/|application\/pdf)/;

export interface ServedFile {
  readonly bytes: Buffer;
  /** Its media type. */
  readonly type: string;
  /** `Content-Disposition`: what it is to be called where it is saved. */
  readonly disposition: string;
}

/** The headers of a download, for the description. */
export const FileConditions = Type.Object({
  ...ReadConditions.properties,
  Range: Type.Optional(
    Type.String({
      description: 'One range of bytes, such as `bytes=1000-`. Of several, and of other units, the file comes whole.',
    }),
  ),
  'If-Range': Type.Optional(
    Type.String({ description: 'The `ETag` of the part that you have: if the file is another one, it comes whole.' }),
  ),
});

/** The headers that each answer with a file has, for the description. */
export const fileHeaders = { ETag: '"Bq7xkQ"', Vary: 'Accept-Encoding' };

/** Those that it may lack. */
export const optionalFileHeaders = [
  ...[
    'Content-Disposition',
    'Content-Security-Policy',
    'Accept-Ranges',
    'Content-Digest',
    'Repr-Digest',
    'Content-Encoding',
    'Content-Range',
  ],
];

/**
 * Answers GET and HEAD with a file.
 *
 * @throws {ProblemError} `precondition-failed`, `range-not-satisfiable`
 */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { bytes, type, disposition }: ServedFile,
): Promise<FastifyReply> {
  const hash = sha256(bytes);
  const tag = `"${hash.toString('base64url')}"`;
  const range = wantedRange(request, tag, bytes.length);
  // A part is one of the file itself: of a packed one nobody could use it.
  const coding = range || isPacked.test(type) ? 'identity' : chosenCoding(request, ['gzip', 'identity']);
  const known = isKnown(request, reply, coding === 'identity' ? tag : `${tag.slice(0, -1)}-${coding}"`);
  if (!known && range === 'none') {
    reply.removeHeader('etag');
    const detail = `The file has ${bytes.length} bytes, and the range in Range begins after them. If you have as many, you have all of it.`;
    throw new ProblemError('range-not-satisfiable', detail, {
      headers: { 'Content-Range': `bytes */${bytes.length}` },
    });
  }
  reply.header('Vary', 'Accept-Encoding');
  if (known || range === 'none') return reply.code(304).send();
  const whole = coding === 'gzip' ? await pack(bytes) : bytes;
  const part = range ? bytes.subarray(range.first, range.last + 1) : whole;
  if (range) reply.code(206).header('Content-Range', `bytes ${range.first}-${range.last}/${bytes.length}`);
  if (coding === 'gzip') reply.header('Content-Encoding', coding);
  // The content of an answer to HEAD is empty (RFC 9530, appendix B.2).
  const sent = request.method === 'HEAD' ? Buffer.alloc(0) : part;
  return reply
    .headers({
      'Accept-Ranges': 'bytes',
      // Never shown as a page: whoever wrote it may have put a script into it.
      'Content-Disposition': disposition,
      'Content-Security-Policy': 'sandbox',
      'Content-Digest': digest(sha256(sent)),
      'Repr-Digest': digest(coding === 'gzip' ? sha256(whole) : hash),
    })
    .type(type)
    .send(part);
}

/** A SHA-256 as `Content-Digest` and `Repr-Digest` have it. */
export const digestOf = (bytes: Uint8Array) => digest(sha256(bytes));

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest();
const digest = (hash: Buffer) => `sha-256=:${hash.toString('base64')}:`;

/** First and last byte, both counted from 0. */
interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/** The range of an answer; `none` if the file has none of its bytes, undefined if the whole file is to be sent. */
function wantedRange({ method, headers }: FastifyRequest, tag: string, size: number): ByteRange | 'none' | undefined {
  const ifRange = headers['if-range'];
  if (method !== 'GET' || (ifRange !== undefined && String(ifRange).trim() !== tag)) return undefined;
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/i.exec(headers.range?.replaceAll(/[ \t]/g, '') ?? '') ?? [];
  if (from === '') {
    if (to === '') return undefined;
    const length = Math.min(Number(to), size);
    return length === 0 ? 'none' : { first: size - length, last: size - 1 };
  }
  const first = Number(from);
  const last = to === '' ? size - 1 : Math.min(Number(to), size - 1);
  if (to !== '' && Number(to) < first) return undefined;
  return first >= size ? 'none' : { first, last };
}
