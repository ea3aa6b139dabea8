import type { Header } from './body-view.ts';
import { quoted, shell } from './quoting.ts';

/*
 * A call as a program of a few lines. What is secret stands in no text: `{{token}}` and `{{client_secret}}` become the
 * variables TOKEN and CLIENT_SECRET of the environment.
 */

/** A call that the console makes or made, with `{{token}}` and `{{client_secret}}` in the place of secrets. */
export interface MadeRequest {
  readonly method: string;
  /** Absolute. */
  readonly url: string;
  readonly headers: readonly Header[];
  readonly body?: string | undefined;
  /** In place of a body the name of a file, sent as the part `file` of a form. Only curl is told of it. */
  readonly file?: string | undefined;
}

export const languages = [
  ['curl', 'curl'],
  ['javascript', 'JavaScript'],
  ['python', 'Python'],
  ['java', 'Java'],
] as const;

export type ProgramLanguage = (typeof languages)[number][0];

const writers: Record<ProgramLanguage, (request: MadeRequest) => string> = { curl, javascript, python, java };

export function requestCode(language: ProgramLanguage, request: MadeRequest): string {
  return writers[language](request);
}

/** What stands in the place of a secret. */
export const secretPlace = /\{\{(token|client_secret)\}\}/g;

/** The texts between variables, and those in turn: the odd ones are names of variables. */
const parts = (text: string) => text.split(secretPlace).map((part, at) => (at % 2 === 0 ? part : part.toUpperCase()));

/** The call for a shell such as bash or zsh. */
export function curl({ method, url, headers, body, file }: MadeRequest): string {
  const options = /[[\]{}]/.test(url) ? '-i -g' : '-i';
  const verb = method === 'HEAD' ? ' -I' : ` -X ${shellWord(method)}`;
  const lines = [`curl ${options}${method === 'GET' ? '' : verb} ${shellWord(url)}`];
  for (const { name, value } of headers) {
    // With a colon curl would leave a header without a value out.
    lines.push(`-H ${shellWord(value === '' ? `${name};` : `${name}: ${value}`)}`);
  }
  if (body !== undefined) {
    // Else curl would say that it is a form.
    if (!headers.some(({ name }) => name.toLowerCase() === 'content-type')) lines.push("-H 'Content-Type:'");
    lines.push(`${body.startsWith('@') ? '--data-raw' : '-d'} ${shellWord(visibleJson(body))}`);
  }
  // In quotes of curl's own a name may have a comma or a semicolon.
  if (file !== undefined) lines.push(`-F ${shell(`file=@"${file.replaceAll(/["\\]/g, '\\$&')}"`)}`);
  return lines.join(' \\\n  ');
}

/** One word of a shell: a plain one as it is, else in single quotes, with variables in double ones. */
function shellWord(text: string): string {
  if (/^[\w-]+$/.test(text)) return text;
  const found = parts(text);
  if (found.length === 1) return shell(text);
  // In double quotes some signs have a meaning, and a letter behind a variable would be part of its name.
  if (found.every((part, at) => at % 2 === 1 || !(at === 0 ? /["$`\\!]/ : /^\w|["$`\\!]/).test(part)))
    return `"${found.map((part, at) => (at % 2 === 0 ? part : `$${part}`)).join('')}"`;
  return found.map((part, at) => (at % 2 === 1 ? `"$${part}"` : part && shell(part))).join('');
}

/** JSON with escapes for characters that nobody sees, or that turn the direction of what follows. Other bodies stay. */
function visibleJson(body: string): string {
  if (!/^\s*[[{]/.test(body)) return body;
  return body.replace(/[\u007f-\u009f\u00ad]|\p{Cf}|[\u2028\u2029]/gu, escapes);
}

const escapes = (text: string) =>
  [...Array(text.length).keys()].map((at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join('');

/** A text as an expression of a language: literals and variables with plus signs between them. */
function expression(text: string, variable: (name: string) => string): string {
  const words = parts(text).flatMap((part, at) => {
    if (at % 2 === 1) return [variable(part)];
    return part === '' ? [] : [quoted(part)];
  });
  return words.join(' + ') || '""';
}

function javascript({ method, url, headers, body }: MadeRequest): string {
  const text = (value: string) => expression(value, (name) => `process.env.${name}`);
  const options = [`  method: ${text(method)},`];
  if (headers.length > 0) {
    options.push('  headers: {', ...headers.map(({ name, value }) => `    ${quoted(name)}: ${text(value)},`), '  },');
  }
  if (body !== undefined) options.push(`  body: ${text(body)},`);
  return `const answer = await fetch(${text(url)}, {\n${options.join('\n')}\n});\nconsole.log(answer.status, await answer.text());`;
}

function python({ method, url, headers, body }: MadeRequest): string {
  const text = (value: string) => expression(value, (name) => `os.environ["${name}"]`);
  const options = [`    ${text(url)},`, `    method=${text(method)},`];
  if (headers.length > 0) {
    const members = headers.map(({ name, value }) => `        ${quoted(name)}: ${text(value)},`);
    options.push('    headers={', ...members, '    },');
  }
  if (body !== undefined) options.push(`    data=(${text(body)}).encode(),`);
  const lines = options.join('\n');
  return `${lines.includes('os.environ') ? 'import os\n' : ''}from urllib.error import HTTPError
from urllib.request import Request, urlopen

request = Request(
${lines}
)
try:
    answer = urlopen(request)
except HTTPError as refusal:
    answer = refusal
print(answer.status, answer.read().decode())`;
}

function java({ method, url, headers, body }: MadeRequest): string {
  const text = (value: string) => expression(value, (name) => `System.getenv("${name}")`);
  const publisher = body === undefined ? 'BodyPublishers.noBody()' : `BodyPublishers.ofString(${text(body)})`;
  const program = `import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;

class Call {
  public static void main(String[] args) throws Exception {
    var request = HttpRequest.newBuilder(URI.create(${text(url)}))
${headers.map(({ name, value }) => `        .header(${quoted(name)}, ${text(value)})\n`).join('')}        .method(${text(method)}, ${publisher})
        .build();
    var answer = HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
    System.out.println(answer.statusCode() + " " + answer.body());
  }
}`;
  // Which encoding Java reads the file in depends on the machine.
  return program.replace(/[^\n -~]/g, escapes);
}
