import { STATUS_CODES } from 'node:http';
import Type from 'typebox';
import { anyMembers } from '../shapes.ts';
import type { Body, Exchange, Header } from './schemas.ts';

const head = { version: '1.2', creator: { name: 'L-Plate', version: '1' } };

/** The exchange in the HTTP Archive format 1.2, which browsers' tools and others read. */
export function harOf(exchange: Exchange, origin: string): { log: Record<string, unknown> } {
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
  const url = (exchange.kind === 'delivery' ? exchange.url : origin + pathOf(exchange.url)).replace(/#.*$/s, '');
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
      bodySize: request.body?.bytes ?? sentSize(request.headers) ?? 0,
    },
    response: {
      status,
      statusText: STATUS_CODES[status] ?? '',
      ...common,
      headers: response.headers,
      content: contentOf(response.body, response.headers),
      redirectURL: '',
      bodySize: answeredSize(exchange),
    },
    cache: {},
    timings: { send: 0, wait: durationMs, receive: 0 },
    comment: [`X-Request-Id ${id}.`, ...remarks].join(' '),
    // The format leaves names with an underscore to programs.
    _id: id,
  };
}

/** The path and query of a target. In absolute-form it names a host, which need not be this service. */
const pathOf = (target: string) => (target === '*' ? '/' : target.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, ''));

/** Bytes of a body as its headers tell them; -1 if they tell that nobody knows, undefined if there is none. */
function sentSize(headers: readonly Header[]): number | undefined {
  const length = headerIn(headers, 'content-length');
  if (length !== undefined && /^\d+$/.test(length)) return Number(length);
  return headerIn(headers, 'transfer-encoding') === undefined ? undefined : -1;
}

/** Bytes of the body as it was sent: none to HEAD, whose headers are those of GET. */
function answeredSize({ method, status, end, response }: Exchange): number {
  if (method === 'HEAD' || status === 204 || status === 304) return 0;
  if (end !== 'answered') return -1;
  const size = sentSize(response.headers);
  return size === undefined || size < 0 ? (response.body?.bytes ?? size ?? 0) : size;
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

function headerIn(headers: readonly Header[], wanted: string): string | undefined {
  return headers.find(({ name }) => name.toLowerCase() === wanted)?.value;
}

function typeOf(headers: readonly Header[]): string {
  return headerIn(headers, 'content-type') ?? '';
}

const example: Exchange = {
  id: '6f1c2b1e-3f0a-4c55-9d0e-2b7a1f5f9c11',
  kind: 'call',
  startedAt: '2026-03-02T10:15:30.000Z',
  method: 'GET',
  url: '/insurer/v1/coverage-options',
  route: '/insurer/v1/coverage-options',
  status: 200,
  durationMs: 3.2,
  end: 'answered',
  problem: null,
  drills: [],
  remarks: [],
  tokens: [],
  request: { httpVersion: '1.1', headers: [{ name: 'Accept', value: '*/*' }] },
  response: { headers: [{ name: 'X-Request-Id', value: '6f1c2b1e-3f0a-4c55-9d0e-2b7a1f5f9c11' }] },
};

const { log } = harOf(example, 'http://localhost:8080');

export const Har = Type.Object(
  { log: anyMembers('The log, with an entry for each exchange.', log) },
  { $id: 'HttpArchive', description: 'An HTTP Archive 1.2.' },
);
