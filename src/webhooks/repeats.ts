import type { ActiveDrills } from '../active-drills.ts';
import { BoundedCache } from '../bounded-cache.ts';
import type { AttemptOutcome } from './attempts.ts';
import type { DueDelivery } from './deliveries.ts';

/** What the drill `repeat-webhooks` sends again. It is no attempt: whatever comes of it, the delivery stays as it is. */
export class Repeats {
  readonly #drills: ActiveDrills;
  /** By subscription: what comes again after its next delivery. */
  readonly #late = new BoundedCache<string, readonly DueDelivery[]>(1000);

  constructor(drills: ActiveDrills) {
    this.#drills = drills;
  }

  forget(): void {
    this.#late.clear();
  }

  /** What is sent after an attempt at a delivery. */
  async after(due: DueDelivery, outcome: AttemptOutcome): Promise<readonly DueDelivery[]> {
    const { clientId, subscriptionId } = due;
    const late = this.#late.get(subscriptionId) ?? [];
    this.#late.delete(subscriptionId);
    if (!this.#drills.of(clientId, 'repeat-webhooks')) return [];
    const hit = outcome === 'taken' ? await this.#drills.hit(clientId, 'repeat-webhooks') : undefined;
    if (!hit) return late;
    const { times, order } = hit.parameters;
    const again = Array<DueDelivery>(times - 1).fill(due);
    if (order === 'at-once') return [...late, ...again];
    this.#late.set(subscriptionId, again);
    return late;
  }
}
