import { asScript, settings } from './scripts.ts';
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
    variable: Object.entries(variables).map(([key, value]) => ({ key, value, type: 'string' })),
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

function itemOf(request: WalkRequest): object {
  const { name, about, method, url, headers, body, authorized, signed } = request;
  const scripts = [
    { listen: 'test', script: { type: 'text/javascript', exec: after(request) } },
    ...(signed ? [{ listen: 'prerequest', script: { type: 'text/javascript', exec: sign } }] : []),
  ];
  return {
    name,
    event: scripts,
    request: {
      method,
      url,
      description: about,
      header: Object.entries(headers).map(([key, value]) => ({ key, value })),
      ...(body && { body: { mode: 'raw', raw: body.text, options: { raw: { language: body.language } } } }),
      ...(!authorized && { auth: { type: 'noauth' } }),
    },
  };
}

/** As lines, which is how Postman has them. */
function after(request: WalkRequest): string[] {
  const { status, checks, keeps, contains } = request;
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
    ...(contains ? [test('The vehicle is there', `pm.expect(pm.response.text()).to.include('${contains}')`)] : []),
    ...settings(request, 'pm.collectionVariables.set', 'pm.response.json()'),
  ];
}

const sign = [
  `const secret = pm.variables.get('${secretVariable}');`,
  `if (!secret) throw new Error('${noSecret}');`,
  "const { HmacSHA256 } = require('crypto-js');",
  'const signature = HmacSHA256(pm.request.body.raw, secret).toString();',
  `pm.request.headers.upsert({ key: '${signatureHeader}', value: signature });`,
];
