import assert from 'node:assert/strict';
import { Agent, request as httpRequest, type OutgoingHttpHeaders } from 'node:http';
import { after } from 'node:test';
import { checkAgainstDescription } from '../support/description.ts';
import { type Answer, asAnswer } from '../support/http1.ts';
import type { LPlate } from '../support/lplate.ts';
import { problems } from '../support/problems.ts';

/** A request that is sent as it is: unlike `call`, nothing tidies up path, method or headers. */
export interface Sent {
  method: string;
  /** From the root, with the query. */
  path: string;
  headers?: OutgoingHttpHeaders;
  body?: string | Uint8Array | undefined;
  /** Sends the body in chunks of this many bytes, without Content-Length. */
  chunkSize?: number;
}

/** Milliseconds after which an answer counts as not coming. */
const patience = 20_000;

/** Sends one request. The answer must be no 5xx, a proper problem if it is one, and fit the description. */
export async function send(lplate: LPlate, sent: Sent, agent?: Agent): Promise<Answer> {
  const answer = await exchange(lplate.config.port, sent, agent);
  const { method, path } = sent;
  assertSound(answer, [lplate.config.publicUrl, `http://127.0.0.1:${lplate.config.port}`], method);
  if (method !== 'TRACE') await checkAgainstDescription(lplate.url, method, path.split(/[?#]/)[0] as string, answer);
  return answer;
}

/** Connections that are used again and again, at most `maxSockets` at once. */
export function keptConnections(maxSockets: number): Agent {
  return new Agent({ keepAlive: true, maxSockets });
}

/** Sends by connections of a suite, which are used again and again until its end. */
export function sendAgain(lplate: LPlate): (sent: Sent) => Promise<Answer> {
  const agent = keptConnections(4);
  after(() => agent.destroy());
  return (sent) => send(lplate, sent, agent);
}

function exchange(port: number, { method, path, headers, body, chunkSize }: Sent, agent = new Agent()) {
  return new Promise<Answer>((resolve, reject) => {
    const whole = body === undefined ? undefined : Buffer.from(body as Uint8Array);
    // Node.js would send pieces of a GET without any frame, and the next request would begin in their midst.
    const frame = chunkSize ? { 'Transfer-Encoding': 'chunked' } : { 'Content-Length': whole?.length };
    const length = whole ? frame : {};
    const sending = httpRequest(
      { host: '127.0.0.1', port, method, path, agent, headers: { ...length, ...headers }, setHost: true },
      (response) => {
        const pieces: Buffer[] = [];
        response.on('data', (piece: Buffer) => pieces.push(piece));
        response.on('error', reject);
        response.on('end', () => {
          clearTimeout(timer);
          resolve(asAnswer(response.statusCode as number, response.rawHeaders, Buffer.concat(pieces)));
        });
      },
    );
    const timer = setTimeout(() => sending.destroy(new Error(`no answer to ${method} ${path}`)), patience);
    sending.on('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    for (let at = 0; whole && chunkSize && at < whole.length; at += chunkSize) {
      sending.write(whole.subarray(at, at + chunkSize));
    }
    sending.end(chunkSize ? undefined : whole);
  });
}

/** The rules of every answer to bad input: no 5xx, and a refusal is a problem in every respect, named by one of the origins. */
export function assertSound({ status, headers, text, json }: Answer, origins: readonly string[], method = ''): void {
  assert(status >= 200 && status < 500, `${status}: ${text}`);
  assert.equal(headers.get('x-content-type-options'), 'nosniff');
  if (status < 400) return;
  // What is wrong inside of a message of JSON-RPC is told as its errors are.
  if (json?.jsonrpc === '2.0') {
    assert.equal(typeof json.error.code, 'number');
    return;
  }
  // To a form the token endpoint answers in plain JSON, with the members of RFC 6749.
  const plain = json?.error !== undefined && headers.get('content-type') === 'application/json';
  if (!plain) assert.equal(headers.get('content-type'), 'application/problem+json');
  assert.equal(headers.get('access-control-allow-origin'), '*');
  if (method === 'HEAD') {
    assert.equal(text, '');
    return;
  }
  const { type, title, detail, instance } = json;
  const named = (name: string) => origins.some((origin) => type === `${origin}/problems/${name}`);
  const [identifier, entry] = Object.entries(problems).find(([name]) => named(name)) ?? [];
  assert(identifier && entry, `the type ${type} is none of ours`);
  assert.deepEqual([json.status, title, entry.status], [status, entry.title, status]);
  assert.equal(instance, `urn:uuid:${headers.get('x-request-id')}`);
  assert(typeof detail === 'string' && detail.length > 0 && detail.length < 2_000, `the detail is ${detail}`);
  assert(JSON.stringify(json).isWellFormed() && !/(?<!\\)\\ud[89a-f]/i.test(text), `half a character: ${text}`);
  if (status === 401) assert.match(headers.get('www-authenticate') ?? '', /^(Bearer|Basic|Signature) [\x20-\x7e]+$/);
}

/** The identifier at the end of a problem's type. */
export function identifierOf({ json }: Answer): string | undefined {
  return json?.type?.split('/').at(-1);
}
