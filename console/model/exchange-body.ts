import type { Exchange } from '../api/types.ts';

export type Body = NonNullable<Exchange['request']['body']>;

/** The bytes that the log has of a body. */
export function bytesOf({ text, encoding }: Body): Uint8Array {
  if (encoding === 'utf-8') return new TextEncoder().encode(text);
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

/** A body as text; what is no UTF-8 becomes U+FFFD. */
export function textOf(body: Body): string {
  return body.encoding === 'utf-8' ? body.text : new TextDecoder().decode(bytesOf(body));
}

/** Whether the log has only the kind and length of a body: it keeps no bytes that it can't search for secrets. */
export const isNotKept = ({ text, complete }: Body) => !complete && /^\(\w+, \d+ bytes, not kept\)$/.test(text);

/** Sixteen bytes a line: the offset, each byte in hexadecimal, and as ASCII. */
export function hexDump(bytes: Uint8Array): string {
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += 16) {
    const row = [...bytes.subarray(at, at + 16)];
    const digits = row.map((byte) => byte.toString(16).padStart(2, '0'));
    const halves = `${digits.slice(0, 8).join(' ').padEnd(23)}  ${digits.slice(8).join(' ').padEnd(23)}`;
    const ascii = row.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.')).join('');
    lines.push(`${at.toString(16).padStart(4, '0')}  ${halves}  ${ascii}`);
  }
  return lines.join('\n');
}

/** `1 byte`, `16,384 bytes`. */
export function bytesText(bytes: number): string {
  return `${bytes.toLocaleString('en')} ${bytes === 1 ? 'byte' : 'bytes'}`;
}

const placeholder = /\((?:token(?: \d|, \d+ characters)|secret, \d+ characters|signature, \d+ characters, [\w ]+)\)/;

/** Whether something in a text was replaced before it was stored. */
export const isRedacted = (text: string) => placeholder.test(text);
