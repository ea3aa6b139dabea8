import { curlBearer as bearer, curlJson as json, type ProblemEntry } from '../http/problems/problem-entry.ts';

/** For examples: a claim, and a document of it. */
const makeClaim = `POLICY=$(curl -s "\${BASE%/*/*}/insurer/v1/policies" ${bearer} \\
  ${json} -d '{"regNumber":"'$PLATE'"}' |
  sed 's/.*"id":"\\([^"]*\\)".*/\\1/')
CLAIM=$(curl -s "$BASE/claims" ${bearer} \\
  ${json} -d '{"policyNumber":"'$POLICY'"}' |
  sed 's/.*"claimId":"\\([^"]*\\)".*/\\1/')`;

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
  'document-not-found': {
    status: 404,
    title: 'No such document',
    meaning: 'The claim is yours, and has no document with this id.',
    cause: 'The id is wrong, or is that of a document of another claim.',
    remedy: 'Take the id from the answer that added the document, or from `GET /claims/{claimId}/documents`.',
    example: `${makeClaim}
curl -i "$BASE/claims/$CLAIM/documents/doc-none" ${bearer}`,
    base: '/claims/v1',
  },
} as const satisfies Record<string, ProblemEntry>;

declare module '../http/problems/problem-table.ts' {
  interface Problems extends OwnProblems {}
}

type OwnProblems = typeof problems;
