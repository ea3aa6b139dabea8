/** A dash that is no hyphen: editors make it of one. */
export const otherDash = /[\p{Pd}\u2212](?<!-)/u;

/** A character that nobody sees: a soft hyphen, a space without width. */
export const unseen = /\p{Cf}/u;

/**
 * A text as it is meant, however it was typed or pasted: letters and digits of full width are ordinary ones, any dash is -,
 * and what nobody sees is gone.
 */
export function typedText(text: string): string {
  const seen = text.normalize('NFKC').replaceAll(new RegExp(unseen, 'gu'), '');
  return seen.replaceAll(new RegExp(otherDash, 'gu'), '-');
}
