import { bodyPlaceholderForm, placeholderForm } from '../../text/redacted.ts';
import type { Exchange, Header } from './schemas.ts';

/** Headers that curl makes itself. */
const ofCurl = ['host', 'content-length', 'connection', 'transfer-encoding', 'expect', 'accept-encoding'];

/** Headers that curl adds, unless it is told not to. Of a body it would say that it is a form. */
const addedByCurl = ['Accept', 'User-Agent'];
const addedToBody = ['Content-Type'];

/**
 * The exchange's request as a command for a shell, which calls this service, or of a delivery its receiver. Variables
 * stand in the place of what was redacted.
 */
export function curlCommand({ kind, method, url, request }: Exchange, origin: string): string {
  const { body } = request;
  const variables = new Variables();
  const isKept = !/^\(\w+, \d+ bytes, not kept\)$/.test(body?.text ?? '');
  const note = isKept ? 'The body was longer: this is its beginning.' : 'The body was not kept.';
  const notes = body?.complete === false ? [`# ${note}\n`] : [];
  const binary = body?.encoding === 'base64' ? `printf %s ${variables.word(body.text)} | base64 -d | ` : '';
  const words = ['curl', '-i', '-g', '--path-as-is'];
  if (method === 'HEAD') words.push('-I');
  else if (method !== 'GET' || body) words.push('-X', variables.word(method));
  if (kind === 'delivery' || url.startsWith('/')) words.push(variables.word(url.startsWith('/') ? origin + url : url));
  // A target that names a host must not send what the variables have to that host.
  else words.push('--request-target', variables.word(url), variables.word(`${origin}/`));
  const parts = [words.join(' '), ...headersOf(request.headers, body !== undefined, variables)];
  if (binary) parts.push('--data-binary @-');
  else if (body) parts.push(`--data-raw ${variables.word(body.text)}`);
  return `${notes.join('')}${binary}${parts.join(' \\\n  ')}\n`;
}

function headersOf(headers: readonly Header[], hasBody: boolean, variables: Variables): string[] {
  const own = headers.filter(({ name }) => !ofCurl.includes(name.toLowerCase()));
  const sent = new Set(own.map(({ name }) => name.toLowerCase()));
  const leftOut = [...addedByCurl, ...(hasBody ? addedToBody : [])].filter((name) => !sent.has(name.toLowerCase()));
  return [...own.map((header) => headerOption(header, variables)), ...leftOut.map((name) => `-H '${name}:'`)];
}

function headerOption({ name, value }: Header, variables: Variables): string {
  const [, basic] = /^basic (?!\(token)(.*)$/is.exec(name.toLowerCase() === 'authorization' ? value : '') ?? [];
  if (basic !== undefined) {
    return `-u ${variables.word(basic, /^[^:()]*:\(secret, \d+ characters\)$/.test(basic) ? 'client_secret' : 'basic')}`;
  }
  // With a colon curl would leave a header without a value out.
  return `-H ${variables.word(value === '' ? `${name};` : `${name}: ${value}`, name)}`;
}

/** What a redacted place has had: a token, a secret or a signature, or a whole body. */
const redacted = new RegExp(`${placeholderForm}|${bodyPlaceholderForm}`, 'g');

/** The name of the member or field whose value begins behind this text, if it ends so. */
function nameBefore(text: string): string | undefined {
  const end = text.slice(-60).replace(/"$/, '').trimEnd();
  if (!/[:=]$/.test(end)) return undefined;
  const name = end
    .slice(0, -1)
    .trimEnd()
    .replace(/"$/, '')
    .split(/[^\w-]/)
    .at(-1);
  return name || undefined;
}

/** Places whose variables readers know. Any other has one that nothing else sets, so that no secret goes there. */
const known: Readonly<Record<string, string>> = {
  authorization: 'TOKEN',
  client_secret: 'CLIENT_SECRET',
  'x-signature': 'SIGNATURE',
  'webhook-signature': 'SIGNATURE',
};

/** The variables of one command: each redacted place has its own, but for a token that comes twice. */
class Variables {
  readonly #places: string[] = [];

  /**
   * One word of a shell: in single quotes, where nothing has a meaning, with the variables between them in double ones.
   *
   * @param place the header that it is; else it is told by the name before what was redacted
   */
  word(text: string, place?: string): string {
    const plain = (part: string) => part.replaceAll('\0', '').replaceAll("'", "'\\''");
    let word = '';
    let from = 0;
    for (const { 0: found, index } of text.matchAll(redacted)) {
      const before = text.slice(from, index);
      word += `${plain(before)}'"$${this.#nameFor(place ?? nameBefore(before) ?? 'value', found)}"'`;
      from = index + found.length;
    }
    return `'${word}${plain(text.slice(from))}'`;
  }

  #nameFor(place: string, found: string): string {
    const lower = place.toLowerCase();
    const name = known[lower] ?? `HIDDEN_${lower.toUpperCase().replaceAll(/[^A-Z\d]/g, '_')}`;
    const which = `${name} ${found}`;
    const before = this.#places.filter((each) => each.startsWith(`${name} `));
    const at = /^\(token \d\)$/.test(found) ? before.indexOf(which) : -1;
    if (at < 0) this.#places.push(which);
    const number = at < 0 ? before.length + 1 : at + 1;
    return number === 1 ? name : `${name}_${number}`;
  }
}
