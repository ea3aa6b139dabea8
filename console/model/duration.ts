/* Durations: those of the interface, in ISO 8601, and those that people read. */

const form =
  /^P(?:(\d{1,9})Y)?(?:(\d{1,9})M)?(?:(\d{1,9})W)?(?:(\d{1,9})D)?(?:T(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9})S)?)?$/;

/** Years that one move of a clock can skip. */
const maxYears = 2;

/**
 * The instant (milliseconds since 1970) that a move of the clock leads to from another. Undefined for what the service
 * would refuse; it says why.
 */
export function after(from: number, duration: string): number | undefined {
  const found = form.exec(duration);
  const given = found?.slice(1).filter((digits) => digits !== undefined) ?? [];
  if (!found || duration.endsWith('T') || given.every((digits) => Number(digits) === 0)) return undefined;
  const [years = 0, months = 0, weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = found
    .slice(1)
    .map((digits) => Number(digits ?? 0));
  const dayLater = laterMonth(from, years * 12 + months) + (weeks * 7 + days) * 86_400_000;
  const to = dayLater + ((hours * 60 + minutes) * 60 + seconds) * 1000;
  return to <= laterMonth(from, maxYears * 12) ? to : undefined;
}

/** The same day so many months later, or the last of that month if it has no such day. */
function laterMonth(from: number, months: number): number {
  const date = new Date(from);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + months];
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const day = Math.min(date.getUTCDate(), lastDay);
  return Date.UTC(year, month, day) + (from - Date.UTC(year, date.getUTCMonth(), date.getUTCDate()));
}

/** The duration of so many seconds, such as `P1DT1H30M`. At least a second. */
export function iso(seconds: number): string {
  const parts = split(Math.max(1, Math.ceil(seconds)));
  const time = [
    [parts.hours, 'H'],
    [parts.minutes, 'M'],
    [parts.seconds, 'S'],
  ] as const;
  const written = time.map(([count, unit]) => (count > 0 ? `${count}${unit}` : '')).join('');
  return `P${parts.days > 0 ? `${parts.days}D` : ''}${written && `T${written}`}`;
}

/** `2 days 3 hours`: the two largest units that are not nothing. */
export function words(seconds: number): string {
  const { days, hours, minutes, seconds: rest } = split(Math.max(0, Math.round(seconds)));
  const years = Math.floor(days / 365);
  const units = [
    [years, 'year'],
    [days - years * 365, 'day'],
    [hours, 'hour'],
    [minutes, 'minute'],
    [rest, 'second'],
  ] as const;
  const first = units.findIndex(([count]) => count > 0);
  if (first < 0) return '0 seconds';
  return units
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}${count === 1 ? '' : 's'}`)
    .join(' ');
}

/** `4:05`, for a time that counts down. */
export function countdown(seconds: number): string {
  const left = Math.max(0, Math.ceil(seconds));
  return `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}`;
}

function split(seconds: number) {
  return {
    days: Math.floor(seconds / 86_400),
    hours: Math.floor(seconds / 3600) % 24,
    minutes: Math.floor(seconds / 60) % 60,
    seconds: seconds % 60,
  };
}
