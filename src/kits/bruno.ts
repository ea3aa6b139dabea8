import { authorizationUrl, scope, tokenUrl } from './people-steps.ts';
import { challenge, findings, landmarks, settings } from './scripts.ts';
import { noSecret, secretVariable, signatureHeader, type Walk, type WalkRequest } from './walk.ts';

/** A collection for Bruno, as it exports one into a single file of JSON. */
export function brunoCollection({ name, about, addresses, variables, folders }: Walk): string {
  const collection = {
    name,
    version: '1',
    items: folders.map((folder, at) => ({
      type: 'folder',
      name: folder.name,
      seq: at + 1,
      items: folder.requests.map(itemOf),
    })),
    environments: [{ uid: uid('environment', 0), name, variables: enabled('address', addresses) }],
    // Variables of the collection need no environment to be chosen. Bruno gives them no uid when it imports them, but wants one.
    root: { request: { vars: { req: enabled('variable', variables) } }, docs: about },
    brunoConfig: { version: '1', name, type: 'collection', ignore: ['node_modules', '.git'] },
  };
  return JSON.stringify(collection, null, 2);
}

const uid = (kind: string, at: number) => `${kind}${String(at).padStart(21 - kind.length, '0')}`;

/** An empty one in an environment would hide that of the collection. */
function enabled(kind: string, variables: Readonly<Record<string, string>>): object[] {
  return Object.entries(variables).map(([name, value], at) => ({
    uid: uid(kind, at),
    name,
    value,
    enabled: kind === 'variable' || value !== '',
    ...(kind === 'address' && { type: 'text', secret: name === secretVariable }),
  }));
}

function itemOf(request: WalkRequest, at: number): object {
  const { name, about, method, url, headers, body, form, token, signed } = request;
  const [, query] = url.split('?');
  return {
    type: 'http',
    name,
    seq: at + 1,
    request: {
      url,
      method,
      headers: Object.entries(headers).map(([header, value]) => ({ name: header, value, enabled: true })),
      params: (query?.split('&') ?? []).map((pair) => {
        const [key = '', value = ''] = pair.split('=');
        return { name: key, value, type: 'query', enabled: true };
      }),
      // As text the body of the signed check is sent as it was signed; as JSON it would be written anew.
      body: signed
        ? { mode: 'text', text: body?.text }
        : body
          ? { mode: brunoMode(body), [brunoMode(body)]: body.text }
          : form
            ? { mode: 'formUrlEncoded', formUrlEncoded: enabledFields(form) }
            : { mode: 'none' },
      auth: authOf(token),
      script: brunoScripts(request),
      vars: {},
      assertions: brunoAssertions(request).map(([member, value]) => ({ name: member, value, enabled: true })),
      tests: brunoTests(request),
      docs: about,
    },
  };
}

/** How a body is written: of a form with a file Bruno would make one anew, of files that are there. */
export const brunoMode = ({ language }: NonNullable<WalkRequest['body']>) => (language === 'form' ? 'text' : language);

const enabledFields = (form: Readonly<Record<string, string>>) =>
  Object.entries(form).map(([name, value]) => ({ name, value, enabled: true }));

function authOf(token: WalkRequest['token']): object {
  if (token === undefined) return { mode: 'none' };
  if (token !== 'by-tool') return { mode: 'bearer', bearer: { token: `{{${token}}}` } };
  return { mode: 'oauth2', oauth2: { ...brunoSignIn, additionalParameters: { authorization: [] } } };
}

/** How Bruno’s app signs a person in. */
export const brunoSignIn = {
  grantType: 'authorization_code',
  callbackUrl: '{{redirect_uri}}',
  authorizationUrl,
  accessTokenUrl: tokenUrl,
  refreshTokenUrl: tokenUrl,
  clientId: '{{client_id}}',
  clientSecret: '{{client_secret}}',
  scope,
  state: '{{state}}',
  pkce: true,
  credentialsPlacement: 'basic_auth_header',
  credentialsId: 'person',
  tokenPlacement: 'header',
  tokenHeaderPrefix: 'Bearer',
  autoFetchToken: true,
  autoRefreshToken: true,
};

/** Writes what Bruno runs before a request and after the answer. */
export function brunoScripts(request: WalkRequest): { readonly req?: string; readonly res?: string } {
  const before = requestScript(request);
  const after = [...settings(request, set, 'res.getBody()'), ...findings(request, set, sources)];
  return { ...(before && { req: before }), ...(after.length > 0 && { res: after.join('\n') }) };
}

function requestScript({ signed, body, makesChallenge, leadsTo, token }: WalkRequest): string | undefined {
  if (signed) return sign;
  if (body?.language === 'form') return lineEnds;
  // Not every version of Bruno imports the settings of a request.
  if (leadsTo.length > 0) return 'req.setMaxRedirects(0);';
  if (makesChallenge) return challenge(set).join('\n');
  return token === 'by-tool' ? skip : undefined;
}

/** Tests in a script, for what an assertion can’t look at. */
export function brunoTests(request: WalkRequest): string {
  return landmarks(
    request,
    (name) => `bru.getVar('${name}') ?? bru.getCollectionVar('${name}') ?? bru.getEnvVar('${name}')`,
  )
    .map(
      ([title, part]) => `test('${title}', () => expect(decodeURIComponent(${sources.location})).to.include(${part}));`,
    )
    .join('\n');
}

const set = 'bru.setVar';
const sources = { body: 'res.getBody()', location: "res.getHeader('location')" };

/** A run of all requests has nobody who could sign in. */
const skip = 'bru.runner.skipRequest();';

/** Writes what is looked at, and what Bruno is to find. */
export function brunoAssertions({ status, checks, keeps, contains }: WalkRequest): [string, string][] {
  return [
    ['res.status', `eq ${status}`],
    ...checks.map(({ member, is }): [string, string] => [`res.body.${member}`, `eq ${is}`]),
    ...Object.values(keeps).map((member): [string, string] => [`res.body.${member}`, 'isString']),
    ...(contains ? [['res.body', `contains ${contains}`] as [string, string]] : []),
  ];
}

/** Its files have no CR LF. */
const lineEnds = "req.setBody(req.getBody().replaceAll(/\\r?\\n/g, '\\r\\n'));";

const sign = `const secret = bru.getEnvVar('${secretVariable}') || bru.getCollectionVar('${secretVariable}');
if (!secret) throw new Error('${noSecret}');
const { HmacSHA256 } = require('crypto-js');
const signature = HmacSHA256(req.getBody({ raw: true }), secret).toString();
req.setHeader('${signatureHeader}', signature);`;
