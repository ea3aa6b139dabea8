import { guides, navigation } from '../../src/navigation.ts';
import { traceOf } from '../../src/text/trace-context.ts';

/** Something that the search finds. It leads somewhere, or gives a text to copy. */
export interface Found {
  readonly kind: string;
  readonly name: string;
  /** By what else it is found. */
  readonly words: string;
  /** From the root of the server. */
  readonly path?: string;
  readonly act?: () => string | Promise<string>;
}

export const pagesAndGuides: readonly Found[] = [
  ...navigation.flatMap(({ links }) => links.map(({ name, path }): Found => ({ kind: 'Page', name, words: '', path }))),
  { kind: 'Page', name: 'Capstones', words: 'lessons', path: '/#/lessons/capstones' },
  { kind: 'Page', name: 'Certificate', words: 'lessons', path: '/#/lessons/certificate' },
  ...guides.map(
    ({ name, title, about }): Found => ({ kind: 'Guide', name: title, words: about, path: `/#/guides/${name}` }),
  ),
];

/** What has an id of its own, by the form of the id. */
const idForms: readonly (readonly [RegExp, string, string])[] = [
  [/^pol-[\da-f-]{36}$/, 'Policy', '/#/policies/'],
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
 * What has every word of the text, the best first: names that begin with it, then names that have it, then the rest. Without
 * a text those that come first.
 */
export function rank(all: readonly Found[], text: string): Found[] {
  const sought = text.trim().toLowerCase();
  const words = sought.split(/\s+/);
  return all
    .flatMap((one) => {
      const name = one.name.toLowerCase();
      const whole = `${name} ${one.words} ${one.kind}`.toLowerCase();
      if (!words.every((word) => whole.includes(word))) return [];
      return [{ one, at: name.startsWith(sought) ? 0 : name.includes(sought) ? 1 : 2 }];
    })
    .sort((a, b) => a.at - b.at)
    .slice(0, maxFound)
    .map(({ one }) => one);
}
