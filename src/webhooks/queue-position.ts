import { setTimeout as pause } from 'node:timers/promises';

/** Milliseconds that a subscription waits for those before it. */
const longestWait = 100;

/**
 * The position of a subscription among those of a round. Where they share a limit, the one that comes first takes of it
 * first, whatever the database and the name servers are quicker with; but it is not waited for long.
 */
export class QueuePosition {
  #before: Promise<unknown> | undefined;
  /** Lets the next one go on. */
  readonly leave: () => void;

  constructor(before: Promise<unknown>, leave: () => void) {
    this.#before = before;
    this.leave = leave;
  }

  async reached(): Promise<void> {
    if (!this.#before) return;
    const stop = new AbortController();
    await Promise.race([this.#before, pause(longestWait, undefined, { signal: stop.signal, ref: false })]);
    stop.abort();
    this.#before = undefined;
  }
}
