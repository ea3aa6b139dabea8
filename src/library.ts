/// <reference lib="esnext.disposable" preserve="true" />
import { type ChildProcess, spawn } from 'node:child_process';
import { request } from 'node:http';
import { fileURLToPath } from 'node:url';
import { advice, isNew } from '../package/node-version.js';
import type { Answer, Given } from './process/child-messages.ts';
import type { Settings } from './settings/settings.ts';

/*
 * What `import { start } from 'l-plate'` gives. It runs in test runners that load modules in their own ways: the service is
 * a process of its own, on the same Node.js.
 */

/**
 * The settings by their names, as `npx l-plate --help` lists them, in camel case: `rateLimitPerMinute: 1000`. Secrets too:
 * `trainerToken`. Neither flags nor variables of the environment count.
 */
export type StartSettings = {
  readonly [Name in keyof Settings as Exclude<Name, 'workers'>]?:
    | (Name extends 'lessons' ? string : Exclude<Settings[Name], false>)
    | undefined;
};

/** What a real insurer would send you separately. */
export interface Secrets {
  /** The key of the signed endpoint. */
  readonly hmacSecret: string;
  /** Of the client `preset-reader`, which can only read. */
  readonly readerClientSecret: string;
  /** Of the client `preset-fleet`, which has 75 policies. */
  readonly fleetClientSecret: string;
  /** Undefined only with `databaseUrl`, unless it is set. */
  readonly trainerToken: string | undefined;
}

/** The clocks of the clients, which only move ahead. */
export interface Clock {
  /** What time it is for a client; without one: for a client that is new. */
  now(clientId?: string): Promise<Date>;
  /**
   * Moves the clock of a client ahead; without one: those of all clients that there are.
   *
   * @param duration in ISO 8601, such as `PT61M`, `P8D` or `P1Y`; at most two years
   */
  advance(duration: string, clientId?: string): Promise<void>;
}

/** L-Plate, up and listening. */
export interface LPlate {
  /** Where it listens: `http://127.0.0.1:PORT`. */
  readonly url: string;
  /** The origin in what it publishes where no request says another: `http://localhost:PORT`, unless it was set. */
  readonly publicUrl: string;
  readonly secrets: Secrets;
  readonly clock: Clock;
  /** Lets running requests get their answers and stops it. Resolves when its process has ended. */
  close(): Promise<void>;
  /** The same, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

// Some test runners give tests a `Symbol` without it; compilers of `await using` look for the same then.
const disposal: typeof Symbol.asyncDispose = Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose');

/** Milliseconds after which a service that was told to stop is killed: it ends by itself after 9 s, unless it hangs. */
const killAfter = 10_000;

/**
 * Starts L-Plate in a process of its own, on a free port and with data of its own, and resolves when it listens. Any
 * number can run at a time. The process ends with `close()`, or with the process that started it.
 *
 * @throws {Error} that says in one line why it can't start: a wrong setting, a port in use, a data directory
 */
export async function start(settings: StartSettings = {}): Promise<LPlate> {
  if (!isNew) throw new Error(advice);
  const given = texts(settings);
  const child = spawn(process.execPath, [fileURLToPath(new URL('../bin/child.js', import.meta.url))], {
    env: environment(),
    // Log lines go to standard error: what a test runner reports is on the other.
    stdio: ['ignore', 2, 2, 'ipc'],
    windowsHide: true,
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const answer = await firstAnswer(child, given);
  if ('failed' in answer) {
    await ended;
    throw new Error(`L-Plate can't start. ${answer.failed}`);
  }
  // A test that forgets to close it can end all the same, and it ends with the test.
  child.unref();
  child.channel?.unref();
  const { ready } = answer;
  let closing: Promise<void> | undefined;
  const close = () => (closing ??= stop(child, ended));
  return { ...ready, clock: clockOf(ready), close, [disposal]: close };
}

function texts(settings: StartSettings): Given {
  const given: Record<string, string> = {};
  for (const [name, value] of Object.entries<unknown>(settings)) {
    if (value === undefined || (Array.isArray(value) && value.length === 0)) continue;
    const plain = Array.isArray(value) || ['string', 'number', 'boolean'].includes(typeof value);
    if (!plain) throw new Error(`L-Plate can't start. ${name}: use a text, a number or a list of texts`);
    given[name] = String(value);
  }
  return given;
}

/** That of this process, without what tells a Node.js how to run: options for tests, a debugger, coverage. */
function environment(): NodeJS.ProcessEnv {
  const names = Object.keys(process.env).filter((name) => !name.startsWith('NODE_') || name === 'NODE_EXTRA_CA_CERTS');
  return Object.fromEntries(names.map((name) => [name, process.env[name]]));
}

function firstAnswer(child: ChildProcess, given: Given): Promise<Answer> {
  return new Promise((resolve, reject) => {
    child.once('message', (answer) => resolve(answer as Answer));
    child.once('error', (error) =>
      reject(new Error(`L-Plate can't start. Its Node.js can't be run: ${error.message}`)),
    );
    child.once('exit', (code, signal) =>
      reject(new Error(`L-Plate can't start. Its process ended with ${signal ?? `code ${code}`}`)),
    );
    // One that ends before it has read them says so itself.
    child.send(given, () => {});
  });
}

async function stop(child: ChildProcess, ended: Promise<void>): Promise<void> {
  child.ref();
  if (child.connected) child.disconnect();
  const killing = setTimeout(() => child.kill('SIGKILL'), killAfter);
  await ended;
  clearTimeout(killing);
}

function clockOf({ url, secrets }: Pick<LPlate, 'url' | 'secrets'>): Clock {
  const call = (method: 'GET' | 'POST', path: string, body = '') =>
    callTrainer(`${url}/range/v1/trainer${path}`, { method, body, token: secrets.trainerToken ?? '' });
  const of = (clientId: string) => `/learners/${encodeURIComponent(clientId)}/clock`;
  return {
    async now(clientId) {
      // Everybody's present is the same; this client is always there.
      const { now, present } = await call('GET', of(clientId ?? 'preset-reader'));
      return new Date(clientId === undefined ? (present as string) : (now as string));
    },
    async advance(duration, clientId) {
      await call('POST', clientId === undefined ? '/clock' : of(clientId), JSON.stringify({ advance: duration }));
    },
  };
}

interface TrainerCall {
  readonly method: 'GET' | 'POST';
  readonly body: string;
  readonly token: string;
}

/** Not by `fetch`, which the environments of some test runners lack, and tests replace. */
function callTrainer(url: string, { method, body, token }: TrainerCall): Promise<Record<string, unknown>> {
  return new Promise((resolve, reject) => {
    const headers = { Authorization: `Bearer ${token}`, ...(body && { 'Content-Type': 'application/json' }) };
    // Without an agent, the connection ends with the answer.
    const call = request(url, { method, headers, agent: false }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part: string) => (text += part));
      answer.on('error', reject).on('end', () => {
        if (answer.statusCode === 200) resolve(JSON.parse(text));
        else reject(new Error(faultOf(JSON.parse(text))));
      });
    });
    call.on('error', reject).end(body);
  });
}

function faultOf({ detail, errors: [wrong] = [] }: { detail: string; errors?: readonly { detail: string }[] }): string {
  return wrong ? `duration: ${wrong.detail}` : detail;
}
