import { curlBearer as bearer, curlJson as json, type ProblemEntry } from '../../../http/problems/problem-entry.ts';

export const capstoneProblems = {
  'capstone-not-found': {
    status: 404,
    title: 'No such capstone',
    meaning: 'There is no capstone with this id.',
    cause: 'The id is wrong.',
    remedy: 'Take the id from `GET /capstones`.',
    example: `curl -i "$BASE/me/capstones/none" ${bearer}`,
    base: '/range/v1',
  },
  'run-not-found': {
    status: 404,
    title: 'No such run',
    meaning: 'You have no run of this capstone with this number.',
    cause:
      'The number is wrong, the run was one of another client, it is no longer kept, or you have reset your client since.',
    remedy: 'Take the number from the answer that started the run, or from `GET /me/capstones/{capstoneId}/runs`.',
    example: `curl -i "$BASE/me/capstones/night-shift/runs/1000" ${bearer}`,
    base: '/range/v1',
  },
  'no-run': {
    status: 409,
    title: 'No run is on',
    meaning: 'A report came for a capstone of which no run is on.',
    cause: 'The time of the run is over, it was reported before, it was ended, or none was started.',
    remedy: 'Start a run with `POST /me/capstones/{capstoneId}/runs`, and report within its time.',
    example: `curl -i "$BASE/me/answers" ${bearer} ${json} \\
  -d '{"lesson":"night-shift","answer":{"claims":{},"events":[]}}'`,
    base: '/range/v1',
  },
} as const satisfies Record<string, ProblemEntry>;
