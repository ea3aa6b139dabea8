import type { Clock } from '../clock.ts';
import { callAfter } from '../timer.ts';
import type { Topic } from './topic.ts';

/*
 * A reader of a topic, which waits where there is nothing to read.
 *
 * Before it reads, it says so (`resetWakeUp`); news that come from then on are remembered, so that none falls between a read
 * and the wait that follows. A reader that is stopped waits no more: it is to read a last time at the most, and leave.
 *
 * How long it may read, since its token expires, is settled when it comes, and measured by the time that passes: a clock
 * that is set ahead or back meanwhile doesn't end it early or late.
 */
export class TopicReader {
  readonly topic: Topic;
  readonly clientId: string;
  #wokenUp = false;
  #stopped = false;
  #woken: (() => void) | undefined;
  readonly #clock: Clock;
  /** When it has to end, on the clock's elapsed scale. */
  readonly #end: number;
  readonly #timers: (() => void)[] = [];

  /** `milliseconds` is how long it may read. */
  constructor(topic: Topic, clientId: string, clock: Clock, milliseconds: number) {
    this.topic = topic;
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

  stopAfter(milliseconds: number): void {
    this.#timers.push(callAfter(milliseconds, () => this.stop()));
  }

  /** Resolves at news since `resetWakeUp`, when the reader is stopped, or after the milliseconds: true if these passed quietly. */
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
