import pg from 'pg';

/** What an error from `pg` means for the one who asked. */
export type Meaning = 'try again at once' | 'unavailable' | 'mistake';

const tryAgain = new Set([
  '40001', // serialization failure
  '40P01', // deadlock
]);

const unavailable = new Set([
  '57P01', // the administrator ended the connection
  '57P02', // the server crashed
  '57P03', // the server starts or stops
  '57P04', // the database was dropped
  '57P05', // idle for too long
  '57014', // statement_timeout
  '55P03', // lock_timeout
  '25P03', // idle in a transaction for too long
  '25P04', // transaction_timeout
]);

/** 08 connection, 53 resources (disk, memory, connections), 58 the server's system. */
const unavailableClasses = new Set(['08', '53', '58']);

/** For an error of a statement. An error without a code of the server, other than a value refused here, is the line's. */
export function meaning(error: unknown): Meaning {
  if (error instanceof pg.DatabaseError) {
    const code = error.code ?? '';
    if (tryAgain.has(code)) return 'try again at once';
    return unavailable.has(code) || unavailableClasses.has(code.slice(0, 2)) ? 'unavailable' : 'mistake';
  }
  return error instanceof TypeError || error instanceof RangeError ? 'mistake' : 'unavailable';
}

/** The cause in a few words; several addresses fail as one AggregateError, whose own message is empty. */
export function describe(error: unknown): string {
  const first = error instanceof AggregateError ? error.errors[0] : error;
  return first instanceof Error && first.message ? first.message : String(first);
}
