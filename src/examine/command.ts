import type { Output } from '../output/output.ts';
import { command } from '../settings/command.ts';
import type { Examination } from '../settings/config.ts';
import { StartupError } from '../settings/startup-error.ts';
import { examine } from './examine.ts';
import { NotUsable } from './not-usable.ts';
import { endText, junit, reportOf, stageText } from './report.ts';

/**
 * What `--examine` does. It tells stages as they are taken, where people read it. Returns the exit code.
 *
 * @throws {StartupError} exit code 2: nothing can be examined
 */
export async function runExamination(
  { address, report, ...options }: Examination,
  { standardOutput, standardError }: { standardOutput: Output; standardError: Output },
): Promise<0 | 1> {
  const isText = report === 'text';
  try {
    const examined = await examine(address, options, {
      result: (result) => isText && standardOutput.print(stageText(result)),
      notice: (text) => standardError.print(`${text}\n`),
    });
    if (isText) standardOutput.print(endText(examined, command));
    else if (report === 'junit') standardOutput.print(junit(examined));
    else standardOutput.print(`${JSON.stringify(reportOf(examined))}\n`);
    return examined.results.some(({ outcome }) => outcome === 'failed') ? 1 : 0;
  } catch (error) {
    if (error instanceof NotUsable) throw new StartupError(2, error.message);
    throw error;
  }
}
