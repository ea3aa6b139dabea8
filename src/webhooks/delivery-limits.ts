import type { Config } from '../settings/config.ts';
import type { StoredBytes } from './stored-bytes.ts';

/** What bounds the deliveries of a subscription; `call-limits.ts` bounds how fast they are made. */
export interface DeliveryLimits {
  readonly stored: StoredBytes;
  /** How many open deliveries one subscription may have. */
  readonly maxOpen: number;
}

/** The share of one subscription in the open deliveries of its client: a dead one takes no capacity from the others. */
export function maxOpenDeliveries({ webhookOpenDeliveries, subscriptionsPerClient }: Config): number {
  return Math.max(1, Math.floor(webhookOpenDeliveries / subscriptionsPerClient));
}
