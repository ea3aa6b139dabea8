import { curlBearer as bearer, type ProblemEntry } from '../../http/problem-entry.ts';

const base = '/range/v1';

export const drillProblems = {
  'drill-not-found': {
    status: 404,
    title: 'The drill is not on',
    meaning: 'No drill of this name is on for this client, or there is none of this name.',
    cause: 'The name is wrong, the drill was never started, or it has ended: a drill lasts ten minutes at the most.',
    remedy: 'Take the name from `GET /me/drills`, or start the drill with `POST /me/drills`.',
    example: `curl -i "$BASE/me/drills/delay" ${bearer}`,
    base,
  },
  'learner-not-found': {
    status: 404,
    title: 'No such client',
    meaning: 'There is no client with this id.',
    cause:
      'The id is wrong, or the client was removed, a day after its last use. Only the trainer names clients, so no example is given.',
    remedy: 'Take the id from `GET /trainer/learners`.',
    example: null,
  },
  'preset-client': {
    status: 409,
    title: 'Not for preconfigured clients',
    meaning: 'All share the preconfigured clients, so nobody can change how the service treats them.',
    cause:
      'Your token is one of `preset-reader` or `preset-fleet`. Their secrets are shown at the start only, so no example is given.',
    remedy: 'Create a client of your own with `POST /demo-clients` of the insurer, and use its token.',
    example: null,
  },
} as const satisfies Record<string, ProblemEntry>;
