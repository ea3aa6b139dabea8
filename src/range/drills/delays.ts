import type { ServerResponse } from 'node:http';
import { ProblemError } from '../../http/problem.ts';

/** Calls that wait on this node, of one client and of all. */
const maxOfClient = 50;
const maxOfAll = 1000;

/** How a wait ended: the caller was gone, or too many waited. */
export type Waited = 'waited' | 'gone' | 'full';

/** Calls that the drill `delay` keeps waiting. */
export class Delays {
  /** The functions that end each wait. */
  readonly #waiting = new Set<(how: Waited) => void>();
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

  /** Resolves after the milliseconds, when the program stops or the caller is gone; at once when too many wait. */
  async wait(clientId: string, milliseconds: number, response: ServerResponse): Promise<Waited> {
    if (this.#closed) return 'waited';
    const count = this.#ofClient.get(clientId) ?? 0;
    if (count >= maxOfClient || this.#waiting.size >= maxOfAll) {
      this.#refused();
      return 'full';
    }
    if (response.destroyed) return 'gone';
    const { promise, resolve } = Promise.withResolvers<Waited>();
    const gone = () => resolve('gone');
    const timer = setTimeout(() => resolve('waited'), milliseconds);
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
    for (const end of this.#waiting) end('waited');
  }

  #release(clientId: string): void {
    const left = (this.#ofClient.get(clientId) ?? 1) - 1;
    if (left > 0) this.#ofClient.set(clientId, left);
    else this.#ofClient.delete(clientId);
  }
}

/** The refusal of a call that could not wait. */
export function tooManyWait(): ProblemError {
  const detail = `Too many calls wait in the drill delay: ${maxOfClient} of one client can, and ${maxOfAll} of all. Try again after the number of seconds in Retry-After.`;
  return new ProblemError('unavailable', detail, { headers: { 'Retry-After': '2' } });
}
