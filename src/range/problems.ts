import type { ProblemIdentifier } from '../http/problem.ts';
import { curlBearer as bearer, type ProblemEntry } from '../http/problem-entry.ts';

/** Those of each endpoint that takes a token of any scope. */
export const tokenProblems: ProblemIdentifier[] = ['missing-token', 'invalid-token', 'unavailable'];

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
  'client-not-found': {
    status: 404,
    title: 'No such client',
    meaning: 'There is no client with this id.',
    cause:
      'The id is wrong, or the client was removed, a day after its last use. The trainer alone can look at other clients, and has a token that is not for examples, so none is given.',
    remedy: 'Take the id from `GET /trainer/learners`.',
    example: null,
  },
  'announcement-not-found': {
    status: 404,
    title: 'There is no announcement',
    meaning: 'The trainer announces nothing at the moment.',
    cause:
      'None was made, or it was deleted. This takes the trainer’s token, which is not for examples: none is given.',
    remedy: 'Make one with `PUT /trainer/announcement`. `GET /me` shows `null` where there is none.',
    example: null,
  },
  'preset-client': {
    status: 409,
    title: 'The client is preconfigured',
    meaning: '`preset-reader` and `preset-fleet` can’t be given or robbed of things: everybody shares them.',
    cause: 'The token is that of a preconfigured client. Its secret is given out of band, so no example is given.',
    remedy: 'Do this with a demo client of your own, from `POST /demo-clients`.',
    example: null,
  },
} as const satisfies Record<string, ProblemEntry>;

declare module '../http/problem-table.ts' {
  interface Problems extends OwnProblems {}
}

type OwnProblems = typeof problems;
