import { codeName } from './code-points.ts';
import { shownValue } from './shown-value.ts';

/** Letters of other scripts that look like Latin ones, and those. */
const [lookalikes, latin] = ['АВЕКМНОРСТУХІЈЅаеорсухіјѕΑΒΕΖΗΙΚΜΝΟΡΤΥΧο', 'ABEKMHOPCTYXIJSaeopcyxijsABEZHIKMNOPTYXo'];

/**
 * Names the first character of a text that is not allowed, with its code, and what is probably meant:
 * `Character 3 is – (U+2013); write - (U+002D).` Undefined where each is allowed, as far as that can be told of one.
 */
export function oddCharacter(text: string, isAllowed: (character: string) => boolean): string | undefined {
  const characters = [...text];
  const at = characters.findIndex((character) => !isAllowed(character));
  const odd = characters[at];
  if (odd === undefined) return undefined;
  const meant = [meantBy(odd)].find((character) => character !== odd && isAllowed(character));
  return `Character ${at + 1} is ${named(odd)}${meant === undefined ? '' : `; write ${named(meant)}`}.`;
}

function meantBy(odd: string): string {
  if (/[\p{Pd}\u2212\u00ad]/u.test(odd)) return '-';
  if (/[‘’‚‛′]/.test(odd)) return "'";
  if (/[“”„‟″]/.test(odd)) return '"';
  if (/\p{Zs}/u.test(odd)) return ' ';
  const found = lookalikes.indexOf(odd);
  return found < 0 ? odd.normalize('NFKC') : latin.charAt(found);
}

/** A character with its code: `– (U+2013)`. */
export function named(character: string): string {
  const code = codeName(character.codePointAt(0) as number);
  if (/\p{Cs}/u.test(character)) return `half of a surrogate pair (${code})`;
  if (character === ' ') return `a space (${code})`;
  return /[\p{L}\p{N}\p{P}\p{S}]/u.test(character) ? `${character} (${code})` : code;
}

/** What is wrong with a text that has half of a surrogate pair, which can't be stored; undefined if it has none. */
export function halfCharacter(text: string): string | undefined {
  if (text.isWellFormed()) return undefined;
  const odd = oddCharacter(text, (each) => each.isWellFormed());
  return `has a value that is not allowed: ${shownValue(text)}. ${odd} Send whole characters.`;
}
