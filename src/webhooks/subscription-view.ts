import type { RowOf } from '../database/columns.ts';
import type { Sql } from '../database/database.ts';
import type { SubscriptionStatus } from './delivery.ts';
import type { StoredBytes } from './stored-bytes.ts';
import { subscriptions } from './tables.ts';

/** Why a subscription gets no new deliveries for now: its events stay in the log. */
export const delays = ['pending-deliveries', 'stored-bytes'] as const;
export type Delay = (typeof delays)[number];

/** A subscription as the interface shows it. */
export interface SubscriptionView {
  id: string;
  url: string;
  createdAt: string;
  status: SubscriptionStatus;
  disabledAt: string | null;
  disabledReason: string | null;
  delayed: Delay | null;
  missedEvents: number;
}

/** What a view is made of. */
export const viewed = subscriptions.pick(
  'id',
  'url',
  'createdAt',
  'status',
  'disabledAt',
  'openDeliveries',
  'missedEvents',
);

export interface SubscriptionRow extends RowOf<typeof viewed> {
  /** 1 if there are events after its cursor. */
  behind: number;
}

export interface DeliveryLimits {
  readonly stored: StoredBytes;
  /** How many open deliveries one subscription may have: its share of `webhookOpenDeliveries`. */
  readonly mostOpen: number;
}

const reason = 'Every call failed for a day. Enable it when the receiver answers with 2xx again.';

/** The rows of one client as they are shown. */
export async function viewSubscriptions(
  sql: Sql,
  clientId: string,
  rows: readonly SubscriptionRow[],
  { stored, mostOpen }: DeliveryLimits,
): Promise<SubscriptionView[]> {
  const behind = rows.some((row) => row.status === 'active' && row.behind === 1);
  const full = behind && (await stored.isFull(sql, clientId));
  return rows.map((row) => ({
    id: row.id,
    url: row.url,
    createdAt: row.createdAt,
    status: row.status,
    disabledAt: row.disabledAt,
    disabledReason: row.status === 'disabled' ? reason : null,
    delayed: delayOf(row, full, mostOpen),
    missedEvents: row.missedEvents,
  }));
}

function delayOf(row: SubscriptionRow, full: boolean, mostOpen: number): Delay | null {
  if (row.status !== 'active' || row.behind === 0) return null;
  if (full) return 'stored-bytes';
  return row.openDeliveries >= mostOpen ? 'pending-deliveries' : null;
}
