const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

/** `12 min`, `1 h 5 min`, `2 d 3 h`: how long something takes or took, as people say it. Seconds are left out. */
export function howLong(seconds: number): string {
  if (seconds < minute) return 'less than a minute';
  if (seconds < hour) return `${Math.floor(seconds / minute)} min`;
  if (seconds < day) return pair(seconds, { unit: hour, name: 'h' }, { unit: minute, name: 'min' });
  return pair(seconds, { unit: day, name: 'd' }, { unit: hour, name: 'h' });
}

/** `just now`, `12 min ago`. */
export function ago(seconds: number): string {
  return seconds < minute ? 'just now' : `${howLong(seconds)} ago`;
}

/** `4 min 12 s`, `9 s`: what is left until something ends. */
export function timeLeft(seconds: number): string {
  const left = Math.max(0, Math.ceil(seconds));
  if (left < minute) return `${left} s`;
  if (left < hour) return pair(left, { unit: minute, name: 'min' }, { unit: 1, name: 's' });
  return howLong(left);
}

interface Unit {
  readonly unit: number;
  readonly name: string;
}

function pair(seconds: number, large: Unit, small: Unit): string {
  const many = Math.floor(seconds / large.unit);
  const rest = Math.floor((seconds % large.unit) / small.unit);
  return rest === 0 ? `${many} ${large.name}` : `${many} ${large.name} ${rest} ${small.name}`;
}

/** `1 learner`, `2 learners`. */
export function counted(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}
