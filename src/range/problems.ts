import { classProblems } from './class/problems.ts';
import { drillProblems } from './drills/problems.ts';
import { examinationProblems } from './examinations/problems.ts';
import { exchangeProblems } from './exchanges/problems.ts';
import { capstoneProblems } from './lessons/capstones/problems.ts';
import { lessonProblems } from './lessons/problems.ts';
import { peopleProblems } from './people/problems.ts';
import { clientProblems } from './refusals.ts';
import { relayProblems } from './relay/problems.ts';
import { tutorProblems } from './tutor/problems.ts';

export const problems = {
  ...exchangeProblems,
  ...clientProblems,
  ...classProblems,
  ...drillProblems,
  ...lessonProblems,
  ...capstoneProblems,
  ...examinationProblems,
  ...peopleProblems,
  ...relayProblems,
  ...tutorProblems,
} as const;

declare module '../http/problems/problem-table.ts' {
  interface Problems extends OwnProblems {}
}

type OwnProblems = typeof problems;
