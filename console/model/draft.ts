import type { Exchange } from '../api/types.ts';
import type { Header } from './body-view.ts';
import { isRedacted } from './exchange-body.ts';
import { freshPlate } from './plate.ts';
import { type MadeRequest, secretPlace } from './request-code.ts';
import { type BodyOf, type Route, withValue } from './routes.ts';
import { withoutPrefix } from './traffic-filter.ts';

/*
 * A call that a learner writes. `{{token}}` and `{{client_secret}}` stand in the place of what is secret until it is sent,
 * so that neither the history nor a program that is copied has it.
 */

export interface DraftHeader extends Header {
  /** It stays in the list, but is not sent. */
  readonly off?: boolean;
}

export interface Draft {
  readonly method: string;
  /** From the root of the server, with its query. */
  readonly address: string;
  readonly headers: readonly DraftHeader[];
  readonly body: string;
}

/** Those that a draft can choose. A browser can’t send CONNECT and TRACE. */
export const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const;

const ownToken: Header = { name: 'Authorization', value: 'Bearer {{token}}' };

export const firstDraft: Draft = { method: 'GET', address: '/insurer/v1/policies', headers: [ownToken], body: '' };

/** Whose call it is. */
export interface Own {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** A call of a route, with all that it requires. */
export function draftOf(route: Route, own: Own | undefined): Draft {
  const [body] = route.bodies;
  const wanted = route.parameters.filter(({ in: place, required }) => place === 'header' && required);
  return {
    method: route.method,
    address: route.parameters
      .filter(({ in: place, example }) => place === 'path' && example !== undefined)
      .reduce((address, each) => withValue(route, each, address, each.example as string), route.path),
    headers: [
      ...(route.needsToken ? [ownToken] : []),
      ...(body ? [{ name: 'Content-Type', value: body.mediaType }] : []),
      ...wanted.map(({ name, example = '' }) => ({ name, value: example })),
    ],
    body: body ? exampleOf(body, 0, own) : '',
  };
}

/** An example that succeeds: with the learner's own credentials, and a vehicle that nobody insured yet. */
export function exampleOf({ examples, mediaType }: BodyOf, which: number, own: Own | undefined): string {
  const text = examples[which]?.text ?? '';
  if (!own || mediaType.includes('xml')) return text;
  const values: Readonly<Record<string, string>> = {
    client_id: own.clientId,
    client_secret: '{{client_secret}}',
    regNumber: freshPlate(own.clientId),
  };
  if (mediaType.includes('urlencoded'))
    return text.replaceAll(/([^&=]+)=([^&]*)/g, (all, name) => (name in values ? `${name}=${values[name]}` : all));
  return text.replaceAll(/"(\w+)": "[^"]*"/g, (all, name) =>
    name in values ? `"${name}": ${JSON.stringify(values[name])}` : all,
  );
}

/** Headers that a program sends without being asked to: another one sends its own. */
const ofEveryProgram =
  /^(?:host|connection|content-length|user-agent|accept-encoding|accept-language|keep-alive|priority|origin|referer|sec-.*|l-plate-console)$/i;

/** The call of an exchange, to be sent again. What the log hides is filled in where it is the learner's own. */
export function draftFrom({ method, url, request }: Pick<Exchange, 'method' | 'url' | 'request'>): Draft {
  const headers = request.headers
    .filter(({ name, value }) => !ofEveryProgram.test(name) && !(/^accept$/i.test(name) && value === '*/*'))
    .map(({ name, value }) => ({ name, value: withOwn(value) }));
  const { body } = request;
  return {
    method,
    address: withOwn(withoutPrefix(url)),
    headers,
    body: body?.encoding === 'utf-8' ? withOwn(body.text) : '',
  };
}

function withOwn(text: string): string {
  return text
    .replaceAll(/\(token(?: \d|, \d+ characters)\)/g, '{{token}}')
    .replaceAll(/(client_secret"?\s*[:=]\s*"?)\(secret, \d+ characters\)/g, '$1{{client_secret}}');
}

/** What a browser does not send as it stands here, and what is still to be filled in. `stops`: it can't be sent at all. */
export interface Fault {
  readonly at: 'method' | 'address' | 'body' | number;
  readonly text: string;
  readonly stops?: true;
}

/** A header that no script of a browser may set (Fetch, 2.2.2), and User-Agent, which Chromium ignores. */
const ofBrowser =
  /^(?:accept-charset|accept-encoding|access-control-request-.*|connection|content-length|cookie2?|date|dnt|expect|host|keep-alive|origin|referer|set-cookie|te|trailer|transfer-encoding|upgrade|user-agent|via|proxy-.*|sec-.*)$/i;

const hidden = 'The log hides what stood here: fill it in.';

/** `origin`: that of the service. */
export function faultsOf({ method, address, headers, body }: Draft, origin: string): Fault[] {
  const faults: Fault[] = [];
  const add = (at: Fault['at'], text: string, stops?: true) => faults.push({ at, text, ...(stops && { stops }) });
  if (/^(?:connect|trace|track)$/i.test(method)) add('method', `A browser does not send ${method}.`, true);
  const open = /\{(\w+)\}(?!\})/.exec(address)?.[1];
  if (!/^\/(?![/\\])/.test(address)) add('address', 'Begin with one slash: calls go to this service.', true);
  else if (open !== undefined) add('address', `Put a value in the place of {${open}}.`);
  else if (isLeftOut(address)) add('address', hidden);
  else {
    const { pathname, search } = new URL(address, origin);
    if (pathname + search !== address) add('address', `A browser sends it as ${pathname + search}`);
  }
  const sent = headers.filter(({ off }) => !off).map(({ name }) => name.toLowerCase());
  for (const [at, { name, value, off }] of headers.entries()) {
    if (off || (name === '' && value === '')) continue;
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) add(at, 'This is no name of a header.', true);
    else if (/[^\t\x20-\xff]/.test(value)) add(at, 'A header has characters of Latin-1 alone, and no line ends.', true);
    else if (/^transfer-encoding$/i.test(name))
      add(at, 'A browser sends a body in one piece, never chunked. Copy the call as code, and add it there.');
    else if (ofBrowser.test(name)) add(at, `A browser sets ${name} itself. Copy the call as code to send your own.`);
    else if (isLeftOut(value)) add(at, /signature/i.test(name) ? `${hidden} The Workbench makes one.` : hidden);
    else if (sent.indexOf(name.toLowerCase()) < sent.lastIndexOf(name.toLowerCase()))
      add(at, 'A browser sends headers of one name as one, with a comma between their values.');
  }
  const type = headers.find(({ name, off }) => !off && /^content-type$/i.test(name))?.value;
  if (body !== '' && /^(?:get|head)$/i.test(method)) add('body', `A browser sends no body with ${method}.`, true);
  else if (isLeftOut(body)) add('body', hidden);
  else if (body !== '' && type === undefined) add('body', 'Without a Content-Type a browser says text/plain.');
  else if (body !== '' && type?.includes('json')) {
    const fault = jsonFault(body);
    if (fault) add('body', fault);
  }
  return faults;
}

/** What the history leaves out. */
const leftOut = '(not kept)';
const isLeftOut = (text: string) => isRedacted(text) || text.includes(leftOut);

/** It may be sent all the same: what the service says of it is worth seeing. */
function jsonFault(body: string): string | undefined {
  try {
    JSON.parse(body.replaceAll(secretPlace, ''));
    return undefined;
  } catch (error) {
    return `This is no JSON: ${(error as Error).message}.`;
  }
}

/** The names of required members that a JSON body or a form lacks. */
export function missingIn(body: string, { members, mediaType }: BodyOf): string[] {
  const names = namesIn(body, mediaType);
  const required = members.filter(({ name, required }) => required && !name.includes('.'));
  return names ? required.filter(({ name }) => !names.includes(name)).map(({ name }) => name) : [];
}

function namesIn(body: string, mediaType: string): string[] | undefined {
  if (mediaType.includes('urlencoded')) return [...new URLSearchParams(body).keys()];
  try {
    return Object.keys(JSON.parse(body));
  } catch {
    return undefined;
  }
}

/** The call as it goes out. Where no token says whose it is, the personal prefix does. */
export function requestOf(draft: Draft, origin: string, clientId: string | undefined): MadeRequest {
  const headers = new Map<string, Header>();
  for (const { name, value, off } of draft.headers) {
    if (off || name === '') continue;
    const before = headers.get(name.toLowerCase());
    headers.set(name.toLowerCase(), before ? { ...before, value: `${before.value}, ${value}` } : { name, value });
  }
  const list = [...headers.values()];
  const isNamed = list.some(({ value }) => value.includes('{{token}}')) || draft.address.startsWith('/for/');
  const prefix = clientId === undefined || isNamed ? '' : `/for/${clientId}`;
  const { pathname, search } = new URL(draft.address, origin);
  const url = origin + prefix + (pathname + search).replaceAll('%7B%7B', '{{').replaceAll('%7D%7D', '}}');
  return { method: draft.method, url, headers: list, body: draft.body === '' ? undefined : draft.body };
}

/** A text with the secrets in their places. */
export function filled(text: string, secrets: Readonly<Record<'token' | 'client_secret', string>>): string {
  return text.replaceAll(secretPlace, (_, name: keyof typeof secrets) => secrets[name]);
}

/** A call that was sent from this browser. */
export interface Sent {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** 0 if there was no answer. */
  readonly status: number;
  readonly draft: Draft;
}

/** Calls that the history has, and characters of a body that it keeps. */
const mostKept = 30;
const longestKept = 4000;

/** The history with one more call, the newest first. The same call again takes the place of the one before. */
export function withSent(history: readonly Sent[], { draft, ...sent }: Sent, own: Own | undefined): Sent[] {
  const kept = { ...sent, draft: withoutSecrets(draft, own) };
  const text = JSON.stringify(kept.draft);
  return [kept, ...history.filter((each) => JSON.stringify(each.draft) !== text)].slice(0, mostKept);
}

/** What has the form of a secret: a token, the secret of a webhook, or so many characters in a row. */
const secretForm = /eyJ[\w-]{8,}\.[\w.-]+|whsec_[\w+/=-]+|(?<![\w-])[\w-]{43,}(?![\w-])/g;

const secretName = /authorization|token|secret|key|cookie|password|signature/i;

/** The draft as it is kept: secrets are left out, but for their places. */
export function withoutSecrets({ headers, address, body, method }: Draft, own: Own | undefined): Draft {
  const hide = (text: string) =>
    (own ? text.replaceAll(own.clientSecret, '{{client_secret}}') : text).replaceAll(secretForm, leftOut);
  const hideHeader = (header: DraftHeader) => {
    const isPlain = !secretName.test(header.name) || header.value.includes('{{');
    return { ...header, value: isPlain ? hide(header.value) : leftOut };
  };
  return { method, address: hide(address), headers: headers.map(hideHeader), body: hide(body).slice(0, longestKept) };
}
