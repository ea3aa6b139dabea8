import type { PublishedChange } from '../../../claims/index.ts';
import type { Entry } from '../entry.ts';
import { type Evidence, type Fault, idsOf } from './capstone.ts';

/** What is wrong with the ids of events in the order in which they were processed. `changes`: those of a run, oldest first. */
export function eventFaults(
  processed: readonly string[],
  changes: readonly PublishedChange[],
  { entries }: Pick<Evidence, 'entries'>,
): Fault[] {
  const faults: Fault[] = [];
  /** Of each claim, the latest place at which one of its events was processed so far. */
  const latest = new Map<string, number>();
  for (const change of changes) {
    const { eventId: subject, claimId, previousStatus, newStatus } = change;
    const what = `${claimId}, ${previousStatus} to ${newStatus}`;
    const sent = sentIn(entries, change);
    const times = processed.filter((each) => each === subject).length;
    if (times === 0) {
      const how = sent.length > 0 ? 'it was sent to you' : 'no call that the log has asked for it';
      faults.push({ kind: 'lost', subject, detail: `${what}: you did not report it, and ${how}.`, exchanges: sent });
      continue;
    }
    if (times > 1)
      faults.push({ kind: 'doubled', subject, detail: `${what}: you processed it ${times} times.`, exchanges: sent });
    const place = processed.indexOf(subject);
    if (place < (latest.get(claimId) ?? -1)) {
      const detail = `${what}: you processed a later event of this claim before it.`;
      faults.push({ kind: 'out-of-order', subject, detail, exchanges: sent });
    }
    latest.set(claimId, Math.max(place, latest.get(claimId) ?? -1));
  }
  return faults;
}

/** The exchanges that had an event. The body of a stream is not in the log: it is enough that one was open. */
export function sentIn(entries: readonly Entry[], { eventId, at }: PublishedChange): string[] {
  return idsOf(
    entries,
    ({ events, stream, at: begin, endedAt }) =>
      events.some((each) => each.eventId === eventId) || (stream !== undefined && begin <= at && at <= endedAt),
  );
}
