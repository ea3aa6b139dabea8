import { settings } from './scripts.ts';
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
      script: brunoScripts(request),
      vars: {},
      assertions: brunoAssertions(request).map(([member, value]) => ({ name: member, value, enabled: true })),
      tests: '',
      docs: about,
    },
  };
}

/** Writes what Bruno runs before a request and after the answer. */
export function brunoScripts(request: WalkRequest): { readonly req?: string; readonly res?: string } {
  const lines = settings(request, 'bru.setVar', 'res.getBody()');
  return { ...(request.signed && { req: sign }), ...(lines.length > 0 && { res: lines.join('\n') }) };
}

/** Writes what is looked at, and what Bruno is to find. */
export function brunoAssertions({ status, checks, keeps, contains }: WalkRequest): [string, string][] {
  return [
    ['res.status', `eq ${status}`],
    ...checks.map(({ member, is }): [string, string] => [`res.body.${member}`, `eq ${is}`]),
    ...Object.values(keeps).map((member): [string, string] => [`res.body.${member}`, 'isString']),
    ...(contains ? [['res.body', `contains ${contains}`] as [string, string]] : []),
  ];
}

const sign = `const secret = bru.getEnvVar('${secretVariable}') || bru.getCollectionVar('${secretVariable}');
if (!secret) throw new Error('${noSecret}');
const { HmacSHA256 } = require('crypto-js');
const signature = HmacSHA256(req.getBody({ raw: true }), secret).toString();
req.setHeader('${signatureHeader}', signature);`;
