import { counted } from '../../../src/text/counted.ts';

/* The bytes of a body: how a text becomes them, and what they look like. */

export interface BodyOptions {
  readonly lineEnds: 'lf' | 'crlf';
  readonly finalNewline: 'as-typed' | 'with' | 'without';
  readonly layout: 'as-typed' | 'compact' | 'indented';
  readonly byteOrderMark: boolean;
}

export const asTyped: BodyOptions = {
  lineEnds: 'lf',
  finalNewline: 'as-typed',
  layout: 'as-typed',
  byteOrderMark: false,
};

const byteOrderMark = '\uFEFF';

/** The text that is sent. Its layout stays as it is where it is no JSON. */
export function bodyText(typed: string, options: BodyOptions): string {
  let text = typed.replaceAll(/\r\n?/g, '\n');
  if (options.layout !== 'as-typed') {
    const end = /\n*$/.exec(text)?.[0] ?? '';
    text = laidOut(text, options.layout === 'compact' ? undefined : 2) ?? text;
    if (!text.endsWith('\n')) text += end;
  }
  if (options.finalNewline !== 'as-typed') text = text.replace(/\n+$/, '');
  if (options.finalNewline === 'with') text += '\n';
  if (options.lineEnds === 'crlf') text = text.replaceAll('\n', '\r\n');
  return (options.byteOrderMark ? byteOrderMark : '') + text;
}

export function isJson(text: string): boolean {
  return laidOut(text, undefined) !== undefined;
}

/** Levels of JSON that is laid out. Indented, what is nested thousands deep would fill the memory. */
const maxLevels = 100;

/** The JSON serialised again; undefined if it is none, or nested too deep. */
function laidOut(text: string, indent: number | undefined): string | undefined {
  let [level, deepest] = [0, 0];
  for (const sign of text) {
    if (sign === '[' || sign === '{') level += 1;
    else if (sign === ']' || sign === '}') level -= 1;
    deepest = Math.max(deepest, level);
  }
  if (deepest > maxLevels) return undefined;
  try {
    return JSON.stringify(JSON.parse(text), null, indent);
  } catch {
    return undefined;
  }
}

/** What one does not see in a text, in sentences. */
export function unseen(text: string): readonly string[] {
  const found: string[] = [];
  if (text.startsWith(byteOrderMark)) found.push('It begins with a byte order mark: ef bb bf.');
  const crlf = text.split('\r\n').length - 1;
  const lf = text.split('\n').length - 1 - crlf;
  if (crlf > 0) found.push(`${counted(crlf, 'line ends', 'lines end')} with CR LF: 0d 0a.`);
  if (lf > 0) found.push(`${counted(lf, 'line ends', 'lines end')} with LF: 0a.`);
  if (text !== '')
    found.push(/\n$/.test(text) ? 'There is a line end at its end.' : 'There is no line end at its end.');
  return found;
}
