import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

export interface ServerCommand {
  /** As errors call it. */
  readonly name: string;
  readonly file: string;
  readonly args: readonly string[];
  /** Where it runs, and where the file `log` takes what it writes. */
  readonly home: string;
  readonly user?: { uid: number; gid: number } | undefined;
  /** What asks it to end in its own orderly way. */
  readonly orderly: NodeJS.Signals;
  /** Whether it answers a client. Rejecting means no. */
  answers(): Promise<boolean>;
}

/** A foreign server that a test ends and starts again: the same command, so the same port and the same data. */
export class ServerProcess {
  readonly #command: ServerCommand;
  #child: ChildProcess | undefined;

  constructor(command: ServerCommand) {
    this.#command = command;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** What it has written since its first start. */
  log(): Promise<string> {
    return readFile(join(this.#command.home, 'log'), 'utf8');
  }

  /** Starts it, and resolves when it answers. */
  async start(): Promise<void> {
    if (this.#child && isAlive(this.#child)) throw new Error(`${this.#command.name} is running already`);
    const started = Date.now();
    while (!(await this.#attempt())) {
      // What a killed one left behind, such as shared memory of processes that are still ending, may refuse the next.
      if (Date.now() - started > 10_000) throw await this.#failure('did not start');
      await pause(100);
    }
  }

  /** Ends it in its own orderly way. Rejects when it had to be killed. */
  async shutDown(): Promise<void> {
    if (await this.#ended(this.#command.orderly)) return;
    await this.kill();
    throw await this.#failure('did not shut down in time');
  }

  async kill(): Promise<void> {
    await this.#ended('SIGKILL');
  }

  /** Stops it without ending it: its connections stay open and nobody answers. Only this process, none below it. */
  suspend(): void {
    this.#child?.kill('SIGSTOP');
  }

  resume(): void {
    this.#child?.kill('SIGCONT');
  }

  /** False when it ended before it answered. */
  async #attempt(): Promise<boolean> {
    const { name, file, args, home, user, answers } = this.#command;
    const log = await open(join(home, 'log'), 'a');
    const child = spawn(file, args, { ...user, cwd: home, stdio: ['ignore', log.fd, log.fd] });
    this.#child = child;
    try {
      await once(child, 'spawn');
    } catch (error) {
      throw new Error(`${name} can't be started: ${(error as Error).message}`);
    } finally {
      await log.close();
    }
    // A test that could not end it must not wait for it for ever.
    child.unref();
    for (const started = Date.now(); Date.now() - started < 60_000; await pause(30)) {
      const answered = await answers().catch(() => false);
      // Another server on the port would answer as well.
      if (!isAlive(child)) return false;
      if (answered) return true;
    }
    await this.kill();
    throw await this.#failure('did not answer');
  }

  async #ended(signal: NodeJS.Signals): Promise<boolean> {
    const child = this.#child;
    if (!child || !isAlive(child)) return true;
    child.ref();
    const exit = once(child, 'exit').then(() => true);
    child.kill(signal);
    const ended = await Promise.race([exit, pause(20_000, false, { ref: false })]);
    child.unref();
    return ended;
  }

  async #failure(what: string): Promise<Error> {
    const log = await this.log().catch(() => '');
    return new Error(`${this.#command.name} ${what}: ${log.slice(-2_000)}`);
  }
}

function isAlive(child: ChildProcess): boolean {
  return child.pid !== undefined && child.exitCode === null && child.signalCode === null;
}
