import { signal } from '@preact/signals';

/** What the last counted call of this page left of the limit; undefined where calls are not limited. */
export const callsLeft = signal<{ readonly left: number; readonly limit: number } | undefined>(undefined);

export function noteLimit({ headers }: { readonly headers: Headers }): void {
  const [left, limit] = [headers.get('RateLimit-Remaining'), headers.get('RateLimit-Limit')];
  if (left !== null && limit !== null) callsLeft.value = { left: Number(left), limit: Number(limit) };
}
