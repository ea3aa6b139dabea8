/** Longer names are not compared, nor those of other signs: no known one is near them. */
const longest = 64;
const comparable = /^[\p{L}\p{M}\p{N}_ .-]+$/u;

/** From how many letters on a name may differ in two of them, and not only in one. */
const long = 8;

/**
 * The known name that `name` was probably meant to be: the same but for case, dashes and underscores, or but for one
 * letter that was added, lost, changed or swapped with its neighbour; two in a name of eight letters or more.
 */
export function nearName(name: string, known: Iterable<string>): string | undefined {
  if (name.length > longest || !comparable.test(name)) return undefined;
  const spelt = plain(name);
  let nearest: string | undefined;
  let fewest = Number.POSITIVE_INFINITY;
  for (const candidate of known) {
    const meant = plain(candidate);
    const allowed = meant.length >= long ? 2 : 1;
    if (Math.abs(meant.length - spelt.length) > allowed) continue;
    const edits = distance(spelt, meant);
    if (edits > allowed || edits >= fewest) continue;
    nearest = candidate;
    fewest = edits;
  }
  return nearest;
}

const plain = (name: string) => name.toLowerCase().replaceAll(/[-_]/g, '');

/** Letters that are added, lost, changed or swapped with their neighbour (optimal string alignment). */
function distance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const changed = from[row - 1] === to[column - 1] ? 0 : 1;
      let least = Math.min(cell(last, column) + 1, cell(current, column - 1) + 1, cell(last, column - 1) + changed);
      const swapped = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      if (swapped) least = Math.min(least, cell(beforeLast, column - 2) + 1);
      current.push(least);
    }
    beforeLast = last;
    last = current;
  }
  return cell(last, to.length);
}

const cell = (row: readonly number[], column: number) => row[column] as number;
