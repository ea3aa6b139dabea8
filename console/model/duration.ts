import { counted } from '../../src/text/counted.ts';
import { moveClock, readDuration } from '../../src/time/duration.ts';

/* Durations: those of the interface, in ISO 8601, and those that people read. */

/**
 * The instant (milliseconds since 1970) that a move of the clock leads to from another. Undefined for what the service
 * would refuse; it says why.
 */
export function after(from: number, text: string): number | undefined {
  const duration = readDuration(text);
  const to = duration && moveClock(from, duration);
  return to === from ? undefined : to;
}

const [minute, hour, day] = [60, 3600, 86_400];

const units = { years: 365 * day, days: day, hours: hour, minutes: minute, seconds: 1 };
type Unit = keyof typeof units;
const names = Object.keys(units) as Unit[];

/** How many of each unit there are in so many whole seconds, the larger ones first. */
function split(seconds: number, among: readonly Unit[] = ['days', 'hours', 'minutes', 'seconds']) {
  let left = seconds;
  return among.map((unit) => {
    const count = Math.floor(left / units[unit]);
    left -= count * units[unit];
    return { unit, count };
  });
}

/** The largest unit that is not nothing, and the next one if it is not either. */
function twoLargest(seconds: number, among?: readonly Unit[]) {
  const all = split(seconds, among);
  const first = all.findIndex(({ count }) => count > 0);
  return first < 0 ? all.slice(-1) : all.slice(first, first + 2).filter(({ count }) => count > 0);
}

/** The duration of so many seconds, such as `P1DT1H30M`. At least a second. */
export function iso(seconds: number): string {
  const written = split(Math.max(1, Math.ceil(seconds))).map(({ unit, count }) =>
    count > 0 ? `${count}${unit.charAt(0).toUpperCase()}` : '',
  );
  const time = written.slice(1).join('');
  return `P${written[0]}${time && `T${time}`}`;
}

/** `2 days 3 hours`: the two largest units that are not nothing. */
export function words(seconds: number): string {
  const largest = twoLargest(Math.max(0, Math.round(seconds)), names);
  return largest.map(({ unit, count }) => counted(count, unit.slice(0, -1))).join(' ');
}

const signs: Record<Unit, string> = { years: 'y', days: 'd', hours: 'h', minutes: 'min', seconds: 's' };

const short = (seconds: number) =>
  twoLargest(Math.max(0, seconds))
    .map(({ unit, count }) => `${count} ${signs[unit]}`)
    .join(' ');

/** Milliseconds, such as `1 min 30 s`. */
export const span = (milliseconds: number): string => short(Math.round(milliseconds / 1000));

/** `4 min 12 s`, `9 s`: what is left until something ends. */
export const timeLeft = (seconds: number): string => short(Math.ceil(seconds));

/** `12 min`, `1 h 5 min`, `2 d 3 h`: how long something takes or took. Seconds are left out. */
export function howLong(seconds: number): string {
  return seconds < minute ? 'less than a minute' : short(Math.floor(seconds / minute) * minute);
}

/** `just now`, `12 min ago`. */
export function ago(seconds: number): string {
  return seconds < minute ? 'just now' : `${howLong(seconds)} ago`;
}

/** When an instant is, seen from another one, both in milliseconds since 1970: `in 8 s`, or `now` once it has come. */
export function whenFrom(at: number, now: number): string {
  return at - now < 500 ? 'now' : `in ${span(at - now)}`;
}

/** `4:05`, for a time that counts down. */
export function countdown(seconds: number): string {
  const left = Math.max(0, Math.ceil(seconds));
  return `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}`;
}
