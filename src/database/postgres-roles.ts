import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { systemClock } from '../time/clock.ts';
import type { Lease, Role } from './database.ts';
import { disconnect } from './postgres-internals.ts';

/*
 * Roles: jobs that one process at a time does among all that share a PostgreSQL database. Each role is an advisory lock
 * of the session of one connection, which does nothing else. The server releases it when the session ends, however the
 * process died. That a machine is gone, the server notices by TCP keepalive, which is set to some ten seconds here.
 *
 * At every interval the connection asks for the roles that it does not have. That is also how this side notices that
 * the server is gone: if the answer is late, all roles are given up, since another process may have them by now.
 */

/** Milliseconds between two attempts to get a role that another process has. */
const interval = 1000;

/** Milliseconds within which the server must answer. */
const answerTimeout = 5000;

/**
 * Milliseconds after which the server ends the session of a process that no longer asks, such as a suspended one. When
 * it wakes up, it may run before it hears of that. So a lease also ends by time, counted from the last question that
 * was answered.
 */
const leaseTime = 8000;

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
  #connection: pg.Client | undefined;
  /** When the last question was asked that the server has answered. */
  #askedAt = 0;
  #tried = Promise.withResolvers<void>();
  #trying: Promise<void> = Promise.resolve();

  constructor(settings: pg.ClientConfig) {
    this.#settings = { ...settings, query_timeout: answerTimeout, connectionTimeoutMillis: answerTimeout };
  }

  /** Resolves when it is known whether the role was free, or can't be known now. */
  async role(wanted: Role): Promise<Lease> {
    let role = this.#wanted.get(wanted.lock);
    if (!role) {
      role = new PostgresRole(wanted, () => elapsed() - this.#askedAt < leaseTime);
      this.#wanted.set(wanted.lock, role);
    }
    this.#running ??= this.#stayConnected();
    await this.#tried.promise;
    if (!role.held && this.#connection) await this.#tryFor(this.#connection).catch(() => {});
    return role;
  }

  /** Gives all roles up. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#giveUp();
    this.#tried.resolve();
    await this.#running;
  }

  async #stayConnected(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      await this.#useConnection().catch(() => {});
      this.#giveUp();
      this.#tried.resolve();
      await pause(interval, undefined, { signal }).catch(() => {});
    }
  }

  /** One connection, from its opening to its end. */
  async #useConnection(): Promise<void> {
    const connection = new pg.Client(this.#settings);
    const { signal } = this.#closing;
    const cut = () => disconnect(connection);
    let open = true;
    signal.addEventListener('abort', cut);
    connection.on('error', () => {});
    connection.on('end', () => {
      open = false;
      this.#giveUp();
    });
    try {
      await connection.connect();
      await connection.query(`set idle_session_timeout = ${leaseTime};
        set tcp_keepalives_idle = 5; set tcp_keepalives_interval = 2; set tcp_keepalives_count = 3`);
      this.#connection = connection;
      while (open && !signal.aborted) {
        await this.#tryFor(connection);
        this.#tried.resolve();
        await pause(interval, undefined, { signal }).catch(() => {});
      }
    } finally {
      signal.removeEventListener('abort', cut);
      this.#connection = undefined;
      // Not waited for: a server that does not answer would keep us here.
      cut();
    }
  }

  /** One after the other, also for those who ask in between. */
  #tryFor(connection: pg.Client): Promise<void> {
    this.#trying = this.#trying.catch(() => {}).then(() => this.#tryNow(connection));
    return this.#trying;
  }

  async #tryNow(connection: pg.Client): Promise<void> {
    const missing = [...this.#wanted.values()].filter((role) => !role.locked);
    const askedAt = elapsed();
    // Also when there is none: the answer shows that the server is there.
    const { rows } = await connection.query<{ number: number; held: boolean }>(
      'select number, pg_try_advisory_lock($1, number) as held from unnest($2::integer[]) as number',
      [family, missing.map((role) => role.number)],
    );
    if (this.#connection !== connection) return;
    this.#askedAt = askedAt;
    for (const role of missing) {
      if (rows.some(({ number, held }) => number === role.number && held)) role.locked = true;
    }
  }

  #giveUp(): void {
    for (const role of this.#wanted.values()) role.locked = false;
  }
}
