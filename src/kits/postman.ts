import { authorizationUrl, scope, tokenUrl } from './people-steps.ts';
import { asScript, challenge, findings, landmarks, settings } from './scripts.ts';
import { noSecret, secretVariable, signatureHeader, type Walk, type WalkRequest } from './walk.ts';

/** A collection for Postman, in its format 2.1, as JSON. Newman runs it too. */
export function postmanCollection({ name, about, variables, folders }: Walk): string {
  const collection = {
    info: {
      name,
      description: about,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{token}}', type: 'string' }] },
    variable: parameters({ ...variables, ...callback(variables) }),
    item: folders.map((folder) => ({ name: folder.name, item: folder.requests.map(itemOf) })),
  };
  return JSON.stringify(collection, null, 2);
}

/** Lists what differs from place to place: the addresses, and the key of signatures. */
export function postmanEnvironment({ name, addresses }: Walk): string {
  const values = Object.entries(addresses).map(([key, value]) => ({
    key,
    value,
    type: key === secretVariable ? 'secret' : 'default',
    // An empty one would hide that of the collection.
    enabled: value !== '',
  }));
  return JSON.stringify({ name, values, _postman_variable_scope: 'environment' }, null, 2);
}

/** Where Postman’s app looks out for the code, also when it opens the browser. */
const callback = ({ redirect_uri }: Walk['variables']) =>
  redirect_uri === undefined ? {} : { redirect_uri: 'https://oauth.pstmn.io/v1/callback' };

function itemOf(request: WalkRequest): object {
  const { name, about, method, url, headers, body, form, token, signed, makesChallenge, leadsTo } = request;
  const before = signed ? sign : makesChallenge ? challenge(set) : undefined;
  const scripts = [
    { listen: 'test', script: { type: 'text/javascript', exec: after(request) } },
    ...(before ? [{ listen: 'prerequest', script: { type: 'text/javascript', exec: before } }] : []),
  ];
  return {
    name,
    event: scripts,
    request: {
      method,
      url,
      description: about,
      header: Object.entries(headers).map(([key, value]) => ({ key, value })),
      ...(body && { body: { mode: 'raw', raw: body.text, options: { raw: { language: languageOf(body) } } } }),
      ...(form && { body: { mode: 'urlencoded', urlencoded: parameters(form) } }),
      ...(token !== 'token' && { auth: authOf(token) }),
    },
    ...(leadsTo.length > 0 && { protocolProfileBehavior: { followRedirects: false } }),
  };
}

const languageOf = ({ language }: NonNullable<WalkRequest['body']>) => (language === 'form' ? 'text' : language);

/** What differs from the collection’s. */
function authOf(token: WalkRequest['token']): object {
  if (token === undefined) return { type: 'noauth' };
  if (token !== 'by-tool') return { type: 'bearer', bearer: parameters({ token: `{{${token}}}` }) };
  return {
    type: 'oauth2',
    oauth2: parameters({
      grant_type: 'authorization_code_with_pkce',
      challengeAlgorithm: 'S256',
      authUrl: authorizationUrl,
      accessTokenUrl: tokenUrl,
      redirect_uri: '{{redirect_uri}}',
      clientId: '{{client_id}}',
      clientSecret: '{{client_secret}}',
      client_authentication: 'header',
      scope,
      state: '{{state}}',
      tokenName: 'A person',
      // Until the tool has got one, and for Newman, which gets none.
      accessToken: '{{person_token}}',
      addTokenTo: 'header',
      headerPrefix: 'Bearer',
    }),
  };
}

const parameters = (members: Readonly<Record<string, string>>) =>
  Object.entries(members).map(([key, value]) => ({ key, value, type: 'string' }));

/** As lines, which is how Postman has them. */
function after(request: WalkRequest): string[] {
  const { status, checks, keeps, finds, contains } = request;
  const test = (title: string, check: string) => `pm.test('${title}', () => ${check});`;
  return [
    test(`The status is ${status}`, `pm.response.to.have.status(${status})`),
    ...checks.map(({ member, is }) => {
      const value = asScript(is, (name) => `pm.variables.get('${name}')`);
      return test(`${member} is right`, `pm.expect(pm.response.json().${member}).to.eql(${value})`);
    }),
    ...Object.values(keeps).map((member) =>
      test(`${member} is there`, `pm.expect(pm.response.json().${member}).to.be.a('string').and.not.empty`),
    ),
    ...(contains ? [test('Its text is there', `pm.expect(pm.response.text()).to.include('${contains}')`)] : []),
    ...Object.entries(finds).map(([variable, [source, pattern]]) =>
      test(`${variable} is there`, `pm.expect(${sources[source]}).to.match(/${pattern}/)`),
    ),
    ...landmarks(request, (name) => `pm.variables.get('${name}')`).map(([title, part]) =>
      test(title, `pm.expect(decodeURIComponent(${sources.location})).to.include(${part})`),
    ),
    ...settings(request, set, 'pm.response.json()'),
    ...findings(request, set, sources),
  ];
}

const set = 'pm.collectionVariables.set';
const sources = { body: 'pm.response.text()', location: "pm.response.headers.get('Location')" };

const sign = [
  `const secret = pm.variables.get('${secretVariable}');`,
  `if (!secret) throw new Error('${noSecret}');`,
  "const { HmacSHA256 } = require('crypto-js');",
  'const signature = HmacSHA256(pm.request.body.raw, secret).toString();',
  `pm.request.headers.upsert({ key: '${signatureHeader}', value: signature });`,
];
