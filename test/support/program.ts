import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { DatabaseLocation } from '../../src/database/open.ts';
import type { Secrets } from '../../src/settings/secrets.ts';
import { type TestClient, testSecrets } from './lplate.ts';

/*
 * The real program as a process of the operating system. It sees the variables given here and none of the machine's
 * own settings, takes a free port unless one is given, and ends with the test at the latest.
 */

export const root = join(import.meta.dirname, '../..');

export const launcherOfClone = join(root, 'bin/lplate.js');

/** That of the clone, or, where a run says so, that of the package, which starts sooner. */
export const launcher = process.env.TEST_LAUNCHER ?? launcherOfClone;

/** How its messages write a command. */
export const toldCommand = launcher === launcherOfClone ? 'npm start --' : 'npx l-plate';

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface Launch {
  readonly args?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** What runs the launcher. Default: this Node.js. */
  readonly command?: readonly [string, ...string[]];
  /** The user it runs as; default: the one of the tests. */
  readonly user?: number;
  /** For a command that starts the program as a process below its own: all of them end with the test. */
  readonly family?: true;
  /** Open files that it gets as its outputs. Default: a line to the test, which reads all of it. */
  readonly stdout?: number;
  readonly stderr?: number;
  /** Default: there is nothing to read. */
  readonly stdin?: 'pipe';
}

/** A process that was started. */
export interface Launched {
  readonly child: ChildProcess;
  /** What it wrote so far. */
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** When it has ended and all it wrote has been read. */
  readonly exit: Promise<Exit>;
}

export function launch(t: TestContext, options: Launch): Launched {
  const { args = [], environment = {}, command, user, family } = options;
  const [file, ...before] = command ?? [process.execPath, launcher];
  const { PATH = '', TMPDIR = '/tmp' } = process.env;
  const child = spawn(file, [...before, ...args], {
    env: { PATH, TMPDIR, PORT: '0', ...environment },
    cwd: root,
    stdio: [options.stdin ?? 'ignore', options.stdout ?? 'pipe', options.stderr ?? 'pipe'],
    detached: family === true,
    ...(user !== undefined && { uid: user, gid: user }),
  });
  t.after(() => (family ? endFamily(child) : child.kill('SIGKILL')));
  const written = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text) => (written[name] += text));
  }
  const exit = once(child, 'close').then(([code, signal]) => ({ code, signal }));
  return { child, stdout: () => written.stdout, stderr: () => written.stderr, exit };
}

function endFamily({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // Nobody of it is left.
  }
}

/** Runs the program with arguments that it refuses or answers, to its end. */
export async function run(
  t: TestContext,
  options: Launch,
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const { child, stdout, stderr, exit } = launch(t, options);
  const killTimer = setTimeout(() => child.kill('SIGKILL'), 30_000);
  const { code } = await exit;
  clearTimeout(killTimer);
  return { code, stdout: stdout(), stderr: stderr() };
}

/** The program, ready for requests. */
export interface Program extends Launched {
  readonly url: string;
  /** As the banner shows them. */
  readonly secrets: Secrets;
  call(method: string, path: string, options?: { token?: string; json?: unknown }): Promise<ProgramAnswer>;
  token(clientId: string, secret: string): Promise<string>;
  /** New demo credentials, and a token of them. */
  client(): Promise<TestClient>;
  /** Sends a signal and waits for the end. */
  stop(signal?: NodeJS.Signals): Promise<Exit>;
}

export interface ProgramAnswer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  json: any;
}

/**
 * Starts the program on a directory or database and waits for its banner, or, where its standard output goes elsewhere,
 * for its ready file. The general rate limit is out of the way.
 */
export async function startProgram(t: TestContext, where: DatabaseLocation, options: Launch = {}): Promise<Program> {
  const seen = options.stdout === undefined;
  const readyFile = seen ? undefined : join(await mkdtemp(join(tmpdir(), 'l-plate-ready-')), 'ready');
  const launched = launch(t, {
    ...options,
    environment: {
      ...(readyFile && { READY_FILE: readyFile }),
      RATE_LIMIT_PER_MINUTE: '1000000',
      ...('url' in where ? { DATABASE_URL: where.url } : { DATA_DIR: where.directory }),
      ...('url' in where || !seen ? secretVariables : {}),
      ...options.environment,
    },
  });
  if (!readyFile) await banner(launched);
  const listening: string = readyFile
    ? JSON.parse(await contentOnceThere(readyFile, launched)).url
    : / listens on (\S+)$/m.exec(launched.stdout())?.[1];
  const { protocol, port } = new URL(listening);
  const url = `${protocol}//127.0.0.1:${port}`;

  const call: Program['call'] = async (method, path, { token, json } = {}) => {
    const headers = new Headers();
    if (token !== undefined) headers.set('Authorization', `Bearer ${token}`);
    if (json !== undefined) headers.set('Content-Type', 'application/json');
    const body = json === undefined ? null : JSON.stringify(json);
    const response = await fetch(`${url}/insurer/v1${path}`, { method, headers, body });
    return { status: response.status, headers: response.headers, json: await response.json() };
  };
  const token: Program['token'] = async (clientId, secret) => {
    const answer = await call('POST', '/auth/token', { json: { client_id: clientId, client_secret: secret } });
    if (answer.status !== 200) throw new Error(`no token: ${JSON.stringify(answer.json)}`);
    return answer.json.access_token;
  };
  return {
    ...launched,
    url,
    secrets: seen ? shownSecrets(launched.stdout()) : testSecrets,
    call,
    token,
    async client() {
      const { client_id: id, client_secret: secret } = (await call('POST', '/demo-clients')).json;
      return { id, secret, token: await token(id, secret) };
    },
    async stop(signal = 'SIGTERM') {
      launched.child.kill(signal);
      return launched.exit;
    },
  };
}

const secretVariables = {
  HMAC_SECRET: testSecrets.hmacSecret,
  READER_CLIENT_SECRET: testSecrets.readerClientSecret,
  FLEET_CLIENT_SECRET: testSecrets.fleetClientSecret,
  TRAINER_TOKEN: testSecrets.trainerToken,
};

/** Waits for the last line of the banner. */
export async function banner({ child, stdout, stderr, exit }: Launched): Promise<void> {
  let ended = false;
  exit.then(() => (ended = true));
  while (!/Stop with Ctrl\+C\.\r?\n/.test(stdout())) {
    if (ended) throw new Error(`L-Plate did not start: ${stderr()}`);
    await Promise.race([exit, once(child.stdout as NodeJS.ReadableStream, 'data')]);
  }
}

async function contentOnceThere(path: string, { exit, stderr }: Launched): Promise<string> {
  let ended = false;
  exit.then(() => (ended = true));
  while (!existsSync(path)) {
    if (ended) throw new Error(`L-Plate did not start: ${stderr()}`);
    await pause(50);
  }
  return readFile(path, 'utf8');
}

function shownSecrets(shown: string): Secrets {
  const after = (label: string) => new RegExp(`^ *${label} +(\\S+)$`, 'm').exec(shown)?.[1] ?? '';
  return {
    hmacSecret: after('HMAC_SECRET'),
    readerClientSecret: after('.*preset-reader'),
    fleetClientSecret: after('.*preset-fleet'),
    trainerToken: after('TRAINER_TOKEN'),
  };
}

/** Whether nobody listens where the program did. */
export async function refusesConnections({ url }: Program): Promise<boolean> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  const refused = await Promise.race([
    once(socket, 'connect').then(() => false),
    once(socket, 'error').then(() => true),
  ]).catch(() => true);
  socket.destroy();
  return refused;
}
