import { isUtf8 } from 'node:buffer';
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/*
 * What somebody may have signed in place of the right bytes. A guess is a whole digest, compared in constant time: a hint
 * about a part of a signature would let it be found out part by part.
 */

/** Bytes, what they are, and what to do about it. */
export type Meant = [bytes: Buffer | string, meant: string, advice: string];

export const lineEnds = [
  ['\n', 'a line feed (\\n)'],
  ['\r\n', 'a carriage return and line feed (\\r\\n)'],
] as const;

const SAME_BYTES = 'sign and send the same bytes';
const SAME_TEXT = 'make the JSON text once, then sign and send that same text';

/** Bodies that the sender may have signed in place of `body`. */
export function* bodiesMeant(body: Buffer): Generator<Meant> {
  yield ['', 'an empty body', 'compute the signature when the body is complete'];
  yield ['[object Object]', 'the text [object Object]', 'turn the object into JSON before you sign it'];
  for (const [end, name] of lineEnds) {
    const advice = `${SAME_BYTES} (echo and editors add a line end; curl -d drops it, --data-binary keeps it)`;
    yield [Buffer.concat([body, Buffer.from(end)]), `the body with ${name} added at its end`, advice];
  }
  // One character a byte, so that what follows holds for any bytes.
  const bytes = body.toString('latin1');
  const respelt = (text: string) => Buffer.from(text, 'latin1');
  yield [respelt(bytes.replace(/\r?\n$/, '')), 'the body without the line end at its end', SAME_BYTES];
  yield [respelt(withCrlf(bytes)), 'the body with \\r\\n for each line end', SAME_BYTES];
  yield [respelt(bytes.replaceAll('\r\n', '\n')), 'the body with \\n for each line end', SAME_BYTES];
  yield [respelt(bytes.replaceAll(/[\r\n]/g, '')), 'the body without its line ends', SAME_BYTES];
  yield [Buffer.concat([BYTE_ORDER_MARK, body]), 'the body with a byte order mark before it', SAME_BYTES];
  yield [hash('sha256', body).toString('hex'), 'the SHA-256 of the body, in hexadecimal', 'sign the body itself'];
  if (!isUtf8(body)) return;

  const text = body.toString().replace(/^\uFEFF/, '');
  yield [text, 'the body without the byte order mark before it', SAME_BYTES];
  yield [text.trim(), 'the body without the white space around it', SAME_BYTES];
  yield [Buffer.from(text, 'utf16le'), 'the body encoded in UTF-16', 'encode it in UTF-8 before you sign it'];
  yield [Buffer.from(text, 'latin1'), 'the body encoded in Latin-1', 'encode it in UTF-8 before you sign it'];
  yield [JSON.stringify(text), 'the body made into a JSON string once more', SAME_TEXT];
  for (const [laidOut, layout] of layouts(text)) {
    yield [laidOut, `the body ${layout}`, SAME_TEXT];
    for (const [end, name] of lineEnds) {
      yield [laidOut + end, `the body ${layout}, with ${name} at its end`, SAME_TEXT];
    }
  }
}

/** The ways in which common tools write the JSON value that `text` holds. None if it is not JSON, or too large. */
function* layouts(text: string): Generator<[text: string, layout: string]> {
  if (!staysSmall(text)) return;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return;
  }
  yield [JSON.stringify(value), 're-serialised as compact JSON'];
  for (const [indent, name] of [
    ['  ', '2 spaces'],
    ['    ', '4 spaces'],
    ['\t', 'tabs'],
  ] as const) {
    const indented = JSON.stringify(value, null, indent);
    yield [indented, `pretty-printed with ${name}`];
    yield [withCrlf(indented), `pretty-printed with ${name} and \\r\\n for each line end`];
  }
  // A string in JSON holds no line feed, so each one here is layout.
  const spaced = JSON.stringify(value, null, ' ').replaceAll(/,\n */g, ', ').replaceAll(/\n */g, '');
  yield [spaced, 're-serialised with a space after each comma and colon'];
  const escaped = spaced.replaceAll(/[^\0-~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  yield [escaped, 're-serialised with a space after each comma and colon, and non-ASCII letters escaped'];
  yield [spaced.replaceAll('"', "'"), 'written as Python prints a dict, which is not JSON'];
}

/**
 * Whether the JSON `text` fits into 64 KiB even when indented by 4 spaces: told without building it, since lists nested
 * 30,000 deep would take gigabytes. It also bounds the depth, and so the stack that `JSON.stringify` needs.
 */
function staysSmall(text: string): boolean {
  let size = text.length;
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < text.length && size <= 65_536; at += 1) {
    const sign = text[at];
    if (quoted && sign === '\\') at += 1;
    else if (sign === '"') quoted = !quoted;
    else if (!quoted && (sign === '[' || sign === '{')) size += 4 * ++depth + 1;
    else if (!quoted && (sign === ']' || sign === '}')) size += 4 * --depth + 1;
    else if (!quoted && sign === ',') size += 4 * depth + 1;
    else if (!quoted && sign === ':') size += 1;
  }
  return size <= 65_536;
}

const BYTE_ORDER_MARK = Buffer.from('\uFEFF');

const withCrlf = (text: string) => text.replaceAll(/\r?\n/g, '\r\n');
export const hash = (algorithm: string, data: Buffer) => createHash(algorithm).update(data).digest();
export const hmac = (algorithm: string, key: Buffer | string, data: Buffer | string) =>
  createHmac(algorithm, key).update(data).digest();
export const same = (a: Buffer, b: Buffer) => a.length === b.length && timingSafeEqual(a, b);
