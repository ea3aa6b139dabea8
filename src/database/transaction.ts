import { AsyncLocalStorage } from 'node:async_hooks';
import type { Sql, Texts, Value } from './database.ts';
import { lockOf, TakenLocks } from './lock-order.ts';

/*
 * What both engines hold the work of a write to.
 *
 * A transaction is open while its work runs. The first statement that fails poisons it: every later statement fails
 * with that same error, and so does the write, whatever the work catches or returns. When the work is over the
 * transaction has ended, and a handle that was kept is dead. Rows are locked in one order (lock-order.ts), or the
 * transaction fails: on the embedded engine too, which has one writer, so that every test shows it.
 */

const running = new AsyncLocalStorage<Transaction>();

type Method = 'get' | 'all' | 'run';

/** Runs one statement, at once or later; the values are checked already. */
export type Execute = (method: Method, texts: Texts, values: Value[]) => unknown;

export class Transaction implements Sql {
  readonly #execute: Execute;
  readonly #locks = new TakenLocks();
  #ended = false;
  #failure: { error: unknown } | undefined;

  constructor(execute: Execute) {
    this.#execute = execute;
  }

  /** The transaction whose work the caller belongs to, if that work is not over. */
  static get current(): Transaction | undefined {
    const transaction = running.getStore();
    return transaction === undefined || transaction.#ended ? undefined : transaction;
  }

  /** The first failed statement's error, wrapped so that any thrown value counts. */
  get failure(): { error: unknown } | undefined {
    return this.#failure;
  }

  perform<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return running.run(this, async () => work(this));
  }

  end(): void {
    this.#ended = true;
  }

  get<Row>(texts: Texts, ...values: Value[]): Promise<Row | undefined> {
    return this.#statement('get', texts, values) as Promise<Row | undefined>;
  }

  all<Row>(texts: Texts, ...values: Value[]): Promise<Row[]> {
    return this.#statement('all', texts, values) as Promise<Row[]>;
  }

  run(texts: Texts, ...values: Value[]): Promise<number> {
    return this.#statement('run', texts, values) as Promise<number>;
  }

  #statement(method: Method, texts: Texts, values: Value[]): Promise<unknown> {
    if (this.#ended) return rejected(new Error('This transaction has ended: its sql can not be used any more'));
    if (this.#failure) return rejected(this.#failure.error);
    try {
      checkValues(values);
      const lock = lockOf(texts);
      if (lock) this.#locks.take(lock);
      const result = this.#execute(method, texts, values);
      if (!(result instanceof Promise)) return Promise.resolve(result);
      return handled(result.catch((error) => Promise.reject(this.#poison(error))));
    } catch (error) {
      return rejected(this.#poison(error));
    }
  }

  #poison(error: unknown): unknown {
    this.#failure ??= { error };
    return this.#failure.error;
  }
}

const refusals = {
  write: 'Writes do not nest: use the sql that was given to the work of the outer write',
  read: 'The work of a write reads through the sql that was given to it, not through the database',
  signal: 'A signal tells of what is committed: call it when the write has resolved, not in its work',
};

/** Inside a work, only its own sql may be used. A write there would wait for itself; a read would miss its changes. */
export function refuseInsideWork(what: keyof typeof refusals): void {
  if (Transaction.current !== undefined) throw new Error(refusals[what]);
}

/** Refuses what one of the engines would store differently, or not at all. */
export function checkValues(values: Value[]): void {
  for (const value of values) {
    if (typeof value === 'string') {
      if (!value.isWellFormed()) throw new TypeError('A text with a lone surrogate can not be bound');
      if (value.includes('\0')) throw new TypeError('A text with a NUL character can not be bound');
    } else if (value !== null && !(value instanceof Uint8Array) && !Number.isSafeInteger(value)) {
      const kind = typeof value === 'number' ? String(value) : `A value of type ${typeof value}`;
      throw new TypeError(`${kind} can not be bound: only strings, safe integers, bytes and null can`);
    }
  }
}

function rejected(error: unknown): Promise<never> {
  return handled(Promise.reject(error));
}

/** The failure is remembered, so a promise that nobody waits for must not end the process. */
function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}
