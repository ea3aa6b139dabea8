import { curlBearer as bearer, type ProblemEntry } from '../../http/problems/problem-entry.ts';

export const exchangeProblems = {
  'exchange-not-found': {
    status: 404,
    title: 'No such exchange',
    meaning:
      'The log of your calls has no exchange with this id. For a call of another client, the answer is the same.',
    cause:
      'The id is wrong, the call was made by another client or long ago, or it was for an address that is not recorded, such as a page or a description.',
    remedy: 'Take the id from the header `X-Request-Id` of an answer, or from `GET /me/exchanges`.',
    example: `curl -i "$BASE/me/exchanges/6f1c2b1e-3f0a-4c55-9d0e-2b7a1f5f9c11" ${bearer}`,
    base: '/range/v1',
  },
} as const satisfies Record<string, ProblemEntry>;
