import type { Entry } from './entry.ts';
import type { History } from './history.ts';
import type { Step } from './lesson.ts';

/** A step that also says something of calls that are no attempt at it. */
export function orElse(
  judge: Step['judge'],
  otherwise: (entry: Entry, history: History) => string | false,
): Step['judge'] {
  return (entry, history) => judge(entry, history) || otherwise(entry, history);
}
