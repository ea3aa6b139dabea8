/** Bytes that make no difference: about those of one call. */
const grain = 4096;

/** Things by the bytes that they hold, so that the heaviest is found at once. */
export class ByWeight<Thing extends { bytes: number }> {
  /** Those of one weight, by whole grains. */
  readonly #classes = new Map<number, Set<Thing>>();
  /** No class above it has anything. */
  #top = 0;
  size = 0;

  add(thing: Thing): void {
    this.#put(thing);
    this.size += 1;
  }

  delete(thing: Thing): void {
    this.#take(thing);
    this.size -= 1;
  }

  /** Adds `bytes`, which may be less than 0, to one that is here. */
  change(thing: Thing, bytes: number): void {
    if (weightOf(thing.bytes) === weightOf(thing.bytes + bytes)) {
      thing.bytes += bytes;
      return;
    }
    this.#take(thing);
    thing.bytes += bytes;
    this.#put(thing);
  }

  /** The heaviest, or one that is less than a grain lighter. */
  heaviest(): Thing | undefined {
    while (this.#top > 0 && !this.#classes.has(this.#top)) this.#top -= 1;
    return this.#classes.get(this.#top)?.values().next().value;
  }

  #put(thing: Thing): void {
    const weight = weightOf(thing.bytes);
    const others = this.#classes.get(weight);
    if (others) others.add(thing);
    else this.#classes.set(weight, new Set([thing]));
    this.#top = Math.max(this.#top, weight);
  }

  #take(thing: Thing): void {
    const weight = weightOf(thing.bytes);
    const others = this.#classes.get(weight);
    if (others?.delete(thing) && others.size === 0) this.#classes.delete(weight);
  }
}

const weightOf = (bytes: number) => Math.floor(bytes / grain);
