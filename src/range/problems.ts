import { curlBearer as bearer, type ProblemEntry } from '../http/problem-entry.ts';

export const problems = {
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
  'no-own-clock': {
    status: 409,
    title: 'This client has no clock of its own',
    meaning: 'The preconfigured clients, such as `preset-fleet`, live in the present. Their clocks can’t be moved.',
    cause:
      'You called with a token of a preconfigured client. Others use it too, and nobody can know its secret from this page, so no example is given.',
    remedy: 'Create a client with `POST /insurer/v1/demo-clients`, and move the clock of that one.',
    example: null,
    base: '/range/v1',
  },
} as const satisfies Record<string, ProblemEntry>;

declare module '../http/problem-table.ts' {
  interface Problems extends OwnProblems {}
}

type OwnProblems = typeof problems;
