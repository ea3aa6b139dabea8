import { secretVariable, signatureHeader, type Walk, type WalkRequest } from './walk.ts';

/*
 * A file for Hurl. Hurl makes no random plate and no signature: so the client's id is the registration number, since
 * nobody else has it, and the signed check is the one that is refused.
 */

export function hurlFile({ variables, folders }: Walk): string {
  const requests = folders.flatMap(({ requests }) => requests).filter(({ signed }) => !signed);
  const given = Object.entries(variables).filter(([, value]) => value !== '');
  const options = given.map(([name, value]) => `variable: ${name}=${value}`);
  const entries = requests.map((request, at) => entry(request, at === 0 ? options : []));
  return `# L-Plate with Hurl (https://hurl.dev): hurl --test l-plate.hurl
#
# The registration number is the id of the client: nobody else has it.
# The signed check needs the key ${secretVariable}, which this file does not have, and Hurl can't compute a signature:
# it is sent without ${signatureHeader} here, and the answer says how to sign.

${entries.join('\n')}`;
}

/** The variables that have a value from the start are options of the first one. */
function entry(request: WalkRequest, options: readonly string[]): string {
  const { name, about, method, url, headers, body, token, status, checks, keeps, choosesPlate, contains } = request;
  const captures = [
    ...Object.entries(keeps).map(([variable, member]) => `${variable}: jsonpath "$.${member}"`),
    ...(choosesPlate ? ['plate: variable "client_id"'] : []),
  ];
  const asserts = [
    ...checks.map(({ member, is }) => `jsonpath "$.${member}" == ${typeof is === 'string' ? `"${is}"` : is}`),
    ...Object.values(keeps).map((member) => `jsonpath "$.${member}" isString`),
    ...(contains ? [`body contains "${contains}"`] : []),
  ];
  const all = { ...headers, ...(token && { Authorization: 'Bearer {{token}}' }) };
  return [
    `# ${name}: ${about.replaceAll('`', '')}`,
    `${method} ${url}`,
    ...Object.entries(all).map(([header, value]) => `${header}: ${value}`),
    ...section('Options', options),
    ...(body ? bodyOf(body) : []),
    `HTTP ${status}`,
    ...section('Captures', captures),
    ...section('Asserts', asserts),
    '',
  ].join('\n');
}

function bodyOf({ language, text }: NonNullable<WalkRequest['body']>): string[] {
  if (language === 'json') return [text];
  // Its lines end with CR LF, which an editor may change.
  if (language === 'form') return [`base64,${Buffer.from(text).toString('base64')};`];
  return [`\`\`\`${language === 'xml' ? language : ''}`, text, '```'];
}

const section = (name: string, lines: readonly string[]) => (lines.length > 0 ? [`[${name}]`, ...lines] : []);
