import { createHash } from 'node:crypto';

/*
 * A file in an answer: all of it, or the part that `Range` asks for (RFC 9110, section 14), each with the digest by which
 * its reader can check what came (RFC 9530).
 */

/** What a reader asks for of a file, as headers have it. */
export interface RangeHeaders {
  readonly range: string | undefined;
  readonly ifRange: string | undefined;
}

/** What answers it: 200 with all, 206 with a part, 416 where no byte of it was asked for. */
export interface FileAnswer {
  readonly status: 200 | 206 | 416;
  readonly headers: Readonly<Record<string, string>>;
  /** Empty with 416. */
  readonly bytes: Buffer;
}

/**
 * The answer to a GET, and to a HEAD without its bytes, for which no range counts. Several ranges at once, another unit, and
 * what is no range are answered with the whole file, as the RFC allows.
 *
 * @param tag the strong tag of the file, in its quotes; `If-Range` with any other one asks for the whole file
 */
export function fileAnswer(file: Buffer, tag: string, { range, ifRange }: RangeHeaders): FileAnswer {
  const whole = sha256Field(file);
  const always = { 'Accept-Ranges': 'bytes', 'Repr-Digest': whole };
  const isWanted = range !== undefined && (ifRange === undefined || ifRange.trim() === tag);
  const part = isWanted ? partOf(range, file.length) : undefined;
  if (!part) return { status: 200, headers: { ...always, 'Content-Digest': whole }, bytes: file };
  const { first, last } = part;
  if (first > last) {
    const headers = { 'Content-Range': `bytes */${file.length}` };
    return { status: 416, headers, bytes: file.subarray(0, 0) };
  }
  const bytes = file.subarray(first, last + 1);
  const headers = {
    ...always,
    'Content-Digest': sha256Field(bytes),
    'Content-Range': `bytes ${first}-${last}/${file.length}`,
  };
  return { status: 206, headers, bytes };
}

/** A digest as `Content-Digest` and `Repr-Digest` have it. */
export function sha256Field(bytes: Uint8Array): string {
  return `sha-256=:${createHash('sha256').update(bytes).digest('base64')}:`;
}

const oneRange = /^bytes=[ \t]*(\d{0,15})-(\d{0,15})$/i;

/** The first and last byte of the one range; the first is behind the last where the file has none of it. */
function partOf(range: string, length: number): { first: number; last: number } | undefined {
  const [, from = '', to = ''] = oneRange.exec(range.trim()) ?? [];
  if (from === '' && to === '') return undefined;
  // The last so many bytes.
  if (from === '') return { first: Math.max(0, length - Number(to)), last: to === '0' ? -1 : length - 1 };
  const [first, last] = [Number(from), to === '' ? length - 1 : Number(to)];
  if (last < first && to !== '') return undefined;
  return first >= length ? { first, last: -1 } : { first, last: Math.min(last, length - 1) };
}
