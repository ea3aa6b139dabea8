import type { ServerResponse } from 'node:http';
import { ProblemError } from '../../http/problem.ts';

/** Calls that wait on this node, of one client and of all. */
const mostOfClient = 50;
const mostOfAll = 1000;

/** Calls that the drill `delay` keeps waiting. */
export class Delays {
  /** What ends each wait, with whether the call goes on. */
  readonly #waiting = new Set<(goesOn: boolean) => void>();
  readonly #ofClient = new Map<string, number>();
  readonly #refused: () => void;
  #closed = false;

  /** `refused` counts a call that could not wait. */
  constructor(refused: () => void) {
    this.#refused = refused;
  }

  get count(): number {
    return this.#waiting.size;
  }

  /**
   * Resolves after the milliseconds, or when the program stops: true. False as soon as the caller is gone.
   *
   * @throws {ProblemError} `unavailable` when too many wait
   */
  async wait(clientId: string, milliseconds: number, response: ServerResponse): Promise<boolean> {
    if (this.#closed) return true;
    const count = this.#ofClient.get(clientId) ?? 0;
    if (count >= mostOfClient || this.#waiting.size >= mostOfAll) {
      this.#refused();
      throw tooMany();
    }
    if (response.destroyed) return false;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const gone = () => resolve(false);
    const timer = setTimeout(() => resolve(true), milliseconds);
    response.once('close', gone);
    this.#waiting.add(resolve);
    this.#ofClient.set(clientId, count + 1);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      response.off('close', gone);
      this.#waiting.delete(resolve);
      this.#release(clientId);
    }
  }

  /** No call waits any more. */
  close(): void {
    this.#closed = true;
    for (const end of this.#waiting) end(true);
  }

  #release(clientId: string): void {
    const left = (this.#ofClient.get(clientId) ?? 1) - 1;
    if (left > 0) this.#ofClient.set(clientId, left);
    else this.#ofClient.delete(clientId);
  }
}

function tooMany(): ProblemError {
  const detail = `Too many calls wait in the drill delay: ${mostOfClient} of one client can, and ${mostOfAll} of all. Try again after the number of seconds in Retry-After.`;
  return new ProblemError('unavailable', detail, { headers: { 'Retry-After': '2' } });
}
