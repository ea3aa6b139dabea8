import { curlBearer as bearer, type ProblemEntry } from '../../http/problems/problem-entry.ts';

const base = '/range/v1';

export const drillProblems = {
  'drill-not-found': {
    status: 404,
    title: 'The drill is not on',
    meaning: 'No drill of this name is on for this client, or there is none of this name.',
    cause:
      'The name is wrong, the drill was never started, or it has ended: a drill lasts ten minutes at the most, the trainer’s 90.',
    remedy: 'Take the name from `GET /me/drills`, or start the drill with `POST /me/drills`.',
    example: `curl -i "$BASE/me/drills/delay" ${bearer}`,
    base,
  },
} as const satisfies Record<string, ProblemEntry>;
