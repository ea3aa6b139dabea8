/**
 * A job that is done when somebody asks for it, one run at a time. Asked for in the middle of a run, it is run once
 * more, however often it was asked for.
 */
export class PeriodicJob {
  readonly #job: () => Promise<unknown>;
  readonly #failed: (error: unknown) => void;
  readonly #recovered: () => void;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #failing = false;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  /**
   * `failed` is called with what a run threw, unless the run before threw too; `recovered` after the first run since
   * then that did not throw.
   */
  constructor(job: () => Promise<unknown>, failed: (error: unknown) => void, recovered: () => void = () => {}) {
    this.#job = job;
    this.#failed = failed;
    this.#recovered = recovered;
  }

  /** Resolves when a run is over that began after this call. Never rejects. */
  run(): Promise<void> {
    if (this.#stopped) return Promise.resolve();
    if (!this.#running) return this.#start();
    this.#next ??= this.#running.then(() => {
      this.#next = undefined;
      // Somebody may have been quicker.
      return this.run();
    });
    return this.#next;
  }

  /** Asks for it by itself, too. */
  every(milliseconds: number): this {
    this.#timer = setInterval(() => void this.run(), milliseconds).unref();
    return this;
  }

  /** No run begins any more. Resolves when the one under way is over. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#timer);
    await this.#running;
  }

  #start(): Promise<void> {
    // If the callback throws, nobody can handle it; and the next caller must get a new run, not this failure.
    this.#running = this.#attempt()
      .catch(() => {})
      .finally(() => (this.#running = undefined));
    return this.#running;
  }

  async #attempt(): Promise<void> {
    try {
      // It did not run here, so it neither failed nor succeeded.
      if ((await this.#job()) === false) return;
      if (this.#failing) this.#recovered();
      this.#failing = false;
    } catch (error) {
      if (!this.#failing) this.#failed(error);
      this.#failing = true;
    }
  }
}

/** The innermost cause of an error in a few words, such as `connect ECONNREFUSED 127.0.0.1:9092`. */
export function reason(error: unknown): string {
  let innermost = error;
  for (let depth = 0; depth < 10; depth += 1) {
    const beneath = innermost instanceof AggregateError ? innermost.errors.at(-1) : (innermost as Error | null)?.cause;
    if (!(beneath instanceof Error)) break;
    innermost = beneath;
  }
  return innermost instanceof Error ? innermost.message.slice(0, 200) : typeof innermost;
}
