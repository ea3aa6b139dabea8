import { invalid } from '../../http/validation.ts';
import { shownValue } from '../../text/shown-value.ts';

/** Years that one move can skip. */
export const maxYears = 2;

const form =
  /^P(?:(\d{1,9})Y)?(?:(\d{1,9})M)?(?:(\d{1,9})W)?(?:(\d{1,9})D)?(?:T(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9})S)?)?$/;

const advice = 'Send an ISO 8601 duration in whole numbers, such as PT61M, P8D or P1Y.';

/**
 * Reads how far to move a clock. Returns what that is in milliseconds from an instant on (milliseconds since 1970):
 * months and years differ in length.
 *
 * @throws {ProblemError} `validation-error`; what is returned throws it for more than two years
 */
export function readAdvance(text: string): (now: number) => number {
  const [, years, months, weeks, days, hours, minutes, seconds] = form.exec(text) ?? [];
  const units = { years, months, weeks, days, hours, minutes, seconds };
  const given = Object.entries(units).filter(([, digits]) => digits !== undefined);
  if (given.length === 0 || text.endsWith('T')) throw wrong(`${faultOf(text)} ${advice}`, text);
  const duration = Object.fromEntries(given.map(([unit, digits]) => [unit, Number(digits)]));
  if (given.every(([unit]) => duration[unit] === 0)) throw wrong(`is no time at all. ${advice}`, text);
  return (now) => {
    const from = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO('UTC');
    const latest = from.add({ years: maxYears }).epochMilliseconds;
    const to = farther(from, duration);
    if (to <= latest) return to - now;
    throw wrong(`is more than ${maxYears} years, the most for one move.`, text);
  };
}

/** Milliseconds since 1970, or infinitely many beyond the dates that there are. */
function farther(from: Temporal.ZonedDateTime, duration: Temporal.DurationLike): number {
  try {
    return from.add(duration).epochMilliseconds;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

function faultOf(text: string): string {
  if (/^-|-\d/.test(text)) return 'can’t be negative, since a clock only moves ahead.';
  if (/^P.*\d[.,]\d/i.test(text)) return 'must be in whole numbers.';
  if (/[a-z]/.test(text) && form.test(text.toUpperCase())) return 'must be in capital letters.';
  if (/^P\d+[HS]$/.test(text)) return 'has a T before hours, minutes and seconds.';
  return 'is not a duration.';
}

function wrong(detail: string, text: string) {
  return invalid([{ pointer: '/advance', detail: `${detail} You sent ${shownValue(text)}.` }]);
}
