/*
 * The life of a claim. It is registered on a policy, then taken under review, then approved or rejected, then closed:
 *
 *   REGISTERED → UNDER_REVIEW → APPROVED ─┐
 *                             → REJECTED ─┴→ CLOSED
 *
 * Whether it will be approved or rejected is settled when it is registered, and so is its pace: the seconds between
 * two moves. Registration is not a status change. When a move is due depends on the one before it, not on when the desk
 * made it, so after downtime a claim catches up and its times stay as planned.
 */
import { instant } from '../time/clock.ts';
import { dueAfter } from '../time/due-times.ts';

export const claimStatuses = ['REGISTERED', 'UNDER_REVIEW', 'APPROVED', 'REJECTED', 'CLOSED'] as const;
export type ClaimStatus = (typeof claimStatuses)[number];

export const outcomes = ['APPROVED', 'REJECTED'] as const;
export type Outcome = (typeof outcomes)[number];

/** How the review ends when a claim is registered without saying. */
export const defaultOutcome: Outcome = 'APPROVED';

/** The way of each claim, move by move. Where there are two statuses, its outcome says which. */
export const claimStages: readonly (readonly ClaimStatus[])[] = [
  ['REGISTERED'],
  ['UNDER_REVIEW'],
  outcomes,
  ['CLOSED'],
];

/** How many moves a claim with this status has made. */
export function movesTo(status: ClaimStatus): number {
  return claimStages.findIndex((statuses) => statuses.includes(status));
}

/** Seconds between two moves when a claim is registered without saying. */
export const defaultPaceSeconds = 10;

/** The most seconds between two moves. */
export const maxPaceSeconds = 3600;

/** What the desk needs to know of a claim to move it. */
export interface Pending {
  readonly claimId: string;
  readonly status: ClaimStatus;
  readonly outcome: Outcome;
  readonly paceSeconds: number;
  /** When the next move is due. */
  readonly dueAt: string;
}

/** One change of status. */
export interface Move {
  readonly previousStatus: ClaimStatus;
  readonly newStatus: ClaimStatus;
  readonly statusReason: string | null;
  /** When it happened. */
  readonly occurredAt: string;
  /** When the next one is due; null when there is none. */
  readonly nextDueAt: string | null;
}

/**
 * The form of a claim's id. The specification shows six digits; after 999,999 claims in a year there are more. If the
 * numbers ended there, one caller could use them up, and nobody could register claims.
 */
export const claimIdPattern = '^CLM-\\d{4}-\\d{6,}$';

/** The id of the claim with this number in the year of `now`; numbers begin at 1. */
export function claimId(now: number, number: number): string {
  return `CLM-${yearOf(now)}-${String(number).padStart(6, '0')}`;
}

export function yearOf(now: number): number {
  return Number(instant(now).slice(0, 4));
}

/** Tells whether an id may be one of ours: the digits are those of a safe integer. */
export function isClaimId(id: string): boolean {
  return /^CLM-\d{4}-\d{6,16}$/.test(id);
}

/** The tag of a claim (RFC 9110, section 8.8.3): it has each status once, and all else follows from that and its time. */
export function claimTag({ status, updatedAt }: { status: ClaimStatus; updatedAt: string }): string {
  return `"${status}-${updatedAt}"`;
}

/** The next move of a claim, which must not be closed. */
export function nextMove(claim: Pending): Move {
  const newStatus = statusAfter(claim);
  const occurredAt = claim.dueAt;
  return {
    previousStatus: claim.status,
    newStatus,
    statusReason: reasonFor(newStatus, claim),
    occurredAt,
    nextDueAt: newStatus === 'CLOSED' ? null : dueAfter(occurredAt, claim.paceSeconds * 1000),
  };
}

function statusAfter({ status, outcome }: Pending): ClaimStatus {
  const next = claimStages[movesTo(status) + 1] ?? [];
  const found = next.includes(outcome) ? outcome : next[0];
  if (!found) throw new Error('a closed claim does not move');
  return found;
}

const rejections = [
  'The damage is not covered by motor third-party liability.',
  'The insured vehicle was not involved in the accident.',
  'The claim was reported too late.',
] as const;

/** Why a claim is closed, by its outcome. */
export const closingReasons: Readonly<Record<Outcome, string>> = {
  APPROVED: 'The compensation was paid.',
  REJECTED: 'The rejection was not contested.',
};

function reasonFor(status: ClaimStatus, { claimId, outcome }: Pending): string | null {
  if (status === 'REJECTED') return rejections[Number(claimId.slice(-6)) % rejections.length] as string;
  if (status !== 'CLOSED') return null;
  return closingReasons[outcome];
}
