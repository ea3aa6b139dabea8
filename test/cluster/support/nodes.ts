import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { TestContext } from 'node:test';
import { checkAgainstDescription } from '../../support/description.ts';
import { administer } from '../../support/engines.ts';
import type { Answer, CallOptions, TestClient } from '../../support/lplate.ts';
import type { PostgresServer } from '../../support/postgres.ts';
import { type Program, startProgram } from '../../support/program.ts';
import { steadyPort } from '../../support/steady-port.ts';
import { until } from '../../support/until.ts';

/** What a node answered, which one, and how long its answer took in milliseconds. */
export interface NodeAnswer extends Answer {
  readonly node: number;
  readonly ms: number;
}

export interface NodeCall extends CallOptions {
  /** The node that is called; default: one after the other. */
  readonly node?: number;
}

/** A line of the log, as far as tests look into it. */
export interface LogLine {
  readonly level: number;
  readonly msg?: string;
  readonly status?: number;
  readonly error?: string;
}

/** All nodes are known by one address, as behind a load balancer: so one's tokens are good for all. */
const publicUrl = 'http://lplate.example';

/** Nodes that share one database, each a process of its own with a port that it keeps. */
export class Nodes {
  readonly #t: TestContext;
  readonly #where: { url: string };
  readonly #environment: Readonly<Record<string, string>>;
  readonly #ports: readonly number[];
  readonly #programs: Program[] = [];
  #calls = 0;

  private constructor(t: TestContext, url: string, environment: Readonly<Record<string, string>>, ports: number[]) {
    this.#t = t;
    this.#where = { url };
    this.#environment = { PUBLIC_URL: publicUrl, ...environment };
    this.#ports = ports;
  }

  /** Starts them all at once, and resolves when each is ready. They end with the test. */
  static async start(
    t: TestContext,
    url: string,
    environment: Readonly<Record<string, string>> = {},
    count = 3,
  ): Promise<Nodes> {
    const ports: number[] = [];
    while (ports.length < count) ports.push(await steadyPort());
    const nodes = new Nodes(t, url, environment, ports);
    await Promise.all(ports.map((_, node) => nodes.restart(node)));
    return nodes;
  }

  get count(): number {
    return this.#ports.length;
  }

  program(node: number): Program {
    const program = this.#programs[node];
    if (!program) throw new Error(`node ${node} was never started`);
    return program;
  }

  /** Resolves when the process is gone. */
  async kill(node: number): Promise<void> {
    await this.program(node).stop('SIGKILL');
  }

  /** Starts a node whose process has ended, and resolves when it is ready. */
  async restart(node: number): Promise<void> {
    const environment = { ...this.#environment, PORT: String(this.#ports[node]) };
    this.#programs[node] = await startProgram(this.#t, this.#where, { environment });
  }

  /**
   * Sends one request and checks the answer against the published description. A path that does not begin with a
   * system's prefix is one of the insurer's v1. Rejects when the node is gone.
   */
  async call(method: string, path: string, { node = this.#calls++ % this.count, ...options }: NodeCall = {}) {
    const headers = new Headers(options.headers);
    if (options.token !== undefined) headers.set('Authorization', `Bearer ${options.token}`);
    if (options.json !== undefined && !headers.has('Content-Type')) headers.set('Content-Type', 'application/json');
    const body = options.json === undefined ? (options.body ?? null) : JSON.stringify(options.json);
    const url = new URL(prefixes.test(path) ? path : `/insurer/v1${path}`, this.program(node).url);
    const began = performance.now();
    const response = await fetch(url, { method, headers, body });
    const text = await response.text();
    const ms = performance.now() - began;
    const type = response.headers.get('content-type') ?? '';
    const json = /json/.test(type) && text !== '' ? JSON.parse(text) : undefined;
    const answer: NodeAnswer = { status: response.status, headers: response.headers, text, json, node, ms };
    await checkAgainstDescription(url.origin, method, url.pathname, answer);
    return answer;
  }

  /** A token of given credentials, by any node. */
  async token(clientId: string, secret: string): Promise<string> {
    const answer = await this.call('POST', '/auth/token', { json: { client_id: clientId, client_secret: secret } });
    if (answer.status !== 200) throw new Error(`no token: ${answer.text}`);
    return answer.json.access_token;
  }

  /** New demo credentials, and a token of them. */
  async client(): Promise<TestClient> {
    const { json } = await this.call('POST', '/demo-clients');
    const { client_id: id, client_secret: secret } = json;
    return { id, secret, token: await this.token(id, secret) };
  }

  /** The log of a node's process so far. A quiet node writes it within a second or so. */
  log(node: number): LogLine[] {
    const lines = this.program(node).stdout().split('\n').slice(0, -1);
    return lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
  }

  /** The messages of a node's log at a level of `warn` or above. */
  warnings(node: number): string[] {
    return this.log(node)
      .filter(({ level }) => level >= 40)
      .map(({ msg }) => msg ?? '');
  }
}

const prefixes = /^\/(?:insurer|vehicle-registry|claims|range|\.well-known|healthz|readyz|metrics)(?:\/|$)/;

/** An empty database of its own. It goes with the server. */
export async function emptyDatabase(server: PostgresServer): Promise<string> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await administer(`create database ${name} strategy file_copy`, server.url);
  const url = new URL(server.url);
  url.pathname = `/${name}`;
  return url.href;
}

/** How often each status was answered. */
export function count(answers: readonly { status: number }[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** What `/readyz` says of nodes whose limits are counted together. */
export const shared = { status: 'ready', rateLimits: 'shared' };

/** Resolves when `/readyz` of each node has this body. */
export async function allSay(nodes: Nodes, body: object): Promise<void> {
  for (let node = 0; node < nodes.count; node += 1) {
    await until(
      async () => {
        const { status, json } = await nodes.call('GET', '/readyz', { node });
        assert.equal(status, 200, 'a node without Redis is able to serve');
        return JSON.stringify(json) === JSON.stringify(body);
      },
      `/readyz of node ${node} is ${JSON.stringify(body)}`,
    );
  }
}
