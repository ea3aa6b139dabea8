import { createHash, randomBytes } from 'node:crypto';
import { send } from './http1.ts';
import type { LPlate, TestClient } from './lplate.ts';

/* What a browser and an app do at the authorization endpoint, without a browser. */

/** A service with people: one of this process, or one that `serviceAt` calls. */
export interface PeopleService extends Pick<LPlate, 'call' | 'client' | 'url'> {
  readonly config: Pick<LPlate['config'], 'publicUrl' | 'publicUrlGiven'>;
}

/** One of another process. Its answers are not held to its description. */
export function serviceAt(url: string): PeopleService {
  const call: PeopleService['call'] = (method, path, { token, json } = {}) => {
    const headers = {
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...(json !== undefined && { 'Content-Type': 'application/json' }),
    };
    const body = json === undefined ? undefined : JSON.stringify(json);
    return send(`${url}${path.startsWith('/range/') ? '' : '/insurer/v1'}${path}`, { method, headers, body });
  };
  return {
    ...{ url, call, config: { publicUrl: url, publicUrlGiven: true } },
    async client(scope) {
      const { client_id: id, client_secret: secret } = (await call('POST', '/demo-clients')).json;
      const { json } = await call('POST', '/auth/token', { json: { client_id: id, client_secret: secret, scope } });
      return { id, secret, token: json.access_token };
    },
  };
}

export const callback = 'http://127.0.0.1/callback';

export interface TestPerson {
  readonly personId: string;
  readonly name: string;
  readonly userName: string;
  readonly password: string;
  readonly policies: string[];
}

/** A client whose people may be sent back to `callback`. */
export async function clientWithPeople(lplate: PeopleService, uris = [callback]) {
  const client = await lplate.client();
  const people = await peopleOf(lplate, client, uris);
  const [ida, mateo] = people as [TestPerson, TestPerson];
  return { client, people, ida, mateo };
}

/** The people of a client, who may be sent back to `uris` from now on. */
export async function peopleOf(lplate: PeopleService, { token }: TestClient, uris = [callback]): Promise<TestPerson[]> {
  await lplate.call('PUT', '/range/v1/me/redirect-uris', { token, json: { redirectUris: uris } });
  return (await lplate.call('GET', '/range/v1/me/people', { token })).json.items;
}

export interface Challenge {
  readonly verifier: string;
  readonly challenge: string;
}

export function newChallenge(): Challenge {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

/** The query of an authorization request. An undefined parameter is left out. */
export function authorizationQuery(clientId: string, more: Record<string, string | undefined> = {}): string {
  const all = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: callback,
    state: 'state-of-this-browser',
    code_challenge: newChallenge().challenge,
    code_challenge_method: 'S256',
    ...more,
  };
  const given = Object.entries(all).filter((each): each is [string, string] => each[1] !== undefined);
  return String(new URLSearchParams(given));
}

export const authorizePath = '/insurer/v1/auth/authorize';

/** What a browser is answered. It follows nothing. */
export interface Page {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
  /** Where it is sent to, if anywhere. */
  readonly redirect: URL | undefined;
}

type Fields = Record<string, string> | [string, string][];

type Served = Pick<PeopleService, 'config' | 'url'>;

const originOf = ({ config, url }: Served) => (config.publicUrlGiven ? url : config.publicUrl);

/** Opens a page, or sends a form of one. */
export function browse(lplate: Served, path: string, fields?: Fields): Promise<Page> {
  return open(`${originOf(lplate)}${path}`, fields);
}

async function open(url: string, fields?: Fields): Promise<Page> {
  const answer = await fetch(url, {
    redirect: 'manual',
    ...(fields && { method: 'POST', body: new URLSearchParams(fields) }),
  });
  const location = answer.headers.get('location');
  const redirect = location === null ? undefined : new URL(location);
  return { status: answer.status, text: await answer.text(), headers: answer.headers, redirect };
}

/** Opens the page of an authorization request. */
export const openAuthorize = (lplate: PeopleService, query: string) => browse(lplate, `${authorizePath}?${query}`);

/** The ticket of a consent page; undefined where it is none. */
export const ticketIn = ({ text }: Page) => /name="ticket" value="([^"]+)"/.exec(text)?.[1];

type SignsIn = Pick<TestPerson, 'userName' | 'password'>;

/** Signs a person in. Returns the answer, which is the consent page. */
export function signIn(lplate: PeopleService, query: string, { userName, password }: SignsIn): Promise<Page> {
  return browse(lplate, `${authorizePath}?${query}`, { userName, password });
}

/** Signs a person in, who allows these scopes, by default all that were asked for. Returns the parameters of the redirect. */
export async function letIn(
  lplate: PeopleService,
  query: string,
  person: SignsIn,
  scopes?: string[],
): Promise<URLSearchParams> {
  const redirect = await letInAt(`${originOf(lplate)}${authorizePath}?${query}`, person, scopes);
  return redirect.searchParams;
}

/** The same, at the address to which an app sends a browser. Returns where it is sent then. */
export async function letInAt(url: string, { userName, password }: SignsIn, scopes?: string[]): Promise<URL> {
  const page = await open(url, { userName, password });
  const asked = [...page.text.matchAll(/name="scope" value="([^"]+)"/g)].map(([, scope]) => scope as string);
  const fields: [string, string][] = [
    ['ticket', ticketIn(page) as string],
    ['decision', 'allow'],
    ...(scopes ?? asked).map((scope): [string, string] => ['scope', scope]),
  ];
  const { redirect } = await open(url, fields);
  return redirect as URL;
}

/** Exchanges a code. */
export function exchange(
  lplate: PeopleService,
  { id, secret }: TestClient,
  code: string,
  verifier: string,
  uri = callback,
) {
  const json = { grant_type: 'authorization_code', code, redirect_uri: uri, code_verifier: verifier };
  return lplate.call('POST', '/auth/token', { json: { client_id: id, client_secret: secret, ...json } });
}

/** Refreshes. */
export function refresh(lplate: PeopleService, { id, secret }: TestClient, refreshToken: string, scope?: string) {
  const json = { grant_type: 'refresh_token', refresh_token: refreshToken, ...(scope && { scope }) };
  return lplate.call('POST', '/auth/token', { json: { client_id: id, client_secret: secret, ...json } });
}

/** The whole flow: the answer of the token endpoint. */
export async function tokensFor(lplate: PeopleService, client: TestClient, person: SignsIn, scope?: string) {
  const { verifier, challenge } = newChallenge();
  const query = authorizationQuery(client.id, { code_challenge: challenge, scope });
  const redirect = await letIn(lplate, query, person);
  const { json } = await exchange(lplate, client, redirect.get('code') as string, verifier);
  return json as { access_token: string; refresh_token: string; scope: string; expires_in: number };
}
