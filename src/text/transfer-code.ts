/** Characters of a code by which a client goes on in another browser, without what stands between them. */
export const codeLength = 10;

/** What people put between them: blanks, dashes of all kinds. */
const between = String.raw`[\s\p{Pd}\u2212]`;
const separators = new RegExp(between, 'gu');

/** A code as it was made, however it was typed. */
export function plainCode(code: string): string {
  return code.replace(separators, '').toUpperCase().replaceAll('O', '0').replace(/[IL]/g, '1');
}

/** No U: it is in no code. */
const character = String.raw`[\da-tv-z]`;
const typed = `${character}(?:${between}{0,3}${character}){${codeLength - 1}}`;
const half = `${character}{${codeLength / 2}}`;

/** At the beginning or the end of a word, or with a dash in the middle, whatever is around it. */
const possible = new RegExp(
  String.raw`(?<![\da-z])(?=(${typed}))|(?=(${typed})(?![\da-z]))|(?=(${half}${between}${half}))`,
  'giu',
);

/** The places in a text that may be a code: anybody knows it only by its value. */
export function* possibleCodes(text: string): Generator<[start: number, typed: string]> {
  for (const { 1: first, 2: last, 3: middle, index } of text.matchAll(possible))
    yield [index, (first ?? last ?? middle) as string];
}
