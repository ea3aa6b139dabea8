import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { Sql } from './database.ts';
import { disconnect, disconnectOnceSent } from './postgres-internals.ts';
import { type Listener, Signals } from './signals.ts';

/*
 * Signals between the processes that share a PostgreSQL database: NOTIFY through the pool, LISTEN on one connection of
 * its own, here called the line. The listeners of this process do not wait for either.
 *
 * The line opens with the first listener. When it breaks it is opened again, after a pause that grows while it can't
 * be. Whenever a LISTEN has taken effect, its listeners are told: there may have been news before it.
 */

const prefix = 'lplate_';
const shortestPause = 100;
const longestPause = 5_000;

/** Bytes of a payload; the server takes fewer than 8,000. */
const longestPayload = 7_000;

export class PostgresSignals {
  readonly #settings: pg.ClientConfig;
  readonly #sql: Sql;
  readonly #local = new Signals();
  /** Begins the payload of our notifications: their listeners here have been told. Behind it are those that the news are of. */
  readonly #self = randomUUID();
  /** All that anybody here has listened to. They are few, so nobody stops listening on the line. */
  readonly #channels = new Set<string>();
  /** Channels with a NOTIFY under way, and of whom another one is due after it. */
  readonly #notifying = new Map<string, Set<string | undefined>>();
  readonly #closing = new AbortController();
  #running: Promise<void> | undefined;
  /** Milliseconds before the next line, should this one break. */
  #pause = shortestPause;
  /** Makes the line look whether there is a new channel. */
  #wake = (): void => {};
  #hangUp = (): void => {};

  constructor(settings: pg.ClientConfig, sql: Sql) {
    // Nothing is ever sent on a quiet line, so only the probes of TCP find out that the other end is gone.
    this.#settings = { ...settings, keepAliveInitialDelayMillis: 10_000 };
    this.#sql = sql;
  }

  signal(channel: string, whose?: string): void {
    if (this.#closing.signal.aborted) return;
    this.#local.signal(channel, whose);
    const next = this.#notifying.get(channel);
    if (next) next.add(whose);
    else void this.#notify(channel, whose);
  }

  onSignal(channel: string, listener: Listener): () => void {
    if (!this.#closing.signal.aborted) {
      this.#channels.add(channel);
      this.#wake();
      this.#running ??= this.#stayOnLine();
    }
    return this.#local.onSignal(channel, listener);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#local.close();
    this.#hangUp();
    await this.#running;
  }

  async #notify(channel: string, whose: string | undefined): Promise<void> {
    for (let some = new Set([whose]); some.size > 0; ) {
      const next = new Set<string | undefined>();
      this.#notifying.set(channel, next);
      const named = [this.#self, ...some].join(' ');
      const payload = some.has(undefined) || named.length > longestPayload ? this.#self : named;
      // When it fails, the others find the news when they look by themselves.
      await this.#sql.get`select pg_notify(${prefix + channel}, ${payload})`.catch(() => {});
      some = next;
    }
    this.#notifying.delete(channel);
  }

  async #stayOnLine(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      await this.#listen().catch(() => {});
      // Less up to its half by chance, so that not all processes come back to a server at once.
      await pause(this.#pause * (1 - Math.random() / 2), undefined, { signal }).catch(() => {});
      this.#pause = Math.min(2 * this.#pause, longestPause);
    }
  }

  /** One line, from its opening to its end. */
  async #listen(): Promise<void> {
    const line = new pg.Client(this.#settings);
    let state: 'opening' | 'open' | 'ended' = 'opening';
    line.on('error', () => {});
    line.on('end', () => {
      state = 'ended';
      this.#wake();
    });
    line.on('notification', ({ channel, payload = '' }) => {
      const [from, ...some] = payload.split(' ');
      if (from === this.#self) return;
      for (const whose of some.length > 0 ? some : [undefined]) this.#local.signal(channel.slice(prefix.length), whose);
    });
    this.#hangUp = () => {
      if (state === 'opening') return disconnect(line);
      // The server may be gone: once it is told there is no waiting for it.
      disconnectOnceSent(line);
      line.end().catch(() => {});
    };
    try {
      await line.connect();
      state = 'open';
      await this.#hear(line, () => state === 'open');
    } finally {
      this.#hangUp();
    }
  }

  /** Listens to the channels there are, and to each new one, while the line is open. */
  async #hear(line: pg.Client, open: () => boolean): Promise<void> {
    const heard = new Set<string>();
    while (open()) {
      const woken = new Promise<void>((resolve) => (this.#wake = resolve));
      for (const channel of this.#channels) {
        if (heard.has(channel)) continue;
        await line.query(`listen ${line.escapeIdentifier(prefix + channel)}`);
        heard.add(channel);
        this.#pause = shortestPause;
        this.#local.signal(channel);
      }
      if (open()) await woken;
    }
  }
}
