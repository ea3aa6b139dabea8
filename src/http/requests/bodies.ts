import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { FairPool, type Place } from '../../fair-pool.ts';
import { excerpt } from '../../text/excerpt.ts';
import { ProblemError, unavailable } from '../problems/problem.ts';
import { addressKey } from './address.ts';
import { parseJson } from './json.ts';
import { invalid } from './validation.ts';

/** Bytes a body may have, where its endpoint does not say otherwise. */
export const bodyLimit = 64 * 1024;

/** Bytes of bodies that arrive in pieces, of all requests together. */
const arrivingBytes = 64e6;

/**
 * What an endpoint takes as its body. `none` ignores whatever comes: `curl -d ''` announces a form. With `json-if-any` none is
 * an empty object. `file` is a form with a file, as bytes. `form-of-page` comes from a page of this service, and is `URLSearchParams`: a field may come several times.
 */
type BodyKind = 'json' | 'json-if-any' | 'json-or-form' | 'form-of-page' | 'bytes' | 'file' | 'none';

declare module 'fastify' {
  interface FastifyContextConfig {
    body?: BodyKind;
    /** Bytes that it may have. Default: `bodyLimit`. */
    maxBody?: number;
    /** How several objects are sent at once, where the endpoint takes one: a sentence. */
    many?: string;
  }
  interface FastifyRequest {
    /** The Content-Type header as it was sent. */
    declaredType: string | undefined;
  }
}

/**
 * Takes in every body before its content type is looked at, so that one that is too large is 413 whatever its type.
 * Refusals come from `checkBody` and not from the parser: for those of a parser Fastify closes the connection, at which a
 * client that still sends would miss the answer.
 */
export function readBodies(server: FastifyInstance): FairPool {
  const pool = new FairPool({ all: arrivingBytes, grain: 4096 });
  server.decorateRequest('declaredType', undefined);
  server.decorateRequest('sentBody', undefined);
  // Fastify refuses a content type that it can't parse before any parser sees it. Here each endpoint judges it.
  server.addHook('onRequest', (request, _reply, done) => {
    const { headers } = request.raw;
    if (headers['content-type'] !== undefined) {
      request.declaredType = headers['content-type'];
      headers['content-type'] = 'application/octet-stream';
    }
    done();
  });
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', (request, payload, done) => receive(request, payload, pool, done));
  return pool;
}

/** Turns the bytes of a body that was read into what the endpoint takes, or refuses them. */
export function checkBody(request: FastifyRequest, _reply: FastifyReply, done: (refusal?: Error) => void): void {
  if (Buffer.isBuffer(request.body)) request.sentBody = request.body;
  try {
    if (request.body !== undefined) request.body = bodyOf(request, request.body as Received);
    else if (request.routeOptions.config.body === 'json-if-any') request.body = {};
  } catch (error) {
    done(error as Error);
    return;
  }
  done();
}

const tooLarge = Symbol('a body over the limit');
const noPlace = Symbol('a body for which there is no room');

type Received = Buffer | typeof tooLarge | typeof noPlace;

/**
 * Gives the bytes of a body, or `tooLarge` or `noPlace` as soon as that is known. What still comes then is let go. One that
 * comes at once waits for nothing; of one that comes in pieces all that it may have counts until it is there.
 */
function receive(
  { ip, clientId, routeOptions }: FastifyRequest,
  payload: IncomingMessage,
  pool: FairPool,
  done: (error: Error | null, body?: Received) => void,
): void {
  // With HTTP/2 anything can stand there.
  const { maxBody = bodyLimit } = routeOptions.config;
  const whole = Number(payload.headers['content-length']) || maxBody;
  if (whole > maxBody) {
    done(null, tooLarge);
    return;
  }
  let chunks: Buffer[] = [];
  let length = 0;
  let place: Place | undefined;
  let isOver = false;
  const giveUp = (why: typeof tooLarge | typeof noPlace) => {
    payload.off('data', onData).off('end', onEnd).resume();
    place?.leave();
    isOver = true;
    chunks = [];
    done(null, why);
  };
  const onData = (chunk: Buffer) => {
    length += chunk.length;
    if (length > maxBody) return giveUp(tooLarge);
    chunks.push(chunk);
    if (place || length >= whole) return;
    const holder = { address: addressKey(ip), client: clientId };
    const taken = pool.take(holder, { end: () => giveUp(noPlace) }, whole);
    if (typeof taken === 'string') return giveUp(noPlace);
    place = taken;
    payload.once('close', () => taken.leave());
  };
  const onEnd = () => {
    place?.leave();
    // With HTTP/2 an answer that is cut breaks off its request, too.
    isOver = true;
    done(null, Buffer.concat(chunks, length));
  };
  payload.on('data', onData).on('end', onEnd);
  // Where the connection broke, this answer reaches nobody but the log.
  payload.on('error', (error) => {
    if (isOver) return;
    const closed = 'The connection closed before the whole body arrived.';
    // With HTTP/2 it may also have come too late.
    done(error instanceof ProblemError ? error : new ProblemError('malformed-request', closed));
  });
}

function bodyOf(request: FastifyRequest, body: Received): unknown {
  if (body === noPlace)
    throw unavailable(
      'Too many bodies arrive slowly, so yours was refused and changed nothing. Try again after the number of seconds in Retry-After.',
    );
  const { body: kind = 'none', maxBody = bodyLimit } = request.routeOptions.config;
  if (body === tooLarge) {
    throw new ProblemError(
      'payload-too-large',
      `The body is larger than ${maxBody} bytes, which is the limit. Send a smaller one.`,
    );
  }
  if (kind === 'none') return undefined;
  if (kind === 'bytes' || kind === 'file') return body;
  if (kind === 'json-if-any' && body.length === 0) return {};
  if (kind === 'form-of-page') {
    checkUnpacked(request);
    if (!isForm(request.declaredType)) throw wrongMediaType(request, [form]);
    return new URLSearchParams(body.toString('utf8'));
  }
  // Without a body there is nothing to have a type: the validation says what is missing.
  if (body.length === 0 && request.declaredType === undefined) return undefined;
  checkUnpacked(request);
  if (kind === 'json-or-form' && isForm(request.declaredType)) return parseForm(body);
  if (isJson(request.declaredType)) return parseJson(body, request);
  throw wrongMediaType(request, kind === 'json-or-form' ? [json, form] : [json]);
}

const json = 'application/json';
const form = 'application/x-www-form-urlencoded';

export const hasType = (type: string, header = '') => header.split(';', 1)[0]?.trim().toLowerCase() === type;

export const isJson = (header: string | undefined) => hasType(json, header);
export const isForm = (header: string | undefined) => hasType(form, header);

/** The media type of a body with a JSON text on each line. */
export const ndjson = 'application/x-ndjson';

/** The media type of a form with files. */
export const multipart = 'multipart/form-data';

/** What a body of a type looks like: whoever only renames what it sent would be refused again. */
const forms: Readonly<Record<string, string>> = {
  [json]: `The body must be JSON, and the header Content-Type: ${json}.`,
  [form]: 'The page that GET answers sends such a form.',
  [ndjson]: `The body must have one JSON object a line, without [] around them and commas between them, and the header Content-Type: ${ndjson}. With curl send a file with --data-binary: -d joins its lines.`,
  [multipart]: 'The body must be a form with a file: with curl -F file=@photo.jpg.',
};

/** Types of bodies that may have several objects. */
const hasSeveral = /ndjson|jsonl|json-lines|json-seq|csv|spreadsheet|excel|multipart/i;

export function wrongMediaType(request: FastifyRequest, taken: readonly string[] = [json]): ProblemError {
  const sent = request.declaredType;
  const came = sent ? `was sent as ${excerpt(sent)}` : 'was sent without a Content-Type header';
  const wanted = taken.join(' or ');
  const how = taken.length === 1 ? ` ${forms[taken[0] as string]}` : '';
  const { many = 'One object a request.' } = request.routeOptions.config;
  const more = taken[0] === json && hasSeveral.test(sent ?? '') ? ` ${many}` : '';
  return new ProblemError('unsupported-media-type', `The body ${came}. Send it as ${wanted}.${how}${more}`, {
    errors: [{ header: 'Content-Type', detail: `must be ${wanted}` }],
  });
}

/** Tells whether the body is compressed, say. It is never decoded: a small body could become a huge one. */
export function isPacked({ headers }: FastifyRequest): boolean {
  return !/^(?:identity)?$/i.test(headers['content-encoding']?.trim() ?? '');
}

/** @throws {ProblemError} `unsupported-media-type` (RFC 9110, 15.5.16) */
export function checkUnpacked(request: FastifyRequest): void {
  if (!isPacked(request)) return;
  const coding = excerpt(request.headers['content-encoding'] as string);
  const detail = `The body was sent with Content-Encoding: ${coding}, which is not supported. Send it uncompressed, without that header.`;
  throw new ProblemError('unsupported-media-type', detail, {
    headers: { 'Accept-Encoding': 'identity' },
    errors: [{ header: 'Content-Encoding', detail: 'must be absent' }],
  });
}

/** @throws {ProblemError} `validation-error` for JSON, and for a member that comes twice */
function parseForm(body: Buffer): Record<string, string> {
  const text = body.toString('utf8').trim();
  if (text.startsWith('{') && text.endsWith('}')) {
    const detail = `says that the body is a form, but it is JSON. Send Content-Type: ${json}.`;
    throw invalid([{ header: 'Content-Type', detail }]);
  }
  const members: Record<string, string> = Object.create(null);
  for (const [name, value] of new URLSearchParams(text)) {
    if (name in members) {
      const shown = excerpt(name);
      const detail = `The form has the field ${shown} more than once. Send it once.`;
      throw new ProblemError('validation-error', detail, { errors: [{ pointer: `/${shown}`, detail }] });
    }
    members[name] = value;
  }
  return members;
}
