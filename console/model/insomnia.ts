import type { CallInputs } from './first-calls.ts';
import { noSecret, secretVariable, signatureHeader, type WalkRequest, walk } from './walk.ts';

/** A collection for Insomnia, in its export format 4, as JSON. Its scripts need Insomnia 9.3 or newer. */
export function insomniaCollection(inputs: CallInputs): string {
  const { name, about, variables, folders } = walk(inputs);
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
    body: body
      ? { mimeType: body.language === 'xml' ? 'text/xml' : 'application/json', text: withVariables(body.text) }
      : {},
    preRequestScript: signed ? sign : '',
    afterResponseScript: after(request),
  };
}

const withVariables = (text: string) => text.replace(/\{\{(\w+)\}\}/g, '{{ _.$1 }}');

function after({ keeps, status }: WalkRequest): string {
  return [
    `insomnia.test('The status is ${status}', () => insomnia.expect(insomnia.response.code).to.eql(${status}));`,
    ...Object.entries(keeps).map(
      ([variable, member]) => `insomnia.baseEnvironment.set('${variable}', insomnia.response.json().${member});`,
    ),
  ].join('\n');
}

const sign = `const secret = insomnia.variables.get('${secretVariable}');
if (!secret) throw new Error('${noSecret}');
const { HmacSHA256 } = require('crypto-js');
const signature = HmacSHA256(insomnia.request.body.raw, secret).toString();
insomnia.request.upsertHeader({ key: '${signatureHeader}', value: signature });`;
