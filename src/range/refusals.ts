import { isClientId, type Tokens } from '../http/bearer.ts';
import { ProblemError } from '../http/problem.ts';
import { fleetId, readerId } from '../insurer/index.ts';

const createOne =
  'Use a demo client of your own: POST /insurer/v1/demo-clients creates one, and POST /insurer/v1/auth/token gets its token.';

/** What a preconfigured client is told that wants what is for one learner alone. */
export function presetClient(clientId: string, instead = createOne): ProblemError {
  const detail = `The client ${clientId} is preconfigured, and everybody who has its secret shares it. ${instead}`;
  return new ProblemError('preset-client', detail);
}

/** @throws {ProblemError} `preset-client` */
export function refusePreset(clientId: string, instead?: string): void {
  if (clientId === fleetId || clientId === readerId) throw presetClient(clientId, instead);
}

/** What the trainer is told of an id that no client has. */
export function noSuchClient(): ProblemError {
  const detail =
    'There is no client with this id: it is wrong, or the client was removed, a day after its last use. GET /range/v1/trainer/learners lists those that called.';
  return new ProblemError('client-not-found', detail);
}

/** @throws {ProblemError} `client-not-found` */
export async function refuseUnknown(tokens: Tokens, clientId: string): Promise<void> {
  // An id with a NUL could not even be looked for.
  if (!isClientId(clientId) || !(await tokens.exists(clientId))) throw noSuchClient();
}
