import { escapeUnit } from './code-points.ts';
import { excerpt } from './excerpt.ts';
import { byForm } from './secret-finder.ts';

const secret = /^(?:bearer|basic)\s|^eyJ|eyJ[\w-]{20}|whsec_|:\/\/[^/\s]*@|^(?:[\w-]{32}|[\w-]{43}|[\da-f]{64})$/i;

/** Characters of a text that are looked at: many more than are shown of it. */
const mostRead = 4096;

/** Whether a text may be a token, a secret of ours, a signature, or a URL with a password: it is never repeated. */
export function mayBeSecret(text: string): boolean {
  return secret.test(text) || byForm.isIn(text);
}

/**
 * A value that was sent, as a detail repeats it: in the form of JSON, at most 60 characters of a text, without control
 * characters. What looks like a secret is not repeated, nor what is in an object.
 */
export function shownValue(value: unknown): string {
  if (typeof value === 'string')
    return mayBeSecret(value.slice(0, mostRead)) ? 'a text not repeated here' : quoted(value);
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : 'a number too large for a computer';
  if (Array.isArray(value)) return value.length === 0 ? '[]' : '[…]';
  if (value !== null && typeof value === 'object') return Object.keys(value).length === 0 ? '{}' : '{…}';
  return String(value);
}

/** A text in double quotes. */
export function quoted(text: string): string {
  return JSON.stringify(excerpt(text)).replaceAll(
    /[\p{Cc}\p{Zl}\p{Zp}\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu,
    escapeUnit,
  );
}

/** A value in words: `a number`, `an array`. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
