import type { RowOf } from '../database/columns.ts';
import type { Sql } from '../database/database.ts';
import { instant } from '../time/clock.ts';
import { isTaken, readAttempts } from './attempts.ts';
import type { DeliveryStatus } from './delivery.ts';
import type { DeliveryLimits } from './delivery-limits.ts';
import { pauseAfter } from './retry-after.ts';
import type { Subscription } from './schemas.ts';
import { subscriptions } from './tables.ts';

/** What a view is made of. */
export const viewed = subscriptions.pick(
  'id',
  'url',
  'via',
  'answers',
  'createdAt',
  'status',
  'disabledAt',
  'openDeliveries',
  'missedEvents',
  'gone',
);

export interface SubscriptionRow extends RowOf<typeof viewed> {
  /** 1 if there are events after its cursor. */
  behind: number;
  /** Of the latest delivery that was attempted; null where none was. */
  lastNumber: number | null;
  lastStatus: DeliveryStatus | null;
  lastAttempts: string | null;
  lastNext: string | null;
}

/** Why it is disabled, and what to do. `gone`: 1 when its receiver answered 410. */
export function disabledReason(gone: number): string {
  const why = gone === 1 ? 'The receiver answered 410: it takes no more calls' : 'Every call failed for a day';
  return `${why}. Enable it when the receiver answers with 2xx again.`;
}

/** What an inbox answers next. */
export function nextAnswers(stored: string | null): number[] {
  return stored === null ? [] : JSON.parse(stored);
}

/** The rows of one client, whose clock is `offset` milliseconds ahead, as they are shown. */
export async function viewSubscriptions(
  sql: Sql,
  clientId: string,
  rows: readonly SubscriptionRow[],
  { stored, maxOpen }: DeliveryLimits,
  offset: number,
): Promise<Subscription[]> {
  const behind = rows.some((row) => row.status === 'active' && row.behind === 1);
  const full = behind && (await stored.isFull(sql, clientId));
  return rows.map((row) => ({
    id: row.id,
    url: row.via === 'inbox' ? null : row.url,
    via: row.via,
    ...(row.via === 'inbox' && { answers: nextAnswers(row.answers) }),
    createdAt: row.createdAt,
    status: row.status,
    disabledAt: row.disabledAt,
    disabledReason: row.status === 'disabled' ? disabledReason(row.gone) : null,
    delayed: delayOf(row, full, maxOpen),
    missedEvents: row.missedEvents,
    ...lastOf(row, offset),
  }));
}

function lastOf(row: SubscriptionRow, offset: number): Pick<Subscription, 'lastDelivery'> {
  const { lastNumber: number, lastStatus: status, lastAttempts, lastNext } = row;
  if (number === null || status === null || lastAttempts === null) return {};
  const latest = readAttempts(lastAttempts).at(-1);
  if (!latest) return {};
  const { attemptedAt, responseStatus, error } = latest;
  const failure = failureOf(responseStatus, error);
  const nextAttemptAt = lastNext && instant(Date.parse(lastNext) + offset);
  return { lastDelivery: { number, status, attemptedAt, responseStatus, failure, nextAttemptAt } };
}

/** Why an attempt failed, for the owner of the receiver; null where it did not. */
function failureOf(status: number | null, error: string | null): string | null {
  if (status === null)
    return `No response: ${error}.${error === 'refused the connection' ? ' Is the receiver running, at this port?' : ''}`;
  if (isTaken({ status, error })) return null;
  const answered = `The receiver answered ${status}, and only 2xx counts as delivered`;
  if (status >= 300 && status < 400) return `${answered}: redirects are not followed.`;
  if (status === 401 || status === 403)
    return `${answered}: it refused the call. Does it check the signature with this secret?`;
  if (status === 404 || status === 405) return `${answered}: it takes no POST at this URL.`;
  if (status === 410) return `${answered}: it takes no more calls, so the subscription was disabled.`;
  if (status === 503 || pauseAfter({ status, error }) > 0)
    return `${answered}: it is busy. If it sent Retry-After, no call is made until then, for up to an hour.`;
  return `${answered}.`;
}

/** Why it gets no new deliveries for now: its events stay in the log. */
function delayOf(row: SubscriptionRow, full: boolean, maxOpen: number): Subscription['delayed'] {
  if (row.status !== 'active' || row.behind === 0) return null;
  if (full) return 'stored-bytes';
  return row.openDeliveries >= maxOpen ? 'pending-deliveries' : null;
}
