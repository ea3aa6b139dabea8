import type { Header } from './call.ts';
import type { Exchange } from './exchange.ts';

/** Headers that curl makes itself. */
const ofCurl = ['host', 'content-length', 'connection', 'transfer-encoding', 'expect', 'accept-encoding'];

/** Headers that curl adds, unless it is told not to. Of a body it would say that it is a form. */
const addedByCurl = ['Accept', 'User-Agent'];
const addedToBody = ['Content-Type'];

/** The exchange's request as a command for a shell. Variables stand in the place of what was redacted. */
export function curlCommand({ method, url, request }: Exchange, origin: string): string {
  const { body } = request;
  const notes = body?.complete === false ? ['# The body was longer: this is its beginning.\n'] : [];
  const binary = body?.encoding === 'base64' ? `printf %s ${quoted(body.text)} | base64 -d | ` : '';
  const words = ['curl', '-i', '-g', '--path-as-is'];
  if (method === 'HEAD') words.push('-I');
  else if (method !== 'GET' || body) words.push('-X', quoted(method));
  words.push(quoted(url.startsWith('/') ? origin + url : url));
  const parts = [words.join(' '), ...headersOf(request.headers, body !== undefined)];
  if (binary) parts.push('--data-binary @-');
  else if (body) parts.push(`--data-raw ${quoted(body.text)}`);
  return `${notes.join('')}${binary}${parts.join(' \\\n  ')}\n`;
}

function headersOf(headers: readonly Header[], hasBody: boolean): string[] {
  const own = headers.filter(({ name }) => !ofCurl.includes(name.toLowerCase()));
  const sent = new Set(own.map(({ name }) => name.toLowerCase()));
  const leftOut = [...addedByCurl, ...(hasBody ? addedToBody : [])].filter((name) => !sent.has(name.toLowerCase()));
  return [...own.map(headerOption), ...leftOut.map((name) => `-H '${name}:'`)];
}

function headerOption({ name, value }: Header): string {
  const [, basic] = /^basic (.*)$/is.exec(name.toLowerCase() === 'authorization' ? value : '') ?? [];
  if (basic !== undefined) return `-u ${quoted(basic)}`;
  // With a colon curl would leave a header without a value out.
  return `-H ${value === '' ? quoted(`${name};`) : quoted(`${name}: ${value}`)}`;
}

const variables: readonly (readonly [placeholder: RegExp, variable: string])[] = [
  [/\(token(?: \d|, \d+ characters)\)/g, '$TOKEN'],
  [/\(secret, \d+ characters\)/g, '$CLIENT_SECRET'],
  [/\(signature, \d+ characters, [\w ]+\)/g, '$SIGNATURE'],
];

/** One word of a shell: in single quotes, where nothing has a meaning, with the variables between them in double ones. */
function quoted(text: string): string {
  let word = text.replaceAll('\0', '').replaceAll("'", "'\\''");
  for (const [placeholder, variable] of variables) word = word.replaceAll(placeholder, `'"${variable}"'`);
  return `'${word}'`;
}
