/*
 * One who reads the topic and waits where there is nothing to read.
 *
 * Before it reads, it says so (`look`); news that come from then on are remembered, so that none falls between a read
 * and the wait that follows. A reader that is stopped waits no more: it is to read a last time at the most, and leave.
 */
export class Reader {
  readonly clientId: string;
  #news = false;
  #stopped = false;
  #woken: (() => void) | undefined;
  readonly #timers: NodeJS.Timeout[] = [];

  constructor(clientId: string) {
    this.clientId = clientId;
  }

  get stopped(): boolean {
    return this.#stopped;
  }

  look(): void {
    this.#news = false;
  }

  wake(): void {
    this.#news = true;
    this.#woken?.();
  }

  stop(): void {
    this.#stopped = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#woken?.();
  }

  stopAfter(milliseconds: number): void {
    this.#timers.push(setTimeout(() => this.stop(), Math.max(0, milliseconds)));
  }

  /** Resolves at news since `look`, when the reader is stopped, or after the milliseconds: true if these passed quietly. */
  async wait(milliseconds: number): Promise<boolean> {
    if (this.#news || this.#stopped) return false;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#woken = resolve;
      timer = setTimeout(resolve, milliseconds);
    });
    clearTimeout(timer);
    this.#woken = undefined;
    return !this.#news && !this.#stopped;
  }
}
