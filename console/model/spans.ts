const units = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1000, 's'],
] as const;

/** Milliseconds in the largest unit that fits, and the next one if it is not 0: `1 min 30 s`. */
export function span(milliseconds: number): string {
  const rounded = Math.max(0, Math.round(milliseconds / 1000) * 1000);
  const at = units.findIndex(([length]) => rounded >= length);
  if (at < 0) return '0 s';
  const [length, unit] = units[at] as (typeof units)[number];
  const whole = Math.floor(rounded / length);
  const rest = units[at + 1];
  const left = rest ? Math.floor((rounded - whole * length) / rest[0]) : 0;
  return rest && left > 0 ? `${whole} ${unit} ${left} ${rest[1]}` : `${whole} ${unit}`;
}

/** When an instant is, seen from another one, both in milliseconds since 1970: `in 8 s`, or `now` once it has come. */
export function whenFrom(at: number, now: number): string {
  return at - now < 500 ? 'now' : `in ${span(at - now)}`;
}
