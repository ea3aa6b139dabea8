import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { systemClock } from '../clock.ts';
import type { Lease, Role } from './database.ts';
import { disconnect } from './postgres-internals.ts';

/*
 * Roles: parts that one process at a time plays among all that share a PostgreSQL database. Each is an advisory lock of
 * the session of one connection of its own. The server frees it when that session ends, however its process died; of a
 * machine that is gone the server learns by the probes of TCP, which are set to some ten seconds here.
 *
 * Every beat the connection asks for the roles that it does not have. That is also how this side learns that the
 * server is gone: when the answer is late, all roles are given up, since another process may have them by now.
 */

/** Milliseconds between two tries to get what another process has. */
const beat = 1000;

/** Milliseconds within which the server must answer. */
const patience = 5000;

/**
 * Milliseconds after which the server ends the session of a process that no longer asks, such as a suspended one. As
 * long after the last question that was answered such a process plays no part either, should it wake up: it may do so
 * before it has heard of its end.
 */
const forbearance = 8000;

/** Of the system's clock also where tests move another: the server measures by its own. */
const { elapsed } = systemClock;

/** The first half of the key of each lock: arbitrary, but the same everywhere. The second is the role's own. */
const family = 7501947;

class PostgresRole implements Lease {
  /** Whether its lock is ours, as far as was heard. */
  locked = false;
  readonly number: number;
  readonly #heard: () => boolean;

  constructor({ lock }: Role, heard: () => boolean) {
    this.number = lock;
    this.#heard = heard;
  }

  get held(): boolean {
    return this.locked && this.#heard();
  }
}

export class PostgresRoles {
  readonly #settings: pg.ClientConfig;
  readonly #wanted = new Map<number, PostgresRole>();
  readonly #closing = new AbortController();
  #running: Promise<void> | undefined;
  #line: pg.Client | undefined;
  /** When the last question was asked that the server has answered. */
  #askedAt = 0;
  #tried = Promise.withResolvers<void>();
  #trying: Promise<void> = Promise.resolve();

  constructor(settings: pg.ClientConfig) {
    this.#settings = { ...settings, query_timeout: patience, connectionTimeoutMillis: patience };
  }

  /** Resolves when it is known whether the role was free, or can't be known now. */
  async role(wanted: Role): Promise<Lease> {
    let role = this.#wanted.get(wanted.lock);
    if (!role) {
      role = new PostgresRole(wanted, () => elapsed() - this.#askedAt < forbearance);
      this.#wanted.set(wanted.lock, role);
    }
    this.#running ??= this.#stayOnLine();
    await this.#tried.promise;
    if (!role.held && this.#line) await this.#tryFor(this.#line).catch(() => {});
    return role;
  }

  /** Gives all roles up. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#giveUp();
    this.#tried.resolve();
    await this.#running;
  }

  async #stayOnLine(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      await this.#hold().catch(() => {});
      this.#giveUp();
      this.#tried.resolve();
      await pause(beat, undefined, { signal }).catch(() => {});
    }
  }

  /** One connection, from its opening to its end. */
  async #hold(): Promise<void> {
    const line = new pg.Client(this.#settings);
    const { signal } = this.#closing;
    const hangUp = () => disconnect(line);
    let open = true;
    signal.addEventListener('abort', hangUp);
    line.on('error', () => {});
    line.on('end', () => {
      open = false;
      this.#giveUp();
    });
    try {
      await line.connect();
      await line.query(`set idle_session_timeout = ${forbearance};
        set tcp_keepalives_idle = 5; set tcp_keepalives_interval = 2; set tcp_keepalives_count = 3`);
      this.#line = line;
      while (open && !signal.aborted) {
        await this.#tryFor(line);
        this.#tried.resolve();
        await pause(beat, undefined, { signal }).catch(() => {});
      }
    } finally {
      signal.removeEventListener('abort', hangUp);
      this.#line = undefined;
      // Not waited for: a server that does not answer would keep us here.
      hangUp();
    }
  }

  /** One after the other, also for those who ask in between. */
  #tryFor(line: pg.Client): Promise<void> {
    this.#trying = this.#trying.catch(() => {}).then(() => this.#tryNow(line));
    return this.#trying;
  }

  async #tryNow(line: pg.Client): Promise<void> {
    const missing = [...this.#wanted.values()].filter((role) => !role.locked);
    const askedAt = elapsed();
    // Also when there is none: the answer shows that the server is there.
    const { rows } = await line.query<{ number: number; held: boolean }>(
      'select number, pg_try_advisory_lock($1, number) as held from unnest($2::integer[]) as number',
      [family, missing.map((role) => role.number)],
    );
    if (this.#line !== line) return;
    this.#askedAt = askedAt;
    for (const role of missing) {
      if (rows.some(({ number, held }) => number === role.number && held)) role.locked = true;
    }
  }

  #giveUp(): void {
    for (const role of this.#wanted.values()) role.locked = false;
  }
}
