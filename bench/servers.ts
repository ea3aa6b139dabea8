import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { get as httpGet } from 'node:http';
import { get as httpsGet } from 'node:https';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import type { BareOptions } from './bare.ts';
import { endWithUs } from './cleanup.ts';

/** A server that load is sent to. It is a process of its own. */
export interface Target {
  /** Its origin. */
  readonly url: string;
  /** Seconds of processor time it has taken so far. */
  cpu(): Promise<number>;
  stop(): Promise<void>;
}

export interface LPlate extends Target {
  /** Milliseconds from the start of the process to its first answer. */
  readonly startedIn: number;
  usage(): Promise<Usage>;
}

export interface Usage {
  /** Seconds of processor time taken so far. */
  cpu: number;
  /** Megabytes of memory in use. */
  memory: number;
}

/** Limits that no load reaches, and one origin, so that a token outlives a restart. Everything else is as delivered. */
const settings = {
  RATE_LIMIT_PER_MINUTE: '1000000000',
  POLICIES_PER_CLIENT: '1000000000',
  CLAIMS_PER_CLIENT: '1000000000',
  PUBLIC_URL: 'http://localhost:8080',
};

const program = join(import.meta.dirname, '../bin/lplate.js');

/** Starts the real program on a data directory. `own` are settings besides. */
export async function startLPlate(directory: string, own: Record<string, string> = {}): Promise<LPlate> {
  const port = await freePort();
  const url = `${own.TLS === 'self' ? 'https' : 'http'}://127.0.0.1:${port}`;
  const begun = performance.now();
  const child = spawn(process.execPath, [program], {
    env: { PATH: process.env.PATH, PORT: String(port), DATA_DIR: directory, ...settings, ...own },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  endWithUs(child);
  await firstAnswer(child, `${url}/healthz`);
  const startedIn = performance.now() - begun;
  return {
    url,
    startedIn,
    cpu: async () => (await usage(url)).cpu,
    usage: () => usage(url),
    stop: () => stop(child),
  };
}

/** Starts a bare `node:http` server that gives the same answer to everything. */
export async function startBare(options: BareOptions): Promise<Target> {
  const { ask, stop } = forked('bare.ts');
  const port = await ask<number>(options);
  return { url: `http://127.0.0.1:${port}`, cpu: () => ask<number>({}), stop };
}

/** A process of this benchmark that talks to us: one question, one reply. */
export interface Forked {
  ask<Reply>(question: object | string): Promise<Reply>;
  /** What it says without being asked. */
  told<Reply>(): Promise<Reply>;
  stop(): Promise<void>;
}

/** Starts a file of this directory as a process of its own. */
export function forked(file: string): Forked {
  const child = fork(join(import.meta.dirname, file));
  endWithUs(child);
  const told = <Reply>(): Promise<Reply> =>
    new Promise((resolve, reject) => {
      const ended = () => reject(new Error(`${file} ended`));
      child.once('exit', ended).once('message', (reply) => {
        child.off('exit', ended);
        resolve(reply as Reply);
      });
    });
  return {
    told,
    ask(question) {
      const reply = told<never>();
      child.send(question);
      return reply;
    },
    stop: () => stop(child),
  };
}

async function firstAnswer(child: ChildProcess, url: string): Promise<void> {
  while (child.exitCode === null) {
    if ((await get(url).catch(() => undefined)) !== undefined) return;
    await pause(5);
  }
  throw new Error('L-Plate did not start');
}

/** The body of a successful answer. A certificate is not verified: it is one of ours. */
async function get(url: string): Promise<string> {
  const asked = (url.startsWith('https:') ? httpsGet : httpGet)(url, { rejectUnauthorized: false, agent: false });
  const [answer] = await once(asked, 'response');
  const body = await text(answer);
  if (answer.statusCode !== 200) throw new Error(body);
  return body;
}

async function usage(url: string): Promise<Usage> {
  const metrics = await get(`${url}/metrics`);
  const metric = (name: string) => Number(new RegExp(`^${name} (.*)$`, 'm').exec(metrics)?.[1]);
  return { cpu: metric('process_cpu_seconds_total'), memory: metric('process_resident_memory_bytes') / 1e6 };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  await gone;
}

/** A port that nobody listens on at the moment. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
