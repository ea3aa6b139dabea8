import { editDistance } from './edit-distance.ts';

/** Longer names are not compared, nor those with other characters: no known one is near them. */
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
  const spelt = plainName(name);
  let nearest: string | undefined;
  let fewest = Number.POSITIVE_INFINITY;
  for (const candidate of known) {
    const meant = plainName(candidate);
    const allowed = meant.length >= long ? 2 : 1;
    if (Math.abs(meant.length - spelt.length) > allowed) continue;
    const edits = editDistance(spelt, meant);
    if (edits > allowed || edits >= fewest) continue;
    nearest = candidate;
    fewest = edits;
  }
  return nearest;
}

/** A name without case, dashes and underscores. */
export const plainName = (name: string) => name.toLowerCase().replaceAll(/[-_]/g, '');
