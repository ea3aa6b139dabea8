import type { Sql } from '../database/database.ts';
import type { SubscriptionStatus } from './delivery.ts';
import type { StoredBytes } from './stored-bytes.ts';

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

export interface SubscriptionRow {
  id: string;
  url: string;
  created_at: string;
  status: SubscriptionStatus;
  disabled_at: string | null;
  open_deliveries: number;
  missed_events: number;
  /** 1 if there are events after its cursor. */
  behind: number;
}

export interface DeliveryLimits {
  readonly stored: StoredBytes;
  /** How many open deliveries one subscription may have. */
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
    createdAt: row.created_at,
    status: row.status,
    disabledAt: row.disabled_at,
    disabledReason: row.status === 'disabled' ? reason : null,
    delayed: delayOf(row, full, mostOpen),
    missedEvents: row.missed_events,
  }));
}

function delayOf(row: SubscriptionRow, full: boolean, mostOpen: number): Delay | null {
  if (row.status !== 'active' || row.behind === 0) return null;
  if (full) return 'stored-bytes';
  return row.open_deliveries >= mostOpen ? 'pending-deliveries' : null;
}
