/// <reference lib="esnext.disposable" preserve="true" />
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { advice, isNew } from '../package/node-version.js';
import { callsTo } from './library/child-calls.ts';
import { type Client, createClient, disposal } from './library/client.ts';
import { type Examination, type ExamineOptions, examineBy } from './library/examination.ts';
import { type CallService, dateOf, LPlateError } from './library/service-calls.ts';
import { type Given, onMessages, type ToChild, type ToParent, wrapped } from './process/child-messages.ts';
import { inMemory, type notOfLibrary, type Settings } from './settings/settings.ts';

export type {
  ClaimDocument,
  Client,
  Drill,
  Erasure,
  Exchange,
  ExchangeFilter,
  ImportedRow,
  PolicyImport,
  Statement,
  StatementDraft,
} from './library/client.ts';
export type { Counterexample, Examination, ExaminedStage, ExamineOptions } from './library/examination.ts';
export { LPlateError, type Problem } from './library/service-calls.ts';

/*
 * What `import { start } from 'l-plate'` gives. It runs in test runners that load modules in their own ways: the service is
 * a process of its own, on the same Node.js. All that it does there goes by the public interfaces.
 */

/**
 * The settings by their names, as `npx l-plate --help` lists them, in camel case: `rateLimitPerMinute: 1000`. Secrets too:
 * `trainerToken`. Neither flags nor variables of the environment count.
 */
export type StartSettings = {
  readonly [Name in keyof Settings as Exclude<Name, (typeof notOfLibrary)[number]>]?: GivenValue<Name> | undefined;
};

/** As a value of the setting is given: the path of a file, an instant in ISO 8601, and else what it is. */
type GivenValue<Name extends keyof Settings> = Name extends 'lessons'
  ? string
  : Name extends 'now'
    ? string | Date
    : AsGiven<Settings[Name]>;

type AsGiven<Value> = Value extends readonly (infer Item)[] ? readonly Item[] : Exclude<Value, false>;

/** What a real insurer would send you separately. */
export interface Secrets {
  /** The key of the signed endpoint. */
  readonly hmacSecret: string;
  /** Of the client `preset-reader`, which can only read. */
  readonly readerClientSecret: string;
  /** Of the client `preset-fleet`, which has 75 policies. */
  readonly fleetClientSecret: string;
  /** Of the trainer, who moves clocks, starts drills and reads logs. */
  readonly trainerToken: string | undefined;
}

/** The clocks of the clients, which only move ahead. */
export interface Clock {
  /**
   * What time it is for a client; without one: for a client that is new.
   *
   * @throws {LPlateError} `client-not-found`
   */
  now(clientId?: string): Promise<Date>;
  /**
   * Moves the clock of a client ahead; without one: those of all clients that there are.
   *
   * @param duration in ISO 8601, such as `PT61M`, `P8D` or `P1Y`; at most two years
   * @throws {LPlateError} `validation-error`, `client-not-found`
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
  /**
   * Creates a demo client, with credentials of its own.
   *
   * @throws {LPlateError} `rate-limit-exceeded`: more than `demoClientsPerDay`
   */
  client(): Promise<Client>;
  /**
   * Brings everything back to what it was after the start: clients, data, drills, logs and limits, time that stands still,
   * and what follows from a seed. It takes some milliseconds.
   *
   * @throws {LPlateError} where data are kept: `dataDir` or `databaseUrl` was set
   */
  reset(): Promise<void>;
  /**
   * Lets time go on for everybody. With `now`, for new clients too. What is due by then has happened when it resolves.
   *
   * @param duration in ISO 8601, such as `PT61M`, `P8D` or `P1Y`; at most two years
   * @throws {LPlateError} `validation-error`
   */
  advance(duration: string): Promise<void>;
  /** Lets running requests get their answers and stops it. Resolves when its process has ended. */
  close(): Promise<void>;
  /** The same, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Milliseconds after which a service that was told to stop is killed: it ends by itself after 9 s, unless it hangs. */
const killAfter = 10_000;

/**
 * Starts L-Plate in a process of its own, on a free port and with data of its own, and resolves when it listens. Any
 * number can run at a time. The process ends with `close()`, or with the process that started it.
 *
 * @throws {LPlateError} that says in one line why it can't start: no object of settings, a wrong one, a port in use, a data directory
 */
export async function start(settings: StartSettings = {}): Promise<LPlate> {
  if (!isNew) throw new LPlateError(advice);
  const given = texts(settings);
  const child = spawn(nodejs(), [fileURLToPath(new URL('../bin/child.js', import.meta.url))], {
    env: environment,
    // Log lines go to standard error: what a test runner reports is on the other.
    stdio: ['ignore', 2, 2, 'ipc'],
    windowsHide: true,
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const answer = await firstAnswer(child, given);
  // Thrown here, its stack names the line of the test.
  if ('failed' in answer) throw new LPlateError(`L-Plate can't start. ${answer.failed}`);
  const { url, publicUrl, secrets } = answer.ready;
  // A test that forgets to close it can end all the same, and it ends with the test.
  child.unref();
  child.channel?.unref?.();
  const { trainerToken } = secrets;
  const call = callsTo(child);
  const clock = clockOf(call, trainerToken);
  const plates = new Plates(given);
  const stands = given.now !== undefined;
  let closing: Promise<void> | undefined;
  const close = () => (closing ??= stop(child, ended));
  return {
    url,
    publicUrl,
    secrets: { ...secrets, trainerToken },
    clock,
    client: () => createClient({ call, trainerToken, stands, plate: () => plates.next() }),
    async reset() {
      await call('POST', '/range/v1/trainer/reset?what=everything', { token: trainerToken });
      plates.restart();
    },
    advance: (duration) => clock.advance(duration),
    close,
    [disposal]: close,
  };
}

/**
 * Examines an insurer of your own: the same calls go to it and to L-Plate, and the answers are compared. It stops at the
 * first stage that fails.
 *
 * @param url the address that stands for `/insurer/v1`, such as `http://localhost:9000/insurer/v1`
 * @throws {LPlateError} that says what can't be examined: a wrong address, stage or seed, a service that is not there
 */
export async function examine(url: string, options: ExamineOptions = {}): Promise<Examination> {
  if (!isNew) throw new LPlateError(advice);
  const program = fileURLToPath(new URL('../bin/lplate.js', import.meta.url));
  return examineBy([nodejs(), program], environment, url, options);
}

/** Bun lacks some of what the service needs, and a way to let go of a channel. */
const nodejs = () => (process.versions.bun ? 'node' : process.execPath);

/** Registration numbers of one service, each other than those before. */
class Plates {
  /** Where data are kept, an earlier run has insured what it was given. */
  readonly #series: string;
  #count = 0;

  constructor({ dataDir = inMemory, databaseUrl }: Given) {
    const kept = dataDir !== inMemory || databaseUrl !== undefined;
    this.#series = kept ? `T${randomBytes(4).toString('hex').toUpperCase()}` : 'TEST';
  }

  next(): string {
    this.#count += 1;
    return `${this.#series}-${String(this.#count).padStart(4, '0')}`;
  }

  restart(): void {
    this.#count = 0;
  }
}

function texts(settings: StartSettings): Given {
  // Not a Promise, a Map or an array, whose own properties are none of its content.
  if (Object.prototype.toString.call(settings) !== '[object Object]')
    throw new LPlateError(
      `L-Plate can't start. Give start() an object of settings, such as { port: 8080 }, or nothing`,
    );
  const given: Record<string, string> = {};
  for (const [name, value] of Object.entries<unknown>(settings)) {
    if (value === undefined || (Array.isArray(value) && value.length === 0)) continue;
    if (isInstant(value)) {
      given[name] = value.toISOString();
      continue;
    }
    const isList = Array.isArray(value) && value.every((each) => typeof each === 'string');
    if (!isList && !['string', 'number', 'boolean'].includes(typeof value))
      throw new LPlateError(
        `L-Plate can't start. ${name}: use a text, a number, a list of texts, or for now a valid Date`,
      );
    given[name] = String(value);
  }
  return given;
}

/** Not by its class: a test runner may have one of its own. */
function isInstant(value: unknown): value is Date {
  return Object.prototype.toString.call(value) === '[object Date]' && !Number.isNaN(Number(value));
}

/**
 * That of this process, without what tells a Node.js how to run: options for tests, a debugger, coverage, a mode that
 * watches. As it was when this was loaded: tests replace it.
 */
const environment: NodeJS.ProcessEnv = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(?:NODE_(?!EXTRA_CA_CERTS$)|WATCH_)/i.test(name)),
);

type FirstAnswer = Exclude<ToParent, { answered: unknown }>;

function firstAnswer(child: ChildProcess, given: Given): Promise<FirstAnswer> {
  return new Promise((resolve) => {
    let told: string | undefined;
    const fail = (why: string) => resolve({ failed: why });
    onMessages<ToParent>(child, (message) => {
      if ('ready' in message) resolve(message);
      if ('failed' in message) told = message.failed;
    });
    child.once('error', (error) => fail(`Its Node.js can't be run: ${error.message}`));
    // After all that it has sent.
    child.once('close', (code, signal) => fail(told ?? `Its process ended with ${signal ?? `code ${code}`}`));
    // One that ends before it has read them says so itself.
    child.send(wrapped<ToChild>({ start: given }), () => {});
  });
}

async function stop(child: ChildProcess, ended: Promise<void>): Promise<void> {
  child.ref();
  if (child.connected) child.disconnect();
  // By the timer of a socket: those of the process are what tests replace.
  const killing = new Socket().setTimeout(killAfter, () => child.kill('SIGKILL'));
  await ended;
  killing.destroy();
}

function clockOf(call: CallService, token: string | undefined): Clock {
  const trainer = '/range/v1/trainer';
  const of = (clientId: string) => `${trainer}/learners/${encodeURIComponent(clientId)}/clock`;
  return {
    async now(clientId) {
      // Everybody's present is the same; this client is always there.
      const path = of(clientId ?? 'preset-reader');
      const { now, present } = await call<{ now: string; present: string }>('GET', path, { token });
      return dateOf(clientId === undefined ? present : now);
    },
    async advance(duration, clientId) {
      const path = clientId === undefined ? `${trainer}/clock` : of(clientId);
      await call('POST', path, { token, json: { advance: duration } });
    },
  };
}
