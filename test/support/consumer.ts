import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Engine } from './engines.ts';
import type { LPlate } from './lplate.ts';
import { root } from './program.ts';

/* The consumer of examples/ as a process of its own, and what tests ask of it. */

/** What the consumer keeps: see examples/claims-consumer.ts. */
export interface State {
  cursor: string;
  claims: Record<string, { status: string; updatedAt: string }>;
  processed: Record<string, number>;
}

/** The folder in which one client's consumer runs, again and again. */
export interface ConsumerFolder {
  /** What it saved last; undefined before the first time. It is whole whenever one looks. */
  state(): Promise<State | undefined>;
  /** The file it is kept in. */
  readonly file: string;
  /** Starts it. It reads from `url`, and ends with the test. */
  start(t: TestContext, url: string): Consumer;
}

export interface Consumer {
  /** The changes it told so far. */
  told(): string[];
  stderr(): string;
  /** Resolves at the first it says. */
  readonly speaks: Promise<unknown>;
  kill(): Promise<void>;
  /** Its exit code. */
  readonly exit: Promise<number | null>;
}

export async function consumerFolder(engine: Engine, client: { id: string; secret: string }): Promise<ConsumerFolder> {
  const location = await engine.location();
  assert('directory' in location);
  const cwd = location.directory;
  const credentials = { client_id: client.id, client_secret: client.secret };
  await writeFile(join(cwd, 'credentials.json'), JSON.stringify(credentials));
  const file = join(cwd, 'claims-consumer.json');
  return {
    file,
    async state() {
      const text = await readFile(file, 'utf8').catch(() => undefined);
      return text === undefined ? undefined : JSON.parse(text);
    },
    start(t, url) {
      const { PATH = '' } = process.env;
      const child = spawn(process.execPath, [join(root, 'examples/claims-consumer.ts')], {
        cwd,
        env: { PATH, LPLATE_URL: url },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const written = { stdout: '', stderr: '' };
      for (const name of ['stdout', 'stderr'] as const) {
        child[name].setEncoding('utf8').on('data', (text) => (written[name] += text));
      }
      const speaks = once(child.stdout, 'data');
      const exit = once(child, 'close').then(([code]) => code);
      const kill = async () => {
        child.kill('SIGKILL');
        await exit;
      };
      t.after(kill);
      return {
        told: () => written.stdout.split('\n').filter((line) => line.startsWith('CLM-')),
        stderr: () => written.stderr,
        speaks,
        kill,
        exit,
      };
    },
  };
}

/** Resolves when the condition holds; fails after a generous while. */
export async function soon(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let left = 400; !(await condition()); left -= 1) {
    assert(left > 0, `not so after a long while: ${what}`);
    await pause(50);
  }
}

/** Something that a consumer asked for on its way. */
export interface ProxiedCall {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly status: number;
}

/**
 * A gateway before an L-Plate. It sees every answer before the one who asked: `look` may take its time, and change what
 * is behind it meanwhile. Returns its URL.
 */
export async function gateway(
  t: TestContext,
  lplate: LPlate,
  look: (passage: ProxiedCall) => unknown,
): Promise<string> {
  const server = createServer(async (request, response) => {
    try {
      const { method = '', url: path = '', headers } = request;
      const body = Buffer.concat(await request.toArray());
      const sent = new Headers();
      for (const name of ['authorization', 'content-type']) {
        if (typeof headers[name] === 'string') sent.set(name, headers[name]);
      }
      const init = { method, headers: sent, body: body.length > 0 ? body : null };
      const answer = await fetch(lplate.url + path, init);
      const text = await answer.text();
      await look({ method, path, status: answer.status });
      response.writeHead(answer.status, { 'Content-Type': answer.headers.get('content-type') ?? '' }).end(text);
    } catch {
      response.destroy();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Where each claim of a client stands, by the claims list: what a consumer's picture is to be. */
export async function listed(lplate: LPlate, token: string): Promise<State['claims']> {
  const { json } = await lplate.call('GET', '/claims/v1/claims?pageSize=500', { token });
  assert.equal(json.totalPages, 1);
  return Object.fromEntries(
    json.items.map(({ claimId, status, updatedAt }: Record<string, string>) => [claimId, { status, updatedAt }]),
  );
}
