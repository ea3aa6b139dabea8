import pg from 'pg';
import type { RepeatReason } from './database.ts';
import { LockedOutOfOrder } from './lock-order.ts';

/** What an error from `pg` means for the one who asked. */
export type Meaning = RepeatReason | 'busy' | 'unavailable' | 'mistake';

const repeats = new Map<string, RepeatReason>([
  ['40P01', 'deadlock'],
  ['40001', 'serialization'],
]);

/** The server is there, and others are in the way. */
const busy = new Set([
  '55P03', // lock_timeout
  '57014', // statement_timeout
]);

const unavailable = new Set([
  '57P01', // the administrator ended the connection
  '57P02', // the server crashed
  '57P03', // the server starts or stops
  '57P04', // the database was dropped
  '57P05', // idle for too long
  '25P03', // idle in a transaction for too long
  '25P04', // transaction_timeout
]);

/** 08 connection, 53 resources (disk, memory, connections), 58 the server's system. */
const unavailableClasses = new Set(['08', '53', '58']);

/** For an error of a statement. An error without a code of the server, other than what is refused here, is the line's. */
export function meaning(error: unknown): Meaning {
  if (error instanceof pg.DatabaseError) {
    const code = error.code ?? '';
    const repeat = repeats.get(code);
    if (repeat) return repeat;
    if (busy.has(code)) return 'busy';
    return unavailable.has(code) || unavailableClasses.has(code.slice(0, 2)) ? 'unavailable' : 'mistake';
  }
  const isOurs = error instanceof TypeError || error instanceof RangeError || error instanceof LockedOutOfOrder;
  return isOurs ? 'mistake' : 'unavailable';
}

/** The cause in a few words; several addresses fail as one AggregateError, whose own message is empty. */
export function describe(error: unknown): string {
  const first = error instanceof AggregateError ? error.errors[0] : error;
  return first instanceof Error && first.message ? first.message : String(first);
}
