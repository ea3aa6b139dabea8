import type { Clock } from '../time/clock.ts';
import { callAfter } from '../time/timer.ts';

/*
 * A reader of what comes by and by for one client, which waits when there is nothing to read.
 *
 * Before each read it calls `resetWakeUp`; a wake-up after that is remembered, so that none is lost between a read and
 * the wait that follows. A stopped reader does not wait any more: it reads at most once more, and leaves.
 *
 * How long it may read, until its token expires, is computed once and measured as elapsed time: a clock step does not
 * end it early or late. Only a client that moves its own clock ahead has less time left.
 */
export class Reader {
  readonly clientId: string;
  #wokenUp = false;
  #stopped = false;
  #woken: (() => void) | undefined;
  readonly #clock: Clock;
  /** When it has to end, on the clock's elapsed scale. */
  #end: number;
  readonly #timers: (() => void)[] = [];

  /** `milliseconds` is how long it may read. */
  constructor(clientId: string, clock: Clock, milliseconds: number) {
    this.clientId = clientId;
    this.#clock = clock;
    this.#end = clock.elapsed() + milliseconds;
    this.stopAfter(milliseconds);
  }

  /** For which it may still read. */
  get millisecondsLeft(): number {
    return Math.max(0, this.#end - this.#clock.elapsed());
  }

  get stopped(): boolean {
    return this.#stopped;
  }

  resetWakeUp(): void {
    this.#wokenUp = false;
  }

  wake(): void {
    this.#wokenUp = true;
    this.#woken?.();
  }

  stop(): void {
    this.#stopped = true;
    for (const cancel of this.#timers) cancel();
    this.#woken?.();
  }

  /** It may read for so much less. */
  skip(milliseconds: number): void {
    this.#end -= milliseconds;
    this.stopAfter(this.millisecondsLeft);
  }

  stopAfter(milliseconds: number): void {
    this.#timers.push(callAfter(milliseconds, () => this.stop()));
  }

  /** Resolves at a wake-up since `resetWakeUp`, when stopped, or after the milliseconds: true if only these passed. */
  async wait(milliseconds: number): Promise<boolean> {
    if (this.#wokenUp || this.#stopped) return false;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#woken = resolve;
      timer = setTimeout(resolve, milliseconds);
    });
    clearTimeout(timer);
    this.#woken = undefined;
    return !this.#wokenUp && !this.#stopped;
  }
}
