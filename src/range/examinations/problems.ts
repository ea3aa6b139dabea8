import { curlBearer as bearer, curlJson as json, type ProblemEntry } from '../../http/problems/problem-entry.ts';

export const examinationProblems = {
  'stage-not-found': {
    status: 404,
    title: 'No such stage',
    meaning: 'There is no stage of examinations with this name.',
    cause: 'The name is wrong, or your machine examines with another version of L-Plate.',
    remedy: 'Take the name from `GET /me/examinations`.',
    example: `curl -i -X PUT "$BASE/me/examinations/none" ${bearer} ${json} \\
  -d '{"outcome":"passed","at":"2026-03-02T10:15:30Z","seed":7}'`,
    base: '/range/v1',
  },
} as const satisfies Record<string, ProblemEntry>;
