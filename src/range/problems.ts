import { classProblems } from './class/problems.ts';
import { drillProblems } from './drills/problems.ts';
import { exchangeProblems } from './exchanges/problems.ts';
import { capstoneProblems } from './lessons/capstones/problems.ts';
import { lessonProblems } from './lessons/problems.ts';
import { clientProblems } from './refusals.ts';

export const problems = {
  ...exchangeProblems,
  ...clientProblems,
  ...classProblems,
  ...drillProblems,
  ...lessonProblems,
  ...capstoneProblems,
} as const;

declare module '../http/problem-table.ts' {
  interface Problems extends OwnProblems {}
}

type OwnProblems = typeof problems;
