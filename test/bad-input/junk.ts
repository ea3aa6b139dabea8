import fc, { type Arbitrary } from 'fast-check';
import { anyText } from '../support/any-text.ts';

/* Values that a caller might send and should not, and changes that spoil good ones. */

const oddText = [
  ...['', ' ', '\0', '\ud800', '\udfff', '\u202e', '\u{1F697}', '__proto__', 'constructor', 'null', 'undefined', 'NaN'],
  ...[
    '%00',
    '%',
    '../..',
    '/',
    '?',
    '#',
    '"',
    '\\',
    "' or 1=1 --",
    '{{x}}',
    '<b>',
    '\r\n',
    '\uFEFF',
    'x'.repeat(101),
    'ı',
  ],
];
const oddNumbers = [0, -0, -1, 1.5, 1e21, -1e308, 2 ** 31, 2 ** 53, 2 ** 63, Number.MAX_VALUE, 5e-324];

export const junkText = fc.oneof(
  fc.constantFrom(...oddText),
  anyText({ maxLength: 30 }),
  fc.string({ maxLength: 200 }),
);
/** Any JSON value. */
export const junk: Arbitrary<unknown> = fc.oneof(
  junkText,
  fc.constantFrom(...oddNumbers, true, false, null, [], {}),
  fc.jsonValue({ maxDepth: 3 }),
);

/** One change somewhere in a text: a character less, more or other. */
export const nearly = (text: Arbitrary<string>): Arbitrary<string> =>
  fc
    .tuple(text, fc.nat(), fc.constantFrom('', '-', 'é', '\0', ' ', '\ud83d', '0', '"', '{'), fc.nat(2))
    .map(([whole, at, piece, cut]) => {
      const place = at % (whole.length + 1);
      return whole.slice(0, place) + piece + whole.slice(place + cut);
    });

/** Eight times of ten the usual. */
export const mostly = <T>(usual: Arbitrary<T>, odd: Arbitrary<T>, other: Arbitrary<T>): Arbitrary<T> =>
  fc.oneof({ weight: 8, arbitrary: usual }, { weight: 1, arbitrary: odd }, { weight: 1, arbitrary: other });

/** Texts that fit a pattern which asks for letters and digits. */
export const matching = (pattern: string, least = 0, most = 100): Arbitrary<string> => {
  const fits = new RegExp(pattern, 'u');
  // What has a certain length is not met by chance.
  if (/\{\d+\}/.test(pattern)) return fc.stringMatching(fits);
  const simple = fc.string({
    unit: fc.constantFrom(...'ABCXYZabc0129-- '),
    minLength: least,
    maxLength: Math.min(most, 12),
  });
  return fc
    .oneof(simple, fc.string({ unit: 'grapheme', minLength: least, maxLength: 20 }))
    .filter((text) => fits.test(text));
};

/** What an HTTP client lets through in a URL; percent signs stay as they are, so that some escapes are broken. */
export const printable = (text: string) =>
  text.toWellFormed().replace(/[^\x21-\x7e]/gu, (letter) => encodeURIComponent(letter));

/** What an HTTP client lets through in a header. */
export const latin = (text: string) => text.replace(/[^\t\x20-\x7e\x80-\xff]/g, '?');
export const junkHeader = junkText.map(latin);
