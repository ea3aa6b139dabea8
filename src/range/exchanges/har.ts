import { STATUS_CODES } from 'node:http';
import type { Header } from './call.ts';
import type { Body, Exchange } from './exchange.ts';

const head = { version: '1.2', creator: { name: 'L-Plate', version: '1' } };

/** The exchange in the HTTP Archive format 1.2, which browsers' tools and others read. */
export function harOf(exchange: Exchange, origin: string): { log: object } {
  return { log: { ...head, entries: [entryOf(exchange, origin)] } };
}

/** The same of many, in the order in which they come: the parts of its text. */
export async function* harParts(exchanges: AsyncIterable<Exchange[]>, origin: string): AsyncGenerator<string> {
  yield `{"log":${JSON.stringify(head).slice(0, -1)},"entries":[`;
  let separator = '';
  for await (const some of exchanges) {
    yield separator + some.map((each) => JSON.stringify(entryOf(each, origin))).join();
    separator = ',';
  }
  yield ']}}';
}

function entryOf(exchange: Exchange, origin: string): object {
  const { startedAt, durationMs, method, status, request, response, remarks, id } = exchange;
  const url = exchange.url.startsWith('/') ? origin + exchange.url : exchange.url;
  const httpVersion = `HTTP/${request.httpVersion}`;
  const common = { httpVersion, cookies: [], headersSize: -1 };
  return {
    startedDateTime: startedAt,
    time: durationMs,
    request: {
      method,
      url,
      ...common,
      headers: request.headers,
      queryString: queryOf(url),
      ...(request.body && { postData: postData(request.body, request.headers) }),
      bodySize: request.body?.bytes ?? 0,
    },
    response: {
      status,
      statusText: STATUS_CODES[status] ?? '',
      ...common,
      headers: response.headers,
      content: contentOf(response.body, response.headers),
      redirectURL: '',
      bodySize: response.body?.bytes ?? 0,
    },
    cache: {},
    timings: { send: 0, wait: durationMs, receive: 0 },
    comment: [`X-Request-Id ${id}.`, ...remarks].join(' '),
    // The format leaves names with an underscore to programs.
    _id: id,
  };
}

function queryOf(url: string): Header[] {
  const query = url.split('#', 1)[0]?.split('?').slice(1).join('?') ?? '';
  return [...new URLSearchParams(query)].map(([name, value]) => ({ name, value }));
}

/** Of a body that is no text the format has no place for the encoding but the comment. */
function postData({ text, encoding }: Body, headers: readonly Header[]) {
  return { mimeType: typeOf(headers), text, ...(encoding === 'base64' && { comment: 'The text is base64.' }) };
}

function contentOf(body: Body | undefined, headers: readonly Header[]) {
  const { text = '', encoding, bytes = 0 } = body ?? {};
  return { size: bytes, mimeType: typeOf(headers), text, ...(encoding === 'base64' && { encoding }) };
}

function typeOf(headers: readonly Header[]): string {
  return headers.find(({ name }) => name.toLowerCase() === 'content-type')?.value ?? '';
}
