import { consoleHeader } from '../../src/http/requests/header-names.ts';
import { noteLimit } from './calls-left.ts';
import { problemIn } from './problem.ts';
import { credentials, trainerToken } from './session.ts';
import type { Problem } from './types.ts';

export type { Problem } from './types.ts';

const tokenPath = '/insurer/v1/auth/token';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** The service said no, and why. */
export class Refused extends Error {
  readonly status: number;
  readonly problem: Problem | undefined;

  constructor(status: number, problem: Problem | undefined) {
    super(problem?.detail ?? `The service answered with status ${status}.`);
    this.status = status;
    this.problem = problem;
  }

  /** The last segment of its type: `policy-not-found`. */
  get identifier(): string | undefined {
    return this.problem?.type.split('/').at(-1);
  }
}

/** There was no answer at all. */
export class Unreachable extends Error {
  constructor() {
    super('The service does not answer. This page tries again by itself.');
  }
}

/** `client`: the learner's token. `trainer`: the trainer's. `nobody`: without a token. */
export type As = 'client' | 'trainer' | 'nobody';

export interface CallOptions {
  readonly as?: As;
  /** Sent as JSON. */
  readonly json?: unknown;
  readonly body?: string | FormData;
  readonly headers?: Record<string, string>;
  /** Whether it is a call of the learner's own, which counts for lessons. */
  readonly counts?: boolean;
  readonly signal?: AbortSignal;
  /** An answer of any status is returned, where refusals are what one looks at. */
  readonly anyStatus?: boolean;
}

let token: { readonly of: string; readonly value: Promise<string> } | undefined;

/** The learner's token: got when first needed, and again when the service refuses it. */
export function clientToken(): Promise<string> {
  const client = credentials.peek();
  if (!client) return Promise.reject(new Refused(401, undefined));
  if (token?.of !== client.clientId) {
    const { clientId, clientSecret } = client;
    const json = { client_id: clientId, client_secret: clientSecret, grant_type: 'client_credentials' };
    const value = call('POST', tokenPath, { as: 'nobody', json }).then((answer) => {
      noteLimit(answer);
      return JSON.parse(answer.text).access_token as string;
    });
    token = { of: clientId, value };
    value.catch(forgetToken);
  }
  return token.value;
}

export function forgetToken(): void {
  token = undefined;
}

/**
 * Calls a path of this origin.
 *
 * @throws {Refused} for a status of 400 or more, without `anyStatus`
 * @throws {Unreachable} if there was no answer
 */
export async function call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
  const response = await send(method, path, options);
  const text = await response.text().catch(() => {
    throw new Unreachable();
  });
  return { status: response.status, headers: response.headers, text };
}

/** The JSON of an answer. Errors as of `call`. */
export async function read<T>(path: string, options: CallOptions = {}): Promise<T> {
  return JSON.parse((await call('GET', path, options)).text);
}

/** As `call`, but the body is still to be read: for streams. */
export async function send(method: string, path: string, options: CallOptions = {}): Promise<Response> {
  const { as = 'client', signal } = options;
  const once = async () => {
    const headers: Record<string, string> = { ...(!options.counts && { [consoleHeader]: '1' }), ...options.headers };
    if (as === 'client') headers.Authorization = `Bearer ${await clientToken()}`;
    if (as === 'trainer') headers.Authorization = `Bearer ${trainerToken.peek() ?? ''}`;
    if (options.json !== undefined) headers['Content-Type'] = 'application/json';
    const body = options.json === undefined ? options.body : JSON.stringify(options.json);
    // With credentials of its own the browser would answer a 401 that names Basic with a dialog.
    // And it would keep a 410, to answer with it where another cursor is sent.
    const request = {
      method,
      headers,
      credentials: 'omit',
      cache: 'no-store',
      ...(body !== undefined && { body }),
    } as const;
    return fetch(path, { ...request, ...(signal && { signal }) }).catch((error) => {
      throw error?.name === 'AbortError' ? error : new Unreachable();
    });
  };
  let response = await once();
  if (response.status === 401 && as === 'client') {
    // It expired, or the clock was moved.
    forgetToken();
    response = await once();
  }
  if (response.ok || response.status === 304 || options.anyStatus) return response;
  throw new Refused(response.status, problemIn(await response.text().catch(() => '')));
}
