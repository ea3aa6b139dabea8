import type { CallInputs } from './first-calls.ts';
import { noSecret, secretVariable, signatureHeader, type WalkRequest, walk } from './walk.ts';

/** A collection for Postman, in its format 2.1, as JSON. Newman runs it too. */
export function postmanCollection(inputs: CallInputs): string {
  const { name, about, variables, folders } = walk(inputs);
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
function after({ keeps, status }: WalkRequest): string[] {
  return [
    `pm.test('The status is ${status}', () => pm.response.to.have.status(${status}));`,
    ...Object.entries(keeps).map(
      ([variable, member]) => `pm.collectionVariables.set('${variable}', pm.response.json().${member});`,
    ),
  ];
}

const sign = [
  `const secret = pm.variables.get('${secretVariable}');`,
  `if (!secret) throw new Error('${noSecret}');`,
  "const { HmacSHA256 } = require('crypto-js');",
  'const signature = HmacSHA256(pm.request.body.raw, secret).toString();',
  `pm.request.headers.upsert({ key: '${signatureHeader}', value: signature });`,
];
