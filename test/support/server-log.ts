import { administer } from './engines.ts';

/*
 * What the log of a PostgreSQL server tells of its locks. Two transactions that take the same rows in two orders are a
 * deadlock: one of them begins anew, and every answer is right. Only the server's log shows it. So it is read when the
 * server stops, and a deadlock, or a long wait for another's row, fails the run.
 */

/** What a server is started with, so that its log has this: each line begins with time, process and database. */
export const lockLogSettings = ['log_lock_waits=on', 'deadlock_timeout=1s', 'log_line_prefix=%m [%p] %d '];

/** A deadlock, or a long wait for a row. */
export interface LockFault {
  readonly database: string;
  /** The lines of the log, with the statements where the server knows them. */
  readonly text: string;
}

/** A message of the log. */
export interface LogMessage {
  /** Of the server: one for each connection. */
  readonly process: string;
  readonly database: string;
  /** A statement in it may have several lines. */
  readonly message: string;
  /** What belongs to it: parameters, statements. */
  readonly details: string;
  /** As it is in the log. */
  readonly text: string;
}

/** The first line of a message. The database is left out where a process of the server itself writes. */
const firstLine = /^\d{4}-\d\d-\d\d [\d:.]+ \S+ \[(\d+)\] (\S*) ([A-Z]+\d?): {2}(.*)$/;

/** What follows the first line, each with the same beginning. */
const furtherLines = new Set(['DETAIL', 'HINT', 'QUERY', 'CONTEXT', 'LOCATION', 'STATEMENT']);

/** An advisory lock is that of a role, which a node waits for as long as another one has it. */
const faults =
  /^deadlock detected$|^process \d+ still waiting for \S+ on (?:transaction|tuple|speculative token) .* after /;

/** Milliseconds. On a machine with time to spare it is a second; machines, and what else runs on them, differ by so much. */
const longestWait = 5000;

const acquired = /^process \d+ acquired .* after ([\d.]+) ms/;

const expected = 'lock waits are expected in ';

export function logMessages(log: string): LogMessage[] {
  const messages: { process: string; database: string; message: string[]; details: string[]; lines: string[] }[] = [];
  for (const line of log.split('\n')) {
    const [, process = '', database = '', kind = '', message = ''] = firstLine.exec(line) ?? [];
    const last = messages.at(-1);
    if (kind !== '' && !furtherLines.has(kind)) {
      messages.push({ process, database, message: [message], details: [], lines: [line] });
    } else if (line !== '' && last) {
      last.lines.push(line);
      // What has several lines begins with a tab on the second.
      if (kind === '' && last.details.length === 0) last.message.push(line);
      else last.details.push(line);
    }
  }
  return messages.map(({ message, details, lines, ...whose }) => ({
    ...whose,
    ...{ message: message.join('\n'), details: details.join('\n'), text: lines.join('\n') },
  }));
}

/** The faults in a log, but for those of databases whose tests expect them: see `expectLockWaits`. */
export function lockFaults(log: string): LockFault[] {
  const messages = logMessages(log);
  const isShort = ({ process, message }: LogMessage, at: number) =>
    message.includes('still waiting') &&
    messages
      .slice(at)
      .some((later) => later.process === process && Number(acquired.exec(later.message)?.[1]) < longestWait);
  const passedOver = new Set(
    messages.filter(({ database, message }) => message === expected + database).map(({ database }) => database),
  );
  return messages.filter(
    (each, at) => faults.test(each.message) && !passedOver.has(each.database) && !isShort(each, at),
  );
}

/** @throws when the log has a fault */
export function refuseLockFaults(log: string): void {
  const found = lockFaults(log);
  if (found.length === 0) return;
  const texts = found.slice(0, 20).map(({ text }) => `\n\n${text}`);
  const more = found.length > texts.length ? `\n\n… and ${found.length - texts.length} more` : '';
  throw new Error(`PostgreSQL had ${found.length} deadlocks or long waits for a row:${texts.join('')}${more}`);
}

/** For a test that makes transactions wait, or deadlock, on purpose: those in the database of this URL are passed over. */
export async function expectLockWaits(url: string): Promise<void> {
  await administer(`do $$ begin raise log '${expected}%', current_database(); end $$`, url);
}
