import http from 'node:http';
import https from 'node:https';

/*
 * Calls by node:http. `fetch` takes three times its processor time, and tests make very many calls. Like `fetch` it keeps
 * connections, leaves the names of headers as they are, and gives text without a content type one; unlike it, it follows
 * no redirect and asks for no coding.
 */

const agents = { 'http:': new http.Agent({ keepAlive: true }), 'https:': new https.Agent({ keepAlive: true }) };

export interface Received {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export interface Sent {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
}

/** Whether headers have one of this name, in any case. */
export function hasHeader(headers: Sent['headers'], name: string): boolean {
  return Object.keys(headers).some((each) => each.toLowerCase() === name.toLowerCase());
}

/** Sends a request and reads the whole answer. Rejects when the connection breaks. */
export function send(address: string, { method, headers, body }: Sent): Promise<Received> {
  const url = new URL(address);
  const secure = url.protocol === 'https:';
  const untyped = typeof body === 'string' && !hasHeader(headers, 'Content-Type');
  const all = {
    ...headers,
    ...(untyped && { 'Content-Type': 'text/plain;charset=UTF-8' }),
    // Without it, Node.js sends what comes after a GET or DELETE unframed.
    ...(body !== undefined && { 'Content-Length': String(Buffer.byteLength(body)) }),
  };
  return new Promise((resolve, reject) => {
    const options = { method, agent: agents[secure ? 'https:' : 'http:'], headers: all };
    const request = (secure ? https : http).request(url, options, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part) => parts.push(part));
      response.on('end', () => {
        const { statusCode = 0, rawHeaders } = response;
        resolve({ status: statusCode, headers: headersOf(rawHeaders), text: Buffer.concat(parts).toString() });
      });
      response.on('error', reject);
    });
    request.on('error', reject);
    request.end(body);
  });
}

function headersOf(raw: readonly string[]): Headers {
  const headers = new Headers();
  for (let at = 0; at < raw.length; at += 2) headers.append(raw[at] as string, raw[at + 1] as string);
  return headers;
}
