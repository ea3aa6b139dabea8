import type { FastifyRequest } from 'fastify';
import { personalPrefix } from './personal-prefix.ts';

/*
 * Unless `PUBLIC_URL` is set, every absolute URL begins with the address by which the request reached the service, so that
 * each of its names leads back to itself. Texts that are made once (descriptions, pages) have `server.publicUrl` in them,
 * which `atAddress` replaces.
 */

declare module 'fastify' {
  interface FastifyInstance {
    /** The origin in texts that are made once: `publicUrl` of the settings. */
    publicUrl: string;
    /** Whether it is that of every answer, too: it was set. */
    publicUrlGiven: boolean;
  }
}

/** A host name, an IPv4 address or an IPv6 address in brackets, and perhaps a port. */
const hostForm = /^(?:[a-z0-9_](?:[a-z0-9_.-]{0,252})|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i;

/** The origin of what this request is told. The headers that it comes from may hold anything. */
export function originOf({ server, host, protocol }: FastifyRequest): string {
  if (server.publicUrlGiven || !hostForm.test(host)) return server.publicUrl;
  // Of several schemes this is the last, by the nearest proxy; some write it in capitals.
  return URL.parse(`${protocol.toLowerCase() === 'https' ? 'https' : 'http'}://${host}`)?.origin ?? server.publicUrl;
}

/**
 * The absolute URL of a path of this service, with the personal prefix of the request. Some clients can't follow a
 * relative `Location` or `Link`.
 */
export function absoluteUrl(request: FastifyRequest, path: string): string {
  return `${originOf(request)}${personalPrefix(request)}${path}`;
}

/** For caches: what an answer with absolute URLs depends on, besides its own URL. */
export const originHeaders = 'Host, X-Forwarded-Host, X-Forwarded-Proto';

/** Where a text leads to. */
export interface LinkBase {
  readonly origin: string;
  /** `/for/{client_id}`, or empty. */
  readonly prefix: string;
}

export function linkBaseOf(request: FastifyRequest): LinkBase {
  return { origin: originOf(request), prefix: personalPrefix(request) };
}

/**
 * A description or a page whose URLs lead to another place than `publicUrl`, with which it was made: the origin in all of
 * them, also in the server of an AsyncAPI document, and the prefix in absolute ones, links from the root, and the path of
 * that server. The `type` of a problem, which is its name, gets no prefix.
 */
export function atAddress(text: string, publicUrl: string, { origin, prefix }: LinkBase): string {
  const ends = '(?![\\w:-]|\\.\\w)';
  let moved = text;
  if (origin !== publicUrl) {
    const [from, to] = [new URL(publicUrl), new URL(origin)];
    moved = moved
      .replace(new RegExp(RegExp.escape(publicUrl) + ends, 'g'), () => origin)
      .replace(
        new RegExp(`^( *"?host"?: )("?)${RegExp.escape(from.host)}("?)${ends}`, 'gm'),
        // In YAML a bracket would begin a list.
        (_, name, opening, closing) => name + (to.host.startsWith('[') ? `"${to.host}"` : opening + to.host + closing),
      )
      .replace(/^( *"?protocol"?: "?)https?\b/gm, (_, name) => name + to.protocol.slice(0, -1));
  }
  if (!prefix) return moved;
  // In Markdown the origin alone, such as an issuer, ends with the mark of its code.
  const absolute = new RegExp(`(?<!type"?: "?)${RegExp.escape(origin)}(/(?!for/)|(?=\`))`, 'g');
  return moved
    .replace(absolute, (_, slash) => `${origin}${prefix}${slash}`)
    .replace(/((?:href|src)="|^ *"?pathname"?: "?)\/(?!for\/)/gm, (_, name) => `${name}${prefix}/`);
}
