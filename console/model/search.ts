import { guides, navigation } from '../../src/navigation.ts';
import { traceOf } from '../../src/text/trace-context.ts';

/** Something that the search finds. It leads somewhere, or gives a text to copy. */
export interface Found {
  readonly kind: string;
  readonly name: string;
  /** By what else it is found. */
  readonly words: string;
  /** By what it is found last: what it says at length. */
  readonly text?: string;
  /** From the root of the server. */
  readonly path?: string;
  readonly act?: () => string | Promise<string>;
}

export const pagesAndGuides: readonly Found[] = [
  ...navigation.flatMap(({ links }) => links.map(({ name, path }): Found => ({ kind: 'Page', name, words: '', path }))),
  { kind: 'Page', name: 'Capstones', words: 'lessons', path: '/#/lessons/capstones' },
  { kind: 'Page', name: 'Consents', words: 'people oauth authorization code pkce redirect', path: '/#/people' },
  { kind: 'Page', name: 'Statements', words: 'policies month money premium file csv', path: '/#/policies/statements' },
  { kind: 'Page', name: 'Erasures', words: 'policies holder forget erase privacy', path: '/#/policies/erasures' },
  { kind: 'Page', name: 'Certificate', words: 'lessons', path: '/#/lessons/certificate' },
  { kind: 'Page', name: 'Check a badge', words: 'verify certificate credential', path: '/#/verify' },
  ...guides.map(
    ({ name, title, about }): Found => ({ kind: 'Guide', name: title, words: about, path: `/#/guides/${name}` }),
  ),
];

/** What has an id of its own, by the form of the id. */
const idForms: readonly (readonly [RegExp, string, string])[] = [
  [/^pol-[\da-f-]{36}$/, 'Policy', '/#/policies/'],
  [/^stm-[\da-f-]{36}$/, 'Statement', '/#/policies/statements/'],
  [/^era-[\da-f-]{36}$/, 'Erasure', '/#/policies/erasures/'],
  [/^CLM-\d{4}-\d{6,}$/, 'Claim', '/#/claims/'],
  [/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/, 'Call', '/#/traffic/'],
  [/^[\da-f]{32}$/, 'Trace', '/#/traffic?q=trace:'],
];

/** The page of what has this id, if it is one; of a call also by the `instance` of its problem, of a trace by a `traceparent`. */
export function pathOfId(text: string): Found[] {
  const sent = text.trim();
  const id = traceOf(sent)?.traceId ?? sent.replace(/^urn:uuid:/i, '');
  return idForms.flatMap(([form, kind, path]) =>
    form.test(id) ? [{ kind, name: id, words: sent, path: `${path}${id}` }] : [],
  );
}

const maxFound = 12;

/**
 * What has every word of the text, the best first: names that begin with it, names that have it, names that have its words,
 * those that are found by their words, too, then the rest. Without a text those that come first.
 */
export function rank(all: readonly Found[], text: string): Found[] {
  const sought = text.trim().toLowerCase();
  const words = sought.split(/\s+/);
  return all
    .flatMap((one) => {
      const name = one.name.toLowerCase();
      const known = `${name} ${one.words} ${one.kind}`.toLowerCase();
      const told = one.text?.toLowerCase().split(/[^\p{L}\d]+/u) ?? [];
      const fits = [
        name.startsWith(sought),
        name.includes(sought),
        words.every((word) => name.includes(word)),
        words.every((word) => known.includes(word)),
        // In a long text only what begins a word: else short words are in each.
        words.every((word) => known.includes(word) || told.some((each) => each.startsWith(word))),
      ];
      return fits.includes(true) ? [{ one, at: fits.indexOf(true) }] : [];
    })
    .sort((a, b) => a.at - b.at)
    .slice(0, maxFound)
    .map(({ one }) => one);
}
