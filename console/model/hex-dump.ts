/* Bytes as people read them: sixteen a line, each in hexadecimal and as ASCII. */

/** What a byte is, where it is none of the text that one sees. */
type Mark = 'line-end' | 'bom' | 'control';

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

/** All lines as text: the offset, each byte in hexadecimal, and as ASCII. */
export function hexDump(bytes: Uint8Array): string {
  const rows = rowsOf(bytes, 0, Math.ceil(bytes.length / perRow));
  return rows.map(({ offset, bytes: row }) => `${offset}  ${digitsOf(row)}  ${row.map(asciiOf).join('')}`).join('\n');
}

function digitsOf(row: DumpRow['bytes']): string {
  const digits = row.map(({ hex }) => hex);
  return `${digits.slice(0, 8).join(' ').padEnd(23)}  ${digits.slice(8).join(' ').padEnd(23)}`;
}

const asciiOf = ({ text, mark }: DumpRow['bytes'][number]) => (mark || text === '·' ? '.' : text);
