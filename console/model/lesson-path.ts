import { counted } from '../../src/text/counted.ts';
import type { Lesson, MyLesson } from '../api/types.ts';

export interface TopicOfPath {
  readonly title: string;
  readonly lessons: readonly MyLesson[];
  readonly solved: number;
}

const shown = ['all', 'open', 'solved'] as const;
export type Shown = (typeof shown)[number];

export interface PathFilter {
  readonly show: Shown;
  /** Undefined for all. */
  readonly level: number | undefined;
  /** What its title, topic or goal has. */
  readonly text: string;
}

/** Which topic is shown where nothing is filtered: the one that was chosen, else that of the next lesson. */
export function topicShown(query: URLSearchParams, topics: readonly TopicOfPath[], next: MyLesson | undefined): string {
  const chosen = query.get('topic');
  return topics.find(({ title }) => title === chosen)?.title ?? next?.topic ?? topics[0]?.title ?? '';
}

export const isFiltering = ({ show, level, text }: PathFilter) => show !== 'all' || level !== undefined || text !== '';

/** What the levels mean, as the interface has it. */
export const levels: Readonly<Record<number, string>> = {
  1: 'single calls',
  2: 'calls that belong together',
  3: 'what goes wrong, and how to get over it',
};

export const isSolved = ({ state }: Pick<MyLesson, 'state'>) => state === 'solved';

/** How many calls a solved lesson took. Empty where it is not known. */
export function callsOf({ calls, shortestWay }: Pick<MyLesson, 'calls' | 'shortestWay'>): string {
  if (calls === null) return '';
  const took = counted(calls, 'call');
  return shortestWay === null ? took : `${took}; the shortest way from its start takes ${shortestWay}`;
}

/** A lesson as somebody sees it who has done nothing yet. */
export function untouched(lesson: Lesson): MyLesson {
  return {
    ...lesson,
    steps: lesson.steps.map(({ title }) => ({ title, done: false, exchange: null })),
    ...{
      state: 'open',
      hintsTaken: [],
      misses: 0,
      lastMiss: null,
      lastMissExchange: null,
      lastWord: null,
      solvedAt: null,
      proof: null,
      calls: null,
      shortestWay: null,
      solvedBefore: null,
    },
  };
}

/** The topics in the order of the path. */
export function topicsOf(lessons: readonly MyLesson[]): TopicOfPath[] {
  return [...Map.groupBy(lessons, ({ topic }) => topic)].map(([title, those]) => ({
    ...{ title, lessons: those },
    solved: those.filter(isSolved).length,
  }));
}

export function filterOf(query: URLSearchParams): PathFilter {
  const show = shown.find((each) => each === query.get('show')) ?? 'all';
  const level = Number(query.get('level'));
  return { show, level: level in levels ? level : undefined, text: query.get('text') ?? '' };
}

/** The query that keeps a filter: empty, or with its question mark. */
export function queryOf({ show, level, text }: PathFilter): string {
  const query = new URLSearchParams({
    ...(show !== 'all' && { show }),
    ...(level && { level: String(level) }),
    ...(text !== '' && { text }),
  });
  return query.size > 0 ? `?${query}` : '';
}

export function fits({ show, level, text }: PathFilter): (lesson: MyLesson) => boolean {
  const words = text.toLowerCase().split(/\s+/);
  return (lesson) =>
    (show === 'all' || isSolved(lesson) === (show === 'solved')) &&
    (level === undefined || lesson.level === level) &&
    words.every((word) => `${lesson.title} ${lesson.topic} ${lesson.goal}`.toLowerCase().includes(word));
}

/** The next lesson that is open behind this one; behind the last one, the first. Undefined when no other is open. */
export function nextAfter(lessons: readonly MyLesson[], id: string): MyLesson | undefined {
  const at = lessons.findIndex((each) => each.id === id);
  return [...lessons.slice(at + 1), ...lessons.slice(0, Math.max(at, 0))].find((each) => !isSolved(each));
}

/** What a solved lesson completes besides itself, in a sentence. Undefined if nothing. */
export function milestone(lessons: readonly MyLesson[], { topic }: MyLesson): string | undefined {
  if (lessons.every(isSolved)) return `You have solved all ${lessons.length} lessons.`;
  const those = lessons.filter((each) => each.topic === topic);
  return those.length > 1 && those.every(isSolved) ? `All lessons of “${topic}” are solved.` : undefined;
}

/** The lessons that are still to be solved, and that build on this one and on nothing else that is open. */
export function openedBy(lessons: readonly MyLesson[], { id }: Pick<MyLesson, 'id'>): readonly MyLesson[] {
  const open = new Set(lessons.filter((each) => !isSolved(each)).map((each) => each.id));
  return lessons.filter(
    (each) => open.has(each.id) && each.buildsOn.includes(id) && !each.buildsOn.some((before) => open.has(before)),
  );
}

/** A client’s own address, as goals tell how it is made up. */
const madeUp = /\/for\/(?: and your `client_id`|, your `client_id` and `([^`]+)`)/;

/** A goal with the address of a client in the place of how it is made up. */
export function ownGoal(goal: string, clientId: string | undefined): string {
  const own = (_: string, rest = '') => `\`/for/${clientId}${rest}\``;
  return clientId === undefined ? goal : goal.replace(madeUp, own);
}
