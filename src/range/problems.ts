import type { ProblemIdentifier } from '../http/problem.ts';
import { curlBearer as bearer, curlJson as json, type ProblemEntry } from '../http/problem-entry.ts';
import { drillProblems } from './drills/problems.ts';
import { capstoneProblems } from './lessons/capstones/problems.ts';
import { lessonProblems } from './lessons/problems.ts';

/** Those of each endpoint that takes a token of any scope. */
export const tokenProblems: ProblemIdentifier[] = ['missing-token', 'invalid-token', 'unavailable'];

const ofTrainer = '-H "Authorization: Bearer $TRAINER_TOKEN"';

const shown = (variable: string) => `# Set ${variable} to what the banner shows.`;

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
    cause: 'The id is wrong, or the client was removed, a day after its last use.',
    remedy: 'Take the id from `GET /trainer/learners`.',
    example: `${shown('TRAINER_TOKEN')}
curl -i "$BASE/trainer/learners/demo-none" ${ofTrainer}`,
    base: '/range/v1',
  },
  'announcement-not-found': {
    status: 404,
    title: 'There is no announcement',
    meaning: 'The trainer announces nothing at the moment.',
    cause: 'None was made since the last one was deleted.',
    remedy: 'Make one with `PUT /trainer/announcement`. `GET /me` shows `null` where there is none.',
    example: `${shown('TRAINER_TOKEN')}
curl -s -X DELETE "$BASE/trainer/announcement" ${ofTrainer}
curl -i "$BASE/trainer/announcement" ${ofTrainer}`,
    base: '/range/v1',
  },
  'preset-client': {
    status: 409,
    title: 'The client is preconfigured',
    meaning: '`preset-reader` and `preset-fleet` can’t do this: they belong to all who have their secrets.',
    cause: 'The token, or the id in the URL, is that of a preconfigured client.',
    remedy: 'Use a demo client of your own, from `POST /demo-clients`.',
    example: `${shown('READER_CLIENT_SECRET')}
TOKEN=$(curl -s "\${BASE%/range/v1}/insurer/v1/auth/token" ${json} \\
  -d '{"client_id":"preset-reader","client_secret":"'"$READER_CLIENT_SECRET"'"}' |
  sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
curl -i -X POST "$BASE/me/reset" ${bearer}`,
    base: '/range/v1',
  },
  ...drillProblems,
  ...lessonProblems,
  ...capstoneProblems,
} as const satisfies Record<string, ProblemEntry>;

declare module '../http/problem-table.ts' {
  interface Problems extends OwnProblems {}
}

type OwnProblems = typeof problems;
