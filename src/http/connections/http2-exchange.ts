import {
  constants,
  Http2ServerRequest,
  Http2ServerResponse,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
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

  /** Tells whether all of it came, read or not. */
  get arrived(): boolean {
    return this.stream.endAfterHeaders || this.complete || this.stream.state.remoteClose === 1;
  }

  /** Tells who reads the body that the rest of it won't come. Returns whether somebody does. */
  fail(reason: Error): boolean {
    return this.listenerCount('error') > 0 && this.emit('error', reason);
  }

  /** Whoever reads on when the stream is gone gets nothing; Node.js would take it for a fault in itself. */
  override _read(size: number): void {
    if (!this.stream.destroyed) super._read(size);
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

/** Joins what comes more than once as in HTTP/1.1 (RFC 9110, 5.3). */
function joined(raw: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = Object.create(null);
  for (let at = 0; at < raw.length; at += 2) {
    const [name, value] = [raw[at] as string, raw[at + 1] as string];
    headers[name] = name in headers ? headers[name] + (name === 'cookie' ? '; ' : ', ') + value : value;
  }
  return headers;
}

export class Response extends Http2ServerResponse<Request> {
  #written = 0;

  /** Bytes of the body that were given to the connection. */
  get takenBytes(): number {
    return this.#written - this.stream.writableLength;
  }

  /** Bytes that wait for the peer, also those that were not written yet: a large answer is written bit by bit. */
  get owedBytes(): number {
    const whole = this.headersSent && !this.writableEnded ? Number(this.getHeader('content-length') ?? 0) : 0;
    return Math.max(whole, this.#written) - this.takenBytes;
  }

  /** Tells whether it is written for as long as there is something to tell. */
  get isStream(): boolean {
    return this.headersSent && !this.writableEnded && !this.hasHeader('content-length');
  }

  /** The head as it was sent; empty before it was. */
  get _header(): string {
    const { sentHeaders: sent } = this.stream;
    if (!sent) return '';
    const lines = Object.entries(sent).flatMap(([name, value]) =>
      name.startsWith(':') ? [] : [value].flat().map((each) => `${name}: ${each}\r\n`),
    );
    return `HTTP/2 ${sent[':status']}\r\n${lines.join('')}\r\n`;
  }

  override write(chunk: string | Uint8Array, ...rest: never[]): boolean {
    this.#written += Buffer.byteLength(chunk);
    return super.write(chunk, ...rest);
  }

  override writeHead(statusCode: number, ...rest: unknown[]): this {
    // HTTP/2 has no such header, and Node.js would warn of it.
    delete (rest.at(-1) as OutgoingHttpHeaders | undefined)?.connection;
    return super.writeHead(statusCode, ...(rest as []));
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
      return this.stream.headersSent && this.stream.writableFinished && !this.stream.aborted;
    },
  },
});
