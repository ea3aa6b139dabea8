/*
 * The colours of a text that was laid out for reading, by what its parts are. It looks at signs, not at grammar, so that
 * a text that is wrong or cut off has colours as far as it goes.
 */

export type Language = 'json' | 'events' | 'xml' | 'form';

export interface Piece {
  readonly text: string;
  /** Absent of signs and of all that is nothing special. */
  readonly is?: 'name' | 'string' | 'number' | 'literal' | 'aside';
}

type Kind = NonNullable<Piece['is']>;

/** Pieces with a colour that a text has at most: each is an element of the page. What comes after them has none. */
const mostColoured = 4000;

/** Each has a group for each kind that it finds. */
const patterns: Record<Language, RegExp> = {
  json: /(?<name>"(?:[^"\\\n]|\\.)*"(?=\s*:))|(?<string>"(?:[^"\\\n]|\\.)*"?)|(?<number>-?\b\d[\d.eE+-]*)|\b(?<literal>true|false|null)\b/g,
  events:
    /(?<aside>^:.*)|(?<name>^(?:id|event|data|retry)(?=:)|"(?:[^"\\\n]|\\.)*"(?=\s*:))|(?<string>"(?:[^"\\\n]|\\.)*"?)|(?<number>(?<![\w-])-?\d[\d.eE+-]*(?![\w-]))|\b(?<literal>true|false|null)\b/gm,
  xml: /(?<aside><!--[\s\S]*?(?:-->|$)|<[?!][^>]*>?)|(?<name><\/?[\w:.-]+|\/?>)|(?<literal>[\w:.-]+(?==["']))|(?<string>(?<==)"[^"]*"|(?<==)'[^']*')/g,
  form: /(?<name>[^&=\n]+(?==))|(?<string>(?<==)[^&\n]+)/g,
};

/** All of the text, in its order. */
export function coloured(text: string, language: Language, most = mostColoured): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  let left = most;
  for (const match of text.matchAll(patterns[language])) {
    if (left === 0) break;
    left -= 1;
    if (match.index > from) pieces.push({ text: text.slice(from, match.index) });
    const [is] = Object.entries(match.groups ?? {}).find(([, found]) => found !== undefined) as [Kind, string];
    pieces.push({ text: match[0], is });
    from = match.index + match[0].length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from) });
  return pieces;
}

/** How the body of this media type is written; undefined for any other. */
export function languageOf(mediaType: string): Language | undefined {
  const type = mediaType.toLowerCase();
  if (type.includes('event-stream')) return 'events';
  if (type.includes('x-www-form-urlencoded')) return 'form';
  if (type.includes('xml')) return 'xml';
  return type.includes('json') ? 'json' : undefined;
}
