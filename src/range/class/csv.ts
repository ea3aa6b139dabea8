/*
 * Comma-separated values after RFC 4180. Texts are in quotes, and those that a spreadsheet would take for a formula get an
 * apostrophe before them, which it does not show.
 */

export type Cell = string | number | null;

/** What a formula begins with, also in full width and behind white space. */
const formula = /^[\s\0]*[=+\-@\t\r＝＋－＠]/;

/** One line, with its end. */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const text = formula.test(cell) ? `'${cell}` : cell;
  return `"${text.replaceAll('"', '""')}"`;
}
