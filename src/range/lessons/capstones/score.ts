import type { Fault } from './capstone.ts';
import { faultKinds } from './schemas.ts';

/** 100 for a run without a fault. Each subject that has one takes its part away. */
export function scoreOf(faults: readonly Fault[], parts: number): number {
  const wrong = new Set(faults.map(({ subject }) => subject)).size;
  return Math.max(0, Math.floor((100 * (parts - wrong)) / Math.max(1, parts)));
}

/** The worst first, in the order of `faultKinds`. */
export function worstFirst(faults: readonly Fault[]): Fault[] {
  const rank = ({ kind }: Fault) => faultKinds.indexOf(kind);
  return faults.toSorted((a, b) => rank(a) - rank(b));
}

/** Counts the faults by their kinds: `2 lost, 1 wrong-state`. */
export function countFaults(faults: readonly Fault[]): string {
  const kinds = Map.groupBy(faults, ({ kind }) => kind);
  return [...kinds].map(([kind, those]) => `${those.length} ${kind}`).join(', ');
}
