import { equal, fromUtf8, joined, latin1, utf8 } from './bytes.ts';

/* Badges inside of pictures (Open Badges 3.0, 5.3), with what Node.js and browsers have in common. */

const namespace = 'https://purl.imsglobal.org/ob/v3p0';

/** An SVG with a badge, a JWS in its compact form. */
export function bakedSvg(picture: string, badge: string): string {
  const head = picture.slice(0, picture.indexOf('>'));
  const rest = picture.slice(head.length + 1);
  return `${head} xmlns:openbadges="${namespace}">\n  <openbadges:credential verify="${badge}"/>${rest}`;
}

const signature = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);

const keyword = 'openbadgecredential';

/** Bytes of a chunk around its data: length, type and checksum. */
const around = 12;

/** The first chunk of a PNG, of 13 bytes, comes before all others. */
const firstChunk = signature.length + around + 13;

/** A PNG with a badge, in a chunk `iTXt` that is not compressed. */
export function bakedPng(picture: Uint8Array, badge: string): Uint8Array {
  // Neither compressed, nor of a language.
  const data = utf8(`iTXt${keyword}\0\0\0\0\0${badge}`);
  const chunk = joined(fourBytes(data.length - 4), data, fourBytes(checksum(data)));
  return joined(picture.subarray(0, firstChunk), chunk, picture.subarray(firstChunk));
}

/** The badge in a file: a PNG, an SVG, or the badge itself. Undefined if a picture has none. */
export function badgeIn(file: Uint8Array): string | undefined {
  if (equal(file.subarray(0, signature.length), signature)) return badgeInPng(file);
  const text = fromUtf8(file)?.trim();
  if (!text?.startsWith('<')) return text;
  return /<openbadges:credential\b[^<>]*?\bverify="([^"<]*)"/.exec(text)?.[1];
}

function badgeInPng(file: Uint8Array): string | undefined {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const begin = `iTXt${keyword}\0`;
  for (let at = signature.length; at + around <= file.length; ) {
    const length = view.getUint32(at);
    const chunk = file.subarray(at + 4, at + 8 + length);
    if (latin1(chunk.subarray(0, begin.length)) === begin) {
      // Two bytes say whether it is compressed; the language and the keyword in it end with a zero each.
      const [, , text] = latin1(chunk.subarray(begin.length + 2)).split('\0');
      return text;
    }
    at += around + length;
  }
  return undefined;
}

function fourBytes(number: number): Uint8Array {
  return Uint8Array.of(number >>> 24, number >>> 16, number >>> 8, number);
}

/** CRC-32, as PNG has it. */
function checksum(bytes: Uint8Array): number {
  let sum = -1;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit += 1) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return ~sum >>> 0;
}
