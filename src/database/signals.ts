/** Is told whom the news are of; undefined where they may be of anybody. */
export type Listener = (whose: string | undefined) => void;

/** The listeners of this process, and how they are told. */
export class Signals {
  readonly #listeners = new Map<string, Set<{ listener: Listener }>>();
  /** The channels whose listeners are told when this turn of the event loop is over, and of whom. */
  #news = new Map<string, Set<string | undefined>>();
  #closed = false;

  signal(channel: string, whose?: string): void {
    if (this.#news.size === 0) setImmediate(this.#tell);
    this.#news.set(channel, (this.#news.get(channel) ?? new Set()).add(whose));
  }

  onSignal(channel: string, listener: Listener): () => void {
    if (this.#closed) return () => {};
    const listeners = this.#listeners.get(channel) ?? new Set();
    this.#listeners.set(channel, listeners);
    // In an object of its own, so that a function that listens twice is told twice and stops once.
    const entry = { listener };
    listeners.add(entry);
    return () => listeners.delete(entry);
  }

  /** Nobody is told any more. */
  close(): void {
    this.#closed = true;
    this.#listeners.clear();
  }

  readonly #tell = (): void => {
    const news = this.#news;
    this.#news = new Map();
    for (const [channel, some] of news) {
      const listeners = this.#listeners.get(channel) ?? new Set();
      // A copy: who stops and listens again while being told would be told for ever.
      for (const entry of [...listeners]) {
        for (const whose of some.has(undefined) ? [undefined] : some) {
          if (listeners.has(entry)) call(entry.listener, whose);
        }
      }
    }
  };
}

function call(listener: Listener, whose: string | undefined): void {
  try {
    listener(whose);
  } catch (error) {
    process.emitWarning(error instanceof Error ? error : String(error));
  }
}
