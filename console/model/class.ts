import type { Page, Standing, TreatedLearner } from '../api/types.ts';

/*
 * The class as the trainer's interface tells of it. Two lists, of learners and of the board, have the same learners in the
 * same order: who called last comes first. So a look at the first page shows nearly all that changed.
 */

export interface Class {
  readonly learners: ReadonlyMap<string, TreatedLearner>;
  readonly standings: ReadonlyMap<string, Standing>;
  /** What time it is for the service, in milliseconds since 1970. */
  readonly present: number;
}

export interface ClassPage {
  readonly learners: Page<TreatedLearner>;
  readonly board: Page<Standing>;
}

export const nobodyYet: Class = { learners: new Map(), standings: new Map(), present: 0 };

/** The class after a look at some pages. Those of a whole look replace what was known. */
export function afterLook(before: Class, pages: readonly ClassPage[], whole: boolean): Class {
  const learners = new Map(whole ? [] : before.learners);
  const standings = new Map(whole ? [] : before.standings);
  for (const { learners: page, board } of pages) {
    for (const each of page.items) learners.set(each.clientId, each);
    for (const each of board.items) standings.set(each.clientId, each);
  }
  const [first] = pages[0]?.learners.items ?? [];
  return { learners, standings, present: first ? presentOf(first) : before.present };
}

/** Whether a look that is not a whole one has to go on: somebody on a later page may have called since the last look. */
export function mustGoOn(before: Class, { learners }: ClassPage): boolean {
  if (learners.page >= learners.totalPages) return false;
  const last = learners.items.at(-1)?.lastSeenAt ?? '';
  return last >= newestCall(before);
}

/** Whether the pages of a look say that somebody is gone, or was missed: then the next look is a whole one. */
export function isIncomplete({ learners }: Class, page: ClassPage): boolean {
  return page.learners.totalItems !== learners.size;
}

function newestCall({ learners }: Class): string {
  let newest = '';
  for (const { lastSeenAt } of learners.values()) if (lastSeenAt > newest) newest = lastSeenAt;
  return newest;
}

function presentOf({ clock }: TreatedLearner): number {
  return Date.parse(clock.now) - clock.aheadSeconds * 1000;
}

/** Clients that everybody has the secret of. They solve no lessons. */
export const isShared = (clientId: string) => clientId.startsWith('preset-');

/** What a learner is called, wherever the trainer sees it: as the service has it, but of an id only the beginning. */
export function nameOf({ clientId, shownName }: Pick<TreatedLearner, 'clientId' | 'shownName'>): string {
  return shownName === clientId ? clientId.slice(0, 13) : shownName;
}

/**
 * Keeps what was there before for each key whose value is as it was, so that only what changed is drawn anew.
 */
export function kept<T>(before: ReadonlyMap<string, T>, now: ReadonlyMap<string, T>): ReadonlyMap<string, T> {
  return new Map([...now].map(([key, value]) => [key, same(before.get(key), value)]));
}

function same<T>(before: T | undefined, now: T): T {
  return before !== undefined && JSON.stringify(before) === JSON.stringify(now) ? before : now;
}
