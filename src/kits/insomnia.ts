import { authorizationUrl, scope, tokenUrl } from './people-steps.ts';
import { asScript, challenge, findings, landmarks, settings } from './scripts.ts';
import { noSecret, secretVariable, signatureHeader, type Walk, type WalkRequest } from './walk.ts';

/** A collection for Insomnia, in its export format 4, as JSON. Its scripts need Insomnia 9.3 or newer. */
export function insomniaCollection({ name, about, variables, folders }: Walk): string {
  const workspace = '__WORKSPACE_1__';
  const resources: object[] = [
    { _id: workspace, _type: 'workspace', parentId: null, name, description: about, scope: 'collection' },
    { _id: '__ENV_1__', _type: 'environment', parentId: workspace, name: 'Base Environment', data: variables },
  ];
  let number = 0;
  for (const [at, folder] of folders.entries()) {
    const group = `__FLD_${at + 1}__`;
    resources.push({ _id: group, _type: 'request_group', parentId: workspace, name: folder.name, metaSortKey: at });
    for (const request of folder.requests) {
      number += 1;
      resources.push({ _id: `__REQ_${number}__`, parentId: group, metaSortKey: number, ...resourceOf(request) });
    }
  }
  const made = { _type: 'export', __export_format: 4, __export_source: 'l-plate', resources };
  return JSON.stringify(made, null, 2);
}

function resourceOf(request: WalkRequest): object {
  const { name, about, method, url, headers, body, form, token, signed, makesChallenge, leadsTo } = request;
  // As a form Insomnia would make it anew, of fields.
  const mimeType = body?.language === 'form' ? 'text/plain' : headers['Content-Type']?.split(';')[0];
  return {
    _type: 'request',
    name,
    description: about,
    method,
    url: withVariables(url),
    headers: Object.entries(headers).map(([header, value]) => ({ name: header, value })),
    parameters: [],
    authentication: authOf(token),
    body: body
      ? { mimeType, text: withVariables(body.text) }
      : form
        ? {
            mimeType,
            params: Object.entries(form).map(([field, value]) => ({ name: field, value: withVariables(value) })),
          }
        : {},
    preRequestScript: signed ? sign : makesChallenge ? challenge(set).join('\n') : '',
    afterResponseScript: after(request),
    ...(leadsTo.length > 0 && { settingFollowRedirects: 'off' }),
  };
}

function authOf(token: WalkRequest['token']): object {
  if (token === undefined) return {};
  if (token !== 'by-tool') return { type: 'bearer', token: `{{ _.${token} }}` };
  return {
    type: 'oauth2',
    grantType: 'authorization_code',
    authorizationUrl: withVariables(authorizationUrl),
    accessTokenUrl: withVariables(tokenUrl),
    redirectUrl: '{{ _.redirect_uri }}',
    clientId: '{{ _.client_id }}',
    clientSecret: '{{ _.client_secret }}',
    credentialsInBody: false,
    usePkce: true,
    pkceMethod: 'S256',
    scope,
    state: '{{ _.state }}',
    tokenPrefix: 'Bearer',
  };
}

const withVariables = (text: string) => text.replace(/\{\{(\w+)\}\}/g, '{{ _.$1 }}');

function after(request: WalkRequest): string {
  const { status, checks } = request;
  const test = (title: string, actual: string, expected: string | number) =>
    `insomnia.test('${title}', () => insomnia.expect(${actual}).to.eql(${expected}));`;
  return [
    test(`The status is ${status}`, 'insomnia.response.code', status),
    ...checks.map(({ member, is }) => {
      const value = asScript(is, (name) => `insomnia.variables.get('${name}')`);
      return test(`${member} is right`, `insomnia.response.json().${member}`, value);
    }),
    ...landmarks(request, (name) => `insomnia.variables.get('${name}')`).map(([title, part]) =>
      test(title, `decodeURIComponent(${sources.location}).includes(${part})`, 'true'),
    ),
    ...settings(request, set, 'insomnia.response.json()'),
    ...findings(request, set, sources),
  ].join('\n');
}

const set = 'insomnia.baseEnvironment.set';
const sources = {
  body: 'insomnia.response.text()',
  location: "insomnia.response.headers.find(({ key }) => key.toLowerCase() === 'location').value",
};

const sign = `const secret = insomnia.variables.get('${secretVariable}');
if (!secret) throw new Error('${noSecret}');
const { HmacSHA256 } = require('crypto-js');
const signature = HmacSHA256(insomnia.request.body.raw, secret).toString();
insomnia.request.upsertHeader({ key: '${signatureHeader}', value: signature });`;
