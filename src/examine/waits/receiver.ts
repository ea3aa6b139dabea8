import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '../../time/clock.ts';

/** A call that a hook got. */
export interface Call {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** What it was answered. */
  readonly status: number;
}

/** What the last part of a hook’s path has it answer to its first call; then it answers 204. */
export const firstAnswers = ['', '/302', '/410', '/503'] as const;

const longestBody = 100_000;
const mostCalls = 50;
const mostPaths = 2000;

/** The receiver of webhooks that both sides call: a path for each hook of each row and side. */
export class Receiver {
  readonly #server: Server;
  readonly #calls = new Map<string, Call[]>();

  constructor() {
    this.#server = createServer({ requestTimeout: 10_000 }, (request, response) => {
      const { pathname } = new URL(request.url ?? '/', 'http://localhost');
      const chunks: Buffer[] = [];
      let size = 0;
      request.on('error', () => response.destroy());
      request.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > longestBody) request.destroy();
        else chunks.push(chunk);
      });
      request.on('end', () => {
        const isCall = request.method === 'POST' && /^\/(reference|yours)\//.test(pathname);
        const status = isCall ? this.#take(pathname, request.headers, Buffer.concat(chunks)) : 404;
        response.writeHead(status, status === 302 ? { location: pathname.replace('1/302', '2') } : {}).end();
      });
    });
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject).listen(0, '127.0.0.1', resolve);
    });
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** The address of a hook. */
  address(side: 'reference' | 'yours', name: string): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/${side}/${name}`;
  }

  /** What a hook got so far. */
  callsOf(address: string): readonly Call[] {
    return this.#calls.get(new URL(address).pathname) ?? [];
  }

  #take(path: string, headers: IncomingHttpHeaders, body: Buffer): number {
    const calls = this.#calls.get(path) ?? [];
    const first = /\/(\d{3})$/.exec(path)?.[1];
    const status = calls.length === 0 && first !== undefined ? Number(first) : 204;
    if (calls.length < mostCalls && (calls.length > 0 || this.#calls.size < mostPaths))
      this.#calls.set(path, [...calls, { headers, body: body.toString(), at: systemClock.now(), status }]);
    return status;
  }
}
