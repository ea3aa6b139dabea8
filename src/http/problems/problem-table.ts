import type { ProblemEntry } from './problem-entry.ts';
import { sharedProblems } from './problems.ts';

/**
 * Every problem there is. A part of the program adds its own by declaration merging, in its `problems.ts`: an
 * identifier without an entry, or two different entries of one identifier, do not compile.
 */
export interface Problems extends SharedProblems {}

type SharedProblems = typeof sharedProblems;

/** The value of `type` ends with it (Errors, 1). */
export type ProblemIdentifier = keyof Problems;

/** All problems, in the order of their status. */
export type ProblemTable = Readonly<Record<ProblemIdentifier, ProblemEntry>>;

/**
 * Puts the table together: the shared problems and those of each part.
 *
 * @throws when two entries have the same identifier
 */
export function composeProblems(parts: readonly { readonly problems: Partial<ProblemTable> }[]): ProblemTable {
  const entries = [sharedProblems, ...parts.map(({ problems }) => problems)].flatMap((each) => Object.entries(each));
  const table = new Map<string, ProblemEntry>();
  for (const [identifier, entry] of entries) {
    if (table.has(identifier)) throw new Error(`The problem ${identifier} has two entries`);
    table.set(identifier, entry);
  }
  return Object.fromEntries([...table].sort(([, a], [, b]) => a.status - b.status)) as ProblemTable;
}
