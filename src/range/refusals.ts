import { ProblemError, type ProblemIdentifier } from '../http/problems/problem.ts';
import { curlBearer as bearer, curlJson as json, type ProblemEntry } from '../http/problems/problem-entry.ts';
import { isClientId, type Tokens } from '../http/requests/bearer.ts';
import { fleetId, readerId } from '../insurer/index.ts';

/** Any token will do. */
export const anyScope = '';

/** The problems of each endpoint that takes a token of any scope. */
export const tokenProblems: ProblemIdentifier[] = ['missing-token', 'invalid-token', 'unavailable'];

/** The same of those that take a token of a client: there, one for a person is refused. */
export const clientTokenProblems: ProblemIdentifier[] = [...tokenProblems, 'insufficient-scope'];

/** The header of the trainer's calls in examples, and the line that comes before them. */
export const trainerBearer = '-H "Authorization: Bearer $TRAINER_TOKEN"';
export const setVariable = (name: string) => `# Set ${name} to what the banner shows.`;

/** The problems that several rooms of the range answer. */
export const clientProblems = {
  'client-not-found': {
    status: 404,
    title: 'No such client',
    meaning: 'There is no client with this id.',
    cause: 'The id is wrong, or the client was removed: by itself, by you, or after a day or longer without use.',
    remedy: 'Take the id from `GET /trainer/learners`.',
    example: `${setVariable('TRAINER_TOKEN')}
curl -i "$BASE/trainer/learners/demo-none" ${trainerBearer}`,
    base: '/range/v1',
  },
  'preset-client': {
    status: 409,
    title: 'The client is preconfigured',
    meaning: '`preset-reader` and `preset-fleet` can’t do this: they belong to all who have their secrets.',
    cause: 'The token, or the id in the URL, is that of a preconfigured client.',
    remedy: 'Use a demo client of your own, from `POST /demo-clients`.',
    example: `${setVariable('READER_CLIENT_SECRET')}
TOKEN=$(curl -s "\${BASE%/range/v1}/insurer/v1/auth/token" ${json} \\
  -d '{"client_id":"preset-reader","client_secret":"'"$READER_CLIENT_SECRET"'"}' |
  sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
curl -i -X POST "$BASE/me/reset" ${bearer}`,
    base: '/range/v1',
  },
} as const satisfies Record<string, ProblemEntry>;

export const createOne =
  'Use a demo client of your own: POST /insurer/v1/demo-clients creates one, and POST /insurer/v1/auth/token gets its token.';

/** Refuses to a preconfigured client what is for one learner alone. */
export function presetClient(clientId: string, instead = createOne): ProblemError {
  const detail = `The client ${clientId} is preconfigured, and everybody who has its secret shares it. ${instead}`;
  return new ProblemError('preset-client', detail);
}

/** @throws {ProblemError} `preset-client` */
export function refusePreset(clientId: string, instead?: string): void {
  if (clientId === fleetId || clientId === readerId) throw presetClient(clientId, instead);
}

/** Tells the trainer that no client has an id. */
export function noSuchClient(): ProblemError {
  const detail =
    'There is no client with this id: it is wrong, or the client was removed: by itself, by you, or after a day or longer without use. GET /range/v1/trainer/learners lists those that called.';
  return new ProblemError('client-not-found', detail);
}

/** @throws {ProblemError} `client-not-found` */
export async function refuseUnknown(tokens: Tokens, clientId: string): Promise<void> {
  // An id with a NUL could not even be looked for.
  if (!isClientId(clientId) || !(await tokens.exists(clientId))) throw noSuchClient();
}
