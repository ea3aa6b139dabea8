import type { ProblemEntry } from '../http/problem-entry.ts';
import { retentionDays } from './retention.ts';

export const problems = {
  'cursor-expired': {
    status: 410,
    title: 'The cursor is older than the events that are kept',
    meaning: `Events are kept for ${retentionDays} days. Some events after this cursor are gone, so you can’t go on from it.`,
    cause: `Your consumer was away for more than ${retentionDays} days. Nobody else can have a cursor that old, so no example is given.`,
    remedy:
      'Read one batch with `after=latest` and keep its `next`. Read the current data (the `detail` says how), then go on from that cursor.',
    example: null,
  },
} as const satisfies Record<string, ProblemEntry>;

declare module '../http/problem-table.ts' {
  interface Problems extends OwnProblems {}
}

type OwnProblems = typeof problems;
