import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { DatabaseUnavailable } from '../../database/database.ts';
import { ProblemError } from '../problems/problem.ts';
import { isClientId, type Tokens } from './bearer.ts';
import { shownId } from './id-advice.ts';

/*
 * The personal prefix: `/for/{client_id}` before any address says whose call it is, where no token does. It is taken off
 * before a request is routed, and put before every URL of the answer. Nothing else depends on it. Who sends
 * none pays for the comparison of a few characters.
 */

const start = '/for/';

declare module 'node:http' {
  interface IncomingMessage {
    /** `/for/{client_id}`, as it was sent; no such client may exist. Absent where the URL has none. */
    personalPrefix?: string;
  }
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Whether a client existed a moment ago. */
    readonly clientExisted: Tokens['existed'];
  }
}

/** Metadata of an issuer with a path have it behind their well-known name (RFC 8414, section 3.1). */
const inserted = /^(\/\.well-known\/[a-z-]+)(\/for\/[^/?#]*)\/?(?=$|[?#])/;

/** The URL without its personal prefix, which the request keeps. */
export function takePersonalPrefix(request: IncomingMessage, url: string): string {
  const [whole = '', name = '', prefix] = inserted.exec(url) ?? [];
  if (prefix !== undefined) {
    request.personalPrefix = prefix;
    return name + url.slice(whole.length);
  }
  if (!url.startsWith(start)) return url;
  const end = url.slice(start.length).search(/[/?#]/);
  const length = end < 0 ? url.length : start.length + end;
  request.personalPrefix = url.slice(0, length);
  const rest = url.slice(length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** `/for/{client_id}` where the request has it, else empty. */
export function personalPrefix({ raw }: FastifyRequest): string {
  return raw.personalPrefix ?? '';
}

/** A path with the personal prefix at its beginning, where it has one in its middle or at its end; else undefined. */
export function withPrefixFirst(path: string): string | undefined {
  const at = path.indexOf(start, 1);
  if (at < 0) return undefined;
  const [id = '', ...after] = path.slice(at + start.length).split('/');
  return isClientId(id) ? [start + id + path.slice(0, at), ...after].join('/') : undefined;
}

/** The client of the personal prefix, if it has the form of one. It need not exist. */
export function prefixClient({ raw }: FastifyRequest): string | undefined {
  const id = raw.personalPrefix?.slice(start.length);
  return id !== undefined && isClientId(id) ? id : undefined;
}

/** Refuses a personal prefix of a client that is not there. */
export function checkPersonalPrefix(request: FastifyRequest, _reply: unknown, done: (refusal?: Error) => void): void {
  if (request.raw.personalPrefix === undefined) {
    done();
    return;
  }
  const id = prefixClient(request);
  const decide = (existed: boolean) => done(existed ? undefined : noSuchClient(request));
  const existed = id !== undefined && request.server.clientExisted(id);
  if (typeof existed === 'boolean') decide(existed);
  // What needs the database says itself that it is away.
  else existed.then(decide, (error) => done(error instanceof DatabaseUnavailable ? undefined : error));
}

function noSuchClient({ raw }: FastifyRequest): ProblemError {
  const id = shownId((raw.personalPrefix as string).slice(start.length));
  const detail = `There is no client ${id}. The address begins with ${start} and a client_id: put yours there, as POST /demo-clients gave it to you, or leave both out. A client may have been removed: by itself, by a trainer, or after a day or longer without use.`;
  return new ProblemError('not-found', detail);
}
