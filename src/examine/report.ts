import type { Counterexample, Examination, ExaminedStage } from '../library/examination.ts';
import { counted } from '../text/counted.ts';
import type { Examined, StageResult } from './examine.ts';
import type { Failure } from './row.ts';
import { answerShown, commandsOf, printable } from './tell.ts';

/* What an examination comes to: for people, for programs, and for what shows the results of tests. */

export function reportOf({ seed, results, notSent }: Examined): Examination {
  return { seed, stages: results.map(stageReport), ...(notSent !== undefined && { notSent }) };
}

function stageReport({ stage, outcome, calls, title = '', failure }: StageResult): ExaminedStage {
  const counterexample = failure && counterexampleOf(title, stage.reads, failure);
  return { stage: stage.name, outcome, calls, ...(counterexample && { counterexample }) };
}

/** Calls of a row, those at the same time included. */
export const callsOf = ({ steps }: Failure) => steps.reduce((sum, { besides = [] }) => sum + 1 + besides.length, 0);

function counterexampleOf(title: string, reads: string, failure: Failure): Counterexample {
  const { exchanges, difference } = failure;
  const last = exchanges.at(-1);
  const shown = (side: 'reference' | 'yours') => (last ? answerShown(last[side].answer, difference.place) : '');
  return {
    ...{ place: difference.place, says: printable(difference.says), title, reads: failure.reads ?? reads },
    ...{ commands: commandsOf(failure), calls: callsOf(failure), reference: shown('reference'), yours: shown('yours') },
  };
}

/** A stage, as it is told when it has been taken. */
export function stageText(result: StageResult): string {
  const { stage, outcome, calls, why } = result;
  if (outcome === 'skipped') return `- ${stage.name}: skipped, since ${why}\n`;
  if (outcome === 'passed') return `✓ ${stage.name}: ${counted(calls, 'call')}\n`;
  const { counterexample } = stageReport(result);
  if (!counterexample) return '';
  const { title, reads, commands, reference, yours, says } = counterexample;
  return `${[
    `✗ ${stage.name}: ${counted(calls, 'call')}`,
    `  ${stage.goal}`,
    `  ${title}`,
    ...['', indented(commands), ''],
    ...['  The reference answered:', indented(reference), ''],
    ...['  Your service answered:', indented(yours), ''],
    `  ${says}`,
    `  What is right: ${reads}${stage.lessons.length > 0 ? `; lessons ${stage.lessons.join(', ')}` : ''}`,
  ].join('\n')}\n`;
}

/** The end of the text: how many passed, and how to make the same calls again. */
export function endText({ seed, url, results }: Examined, command: string): string {
  const of = (outcome: string) => results.filter((result) => result.outcome === outcome);
  const skipped = of('skipped').length;
  const passed = `${of('passed').length} of ${counted(results.length, 'stage')} passed`;
  const failed = of('failed')[0]?.stage.name;
  return [
    `\n${passed}${skipped > 0 ? `, ${skipped} skipped` : ''}. Seed ${seed}.\n`,
    ...(failed === undefined
      ? []
      : [
          `The same calls again, to a service without data: ${command} --examine ${url} --stage ${failed} --seed ${seed}\n`,
        ]),
  ].join('');
}

/** As test runners write their results, for what reads those. */
export function junit({ seed, results }: Examined): string {
  const cases = results.map((result) => {
    const { name, goal } = result.stage;
    const failed = `<failure message="${xml(result.failure?.difference.says ?? '')}">${xml(stageText(result))}</failure>`;
    const inner = { passed: '', skipped: `<skipped message="${xml(result.why ?? '')}"/>`, failed }[result.outcome];
    return `  <testcase classname="l-plate.examine" name="${xml(`${name}: ${goal}`)}">${inner}</testcase>\n`;
  });
  const count = (outcome: string) => results.filter((result) => result.outcome === outcome).length;
  const counts = `tests="${results.length}" failures="${count('failed')}" skipped="${count('skipped')}"`;
  const property = `  <properties><property name="seed" value="${seed}"/></properties>\n`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuite name="l-plate examine" ${counts}>\n${property}${cases.join('')}</testsuite>\n`;
}

function xml(text: string): string {
  const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  return printable(text).replaceAll(/[&<>"]/g, (character) => escapes[character] ?? '');
}

const indented = (text: string) => text.replaceAll(/^(?=.)/gm, '    ');
