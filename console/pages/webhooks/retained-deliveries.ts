import { retention } from '../../../src/events/retention.ts';

/** Whether a subscription may have had deliveries that were removed. `now` is in milliseconds since 1970. */
export function mayHaveLost({ createdAt }: { readonly createdAt: string }, now: number): boolean {
  return now - Date.parse(createdAt) >= retention;
}
