import { curlBearer as bearer, curlJson as json, type ProblemEntry } from '../../http/problems/problem-entry.ts';

export const relayProblems = {
  'relay-call-not-found': {
    status: 404,
    title: 'No such call of a relay',
    meaning:
      'No call with this id waits for an answer of your relay. For a call of another client, the answer is the same.',
    cause: 'It was answered already, 15 seconds have passed, its stream has ended, or the id is wrong.',
    remedy:
      'Nothing needs to be done: the call is made again, as after any failure. Take the id from the event `call` of `GET /me/relay`, and answer at once.',
    example: `curl -i "$BASE/me/relay/01938c5e-7d2a-7c31-9b1e-5f0c2a4d6e8f" ${bearer} ${json} -d '{"status":204}'`,
    base: '/range/v1',
  },
} as const satisfies Record<string, ProblemEntry>;
