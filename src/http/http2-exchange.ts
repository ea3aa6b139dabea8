import {
  constants,
  Http2ServerRequest,
  Http2ServerResponse,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2';
import type { TLSSocket } from 'node:tls';

/*
 * A request of HTTP/2 and its response, so that they are to all that handles them as those of HTTP/1.1: what Node.js offers
 * for that ends a body that broke off as if it were whole, calls each answer finished that was cut, and has no head of it.
 */

export class Request extends Http2ServerRequest {
  /** `headers` become what HTTP/1.1 would have of them. */
  constructor(
    socket: TLSSocket,
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    rawHeaders: readonly string[],
  ) {
    const plain = withoutPseudoHeaders(rawHeaders);
    Object.assign(headers, joined(plain));
    // What a body without a length is in HTTP/1.1.
    if (!stream.endAfterHeaders && headers['content-length'] === undefined) headers['transfer-encoding'] = 'chunked';
    super(stream, headers, {}, plain);
    // That of Node.js knows no address once the answer has gone.
    Object.defineProperty(this, 'socket', { value: socket });
    this.once('aborted', () => this.fail(Object.assign(new Error('aborted'), { code: 'ECONNRESET' })));
  }

  /** Tells who reads the body that the rest of it won't come. Returns whether somebody does. */
  fail(reason: Error): boolean {
    return this.listenerCount('error') > 0 && this.emit('error', reason);
  }

  override push(chunk: unknown, encoding?: BufferEncoding): boolean {
    // The end of a body that broke off is none.
    return chunk === null && this.aborted ? false : super.push(chunk, encoding);
  }
}

/** `:authority` takes the place of Host (RFC 9113, 8.3.1). The other pseudo-headers are the request line. */
function withoutPseudoHeaders(raw: readonly string[]): string[] {
  const names = raw.filter((_, at) => at % 2 === 0);
  const ofAuthority = names.includes(':authority');
  return names.flatMap((name, at) => {
    const value = raw[2 * at + 1] as string;
    if (name === ':authority') return ['host', value];
    return name.startsWith(':') || (name === 'host' && ofAuthority) ? [] : [name, value];
  });
}

/** What comes more than once is joined as in HTTP/1.1 (RFC 9110, 5.3). */
function joined(raw: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = Object.create(null);
  for (let at = 0; at < raw.length; at += 2) {
    const [name, value] = [raw[at] as string, raw[at + 1] as string];
    headers[name] = name in headers ? headers[name] + (name === 'cookie' ? '; ' : ', ') + value : value;
  }
  return headers;
}

export class Response extends Http2ServerResponse<Request> {
  /** The head as it was sent; empty before it was. */
  get _header(): string {
    const { sentHeaders: sent } = this.stream;
    if (!sent) return '';
    const lines = Object.entries(sent).flatMap(([name, value]) =>
      name.startsWith(':') ? [] : [value].flat().map((each) => `${name}: ${each}\r\n`),
    );
    return `HTTP/2 ${sent[':status']}\r\n${lines.join('')}\r\n`;
  }

  override emit(event: string, ...values: unknown[]): boolean {
    return event === 'finish' && !this.writableFinished ? false : super.emit(event, ...values);
  }

  /** Cuts the answer: a reset of its stream, whose code no client takes for a reason to send the request again. */
  override destroy(): this {
    this.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
    return this;
  }
}

Object.defineProperties(Response.prototype, {
  destroyed: {
    get(this: Response): boolean {
      return this.stream.destroyed;
    },
  },
  /** Whether all of the answer has gone. To HEAD its end is there before its head. */
  writableFinished: {
    get(this: Response): boolean {
      return this.stream.headersSent && this.stream.writableFinished;
    },
  },
});
