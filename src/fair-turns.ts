import { BoundedCache } from './bounded-cache.ts';

/*
 * Whose turn it is where work waits: that of the address with least done, and of its client with least done (start-time fair
 * queueing: Goyal, Vin and Cheng, 1996). So what somebody adds holds up nobody else, however many clients it has. Who was
 * away for a while has a few turns at once, so that little work is not spread among those who have much.
 */

/** Turns that somebody who was away may be ahead by. */
const credit = 5;

/** Addresses, and clients of each, that are remembered. Who is forgotten counts as away. */
const mostKnown = 10_000;

/** Whose work it is. */
export interface Waiting {
  readonly address: string;
  readonly clientId: string;
}

class Turns {
  readonly #done = new BoundedCache<string, number>(mostKnown);
  #reached = 0;

  /** The one with least done, the first of several; its turn counts as done. */
  next(names: Iterable<string>): string {
    let [first, least] = ['', Number.POSITIVE_INFINITY];
    for (const name of names) {
      const done = Math.max(this.#done.peek(name) ?? 0, this.#reached - credit);
      if (done < least) [first, least] = [name, done];
    }
    this.#reached = Math.max(this.#reached, least);
    this.#done.set(first, least + 1);
    return first;
  }
}

export class FairTurns {
  readonly #addresses = new Turns();
  readonly #clients = new BoundedCache<string, Turns>(mostKnown);

  /** What waits, in turn; of one client in the order that it has. A turn counts when it is taken. */
  *inTurn<Each extends Waiting>(waiting: Iterable<Each>): Generator<Each, undefined> {
    const ofAddress = Map.groupBy(waiting, ({ address }) => address);
    const addresses = new Map(
      [...ofAddress].map(([address, each]) => [address, Map.groupBy(each, ({ clientId }) => clientId)]),
    );
    while (addresses.size > 0) {
      const address = this.#addresses.next(addresses.keys());
      const clients = addresses.get(address) as Map<string, Each[]>;
      const turns = this.#clients.get(address) ?? new Turns();
      this.#clients.set(address, turns);
      const client = turns.next(clients.keys());
      const left = clients.get(client) as Each[];
      const first = left.shift() as Each;
      if (left.length === 0) clients.delete(client);
      if (clients.size === 0) addresses.delete(address);
      yield first;
    }
  }
}
