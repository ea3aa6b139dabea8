import type { ServerResponse } from 'node:http';
import { FairPool } from '../../fair-pool.ts';
import { ProblemError } from '../../http/problems/problem.ts';
import { addressKey } from '../../http/requests/address.ts';

/** Calls that wait on this node. */
const shares = { all: 1000, client: 50 };

/** How a wait ended: the caller was gone, or too many waited, or its place was for somebody with fewer. */
export type Waited = 'waited' | 'gone' | 'full';

/** Calls that the drill `delay` keeps waiting. */
export class Delays {
  /** The functions that end each wait. */
  readonly #waiting = new Set<(how: Waited) => void>();
  readonly pool = new FairPool(shares);
  #closed = false;

  /** Resolves after the milliseconds, when the program stops or the caller is gone; at once when too many wait. */
  async wait(client: string | undefined, ip: string, milliseconds: number, response: ServerResponse): Promise<Waited> {
    if (this.#closed) return 'waited';
    if (response.destroyed) return 'gone';
    const { promise, resolve } = Promise.withResolvers<Waited>();
    const place = this.pool.take({ address: addressKey(ip), client }, { end: () => resolve('full') });
    if (typeof place === 'string') return 'full';
    const gone = () => resolve('gone');
    const timer = setTimeout(() => resolve('waited'), milliseconds);
    response.once('close', gone);
    this.#waiting.add(resolve);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      response.off('close', gone);
      this.#waiting.delete(resolve);
      place.leave();
    }
  }

  /** No call waits any more. */
  close(): void {
    this.#closed = true;
    for (const end of this.#waiting) end('waited');
  }
}

/** The refusal of a call that could not wait. */
export function tooManyWait(): ProblemError {
  const detail = `Too many calls wait in the drill delay: ${shares.client} of one client can, ${shares.all} of all, and half of those of one address. Try again after the number of seconds in Retry-After.`;
  return new ProblemError('unavailable', detail, { headers: { 'Retry-After': '2' } });
}
