/** What the next minor version of an event has besides: added, so that a tolerant reader goes on. */
const added = { eventVersion: '1.1', environment: 'training' } as const;

/** The payload of an event in the version that the drill `newer-events` sends. */
export function newerPayload(payload: string): string {
  return JSON.stringify({ ...JSON.parse(payload), ...added });
}
