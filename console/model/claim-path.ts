import type { Claim, ClaimRequest, ClaimStatusChanged } from '../api/types.ts';
import type { Arrival } from './topic-log.ts';

/** A station of a claim. */
export interface Station {
  /** Two where nobody knows yet which it will be. */
  readonly statuses: readonly Claim['status'][];
  readonly state: 'passed' | 'here' | 'next' | 'later';
  /** When the claim came here, or is expected; undefined where nobody knows. */
  readonly at: string | undefined;
  readonly reason: string | null;
  /** How the topic reported it; more than one if the event was a duplicate. */
  readonly arrivals: readonly Arrival[];
}

export interface ClaimPath {
  readonly stations: readonly Station[];
  /** Seconds between two changes, where they are known. */
  readonly paceSeconds: number | undefined;
}

/** A claim as the events have it, where they are newer than what was read. */
export function newestOf(claim: Claim, events: readonly ClaimStatusChanged[]): Claim {
  let newest = claim;
  for (const { occurredAt, data } of events) {
    if (data.claimId !== claim.claimId || occurredAt <= newest.updatedAt) continue;
    newest = { ...newest, status: data.newStatus, statusReason: data.statusReason, updatedAt: occurredAt };
  }
  return newest;
}

/**
 * The way of a claim from its registration to its end. Each change is due when the time of the pace has passed after the
 * one before, so that one change tells the pace. Before that it is known only from the request that registered the claim.
 */
export function claimPath(read: Claim, arrivals: readonly Arrival[], request?: ClaimRequest): ClaimPath {
  const own = arrivals.filter(({ event }) => event.data.claimId === read.claimId);
  const claim = newestOf(
    read,
    own.map(({ event }) => event),
  );
  const here = indexOf(claim.status);
  const registered = Date.parse(claim.registeredAt);
  const paceSeconds = here > 0 ? (Date.parse(claim.updatedAt) - registered) / 1000 / here : request?.paceSeconds;
  const stations = [0, 1, 2, 3].map((index): Station => {
    const reports = own.filter(({ event }) => indexOf(event.data.newStatus) === index);
    const report = reports[0]?.event;
    const known = index === here ? claim : undefined;
    return {
      statuses: statusesOf(index, claim, report?.data.newStatus, request),
      state: index < here ? 'passed' : index === here ? 'here' : index === here + 1 ? 'next' : 'later',
      at: known?.updatedAt ?? report?.occurredAt ?? planned(registered, index, paceSeconds),
      reason: known?.statusReason ?? report?.data.statusReason ?? null,
      arrivals: reports,
    };
  });
  return { stations, paceSeconds };
}

function indexOf(status: Claim['status']): number {
  return { REGISTERED: 0, UNDER_REVIEW: 1, APPROVED: 2, REJECTED: 2, CLOSED: 3 }[status];
}

function statusesOf(
  index: number,
  claim: Claim,
  reported: Claim['status'] | undefined,
  request: ClaimRequest | undefined,
): readonly Claim['status'][] {
  if (index === 0) return ['REGISTERED'];
  if (index === 1) return ['UNDER_REVIEW'];
  if (index === 3) return ['CLOSED'];
  if (reported) return [reported];
  if (indexOf(claim.status) === 2) return [claim.status];
  return request ? [request.outcome] : ['APPROVED', 'REJECTED'];
}

function planned(registered: number, index: number, paceSeconds: number | undefined): string | undefined {
  if (index === 0) return new Date(registered).toISOString();
  return paceSeconds === undefined ? undefined : new Date(registered + index * paceSeconds * 1000).toISOString();
}
