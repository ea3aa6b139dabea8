import { isAscii, isUtf8 } from 'node:buffer';

/** An encoding with more than one byte for each character. */
type WideEncoding = 'utf-16le' | 'utf-16be' | 'utf-32';

/**
 * The encoding of a text that begins with two characters of ASCII, as JSON and PEM do, if it has more than one byte for each:
 * it shows in which of the first four bytes are 0 (RFC 4627, section 3). A single 0 is a fault of its own.
 */
export function wideEncoding(body: Buffer): WideEncoding | undefined {
  const beginning = body.subarray(0, 4);
  if (isAscii(beginning) && !beginning.includes(0)) return undefined;
  const start = beginning.toString('hex');
  if (/^(?:fffe0000|0000feff|(?!00)..000000|000000(?!00)..)$/.test(start)) return 'utf-32';
  if (/^(?:fffe|(?:(?!00)..00){2}$)/.test(start)) return 'utf-16le';
  return /^(?:feff|(?:00(?!00)..){2}$)/.test(start) ? 'utf-16be' : undefined;
}

/**
 * The text of a file as an editor or a shell saved it, without the mark at its beginning: PowerShell writes UTF-16.
 * Undefined where it is neither that nor UTF-8.
 */
export function savedText(bytes: Buffer): string | undefined {
  const wide = wideEncoding(bytes);
  if (wide === 'utf-32' || (wide === undefined && !isUtf8(bytes))) return undefined;
  return new TextDecoder(wide ?? 'utf-8').decode(bytes);
}
