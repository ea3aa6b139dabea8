import { resolve } from 'node:path';
import { isatty } from 'node:tty';
import { dataFiles } from '../database/data-directory.ts';
import { LogFile } from '../output/log-file.ts';
import type { Output } from '../output/output.ts';
import type { Overview } from '../range/index.ts';
import type { Config } from '../settings/config.ts';
import { inMemory } from '../settings/settings.ts';
import { counted } from '../text/counted.ts';
import { inWords } from '../time/in-words.ts';
import { keepFlag } from './banner.ts';
import { StatusLine } from './status-line.ts';

/*
 * The terminal of a class: the banner stays, since learners come late and scan its QR code, and below it one line changes.
 * So the log goes to a file.
 */

/** Milliseconds between two looks at the class. */
const lookEveryMs = 1000;

/** Milliseconds from the last change of the size of the terminal until the line is drawn anew. */
const settledMs = 100;

/**
 * The file of the log where the banner is to stay; undefined where the log is read, or there is no place for it: somebody
 * reads the output or asked for a level, or no data are kept on this machine.
 */
export function classLogFile(config: Config, { TERM }: NodeJS.ProcessEnv): LogFile | undefined {
  const { dataDir, databaseUrl, logLevelGiven, ready, range } = config;
  const isKept = databaseUrl === undefined && dataDir !== inMemory;
  const isRoom = config.class === 'on' && range === 'on' && ready === 'text' && !logLevelGiven;
  return isKept && isRoom && isatty(1) && TERM !== 'dumb' ? new LogFile(resolve(dataDir, dataFiles.log)) : undefined;
}

export interface ShownOn {
  readonly log: Output;
  readonly standardOutput: Output;
  readonly standardError: Output;
}

/** Shows the class on the last row of the terminal, to the end. */
export function showClass(overview: () => Promise<Overview>, { log, standardOutput, standardError }: ShownOn): void {
  const { stdout } = process;
  const line = new StatusLine(() => stdout.columns);
  const draw = () => standardOutput.print('');
  standardOutput.frameWith(line.above);
  if (isatty(2)) standardError.frameWith(line.above);
  const look = async () => {
    const before = line.text;
    // While the service ends, the last one stays.
    line.text = await overview().then(
      (seen) => statusText(seen, log),
      () => before,
    );
    if (line.text !== before) draw();
  };
  void look();
  setInterval(look, lookEveryMs).unref();
  let settling: NodeJS.Timeout | undefined;
  stdout.on('resize', () => {
    clearTimeout(settling);
    settling = setTimeout(draw, settledMs).unref();
  });
  // Before the output writes what it has left.
  process.prependListener('exit', () => standardOutput.write(line.ended()));
}

/** Who asked for help comes last: the end may be cut, and the trainer's page has all of them. */
export function statusText(
  { learners, calls, refusals, callsWithoutToken, helpAsked, asking, going }: Overview,
  { failure, dropped }: Pick<Output, 'failure' | 'dropped'>,
): string {
  const more = helpAsked - asking.length;
  return [
    ...(failure ? [`THE LOG CAN’T BE WRITTEN: ${failure.message.replace(/, \w+$/, '')}`] : []),
    ...(dropped > 0 ? [`${counted(dropped, 'line')} of the log lost`] : []),
    counted(learners, 'learner'),
    counted(calls, 'call'),
    counted(refusals, 'refusal'),
    ...(callsWithoutToken > 0 ? [`${callsWithoutToken} without a token`] : []),
    ...(going ? [`${going.total} removed from ${inWords(going.keptUntil)} on: ${keepFlag(going)}`] : []),
    ...(helpAsked > 0 ? [`asking for help: ${asking.join(', ')}${more > 0 ? ` and ${more} more` : ''}`] : []),
  ].join(' · ');
}
