/** Things by their weight, so that the heaviest is found at once. */
export class ByWeight<Thing extends { weight: number }> {
  readonly #grain: number;
  /** Those of one weight, by whole grains. */
  readonly #classes = new Map<number, Set<Thing>>();
  /** No class above it has anything. */
  #top = 0;
  size = 0;

  /** `grain` is a weight that makes no difference. */
  constructor(grain: number) {
    this.#grain = grain;
  }

  add(thing: Thing): void {
    this.#put(thing);
    this.size += 1;
  }

  delete(thing: Thing): void {
    this.#take(thing);
    this.size -= 1;
  }

  /** Adds `weight`, which may be less than 0, to one that is here. */
  change(thing: Thing, weight: number): void {
    if (this.#classOf(thing.weight) === this.#classOf(thing.weight + weight)) {
      thing.weight += weight;
      return;
    }
    this.#take(thing);
    thing.weight += weight;
    this.#put(thing);
  }

  /** The heaviest, or one that is less than a grain lighter. */
  heaviest(): Thing | undefined {
    while (this.#top > 0 && !this.#classes.has(this.#top)) this.#top -= 1;
    return this.#classes.get(this.#top)?.values().next().value;
  }

  #put(thing: Thing): void {
    const at = this.#classOf(thing.weight);
    const others = this.#classes.get(at);
    if (others) others.add(thing);
    else this.#classes.set(at, new Set([thing]));
    this.#top = Math.max(this.#top, at);
  }

  #take(thing: Thing): void {
    const at = this.#classOf(thing.weight);
    const others = this.#classes.get(at);
    if (others?.delete(thing) && others.size === 0) this.#classes.delete(at);
  }

  #classOf(weight: number): number {
    return Math.floor(weight / this.#grain);
  }
}
