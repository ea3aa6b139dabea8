import { counted } from '../../text/counted.ts';
import { day, hour, minute, second } from '../../time/units.ts';
import type { CircumstancesData } from './schemas.ts';

/** A lesson that was solved. */
interface Taken {
  readonly solvedAt: string;
  /** Null where nobody counted. */
  readonly calls: number | null;
  /** Null for a lesson of the class's own. */
  readonly shortestWay: number | null;
  readonly hints: number;
}

/** So many lessons one after another show whether a program solved them. */
const inARow = 10;

/** Above the capstones of a certificate: what a run meets is drawn alike for all. */
export const capstonesDone = 'Capstones completed without a fault, on the seeds that are the same for everybody';

/** How what was learned came about: numbers for others to weigh. They accuse nobody, and don't say who wrote a program. */
export function circumstancesOf(lessons: readonly Taken[]): CircumstancesData {
  const times = lessons.map(({ solvedAt }) => Date.parse(solvedAt)).sort((a, b) => a - b);
  const gaps = times.slice(1).map((time, at) => time - (times[at] as number));
  const tens = times.slice(inARow - 1).map((time, at) => time - (times[at] as number));
  const compared = lessons.flatMap(({ calls, shortestWay }) =>
    calls === null || shortestWay === null ? [] : [{ calls, shortestWay }],
  );
  const facts = {
    calls: total(lessons.map(({ calls }) => calls ?? 0)),
    hints: total(lessons.map(({ hints }) => hints)),
    medianSeconds: inSeconds(gaps.sort((a, b) => a - b)[gaps.length >> 1]),
    tenInSeconds: tens.length > 0 ? inSeconds(Math.min(...tens)) : null,
    compared: compared.length,
    byShortestWay: compared.filter(({ calls, shortestWay }) => calls <= shortestWay).length,
  };
  return { ...facts, words: lessons.length > 0 ? wordsOf(facts) : [] };
}

function wordsOf(facts: Omit<CircumstancesData, 'words'>): string[] {
  const { calls, hints, medianSeconds, tenInSeconds, compared, byShortestWay } = facts;
  const taken = hints === 0 ? 'no hint' : counted(hints, 'hint');
  return [
    calls === 0 ? `It took ${taken}.` : `It took ${counted(calls, 'call')} and ${taken}.`,
    ...(medianSeconds === null ? [] : [`Between a lesson and the next lay ${inWords(medianSeconds)} (median).`]),
    ...(tenInSeconds === null ? [] : [`The quickest ten in a row took ${inWords(tenInSeconds)}.`]),
    ...(compared === 0 ? [] : [`${byShortestWay} of ${compared} took no more calls than the shortest way.`]),
  ];
}

const total = (numbers: readonly number[]) => numbers.reduce((sum, each) => sum + each, 0);

const inSeconds = (milliseconds: number | undefined) =>
  milliseconds === undefined ? null : Math.round(milliseconds / second);

/** The largest unit of which there are two. */
function inWords(seconds: number): string {
  const units = [
    [day, 'day'],
    [hour, 'hour'],
    [minute, 'minute'],
  ] as const;
  if (seconds === 0) return 'less than a second';
  const milliseconds = seconds * second;
  const [length, name] = units.find(([unit]) => milliseconds >= 2 * unit) ?? [second, 'second'];
  return counted(Math.round(milliseconds / length), name);
}
