import { isatty } from 'node:tty';
import { type Clock, instant } from '../time/clock.ts';
import type { LogFile } from './log-file.ts';
import { Output } from './output.ts';

/** Where log lines go. */
export interface LogLines {
  write(line: string): void;
  /** Lines that were dropped so far, because they could not be written. */
  readonly dropped?: number;
  /** Characters that wait to be written. */
  readonly waiting?: number;
}

/** The number of the level `warn` in a log line. */
const warn = 40;

/**
 * The log on standard output, on standard error (2), or in a file. Failures to write it go to standard error; the log
 * itself says how many lines were lost.
 */
export function standardLog(clock: Clock, standardError: Output, to: 1 | 2 | LogFile = 1): Output {
  const name = typeof to === 'object' ? to.path : to === 1 ? 'standard output' : 'standard error';
  return new Output(to, {
    lossLine(dropped) {
      const msg = `log lines were dropped here, because ${name} could not be written`;
      return `${JSON.stringify({ level: warn, time: instant(clock.now()), dropped, msg })}\n`;
    },
    onFailure(reason) {
      // The last row of a terminal says it for as long as it is so (class-terminal.ts). Lines would push its banner out.
      if (typeof to === 'object' && isatty(2)) return;
      const then =
        'The service continues. Log lines wait in memory; when the buffer is full, they are dropped and counted';
      standardError.print(`L-Plate: the log can't be written to ${name} (${reason}). ${then}.\n`);
    },
  });
}
