/** Words of other languages, and what JSON has for them. */
const words: Readonly<Record<string, string>> = {
  True: 'true',
  TRUE: 'true',
  False: 'false',
  FALSE: 'false',
  None: 'null',
  NULL: 'null',
  Null: 'null',
  nil: 'null',
  undefined: 'null, or no such member',
  NaN: 'a number or null',
  Infinity: 'a number or null',
  '-Infinity': 'a number or null',
};

const literals = ['true', 'false', 'null'];

/** The fault of a word that is nothing else. */
export const bareText = 'text without double quotes around it';

/** What is wrong with a word or number that stands where a value may be; undefined if JSON has it. */
export function faultOf(word: string): string | undefined {
  if (literals.includes(word) || /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(word)) return undefined;
  if (Object.hasOwn(words, word)) return `found ${word}, JSON wants ${words[word]}`;
  if (/^[+-]?0\d+$/.test(word)) return 'a number that begins with 0: leave the 0 out, or put a text in double quotes';
  if (/^\+\d/.test(word)) return 'found + before a number: leave it out';
  if (/^-?0[xob]/i.test(word)) return 'a number that is not decimal';
  if (/^-?(?:\.\d+|\d+\.)$/.test(word)) return 'a number needs digits before and after its point';
  return bareText;
}

/** A character in words. Letters and digits may be part of a secret. */
export function named(char: string): string {
  if (char === ',') return 'a comma';
  if (/\p{L}/u.test(char)) return 'a letter';
  if (/\p{N}/u.test(char)) return 'a digit';
  if (/^[!-~]$/.test(char)) return char;
  return `the character U+${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
}
