import type { CallInputs } from './first-calls.ts';
import { noSecret, secretVariable, signatureHeader, type WalkRequest, walk } from './walk.ts';

/** A collection for Bruno, as it exports one into a single file of JSON. */
export function brunoCollection(inputs: CallInputs): string {
  const { name, about, variables, folders } = walk(inputs);
  const collection = {
    name,
    version: '1',
    items: folders.map((folder, at) => ({
      type: 'folder',
      name: folder.name,
      seq: at + 1,
      items: folder.requests.map(itemOf),
    })),
    environments: [],
    // Variables of the collection need no environment to be chosen. Bruno gives them no uid when it imports them, but wants one.
    root: {
      request: {
        vars: {
          req: Object.entries(variables).map(([variable, value], at) => ({
            uid: `variable${String(at).padStart(13, '0')}`,
            name: variable,
            value,
            enabled: true,
          })),
        },
      },
      docs: about,
    },
    brunoConfig: { version: '1', name, type: 'collection', ignore: ['node_modules', '.git'] },
  };
  return JSON.stringify(collection, null, 2);
}

function itemOf(request: WalkRequest, at: number): object {
  const { name, about, method, url, headers, body, authorized, signed } = request;
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
          ? { mode: body.language, [body.language]: body.text }
          : { mode: 'none' },
      auth: authorized ? { mode: 'bearer', bearer: { token: '{{token}}' } } : { mode: 'none' },
      script: { ...(signed && { req: sign }), ...(Object.keys(request.keeps).length > 0 && { res: keep(request) }) },
      vars: {},
      assertions: [{ name: 'res.status', value: `eq ${request.status}`, enabled: true }],
      tests: '',
      docs: about,
    },
  };
}

function keep({ keeps }: WalkRequest): string {
  return Object.entries(keeps)
    .map(([variable, member]) => `bru.setVar('${variable}', res.getBody().${member});`)
    .join('\n');
}

const sign = `const secret = bru.getEnvVar('${secretVariable}') || bru.getCollectionVar('${secretVariable}');
if (!secret) throw new Error('${noSecret}');
const { HmacSHA256 } = require('crypto-js');
const signature = HmacSHA256(req.getBody({ raw: true }), secret).toString();
req.setHeader('${signatureHeader}', signature);`;
