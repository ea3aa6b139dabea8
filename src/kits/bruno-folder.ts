import type { Files } from './archive.ts';
import { brunoAssertions, brunoMode, brunoScripts, brunoSignIn, brunoTests } from './bruno.ts';
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
  const { name, about, method, url, headers, body, form, token, signed } = request;
  const [, query] = url.split('?');
  const mode = signed ? 'text' : body ? brunoMode(body) : form ? 'formUrlEncoded' : 'none';
  const auth = token === undefined ? 'none' : token === 'by-tool' ? 'oauth2' : 'bearer';
  const { req, res } = brunoScripts(request);
  return blocks([
    ['meta', pairs({ name, type: 'http', seq })],
    [method.toLowerCase(), pairs({ url, body: mode, auth })],
    ['params:query', query && pairs(Object.fromEntries(query.split('&').map((pair) => pair.split('='))))],
    ['headers', pairs(headers)],
    ['auth:bearer', auth === 'bearer' && pairs({ token: `{{${token}}}` })],
    ['auth:oauth2', auth === 'oauth2' && pairs(snakeCase(brunoSignIn))],
    [`body:${mode}`, body?.text],
    ['body:form-urlencoded', form && pairs(form)],
    ['assert', pairs(Object.fromEntries(brunoAssertions(request)))],
    ['script:pre-request', req],
    ['script:post-response', res],
    ['tests', brunoTests(request)],
    ['docs', about],
  ]);
}

/** Such names have the members of what is an object in the file to import. */
const snakeCase = (members: object) =>
  Object.fromEntries(
    Object.entries(members).map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  );

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
