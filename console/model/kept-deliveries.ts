/** Milliseconds for which the service keeps deliveries. */
const keptFor = 7 * 24 * 60 * 60 * 1000;

/** Whether a subscription may have had deliveries that were removed. `now` is in milliseconds since 1970. */
export function mayHaveLost({ createdAt }: { readonly createdAt: string }, now: number): boolean {
  return now - Date.parse(createdAt) >= keptFor;
}
