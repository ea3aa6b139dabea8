import { curlBearer as bearer, type ProblemEntry } from '../../http/problems/problem-entry.ts';

export const peopleProblems = {
  'consent-not-found': {
    status: 404,
    title: 'No such consent',
    meaning:
      'No person gave your client a consent with this id. For a consent of another client, the answer is the same.',
    cause: 'The id is wrong, or your client was reset.',
    remedy: 'Take the id from `GET /me/consents`.',
    example: `curl -i -X DELETE "$BASE/me/consents/con-01938c5e-7d2a-7c31-9b1e-5f0c2a4d6e8f" ${bearer}`,
    base: '/range/v1',
  },
} as const satisfies Record<string, ProblemEntry>;
