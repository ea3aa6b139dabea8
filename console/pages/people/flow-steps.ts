import { secretPlaceholder, tokenPlaceholder } from '../../../src/text/redacted.ts';
import { type Answer, call } from '../../api/call.ts';
import { noteLimit } from '../../api/calls-left.ts';
import { credentials } from '../../api/session.ts';
import type { Page, Policy } from '../../api/types.ts';
import { readToken } from '../../model/token.ts';
import type { Mood } from '../../parts/parts.tsx';
import { callback } from '../../state/redirect-back.ts';
import { changeFlow, type Flow, type FlowCall, type StepName, type Tokens } from './flow.ts';

/* The calls that an app makes in a flow, and what each of them proves. */

/** What is sent. Without `token` the form has the credentials of the app. */
interface Sent {
  readonly method: string;
  readonly path: string;
  readonly form?: Readonly<Record<string, string>>;
  /** That of the person, or the client's own. */
  readonly token?: string | 'own';
}

export interface Step {
  readonly name: StepName;
  readonly title: string;
  /** Who calls whom. */
  readonly way: string;
  /** What it is for, before it is made. */
  readonly about: string;
  readonly button: string;
  /** Undefined while it can't be made. `code`: what the redirect brought. */
  readonly request: (flow: Flow, code: string | undefined) => Sent | undefined;
  /** What the answer shows; undefined where the refusal says it. */
  readonly proved: (call: FlowCall, flow: Flow) => readonly [Mood, string] | undefined;
}

const tokenPath = '/insurer/v1/auth/token';
const policiesPath = '/insurer/v1/policies';

const withTokens = (request: (tokens: Tokens) => Sent) => (flow: Flow) => flow.tokens && request(flow.tokens);

const listPolicies = withTokens(({ accessToken }) => ({ method: 'GET', path: policiesPath, token: accessToken }));

export const steps: readonly Step[] = [
  {
    name: 'exchange',
    title: 'Exchange',
    way: 'Your app calls L-Plate',
    about: 'Send the code with the verifier and with the secret of your app. It holds for a minute, and once.',
    button: 'Exchange the code',
    request: ({ verifier }, code) =>
      code === undefined
        ? undefined
        : {
            method: 'POST',
            path: tokenPath,
            form: { grant_type: 'authorization_code', code, redirect_uri: callback, code_verifier: verifier },
          },
    proved: ({ status, answered }, { person, scope }) => {
      if (status !== 200) return undefined;
      const allowed: string = JSON.parse(answered).scope;
      const less = allowed.split(' ').length < scope.split(' ').length;
      const about = `The verifier fits the challenge: the app that has the code is the one that sent ${person.name} to sign in. You have an access token and a refresh token, for: ${allowed}.`;
      return ['good', less ? `${about} That is less than you asked for.` : about];
    },
  },
  {
    name: 'call',
    title: 'A call with the token',
    way: 'Your app calls L-Plate',
    about: 'Send the access token as you send that of your client. Whose policies come?',
    button: 'List the policies',
    request: listPolicies,
    proved: ({ status, answered }, { person }) => {
      if (status !== 200) return undefined;
      const { items }: Page<Policy> = JSON.parse(answered);
      const isTheirs = items.every(({ holder }) => holder === person.name);
      if (!isTheirs) return ['warn', 'Somebody else signed in: not all of these are policies of the one you expected.'];
      return [
        'good',
        `The token speaks for ${person.name}: these are the policies whose holder they are, ${items.length} in all. No other policy of your client can be seen with it.`,
      ];
    },
  },
  {
    name: 'refresh',
    title: 'Refresh',
    way: 'Your app calls L-Plate',
    about: 'The access token holds for an hour. The refresh token gets you the next one, without the person.',
    button: 'Refresh',
    request: withTokens(({ refreshToken }) => ({
      method: 'POST',
      path: tokenPath,
      form: { grant_type: 'refresh_token', refresh_token: refreshToken },
    })),
    proved: ({ status }) =>
      status === 200
        ? [
            'good',
            'You have a new access token and a new refresh token. The refresh token of before is used up: if it comes again, somebody has stolen it, and all ends.',
          ]
        : undefined,
  },
  {
    name: 'withdrawal',
    title: 'Withdrawal',
    way: 'The person changes their mind',
    about: 'People can end a consent at any time, without your app.',
    button: 'Withdraw the consent',
    request: withTokens(({ accessToken }) => ({
      method: 'DELETE',
      path: `/range/v1/me/consents/${readToken(accessToken).token?.claims.consent_id}`,
      token: 'own',
    })),
    proved: ({ status }, { person }) =>
      status === 204 ? ['good', `${person.name} has changed their mind. Nobody has told your app.`] : undefined,
  },
  {
    name: 'after',
    title: 'The same call again',
    way: 'Your app calls L-Plate',
    about: 'The access token has not expired. Does it still hold?',
    button: 'List the policies again',
    request: (flow) => (flow.calls.withdrawal?.status === 204 ? listPolicies(flow) : undefined),
    proved: ({ status }) =>
      status === 401
        ? [
            'good',
            'The token ended with its consent. An app that gets this 401 tries to refresh, is refused, and asks the person again.',
          ]
        : status === 200
          ? ['warn', 'The token still holds: there is another consent by now.']
          : undefined,
  },
];

/** Makes the call of a step and keeps what came of it. Errors as of `call`, but for refusals, which are kept. */
export async function take({ name, request }: Step, flow: Flow, code: string | undefined): Promise<void> {
  const sent = request(flow, code);
  const client = credentials.peek();
  if (!sent || !client) return;
  const { method, path, token } = sent;
  const form = sent.form && {
    ...sent.form,
    client_id: client.clientId,
    client_secret: client.clientSecret,
  };
  const answer = await call(method, path, {
    as: token === 'own' ? 'client' : 'nobody',
    headers: {
      ...(token !== undefined && token !== 'own' && { Authorization: `Bearer ${token}` }),
      ...(form && { 'Content-Type': 'application/x-www-form-urlencoded' }),
    },
    ...(form && { body: String(new URLSearchParams(form)) }),
    anyStatus: true,
  });
  noteLimit(answer);
  const tokens = form && tokensIn(answer);
  const id = path.startsWith('/range/') ? undefined : (answer.headers.get('X-Request-Id') ?? undefined);
  const made = {
    status: answer.status,
    sent: shown(sent, form),
    answered: redacted(answer.text),
    ...(id !== undefined && { exchange: id }),
  };
  changeFlow(flow, ({ calls }) => ({ ...(tokens && { tokens }), calls: { ...calls, [name]: made } }));
}

function tokensIn({ status, text: body }: Answer): Tokens | undefined {
  if (status !== 200) return undefined;
  const { access_token: accessToken, refresh_token: refreshToken } = JSON.parse(body);
  return { accessToken, refreshToken };
}

/** The request as text. */
function shown({ method, path, token }: Sent, form: Readonly<Record<string, string>> | undefined): string {
  const bearer = token === 'own' ? '(token of your client)' : token && tokenPlaceholder(token.length);
  const lines = [`${method} ${path}`, ...(bearer ? [`Authorization: Bearer ${bearer}`] : [])];
  if (!form) return lines.join('\n');
  const fields = Object.entries(form).map(([name, value]) => `${name} = ${hidden(name, value)}`);
  return [...lines, 'Content-Type: application/x-www-form-urlencoded', '', ...fields].join('\n');
}

/** A body without what is secret; JSON is laid out. */
function redacted(body: string): string {
  const member = (name: string, value: unknown) => (typeof value === 'string' ? hidden(name, value) : value);
  try {
    return JSON.stringify(JSON.parse(body, member), null, 2);
  } catch {
    return body;
  }
}

function hidden(name: string, value: string): string {
  if (name === 'access_token' || name === 'refresh_token') return tokenPlaceholder(value.length);
  return ['code', 'code_verifier', 'client_secret'].includes(name) ? secretPlaceholder(value.length) : value;
}
