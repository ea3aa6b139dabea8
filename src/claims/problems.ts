import { curlBearer as bearer, type ProblemEntry } from '../http/problems/problem-entry.ts';

export const problems = {
  'claim-not-found': {
    status: 404,
    title: 'No such claim',
    meaning: 'None of your policies has a claim with this id. For a claim of another client, the answer is the same.',
    cause:
      'The id is wrong, the token belongs to another client than the policy, or the demo client was removed with its claims.',
    remedy: 'Take the id from the answer that registered the claim, from `GET /claims`, or from an event.',
    example: `curl -i "$BASE/claims/CLM-2026-000000" ${bearer}`,
    base: '/claims/v1',
  },
} as const satisfies Record<string, ProblemEntry>;

declare module '../http/problems/problem-table.ts' {
  interface Problems extends OwnProblems {}
}

type OwnProblems = typeof problems;
