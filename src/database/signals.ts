/** The listeners of this process, and how they are told. */
export class Signals {
  readonly #listeners = new Map<string, Set<{ listener: () => void }>>();
  /** The channels whose listeners are told when this turn of the event loop is over. */
  #news = new Set<string>();
  #closed = false;

  signal(channel: string): void {
    if (this.#news.size === 0) setImmediate(this.#tell);
    this.#news.add(channel);
  }

  onSignal(channel: string, listener: () => void): () => void {
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
    this.#news = new Set();
    for (const channel of news) {
      const listeners = this.#listeners.get(channel) ?? new Set();
      // A copy: who stops and listens again while being told would be told for ever.
      for (const entry of [...listeners]) {
        if (listeners.has(entry)) call(entry.listener);
      }
    }
  };
}

function call(listener: () => void): void {
  try {
    listener();
  } catch (error) {
    process.emitWarning(error instanceof Error ? error : String(error));
  }
}
