import { fromLatin1, fromUtf8, hex, joined, latin1, utf8 } from './bytes.ts';
import { escapeUnit } from './code-points.ts';

/*
 * What somebody may have signed in place of the right bytes. The console asks it too, so it has no hash of its own: Node.js
 * has one that browsers lack.
 */

/** SHA-256 of data, or with a key its HMAC. A text stands for its bytes in UTF-8. */
export type Sha256 = (data: Uint8Array | string, key?: Uint8Array | string) => Uint8Array;

/** Bytes, what they are, and what to do about it. */
export type Mistake = [bytes: Uint8Array | string, meant: string, advice: string];

export const lineEnds = [
  ['\n', 'a line feed (\\n)'],
  ['\r\n', 'a carriage return and line feed (\\r\\n)'],
] as const;

const SAME_BYTES = 'sign and send the same bytes';
const SAME_TEXT = 'make the JSON text once, then sign and send that same text';

/** Bodies that the sender may have signed in place of `body`. */
export function* bodiesMeant(body: Uint8Array, sha256: Sha256): Generator<Mistake> {
  yield ['', 'an empty body', 'compute the signature when the body is complete'];
  yield ['[object Object]', 'the text [object Object]', 'turn the object into JSON before you sign it'];
  for (const [end, name] of lineEnds) {
    const advice = `${SAME_BYTES} (echo and editors add a line end; curl -d drops it, --data-binary keeps it)`;
    yield [joined(body, utf8(end)), `the body with ${name} added at its end`, advice];
  }
  // One character a byte, so that what follows holds for any bytes.
  const bytes = latin1(body);
  yield [fromLatin1(bytes.replace(/\r?\n$/, '')), 'the body without the line end at its end', SAME_BYTES];
  yield [fromLatin1(withCrlf(bytes)), 'the body with \\r\\n for each line end', SAME_BYTES];
  yield [fromLatin1(bytes.replaceAll('\r\n', '\n')), 'the body with \\n for each line end', SAME_BYTES];
  yield [fromLatin1(bytes.replaceAll(/[\r\n]/g, '')), 'the body without its line ends', SAME_BYTES];
  yield [joined(utf8('\uFEFF'), body), 'the body with a byte order mark before it', SAME_BYTES];
  yield [hex(sha256(body)), 'the SHA-256 of the body, in hexadecimal', 'sign the body itself'];
  const text = fromUtf8(body)?.replace(/^\uFEFF/, '');
  if (text === undefined) return;

  yield [text, 'the body without the byte order mark before it', SAME_BYTES];
  yield [text.trim(), 'the body without the white space around it', SAME_BYTES];
  yield [utf16(text), 'the body encoded in UTF-16', 'encode it in UTF-8 before you sign it'];
  yield [fromLatin1(text), 'the body encoded in Latin-1', 'encode it in UTF-8 before you sign it'];
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
  const escaped = spaced.replaceAll(/[^\0-~]/g, escapeUnit);
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

const withCrlf = (text: string) => text.replaceAll(/\r?\n/g, '\r\n');

/** The lower byte of each unit first, as most systems have it. */
function utf16(text: string): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(text.length * 2));
  for (let at = 0; at < text.length; at += 1) bytes.setUint16(at * 2, text.charCodeAt(at), true);
  return new Uint8Array(bytes.buffer);
}
