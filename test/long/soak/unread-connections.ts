import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** Paths that connections ask for again and again without ever reading an answer. */
const paths = [
  '/problems',
  '/problems/rate-limit-exceeded',
  '/metrics',
  '/docs/scalar.js',
  '/insurer/v1/limited/ping',
  '/insurer/v1/openapi.yaml',
  '/insurer/v1/policies?pageSize=500',
];

const openAtOnce = 20;

/** Milliseconds after which one is replaced: one that reads nothing does not notice that it was cut. */
const lifeMs = 13_000;

/** Connections that send 65 KB of requests each and read nothing; one that is cut is replaced. */
export class UnreadConnections {
  readonly #port: number;
  readonly #token: string;
  readonly #open = new Set<Socket>();
  #opened = 0;

  constructor(url: string, token: string) {
    this.#port = Number(new URL(url).port);
    this.#token = token;
  }

  async run(running: () => boolean): Promise<void> {
    for (; running(); await pause(250)) if (this.#open.size < openAtOnce) this.#dial();
  }

  close(): void {
    for (const socket of this.#open) socket.destroy();
  }

  report(): string {
    return `${this.#opened} connections that read nothing were opened`;
  }

  #dial(): void {
    const path = paths[this.#opened % paths.length];
    this.#opened += 1;
    const socket = connect(this.#port, '127.0.0.1').pause();
    this.#open.add(socket);
    socket.on('error', () => {});
    const replacing = setTimeout(() => socket.destroy(), lifeMs);
    socket.on('close', () => {
      clearTimeout(replacing);
      this.#open.delete(socket);
    });
    const one = `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${this.#token}\r\n\r\n`;
    // Half of them stay below the bound on unanswered requests, so that they are cut for taking nothing.
    const many = this.#opened % 2 === 0 ? 60 : Math.ceil(65_000 / one.length);
    socket.write(one.repeat(many));
  }
}
