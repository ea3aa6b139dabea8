import { asScript, settings } from './scripts.ts';
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
  const { name, about, method, url, headers, body, authorized, signed } = request;
  return {
    _type: 'request',
    name,
    description: about,
    method,
    url: withVariables(url),
    headers: Object.entries(headers).map(([header, value]) => ({ name: header, value })),
    parameters: [],
    authentication: authorized ? { type: 'bearer', token: '{{ _.token }}' } : {},
    body: body ? { mimeType: headers['Content-Type']?.split(';')[0], text: withVariables(body.text) } : {},
    preRequestScript: signed ? sign : '',
    afterResponseScript: after(request),
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
    ...settings(request, 'insomnia.baseEnvironment.set', 'insomnia.response.json()'),
  ].join('\n');
}

const sign = `const secret = insomnia.variables.get('${secretVariable}');
if (!secret) throw new Error('${noSecret}');
const { HmacSHA256 } = require('crypto-js');
const signature = HmacSHA256(insomnia.request.body.raw, secret).toString();
insomnia.request.upsertHeader({ key: '${signatureHeader}', value: signature });`;
