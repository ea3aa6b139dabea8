import { ByWeight } from './by-weight.ts';

/*
 * What a process has a limited number of places for, such as open streams: shared among those who want them. Nobody gets
 * more than its share. The first place of a client is always its own, and whoever has less than another gets a place too:
 * where all are taken, one is taken back from who has most, of the address with most, its client with most, the oldest.
 */

export interface Shares {
  /** Places of all together. */
  readonly all: number;
  /** Of one address; default: half of all. */
  readonly address?: number;
  /** Of one client; default: as many as an address may have. */
  readonly client?: number;
  /** A weight that makes no difference; default: that of one place. */
  readonly grain?: number;
}

/** Who wants a place. Where no client is known it is all that the address does. */
export interface Holder {
  readonly address: string;
  readonly client?: string | undefined;
}

/** What has a place. */
export interface Guest {
  /** Ends it: its place is for somebody with less. */
  end(): void;
  /** Tells whether it can't be ended now. */
  isBusy?(): boolean;
}

export interface Place {
  /** Gives the place back. A second call does nothing. */
  leave(): void;
}

/** Whose share has no place left. */
export type Full = keyof Pick<Shares, 'client' | 'address' | 'all'>;

interface Taken extends Place {
  readonly guest: Guest;
  /** Takes it again. */
  enter(): void;
}

interface Client {
  readonly places: Set<Taken>;
  weight: number;
}

interface Address {
  readonly clients: Map<string, Client>;
  readonly byWeight: ByWeight<Client>;
  weight: number;
}

export class FairPool {
  readonly shares: Required<Shares>;
  readonly #addresses = new Map<string, Address>();
  readonly #byWeight: ByWeight<Address>;
  #weight = 0;
  /** Who found no place, and whose place was taken back. */
  refused = 0;
  ended = 0;

  constructor({ all, address = Math.ceil(all / 2), client = address, grain = 1 }: Shares) {
    this.shares = { all, address, client, grain };
    this.#byWeight = new ByWeight(grain);
  }

  /** The places that are taken. */
  get taken(): number {
    return this.#weight;
  }

  /** Takes a place, or one that counts as several, such as bytes. Or tells whose share is full. */
  take({ address, client = '' }: Holder, guest: Guest, weight = 1): Place | Full {
    const left: Taken[] = [];
    const full = this.#findRoom(address, client, weight, left);
    if (full !== undefined) {
      // Nobody loses a place for one who gets none.
      for (const place of left) place.enter();
      this.refused += 1;
      return full;
    }
    this.ended += left.length;
    for (const place of left) place.guest.end();
    const place = this.#placeOf(address, client, guest, weight);
    place.enter();
    return place;
  }

  #findRoom(name: string, client: string, weight: number, left: Taken[]): Full | undefined {
    const { all, address: ofAddress, client: ofClient } = this.shares;
    const holds = () => this.#addresses.get(name)?.clients.get(client)?.weight ?? 0;
    if (holds() > 0 && holds() + weight > ofClient) return 'client';
    const isLess = (than: { weight: number }, own: number) => holds() === 0 || own + weight < than.weight;
    const endInside = (address: Address | undefined) => {
      const heaviest = address?.byWeight.heaviest();
      return heaviest !== undefined && isLess(heaviest, holds()) && leaveOldest(heaviest, left);
    };
    for (;;) {
      const own = this.#addresses.get(name);
      const heaviest = this.#byWeight.heaviest();
      const ownWeight = own?.weight ?? 0;
      if (ownWeight > 0 && ownWeight + weight > ofAddress) {
        if (endInside(own)) continue;
        // Where all is busy, the first of a client goes beyond the share of its address.
        if (holds() > 0) return 'address';
      }
      if (this.#weight + weight <= all || !heaviest) return undefined;
      if (heaviest === own || ownWeight === heaviest.weight) {
        if (!endInside(own)) return 'all';
      } else if (!isLess(heaviest, ownWeight) || !leaveOldest(heaviest.byWeight.heaviest(), left)) return 'all';
    }
  }

  #placeOf(name: string, clientName: string, guest: Guest, weight: number): Taken {
    const place: Taken = {
      guest,
      enter: () => {
        const address = this.#addresses.get(name) ?? this.#addAddress(name);
        const client = address.clients.get(clientName) ?? addClient(address, clientName);
        client.places.add(place);
        this.#weigh(address, client, weight);
      },
      leave: () => {
        const address = this.#addresses.get(name);
        const client = address?.clients.get(clientName);
        if (!address || !client?.places.delete(place)) return;
        this.#weigh(address, client, -weight);
        if (client.places.size > 0) return;
        address.clients.delete(clientName);
        address.byWeight.delete(client);
        if (address.clients.size > 0) return;
        this.#addresses.delete(name);
        this.#byWeight.delete(address);
      },
    };
    return place;
  }

  #addAddress(name: string): Address {
    const address: Address = { clients: new Map(), byWeight: new ByWeight(this.shares.grain), weight: 0 };
    this.#addresses.set(name, address);
    this.#byWeight.add(address);
    return address;
  }

  #weigh(address: Address, client: Client, weight: number): void {
    address.byWeight.change(client, weight);
    this.#byWeight.change(address, weight);
    this.#weight += weight;
  }
}

/** The oldest that can go leaves its place. */
function leaveOldest(client: Client | undefined, left: Taken[]): boolean {
  const oldest = client?.places.values().find(({ guest }) => !guest.isBusy?.());
  oldest?.leave();
  if (oldest) left.push(oldest);
  return oldest !== undefined;
}

function addClient(address: Address, name: string): Client {
  const client: Client = { places: new Set(), weight: 0 };
  address.clients.set(name, client);
  address.byWeight.add(client);
  return client;
}
