import { LRUCache } from 'lru-cache';

/**
 * A cache of so many entries at the most: the one that was used longest ago goes first. Its room grows with what is in it;
 * the library's own bound on entries takes all of the room at once.
 */
export class BoundedCache<K extends {}, V extends {}> extends LRUCache<K, V> {
  constructor(maxEntries: number) {
    super({ maxSize: maxEntries, sizeCalculation: () => 1 });
  }
}
