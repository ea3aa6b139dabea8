/*
 * How the bytes of an XML document become text. UTF-8 and UTF-16 are taken, with or without a byte order mark. Which
 * of them it is follows from the first bytes, as in appendix F of XML 1.0; the charset of the Content-Type header and
 * the encoding of the XML declaration have to agree with that, so that nobody reads the same bytes in another way. UTF-8
 * that has only characters of US-ASCII may be called so, too.
 */
import { isAscii } from 'node:buffer';

export type Encoding = 'utf-8' | 'us-ascii' | 'utf-16le' | 'utf-16be';

export type Decoded = { text: string; encoding: Encoding } | { fault: string };

/** Decodes a document. `contentType` is the header's value, whose charset must agree with the bytes. */
export function decodeXml(bytes: Buffer, contentType: string | undefined): Decoded {
  const encoding = detect(bytes);
  if (encoding === undefined)
    return { fault: `The body is in UTF-32, EBCDIC or another encoding that is not supported. ${ADVICE}` };
  const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType ?? '')?.[1];
  const fault = contradiction(charset, encoding, 'the charset of the Content-Type header');
  if (fault !== undefined) return { fault };
  try {
    return {
      text: new TextDecoder(encoding === 'us-ascii' ? 'utf-8' : encoding, { fatal: true }).decode(bytes),
      encoding,
    };
  } catch {
    return { fault: `The body contains bytes that are not valid ${names[encoding]}. ${ADVICE}` };
  }
}

/** Says what is wrong with an encoding that is named, say in the XML declaration, for bytes in `encoding`. */
export function contradiction(named: string | undefined, encoding: Encoding, place: string): string | undefined {
  if (named === undefined) return undefined;
  const name = named.toLowerCase();
  if (labels[encoding].includes(name)) return undefined;
  const known = Object.values(labels).some((some) => some.includes(name));
  if (!known) return `The encoding ${named.slice(0, 40)}, which ${place} names, is not supported. ${ADVICE}`;
  return `The body is in ${names[encoding]}, but ${place} says ${named}. ${ADVICE}`;
}

const ADVICE =
  'Send UTF-8 or UTF-16. If the Content-Type header or the XML declaration names an encoding, it must be that one.';

const names: Readonly<Record<Encoding, string>> = {
  'utf-8': 'UTF-8',
  'us-ascii': 'UTF-8',
  'utf-16le': 'UTF-16 with the low byte first',
  'utf-16be': 'UTF-16 with the high byte first',
};

const labels: Readonly<Record<Encoding, readonly string[]>> = {
  'utf-8': ['utf-8', 'utf8'],
  'us-ascii': ['us-ascii', 'ascii', 'utf-8', 'utf8'],
  'utf-16le': ['utf-16', 'utf-16le'],
  'utf-16be': ['utf-16', 'utf-16be'],
};

/** A document begins with a byte order mark, or with a character of ASCII: `<` or white space. */
function detect(bytes: Buffer): Encoding | undefined {
  const start = bytes.subarray(0, 4).toString('hex');
  if (/^(?:fffe0000|0000feff|..000000|000000..|4c6fa794)/.test(start)) return undefined;
  if (/^(?:fffe|(?!00)..00)/.test(start)) return 'utf-16le';
  if (/^(?:feff|00(?!00)..)/.test(start)) return 'utf-16be';
  return isAscii(bytes) ? 'us-ascii' : 'utf-8';
}
