import { asScript, settings } from './scripts.ts';
import { secretVariable, signatureHeader, type Walk, type WalkRequest } from './walk.ts';

/*
 * Files of requests for editors. Their makers agree on requests and variables, but not on how a value comes from an answer
 * to the next request: IntelliJ has scripts after a request, which REST Client would send as a part of the body. So there
 * are two files.
 */

const unsigned = `# The signed check needs the key ${secretVariable}, which this file does not have. It is sent without ${signatureHeader} here,
# and the answer says how to sign.`;

/** For the HTTP Client of IntelliJ and its siblings, and httpYac. With tests. */
export function httpFile({ variables, folders }: Walk): string {
  const requests = folders.flatMap(({ requests }) => requests).filter(({ signed }) => !signed);
  const given = Object.entries(variables).filter(([, value]) => value !== '');
  return `# L-Plate for the HTTP Client of IntelliJ IDEA and its siblings, and for httpYac (also in VS Code). Send all from top to bottom.
#
${unsigned}

${definitions(given)}

${requests.map((request) => `${head(request)}\n${scriptAfter(request)}`).join('\n')}`;
}

function scriptAfter(request: WalkRequest): string {
  const { status, checks, keeps, contains } = request;
  const test = (title: string, check: string) => `client.test('${title}', () => client.assert(${check}));`;
  const lines = [
    test(`The status is ${status}`, `response.status === ${status}`),
    ...checks.map(({ member, is }) =>
      test(
        `${member} is right`,
        `response.body.${member} === ${asScript(is, (name) => `client.global.get('${name}')`)}`,
      ),
    ),
    ...Object.values(keeps).map((member) => test(`${member} is there`, `response.body.${member}.length > 0`)),
    ...(contains
      ? [test('Its text is there', `String(response.body).includes('${contains.split(/[<>]/)[2] ?? contains}')`)]
      : []),
    ...settings(request, 'client.global.set', 'response.body'),
  ];
  return `\n> {%\n${lines.map((line) => `  ${line}`).join('\n')}\n%}\n`;
}

/**
 * For REST Client of VS Code. It has no scripts: a value is read from the answer of a named request. The client's id is
 * the registration number, since nobody else has it.
 */
export function restClientFile({ variables, folders }: Walk): string {
  const requests = folders.flatMap(({ requests }) => requests).filter(({ signed }) => !signed);
  const given = Object.entries(variables).filter(([, value]) => value !== '');
  const taken = new Map(
    requests.flatMap(({ id, keeps }) =>
      Object.entries(keeps).map(([variable, member]) => [variable, `{{${id}.response.body.$.${member}}}`]),
    ),
  );
  // It would be sent as it stands until there is an answer.
  taken.delete('cursor');
  taken.set('plate', taken.get('client_id') ?? '{{client_id}}');
  return `# L-Plate for REST Client of VS Code. Send the requests from top to bottom.
#
# The registration number is the id of the client: nobody else has it.
${unsigned}

${definitions(given)}

${requests.map((request) => head(request).replace(/\{\{(\w+)\}\}/g, (whole, name) => taken.get(name) ?? whole)).join('\n')}`;
}

const definitions = (all: readonly (readonly [string, string])[]) =>
  all.map(([name, value]) => `@${name} = ${value}`).join('\n');

/** Both tools end the lines of a form with CR LF themselves. */
function head({ id, name, about, method, url, headers, body, token, status }: WalkRequest): string {
  const all = { ...headers, ...(token && { Authorization: 'Bearer {{token}}' }) };
  return `### ${name}: ${status}
# ${about.replaceAll('`', '')}
# @name ${id}
${method} ${url}
${Object.entries(all)
  .map(([header, value]) => `${header}: ${value}\n`)
  .join('')}${body ? `\n${body.text.replaceAll('\r', '')}\n` : ''}`;
}
