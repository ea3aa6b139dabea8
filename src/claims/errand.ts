/**
 * A job that is done when somebody asks for it, one run at a time. Asked for in the middle of a run, it is run once
 * more, however often it was asked for.
 */
export class Errand {
  readonly #job: () => Promise<unknown>;
  readonly #failed: (error: unknown) => void;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #failing = false;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  /** `failed` is told what a run threw, unless the run before threw too. */
  constructor(job: () => Promise<unknown>, failed: (error: unknown) => void) {
    this.#job = job;
    this.#failed = failed;
  }

  /** Resolves when a run is over that began after this call. Never rejects. */
  ask(): Promise<void> {
    if (this.#stopped) return Promise.resolve();
    if (!this.#running) return this.#run();
    this.#next ??= this.#running.then(() => {
      this.#next = undefined;
      // Somebody may have been quicker.
      return this.ask();
    });
    return this.#next;
  }

  /** Asks for it by itself, too. */
  every(milliseconds: number): this {
    this.#timer = setInterval(() => void this.ask(), milliseconds).unref();
    return this;
  }

  /** No run begins any more. Resolves when the one under way is over. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#timer);
    await this.#running;
  }

  #run(): Promise<void> {
    this.#running = this.#attempt().finally(() => (this.#running = undefined));
    return this.#running;
  }

  async #attempt(): Promise<void> {
    try {
      await this.#job();
      this.#failing = false;
    } catch (error) {
      if (!this.#failing) this.#failed(error);
      this.#failing = true;
    }
  }
}
