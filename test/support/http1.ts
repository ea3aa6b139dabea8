import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest, Agent as SecureAgent } from 'node:https';
import type { Presented } from './certificates.ts';

/*
 * Calls by node:http. `fetch` takes three times its processor time, and tests make very many calls. Like `fetch` it keeps
 * connections, leaves the names of headers as they are, and gives text without a content type one; unlike it, it follows
 * no redirect and asks for no coding.
 */

const agent = new Agent({ keepAlive: true });
const secureAgent = new SecureAgent({ keepAlive: true });

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** The parsed body when it is JSON, else undefined. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  json: any;
}

export interface Sent {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
  /** What the client presents to a server that asks for it, in PEM. */
  readonly certificate?: Presented | undefined;
}

/** Whether headers have one of this name, in any case. */
export function hasHeader(headers: Sent['headers'], name: string): boolean {
  return Object.keys(headers).some((each) => each.toLowerCase() === name.toLowerCase());
}

/** Sends a request and reads the whole answer. Rejects when the connection breaks. */
export function send(address: string, { method, headers, body, certificate }: Sent): Promise<Answer> {
  const untyped = typeof body === 'string' && !hasHeader(headers, 'Content-Type');
  const all = {
    ...headers,
    ...(untyped && { 'Content-Type': 'text/plain;charset=UTF-8' }),
    // Without it, Node.js sends what comes after a GET or DELETE unframed.
    ...(body !== undefined && { 'Content-Length': String(Buffer.byteLength(body)) }),
  };
  return new Promise((resolve, reject) => {
    const options = { method, headers: all, ...certificate };
    const begin = (take: (response: IncomingMessage) => void) =>
      address.startsWith('https:')
        ? httpsRequest(address, { ...options, agent: secureAgent }, take)
        : httpRequest(address, { ...options, agent }, take);
    const request = begin((response) => {
      const parts: Buffer[] = [];
      response.on('data', (part) => parts.push(part));
      response.on('end', () => {
        resolve(asAnswer(response.statusCode ?? 0, response.rawHeaders, Buffer.concat(parts)));
      });
      response.on('error', reject);
    });
    request.on('error', reject);
    request.end(body);
  });
}

/** `rawHeaders` alternates names and values, as Node.js has them. */
export function asAnswer(status: number, rawHeaders: readonly string[], body: Buffer): Answer {
  const headers = new Headers();
  for (let at = 0; at < rawHeaders.length; at += 2) headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '');
  const text = body.toString('utf8');
  const isJson = /[/+]json/.test(headers.get('content-type') ?? '') && text !== '';
  return { status, headers, text, json: isJson ? JSON.parse(text) : undefined };
}
