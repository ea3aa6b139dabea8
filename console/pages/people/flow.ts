import { computed, signal } from '@preact/signals';
import { base64Url } from '../../../src/text/bytes.ts';
import { read } from '../../api/call.ts';
import { credentials } from '../../api/session.ts';
import type { Person } from '../../api/types.ts';
import { sha256 } from '../../model/sha256.ts';
import { callback, keepRedirect } from '../../state/redirect-back.ts';

/* A flow that this page goes through in the place of an app: what it has to remember, and what it finds out. */

/** What an app keeps of one authorization request, in the session of the browser that it sent away. */
export interface Flow {
  readonly clientId: string;
  readonly person: Person;
  /** Whose redirects are taken, as the metadata of the server say. */
  readonly issuer: string;
  /** Separated by spaces. Empty: not sent. */
  readonly scope: string;
  readonly state: string;
  readonly verifier: string;
  readonly isSent: boolean;
  readonly tokens?: Tokens;
  readonly calls: Readonly<Partial<Record<StepName, FlowCall>>>;
}

export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string;
}

/** The steps that are calls of the app. */
export type StepName = 'exchange' | 'call' | 'refresh' | 'withdrawal' | 'after';

/** A call that was made, without what is secret. */
export interface FlowCall {
  readonly status: number;
  readonly sent: string;
  readonly answered: string;
  /** The exchange, by which Traffic shows it. */
  readonly exchange?: string;
}

const key = 'lplate.flow';

const stored = signal(kept());

/** The one of this tab: another tab of the same browser has another session. Undefined when the client is another one by now. */
export const flow = computed(() => (stored.value?.clientId === credentials.value?.clientId ? stored.value : undefined));

function keepFlow(value: Flow): void {
  sessionStorage.setItem(key, JSON.stringify(value));
  stored.value = value;
}

/** Changes what is kept by now, which another call may have changed meanwhile; nothing once another flow was begun. */
export function changeFlow({ state }: Flow, change: (flow: Flow) => Partial<Flow>): void {
  const now = stored.peek();
  if (now?.state === state) keepFlow({ ...now, ...change(now) });
}

function kept(): Flow | undefined {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? 'null') ?? undefined;
  } catch {
    // Not ours. What is kept next replaces it.
    return undefined;
  }
}

/** A value that nobody can guess. */
const random = () => base64Url(crypto.getRandomValues(new Uint8Array(32)));

/** Makes what a request needs, anew for each. Errors as of `call`. */
export async function beginFlow(person: Person, scope: string): Promise<void> {
  const { issuer } = await read<{ issuer: string }>('/.well-known/oauth-authorization-server', { as: 'nobody' });
  const { clientId = '' } = credentials.peek() ?? {};
  keepRedirect(undefined);
  keepFlow({
    ...{ clientId, person, issuer, scope, state: random(), verifier: random(), isSent: false },
    calls: {},
  });
}

/** A parameter of the authorization request, and what it is there for. */
export type Parameter = readonly [name: string, value: string, purpose: string];

export function parametersOf({ clientId, person, scope, state, verifier }: Flow): Parameter[] {
  const all: Parameter[] = [
    ['response_type', 'code', 'You want a code. A token never stands in an address.'],
    ['client_id', clientId, 'Which app asks.'],
    ['redirect_uri', callback, 'Where the browser is sent back to. It must be registered, character by character.'],
    ['scope', scope.trim(), 'What you ask for. The person may allow less.'],
    ['state', state, 'A random value that this tab keeps. The redirect must bring the same.'],
    [
      'code_challenge',
      base64Url(sha256(verifier)),
      'The SHA-256 of a random code_verifier, which stays in this tab until the exchange.',
    ],
    ['code_challenge_method', 'S256', 'How the challenge was made.'],
    ['login_hint', person.userName, 'Whom you expect. It fills in the user name.'],
  ];
  return all.filter(([, value]) => value !== '');
}

export function authorizationUrl(flow: Flow): string {
  const query = new URLSearchParams(parametersOf(flow).map(([name, value]) => [name, value]));
  return `/insurer/v1/auth/authorize?${query}`;
}

/** What a redirect says, and whether its code may be exchanged. */
export interface Came {
  readonly code: string | undefined;
  readonly state: string;
  readonly iss: string;
  readonly error: string | undefined;
  readonly about: string | undefined;
  readonly isSameState: boolean;
  readonly isSameIssuer: boolean;
}

/** `flow`: that of the tab that the redirect came to, if it has one. */
export function readRedirect(query: string, flow: Pick<Flow, 'state' | 'issuer'> | undefined): Came {
  const given = new URLSearchParams(query);
  const of = (name: string) => given.get(name) ?? undefined;
  const [state = '', iss = ''] = [of('state'), of('iss')];
  return {
    ...{ code: of('code'), state, iss, error: of('error'), about: of('error_description') },
    isSameState: state === flow?.state,
    isSameIssuer: iss === flow?.issuer,
  };
}

/** The code of a redirect that may be exchanged. */
export function codeOf({ code, isSameState, isSameIssuer }: Came): string | undefined {
  return isSameState && isSameIssuer ? code : undefined;
}
