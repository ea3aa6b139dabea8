import { type ClaimStatus, claimStages, maxPaceSeconds, movesTo } from '../../../src/claims/claim.ts';
import { retentionDays } from '../../../src/events/retention.ts';
import { isInForce, type PolicyStatus } from '../../../src/insurer/policy-status.ts';
import { day as dayMs } from '../../../src/time/units.ts';

/*
 * What a move of the learner's clock causes, told from what the interfaces show before it. Times are milliseconds since
 * 1970 by the learner's clock.
 */

/** What the learner owns that time changes, as far as it is needed here. */
export interface Owned {
  readonly tokens: readonly HeldToken[];
  readonly policies: readonly Pick<OwnPolicy, 'id' | 'regNumber' | 'status' | 'endDate'>[];
  readonly claims: readonly OwnClaim[];
  readonly deliveries: readonly OwnDelivery[];
}

export interface HeldToken {
  readonly id: string;
  readonly expiresAt: number;
  readonly scope: string;
  /** Whether the console got it for itself. */
  readonly ofConsole: boolean;
}

interface OwnPolicy {
  readonly id: string;
  readonly regNumber: string;
  readonly status: PolicyStatus;
  readonly endDate: string;
}

interface OwnClaim {
  readonly claimId: string;
  readonly status: ClaimStatus;
  readonly registeredAt: string;
  readonly updatedAt: string;
}

export interface OwnDelivery {
  readonly number: number;
  readonly url: string;
  readonly subscriptionId: string;
  readonly status: string;
  readonly attempts: number;
  readonly nextAttemptAt: string | null;
}

export type Kind = 'token' | 'policy' | 'claim' | 'webhook';

/** Something that happens at a time, or, where that is not shown, between two. */
export interface Happening {
  readonly kind: Kind;
  readonly id: string;
  readonly what: string;
  readonly earliest: number;
  readonly latest: number;
  /** The page that shows it. */
  readonly href: string;
}

/** All that is to come, soonest first. */
export function ahead(owned: Owned, now: number): readonly Happening[] {
  return [
    ...owned.tokens.map(tokenEnd),
    ...owned.policies.filter(isInForce).map(policyEnd),
    ...owned.claims.flatMap(claimMoves),
    ...owned.deliveries.flatMap(nextCall),
  ]
    .filter(({ latest }) => latest > now)
    .sort((a, b) => a.latest - b.latest);
}

function tokenEnd({ id, expiresAt, scope, ofConsole }: HeldToken): Happening {
  const whose = ofConsole ? 'The token of this page expires. It gets a new one by itself.' : 'A token of yours expires';
  return {
    kind: 'token',
    id,
    what: ofConsole ? whose : `${whose}, with the scopes ${scope}.`,
    earliest: expiresAt,
    latest: expiresAt,
    href: '#/workbench/token',
  };
}

/** The last day of cover is inclusive, and days are those of UTC. */
function policyEnd({ id, regNumber, endDate }: OwnPolicy): Happening {
  const at = Date.parse(endDate) + dayMs;
  const what = `The policy for ${regNumber} expires. The vehicle can be insured again.`;
  return { kind: 'policy', id, what, earliest: at, latest: at, href: '#/policies' };
}

/** A claim moves at an even pace, which is not shown: it follows from the moves so far, as soon as there is one. */
function claimMoves({ claimId, status, registeredAt, updatedAt }: OwnClaim): readonly Happening[] {
  const made = movesTo(status);
  const [registered, updated] = [Date.parse(registeredAt), Date.parse(updatedAt)];
  const pace = made > 0 ? (updated - registered) / made : undefined;
  return claimStages.slice(made + 1).map((statuses, index) => ({
    kind: 'claim',
    id: claimId,
    what: `The claim ${claimId} becomes ${statuses.join(' or ')}.`,
    earliest: updated + (index + 1) * (pace ?? 1000),
    latest: updated + (index + 1) * (pace ?? maxPaceSeconds * 1000),
    href: '#/claims',
  }));
}

function nextCall({ number, url, subscriptionId, status, attempts, nextAttemptAt }: OwnDelivery): Happening[] {
  if (status !== 'pending' || nextAttemptAt === null) return [];
  const at = Date.parse(nextAttemptAt);
  const what = `Delivery ${number} to ${url} is tried again: attempt ${attempts + 1}.`;
  return [{ kind: 'webhook', id: `${subscriptionId}/${number}`, what, earliest: at, latest: at, href: '#/webhooks' }];
}

export interface Effects {
  /** What happens at the latest within the jump. */
  readonly certain: readonly Happening[];
  /** What may: its time is not shown. */
  readonly possible: readonly Happening[];
}

/** What of it a jump to `to` brings. */
export function effectsOf(happenings: readonly Happening[], to: number): Effects {
  return {
    certain: happenings.filter(({ latest }) => latest <= to),
    possible: happenings.filter(({ earliest, latest }) => earliest <= to && latest > to),
  };
}

/** What a jump over so many milliseconds does besides, in sentences. */
export function besides(by: number): readonly string[] {
  const kept = retentionDays - by / dayMs;
  const sentences: string[] = [];
  if (by >= 3_600_000) sentences.push('Each token got before the jump has expired after it, and streams end with it.');
  if (by >= dayMs) {
    sentences.push('Answers kept for an Idempotency-Key are forgotten after 24 hours.');
    sentences.push('A subscription all of whose calls failed for a day is disabled at the next call that fails.');
  }
  if (kept <= 0) sentences.push(`All events so far are gone: a cursor of before the jump is answered with 410.`);
  else if (by >= dayMs) sentences.push(`Events are kept for ${retentionDays} days, so the oldest ones go.`);
  return sentences;
}

/** What is another now than it was before the jump, in sentences. `now`: after the jump. */
export function changes(before: Owned, after: Owned, now: number): readonly string[] {
  const expired = before.tokens.filter(({ expiresAt }) => expiresAt <= now);
  const own = expired.filter(({ ofConsole }) => !ofConsole).map(({ scope }) => scope);
  const tokens = expired.some(({ ofConsole }) => ofConsole) ? ['The token of this page expired.'] : [];
  if (own.length === 1) tokens.push(`A token with the scopes ${own[0]} expired.`);
  else if (own.length > 1) tokens.push(`${own.length} of your tokens expired.`);
  const policies = before.policies.flatMap((policy) => {
    const now = after.policies.find(({ id }) => id === policy.id);
    return now && now.status !== policy.status
      ? [`The policy for ${policy.regNumber} went from ${policy.status} to ${now.status}.`]
      : [];
  });
  const claims = before.claims.flatMap((claim) => {
    const now = after.claims.find(({ claimId }) => claimId === claim.claimId);
    return now && now.status !== claim.status
      ? [`The claim ${claim.claimId} went from ${claim.status} to ${now.status}.`]
      : [];
  });
  const deliveries = before.deliveries.flatMap((delivery) => {
    const now = after.deliveries.find(
      ({ number, subscriptionId }) => number === delivery.number && subscriptionId === delivery.subscriptionId,
    );
    return now && now.attempts > delivery.attempts
      ? [`Delivery ${delivery.number} to ${delivery.url} was tried again. It is ${now.status}.`]
      : [];
  });
  return [...tokens, ...policies, ...claims, ...deliveries];
}
