import type { Entry } from './entry.ts';
import type { History } from './history.ts';
import type { Step } from './lesson.ts';

/**
 * A step that says more once it was nearly done: of calls that everybody makes, but that belie then what was said last.
 * Each is told only once, until something else is. A lesson is begun, too, once a hint was taken or it is taken again.
 */
export function onceBegun(
  judge: Step['judge'],
  afterwards: (entry: Entry, history: History) => string | false,
): Step['judge'] {
  const said = (entry: Entry, history: History) => judge(entry, history) || afterwards(entry, history);
  return (entry, history) => {
    const verdict = judge(entry, history);
    if (verdict !== false) return verdict;
    const sentence = afterwards(entry, history);
    if (sentence === false) return false;
    if (history.awaitsWord) return sentence;
    const isNearlyDone = (each: Entry) => typeof judge(each, history.before(each)) === 'string';
    if (!history.begun.isMeant && !history.has(isNearlyDone)) return false;
    const before = history.last((each) => typeof said(each, history.before(each)) === 'string');
    return (before === undefined || said(before, history.before(before)) !== sentence) && sentence;
  };
}
