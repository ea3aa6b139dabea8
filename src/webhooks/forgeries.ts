import type { ActiveDrills, DrillParameters } from '../active-drills.ts';
import type { EventPayload } from '../events/topic.ts';
import type { Randomness } from '../randomness.ts';
import type { AttemptOutcome } from './attempts.ts';
import { newSecret } from './call.ts';
import type { DueDelivery } from './deliveries.ts';

/** What a forged call has that a real one has not. */
export interface Forgery {
  /** What the signature is made of in place of the payload. */
  readonly signedPayload: string;
  /** Seconds by which its timestamp is older than the call. */
  readonly age: number;
}

/** Seconds. Receivers take timestamps of the last five minutes, as the libraries of Standard Webhooks do. */
const oldAge = 600;

/**
 * What the drill `forged-webhooks` sends after an attempt at a delivery: the same event under an id of its own. It is no
 * attempt: whatever comes of it, the delivery stays as it is.
 */
export async function forgedAfter(
  { drills, randomness }: { drills: ActiveDrills; randomness: Randomness },
  due: DueDelivery,
  outcome: AttemptOutcome,
): Promise<(DueDelivery & Forgery)[]> {
  const hit = outcome === 'taken' ? await drills.hit(due.clientId, 'forged-webhooks') : undefined;
  return hit ? [forged(due, hit.parameters, randomness)] : [];
}

function forged(
  due: DueDelivery,
  { how }: DrillParameters['forged-webhooks'],
  randomness: Randomness,
): DueDelivery & Forgery {
  const eventId = randomness.uuid('forged event');
  const payload = JSON.stringify({ ...(JSON.parse(due.payload) as EventPayload), eventId });
  return {
    ...due,
    eventId,
    payload,
    attempt: 1,
    secrets: how === 'wrong-secret' ? [newSecret(randomness)] : due.secrets,
    signedPayload: how === 'changed-body' ? due.payload : payload,
    age: how === 'old-timestamp' ? oldAge : 0,
  };
}
