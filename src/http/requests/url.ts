import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { excerpt } from '../../text/excerpt.ts';
import { mayBeSecret } from '../../text/shown-value.ts';
import { ProblemError } from '../problems/problem.ts';
import { personalPrefix, takePersonalPrefix, withPrefixFirst } from './personal-prefix.ts';

/** A host name, or an IPv6 address in brackets or what may come after it (IPvFuture), and perhaps a port. */
const hostForm =
  /^(?:(?:[\w.~!$&'()*+;=-]|%[\da-f]{2})+|\[(?:v[\da-f]+\.[\w.~!$&'()*+,;=:-]+|([^\]]*))\])(?::(\d*))?$/i;

/** The beginning of a target that is a whole URL. */
const wholeForm = /^https?:\/\/([^/?#]+)/i;

/** Characters that path and query may have. */
const longest = 8192;

/**
 * The URL to route by. The router answers a path that it can't decode by itself, past all limits and logs; so such a
 * path is routed with its percent signs escaped, and refused by `targetProblem` when its turn comes.
 */
export function routableUrl(request: IncomingMessage): string {
  const target = request.url ?? '/';
  const url = takePersonalPrefix(request, target.startsWith('/') ? target : pathOfWhole(request, target));
  return decodable(url) ? url : url.replaceAll('%', '%25');
}

/**
 * The path of the form that proxies get, http://host/path. Its host takes the place of Host (RFC 9112, section 3.2.2), which
 * must be there all the same. What has neither form, and `*`, is refused or answered when its turn comes.
 */
function pathOfWhole(request: IncomingMessage, target: string): string {
  const [origin = '', host] = wholeForm.exec(target) ?? [];
  if (host !== undefined && hasOneHost(request)) request.headers.host = host;
  return target.slice(origin.length).replace(/^\/?/, '/');
}

/** HTTP/1.1 requires one. */
function hasOneHost({ httpVersionMinor, headers: { host } }: IncomingMessage): boolean {
  return httpVersionMinor !== 1 || (host !== undefined && !host.includes(','));
}

/** Says what is wrong with the head of a request as such, if anything: its Host, its URL, how its body is sent. */
export function targetProblem({ method, originalUrl, headers, raw }: FastifyRequest): ProblemError | undefined {
  const { 'transfer-encoding': coding } = headers;
  if (coding !== undefined && (coding.toLowerCase() !== 'chunked' || raw.httpVersion === '1.0')) {
    const detail =
      'The only supported Transfer-Encoding is chunked, in HTTP/1.1. Send the body uncompressed, with its Content-Length or chunked.';
    // Where the body ends may be in doubt, and with it where the next request begins.
    return new ProblemError('malformed-request', detail, { headers: { Connection: 'close' } });
  }
  const { host } = headers;
  if (!hasOneHost(raw)) {
    return new ProblemError('malformed-request', 'HTTP/1.1 requires exactly one Host header.');
  }
  // RFC 9112, section 3.2. An empty one is what a URL without a host has.
  if (host && !isHost(host)) {
    const place = wholeForm.test(originalUrl) ? 'host in the URL' : 'Host header';
    const detail = `The ${place} must be a host name or an address, with or without a port, such as localhost:8080 or [::1]:8080.`;
    return new ProblemError('malformed-request', detail);
  }
  if (originalUrl.length > longest) {
    const detail = `The URL has ${originalUrl.length} characters, but at most ${longest} are allowed.`;
    return new ProblemError('uri-too-long', detail);
  }
  if (method === 'OPTIONS' && originalUrl === '*') return undefined;
  if (!originalUrl.startsWith('/') && !wholeForm.test(originalUrl)) {
    const detail =
      'A request names a path that begins with /, or a whole URL with http:// or https:// and a host. Only OPTIONS can name *.';
    return new ProblemError('malformed-request', detail);
  }
  if (originalUrl.includes('#')) {
    const detail = 'A request has no fragment: leave out # and what follows it, or write a literal # as %23.';
    return new ProblemError('malformed-request', detail);
  }
  if (decodable(originalUrl)) return undefined;
  const detail =
    'The URL has a percent sign without two hexadecimal digits after it, or bytes that are not UTF-8. Write a literal % as %25.';
  return new ProblemError('malformed-request', detail);
}

/** Tells whether a text is a host with an optional port, as URLs have it (RFC 3986, sections 3.2.2 and 3.2.3). */
function isHost(text: string): boolean {
  if (text === latestHost) return true;
  const found = hostForm.exec(text);
  if (!found) return false;
  const [, address, port = ''] = found;
  const fits = Number(port) <= 65_535 && (address === undefined || (isIPv6(address) && !address.includes('%')));
  if (fits) latestHost = text;
  return fits;
}

// Nearly every request has the same one.
let latestHost: string | undefined;

/** The path that the router goes by: it ends at a fragment too, though a request should have none. */
export function pathOf({ url }: FastifyRequest): string {
  return url.split(/[?#]/, 1)[0] as string;
}

/** The beginning of the path, without what may be a secret. */
export function shownPath(request: FastifyRequest, max?: number): string {
  const { secretFinder } = request.server;
  const isSecret = (text: string) => mayBeSecret(text) || secretFinder.isIn(text);
  const shown = (segment: string) => (isSecret(decodeURIComponent(segment)) ? '…' : segment);
  return excerpt(pathOf(request).split('/').map(shown).join('/'), max);
}

/** The refusal of a path that nothing serves. It names the nearest one. */
export function noSuchPath(request: FastifyRequest): ProblemError {
  const path = shownPath(request);
  return new ProblemError(
    'not-found',
    `There is nothing at ${personalPrefix(request)}${path}. ${nearestPath(request)}`,
  );
}

/** The refusal of a request that no route answers: 404, or 405 where the path takes other methods. */
export function wrongPathOrMethod(request: FastifyRequest): ProblemError {
  const allow = allowedMethods(request);
  if (allow === '') return noSuchPath(request);
  const { servedPaths } = request.server;
  const meant = didYouMean(request, servedPaths.meantBy(request.method, pathOf(request)));
  const instead = meant || servedPaths.insteadOf(request.method, pathOf(request));
  const detail = `${request.method} is not allowed here. Allowed methods: ${allow}. ${instead}`;
  return new ProblemError('method-not-allowed', detail.trim(), { headers: { Allow: allow } });
}

/** The methods that a path takes, as `Allow` has them; empty where nothing serves it. */
export function allowedMethods(request: FastifyRequest): string {
  return request.server.servedPaths.methodsOf(pathOf(request)).join(', ');
}

/** The refusal of a DELETE whose path ends where an id may have been meant. */
export function lostId(request: FastifyRequest): ProblemError {
  const path = `${personalPrefix(request)}${pathOf(request)}`;
  const detail = `DELETE ${path} has nothing after its last slash: an empty variable? If you mean all of it, leave the slash out.`;
  return new ProblemError('not-found', detail);
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Memoised by `nearestCalls`. */
    nearestCalls: readonly string[] | undefined;
  }
}

/** The calls that are nearest to one whose path nothing serves, without its personal prefix: `GET /shop/v1/orders`. */
function nearestCalls(request: FastifyRequest): readonly string[] {
  const names = Object.keys(request.query ?? {}).slice(0, 20);
  request.nearestCalls ??= request.server.servedPaths.nearest(request.method, pathOf(request), names);
  return request.nearestCalls;
}

/** The one to make in its place, if anything is near. */
export function nearestCall(request: FastifyRequest): string | undefined {
  return meantCalls(request)[0] ?? nearestCalls(request)[0];
}

/** Those that may have been meant: whoever wants to change something did not mean an address that is only read. */
function meantCalls(request: FastifyRequest): readonly string[] {
  const nearest = nearestCalls(request);
  return isReading(request.method) ? nearest : nearest.filter((each) => !each.startsWith('GET '));
}

/**
 * Says what to call in place of a path that nothing serves, as sentences. Where it is only read, and somebody wants
 * to change something, it says what to do instead.
 */
export function nearestPath(request: FastifyRequest): string {
  const first = withPrefixFirst(pathOf(request));
  if (first !== undefined) return `What says whose call it is comes first: ${first}.`;
  const prefix = personalPrefix(request);
  const [address] = nearestCalls(request).map((each) => each.slice(each.indexOf(' ') + 1));
  const all = `The page ${prefix}/ lists all addresses.`;
  if (address === undefined) return all;
  const meant = meantCalls(request);
  if (meant.length === 0) {
    const instead = request.server.servedPaths.insteadOf(request.method, address);
    return `The nearest address is ${prefix}${address}, which takes no ${request.method}. ${instead} ${all}`.replace(
      '  ',
      ' ',
    );
  }
  return `${didYouMean(request, meant)} ${all}`;
}

/** Asks for addresses with their methods; empty where there are none. */
function didYouMean(request: FastifyRequest, addresses: readonly string[]): string {
  if (addresses.length === 0) return '';
  const prefix = personalPrefix(request);
  return `Did you mean ${addresses.map((each) => each.replace(' ', ` ${prefix}`)).join(', or ')}?`;
}

const isReading = (method: string) => method === 'GET' || method === 'HEAD';

function decodable(url: string): boolean {
  if (!url.includes('%')) return true;
  try {
    decodeURIComponent(url.split(/[?#]/, 1)[0] as string);
    return true;
  } catch {
    return false;
  }
}
