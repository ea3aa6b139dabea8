import type { Files } from './archive.ts';
import { brunoAssertions, brunoScripts } from './bruno.ts';
import type { Walk, WalkRequest } from './walk.ts';

/** The same collection as the folder in which Bruno keeps it: its command `bru run` wants that. */
export function brunoFolder({ name, about, addresses, variables, folders }: Walk): Files {
  const files: Record<string, string> = {
    'bruno.json': JSON.stringify({ version: '1', name, type: 'collection', ignore: ['node_modules', '.git'] }, null, 2),
    'collection.bru': blocks([
      ['auth', pairs({ mode: 'none' })],
      ['vars:pre-request', pairs(variables)],
      ['docs', about],
    ]),
    [`environments/${name}.bru`]: blocks([
      ['vars', pairs(Object.fromEntries(Object.entries(addresses).filter(([, value]) => value !== '')))],
    ]),
  };
  for (const [at, folder] of folders.entries()) {
    files[`${folder.name}/folder.bru`] = blocks([['meta', pairs({ name: folder.name, seq: at + 1 })]]);
    for (const [number, request] of folder.requests.entries())
      files[`${folder.name}/${request.name}.bru`] = requestFile(request, number + 1);
  }
  return files;
}

function requestFile(request: WalkRequest, seq: number): string {
  const { name, about, method, url, headers, body, authorized, signed } = request;
  const [, query] = url.split('?');
  const mode = signed ? 'text' : (body?.language ?? 'none');
  const { req, res } = brunoScripts(request);
  return blocks([
    ['meta', pairs({ name, type: 'http', seq })],
    [method.toLowerCase(), pairs({ url, body: mode, auth: authorized ? 'bearer' : 'none' })],
    ['params:query', query && pairs(Object.fromEntries(query.split('&').map((pair) => pair.split('='))))],
    ['headers', pairs(headers)],
    ['auth:bearer', authorized && pairs({ token: '{{token}}' })],
    [`body:${mode}`, body?.text],
    ['assert', pairs(Object.fromEntries(brunoAssertions(request)))],
    ['script:pre-request', req],
    ['script:post-response', res],
    ['docs', about],
  ]);
}

const pairs = (members: Readonly<Record<string, unknown>>) =>
  Object.entries(members)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');

/** Those without a content are left out. */
function blocks(all: readonly (readonly [string, string | false | undefined])[]): string {
  return all
    .filter(([, content]) => content)
    .map(([name, content]) => `${name} {\n${String(content).replace(/^(?=.)/gm, '  ')}\n}\n`)
    .join('\n');
}
