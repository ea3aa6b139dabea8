import type { ProblemEntry } from '../http/problems/problem-entry.ts';

export const problems = {
  'vehicle-not-found': {
    status: 404,
    title: 'No such vehicle',
    meaning: 'The registry has no vehicle with this registration number.',
    cause:
      'The number is not two letters and four digits, or no vehicle has it: those that begin with `XX` or `ZZ` or end in `0000`.',
    remedy: 'Ask for a number such as `AB-1234`. Every other number of this form has a vehicle.',
    example: `curl -i "$BASE/vehicles/XX-1234"`,
    base: '/vehicle-registry/v2',
  },
} as const satisfies Record<string, ProblemEntry>;

declare module '../http/problems/problem-table.ts' {
  interface Problems extends OwnProblems {}
}

type OwnProblems = typeof problems;
