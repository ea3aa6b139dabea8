import { claimStages, closingReasons, movesTo, type Outcome, outcomes } from '../../src/claims/claim.ts';
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
  const here = movesTo(claim.status);
  const registered = Date.parse(claim.registeredAt);
  const paceSeconds = here > 0 ? (Date.parse(claim.updatedAt) - registered) / 1000 / here : request?.paceSeconds;
  const outcome = outcomes.find((each) => closingReasons[each] === claim.statusReason) ?? request?.outcome;
  const stations = claimStages.map((statuses, index): Station => {
    const reports = own.filter(({ event }) => statuses.includes(event.data.newStatus));
    const report = reports[0]?.event;
    const known = index === here ? claim : undefined;
    return {
      statuses: known ? [known.status] : report ? [report.data.newStatus] : expected(statuses, outcome),
      state: index < here ? 'passed' : index === here ? 'here' : index === here + 1 ? 'next' : 'later',
      at: known?.updatedAt ?? report?.occurredAt ?? planned(registered, index, paceSeconds),
      reason: known?.statusReason ?? report?.data.statusReason ?? null,
      arrivals: reports,
    };
  });
  return { stations, paceSeconds };
}

/** What a claim becomes, or was, that nobody has reported. A closed one tells its outcome by the reason. */
function expected(statuses: readonly Claim['status'][], outcome: Outcome | undefined): readonly Claim['status'][] {
  return outcome && statuses.includes(outcome) ? [outcome] : statuses;
}

function planned(registered: number, index: number, paceSeconds: number | undefined): string | undefined {
  if (index === 0) return new Date(registered).toISOString();
  return paceSeconds === undefined ? undefined : new Date(registered + index * paceSeconds * 1000).toISOString();
}
