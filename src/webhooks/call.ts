import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction, type TcpSocketConnectOpts } from 'node:net';
import { checkServerIdentity, TLSSocket } from 'node:tls';
import { Webhook } from 'standardwebhooks';
import type { Randomness } from '../randomness.ts';
import { hostOf, type Target } from './target.ts';

const secretPrefix = 'whsec_';

/** 1xx responses that are accepted before the final one. */
const maxInterim = 20;

/** Bytes of the response body that are kept, and of it that are read, so that a secret across the limit is seen whole. */
const keptOfBody = 1024;
const readOfBody = keptOfBody + 512;

/** Milliseconds that they may take after the head of the response. */
const bodyPatience = 1000;

export interface WebhookCall {
  readonly url: URL;
  /** The addresses that were checked: no other is called, whatever the name has come to mean. */
  readonly addresses: readonly Target[];
  /** Besides those that every call has. */
  readonly headers: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body: string;
  /** Milliseconds from the start to the head of the answer. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** Called with the headers of the answer, names and values in turn. */
  readonly answered?: (headers: readonly string[]) => void;
  /** Takes out of the answer what is secret. */
  readonly hide?: (text: string) => string;
}

/**
 * The status that was answered, with the beginning of the body if there was one (at most 1 KiB, as text), or, in a few
 * words, what the receiver did instead.
 */
export type CallResult = { readonly status: number; readonly responseBody?: string } | { readonly error: string };

/** A key for the signatures of one subscription, in the form of the Standard Webhooks specification. */
export function newSecret(randomness: Randomness): string {
  return secretPrefix + randomness.bytes('webhook secret', 32).toString('base64');
}

/** The value of `webhook-signature`. */
export function signature(secret: string, id: string, timestampSeconds: number, body: string): string {
  return new Webhook(secret).sign(id, new Date(timestampSeconds * 1000), body);
}

/**
 * Posts the body to a target that was checked. Never follows a redirect, and reads no more than the beginning of the
 * response body, which can have any content and length. Never rejects because of what the receiver does.
 */
export async function callWebhook(call: WebhookCall): Promise<CallResult> {
  const { promise, resolve } = Promise.withResolvers<CallResult>();
  const body = Buffer.from(call.body);
  const request = open(call, body.length);
  // One timeout for everything: a receiver that sends a byte now and then would never be idle.
  const timer = setTimeout(() => settle({ error: failures.timeout(call.timeoutMs) }), call.timeoutMs);
  const settle = (outcome: CallResult) => {
    clearTimeout(timer);
    resolve(outcome);
    request.destroy();
  };
  let [interim, answered] = [0, false];
  request.on('information', () => {
    interim += 1;
    if (interim > maxInterim) settle({ error: 'sent too many interim responses' });
  });
  request.on('response', (answer) => {
    answered = true;
    clearTimeout(timer);
    call.answered?.(answer.rawHeaders);
    const status = answer.statusCode ?? 0;
    void beginning(answer).then((text) =>
      settle(text === '' ? { status } : { status, responseBody: harmless(text, call) }),
    );
  });
  // From here on the request no longer owns its socket.
  request.on('upgrade', (answer, socket) => {
    socket.destroy();
    settle({ status: answer.statusCode ?? 0 });
  });
  // Never removed: errors after the outcome need a listener too.
  request.on('error', (error) => {
    if (!answered) settle({ error: describe(error, request.socket) });
  });
  request.end(body);
  return promise;
}

/** The first bytes of a body, as text. A receiver that breaks it off, or takes its time, has answered all the same. */
async function beginning(answer: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let length = 0;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, bodyPatience);
    answer.on('data', (piece: Buffer) => {
      pieces.push(piece.subarray(0, readOfBody - length));
      length += piece.length;
      if (length >= readOfBody) resolve();
    });
    answer.on('error', () => resolve());
    answer.on('close', () => {
      clearTimeout(timer);
      resolve();
    });
  });
  return decoded(Buffer.concat(pieces), length > readOfBody);
}

/** As text. A character that was cut in two is left out. */
function decoded(bytes: Uint8Array, cut: boolean): string {
  return new TextDecoder().decode(bytes, { stream: cut });
}

/** The beginning of a body that somebody else has read, as that of a call is kept. */
export function keptBeginning(body: Buffer, call: Pick<WebhookCall, 'headers' | 'hide'>): { responseBody?: string } {
  const text = decoded(body.subarray(0, readOfBody), body.length > readOfBody);
  return text === '' ? {} : { responseBody: harmless(text, call) };
}

/** Some receivers send back what they got. What is kept of an answer holds no signature, and no secret that they may have. */
function harmless(text: string, { headers, hide }: Pick<WebhookCall, 'headers' | 'hide'>): string {
  const { 'webhook-signature': sent } = headers;
  const unsigned = sent ? text.replaceAll(sent, '(signature)') : text;
  const bytes = Buffer.from(hide ? hide(unsigned) : unsigned);
  return decoded(bytes.subarray(0, keptOfBody), bytes.length > keptOfBody);
}

function open({ url, addresses, headers, signal }: WebhookCall, length: number) {
  const host = hostOf(url).replace(/\.$/, '');
  const found = addresses.map(({ address, family }) => ({ address, family }));
  const lookup: LookupFunction = (_host, _options, answer) => {
    answer(found.length === 0 ? new Error('no address was checked') : null, found);
  };
  const options: RequestOptions & Pick<TcpSocketConnectOpts, 'autoSelectFamily'> = {
    method: 'POST',
    // A name in every case, so that `lookup` is asked for IP addresses as well.
    host: 'checked.invalid',
    port: url.port || (url.protocol === 'https:' ? 443 : 80),
    path: url.pathname + url.search,
    headers: sentHeaders(url, headers, length),
    lookup,
    // One address after the other; `lookup` is asked for all at once then.
    autoSelectFamily: true,
    agent: false,
    ...(signal && { signal }),
  };
  if (url.protocol === 'http:') return httpRequest(options);
  return httpsRequest({
    ...options,
    // An IP address is no server name.
    servername: isIP(host) ? '' : host,
    checkServerIdentity: (_host, certificate) => checkServerIdentity(host, certificate),
    rejectUnauthorized: true,
  });
}

/** All headers of a call whose body has so many bytes. */
export function sentHeaders(url: URL, own: WebhookCall['headers'], length: number): Record<string, string> {
  return {
    ...own,
    Host: url.host,
    'Content-Type': 'application/json',
    'Content-Length': String(length),
    'User-Agent': 'L-Plate',
  };
}

/** What happened in place of an answer, in a few words; by relay, too. */
export const failures = {
  timeout: (ms: number) => `did not answer within ${ms / 1000} s`,
  certificate: 'has a certificate that is not valid',
  refused: 'refused the connection',
  closed: 'closed the connection',
  http: 'did not answer in HTTP',
  handshake: 'failed the TLS handshake, which https needs',
  unreachable: 'could not be reached',
} as const;

/** By the code alone: the message of an error may quote what the receiver sent. */
function describe(error: NodeJS.ErrnoException, socket: unknown): string {
  if (socket instanceof TLSSocket && socket.authorizationError) return failures.certificate;
  const { code = '' } = error;
  if (code === 'ABORT_ERR') return 'was cancelled: the service stopped';
  if (code === 'ECONNREFUSED') return failures.refused;
  if (code === 'ECONNRESET' || code === 'EPIPE') return failures.closed;
  if (code === 'HPE_HEADER_OVERFLOW') return 'answered with headers that are too long';
  if (code.startsWith('HPE_')) return failures.http;
  if (code === 'EPROTO' || code.startsWith('ERR_SSL_')) return failures.handshake;
  return failures.unreachable;
}
