import type { Delivery, Subscription } from '../../api/types.ts';
import { span } from '../../model/duration.ts';

export interface Waiting {
  /** What the page has of the deliveries of the subscription. */
  readonly deliveries: readonly Delivery[];
  readonly status: Subscription['status'];
  /** The drills that are on for the client. */
  readonly drills: readonly { readonly name: string }[];
  /** The client's time, in milliseconds since 1970. */
  readonly now: number;
}

/** Milliseconds after which a delivery that is due should have been tried. */
const soon = 3000;

/** Why a delivery is not made now, in sentences; undefined where it is over, or has a time that is to come. */
export function whyWaiting(delivery: Delivery, { deliveries, status, drills, now }: Waiting): string | undefined {
  const { nextAttemptAt } = delivery;
  if (status === 'disabled' && isOpen(delivery)) return 'It waits until you enable the subscription.';
  if (delivery.status === 'waiting') return behind(delivery, deliveries);
  if (delivery.status !== 'pending' || nextAttemptAt === null) return undefined;
  const late = now - Date.parse(nextAttemptAt);
  if (late < 0) return undefined;
  if (drills.some(({ name }) => name === 'stop-events')) return 'The drill stop-events holds it back.';
  if (late < soon) return undefined;
  return `It has been due for ${span(late)}. Calls to one host and for one client are limited in each minute: it is made when one is free again.`;
}

const isOpen = ({ status }: Delivery) => status === 'waiting' || status === 'pending';

/** Of one claim only the first that is open is tried. Test events have one claim, too. */
function behind({ number, claimId }: Delivery, deliveries: readonly Delivery[]): string {
  const first = deliveries.find(
    (each) => each.claimId === claimId && each.status === 'pending' && each.number < number,
  );
  const kind = claimId.endsWith('-000000') ? 'test event' : 'delivery of the same claim';
  if (!first) return `It waits for an earlier ${kind}.`;
  return `It waits for delivery ${first.number}, an earlier ${kind}. Redeliver that one to go on at once.`;
}
