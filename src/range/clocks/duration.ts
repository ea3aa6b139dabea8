import { invalid } from '../../http/requests/validation.ts';
import { shownValue } from '../../text/shown-value.ts';
import { maxYears, moveClock, readDuration } from '../../time/duration.ts';

const advice = 'Send an ISO 8601 duration in whole numbers, such as PT61M, P8D or P1Y.';

/**
 * Reads how far to move a clock. Returns what that is in milliseconds from an instant on (milliseconds since 1970):
 * months and years differ in length.
 *
 * @throws {ProblemError} `validation-error`; what is returned throws it for more than two years
 */
export function readAdvance(text: string): (now: number) => number {
  const duration = readDuration(text);
  if (!duration) throw wrong(`${faultOf(text)} ${advice}`, text);
  if (duration.months === 0 && duration.milliseconds === 0) throw wrong(`is no time at all. ${advice}`, text);
  return (now) => {
    const to = moveClock(now, duration);
    if (to !== undefined) return to - now;
    throw wrong(`is more than ${maxYears} years, the most for one move.`, text);
  };
}

function faultOf(text: string): string {
  if (/^\d{4}-\d\d/.test(text)) return 'is a date: a clock is moved by a duration.';
  if (/^-|-\d/.test(text)) return 'can’t be negative, since a clock only moves ahead.';
  if (/^P.*\d[.,]\d/i.test(text)) return 'must be in whole numbers.';
  if (/[a-z]/.test(text) && readDuration(text.toUpperCase())) return 'must be in capital letters.';
  if (/^P\d+[HS]$/.test(text)) return 'has a T before hours, minutes and seconds.';
  return 'is not a duration.';
}

function wrong(detail: string, text: string) {
  return invalid([{ pointer: '/advance', detail: `${detail} You sent ${shownValue(text)}.` }]);
}
