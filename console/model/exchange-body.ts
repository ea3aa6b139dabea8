import { placeholderForm } from '../../src/text/redacted.ts';
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

/** `1 byte`, `16,384 bytes`. */
export function bytesText(bytes: number): string {
  return `${bytes.toLocaleString('en')} ${bytes === 1 ? 'byte' : 'bytes'}`;
}

const placeholder = new RegExp(placeholderForm);

/** Whether something in a text was replaced before it was stored. */
export const isRedacted = (text: string) => placeholder.test(text);
