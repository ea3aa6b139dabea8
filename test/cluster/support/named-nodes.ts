import type { TestContext } from 'node:test';
import type { Role } from '../../../src/database/database.ts';
import { administer } from '../../support/engines.ts';
import { type NodeCall, Nodes } from './nodes.ts';

/** Nodes that share one database and are known to it by name, so that it tells which of them plays which part. */
export class NamedNodes {
  readonly #url: string;
  readonly #nodes: readonly Nodes[];

  private constructor(url: string, nodes: readonly Nodes[]) {
    this.#url = url;
    this.#nodes = nodes;
  }

  /** Starts them all at once, and resolves when each is ready. They end with the test. */
  static async start(
    t: TestContext,
    url: string,
    environment: Readonly<Record<string, string>> = {},
    count = 3,
  ): Promise<NamedNodes> {
    const named = Array.from({ length: count }, (_, node) => {
      const own = new URL(url);
      own.searchParams.set('application_name', nameOf(node));
      return Nodes.start(t, url, { ...environment, DATABASE_URL: own.href }, 1);
    });
    return new NamedNodes(url, await Promise.all(named));
  }

  get count(): number {
    return this.#nodes.length;
  }

  /** One of them by itself. */
  node(number: number): Nodes {
    const node = this.#nodes[number];
    if (!node) throw new Error(`there is no node ${number}`);
    return node;
  }

  program(node: number) {
    return this.node(node).program(0);
  }

  /** By the node that is named, or by one of them at random. */
  call(method: string, path: string, { node = Math.floor(Math.random() * this.count), ...options }: NodeCall = {}) {
    return this.node(node).call(method, path, options);
  }

  kill(node: number): Promise<void> {
    return this.node(node).kill(0);
  }

  restart(node: number): Promise<void> {
    return this.node(node).restart(0);
  }

  /** Ends them all in an orderly way. */
  async stop(): Promise<void> {
    const exits = await Promise.all(this.#nodes.map((node) => node.program(0).stop()));
    for (const { code } of exits) if (code !== 0) throw new Error(`a node ended with ${code}`);
  }

  /** Who plays a part, by the lock that PostgreSQL keeps for it. */
  async player(role: Role): Promise<{ node: number; session: number } | undefined> {
    const rows = await administer<{ pid: number; application_name: string }>(
      `select l.pid, a.application_name from pg_locks l join pg_stat_activity a on a.pid = l.pid
       where l.locktype = 'advisory' and l.classid = 7501947 and l.objid = ${role.lock} and l.granted
         and l.database = (select oid from pg_database where datname = current_database())`,
      this.#url,
    );
    const [row, ...more] = rows;
    if (more.length > 0) throw new Error(`${rows.length} play the ${role.name}`);
    return row && { node: Number(row.application_name.slice(prefix.length)), session: row.pid };
  }

  /** Fails when a node has ended by itself, or met an error that it did not foresee. */
  assertWell(): void {
    for (let node = 0; node < this.count; node += 1) {
      const { child, stderr } = this.program(node);
      const failures = this.node(node)
        .log(0)
        .filter(({ level }) => level >= 50);
      if (child.exitCode !== null || stderr() !== '' || failures.length > 0) {
        throw new Error(`node ${node} ended with ${child.exitCode}: ${stderr()} ${JSON.stringify(failures)}`);
      }
    }
  }
}

const prefix = 'node-';
const nameOf = (node: number) => `${prefix}${node}`;
