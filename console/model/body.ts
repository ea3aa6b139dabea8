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

/** What a byte is, where it is none of the text that one sees. */
export type Mark = 'line-end' | 'bom' | 'control';

export interface DumpRow {
  /** Of its first byte, in hexadecimal. */
  readonly offset: string;
  readonly bytes: readonly { readonly hex: string; readonly text: string; readonly mark?: Mark }[];
}

const perRow = 16;

/** Rows of 16 bytes. Of many, the first and the last ones: `left` are between them, before the row at `leftAt`. */
export function dump(bytes: Uint8Array, maxRows = 48): { rows: DumpRow[]; leftAt?: number; left: number } {
  const count = Math.ceil(bytes.length / perRow);
  if (count <= maxRows) return { rows: rowsOf(bytes, 0, count), left: 0 };
  const last = Math.floor(maxRows / 4);
  const first = maxRows - last;
  return {
    rows: [...rowsOf(bytes, 0, first), ...rowsOf(bytes, count - last, count)],
    leftAt: first,
    left: count - maxRows,
  };
}

function rowsOf(bytes: Uint8Array, from: number, to: number): DumpRow[] {
  return Array.from({ length: to - from }, (_, index) => {
    const start = (from + index) * perRow;
    const row = [...bytes.subarray(start, start + perRow)];
    return {
      offset: start.toString(16).padStart(4, '0'),
      bytes: row.map((byte, at) => shownByte(byte, start + at, bytes)),
    };
  });
}

function shownByte(byte: number, at: number, bytes: Uint8Array): DumpRow['bytes'][number] {
  const hex = byte.toString(16).padStart(2, '0');
  if (at < 3 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return { hex, text: '·', mark: 'bom' };
  if (byte === 0x0a) return { hex, text: '↵', mark: 'line-end' };
  if (byte === 0x0d) return { hex, text: '←', mark: 'line-end' };
  if (byte < 0x20 || byte === 0x7f) return { hex, text: '·', mark: 'control' };
  return { hex, text: byte < 0x7f ? String.fromCharCode(byte) : '·' };
}

/** What one does not see in a text, in sentences. */
export function unseen(text: string): readonly string[] {
  const found: string[] = [];
  if (text.startsWith(byteOrderMark)) found.push('It begins with a byte order mark: ef bb bf.');
  const crlf = text.split('\r\n').length - 1;
  const lf = text.split('\n').length - 1 - crlf;
  if (crlf > 0) found.push(`${crlf} ${crlf === 1 ? 'line ends' : 'lines end'} with CR LF: 0d 0a.`);
  if (lf > 0) found.push(`${lf} ${lf === 1 ? 'line ends' : 'lines end'} with LF: 0a.`);
  if (text !== '')
    found.push(/\n$/.test(text) ? 'There is a line end at its end.' : 'There is no line end at its end.');
  return found;
}
