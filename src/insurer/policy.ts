/*
 * The life of a policy. It is created `active`; an update makes it `updated` and leaves it so however often it is
 * updated again. Both are in force: they can be changed and cancelled, and they keep the vehicle from being insured
 * twice. Cancelling makes it `cancelled`; once its last day of cover has passed it is `expired`. These two are final, but
 * for a cancelled policy of the preconfigured fleet (fleet-renewal.ts).
 *
 * Expiry needs nobody to carry it out: it follows from the last day of cover and the day it is. What is stored may
 * still say `active`; `statusOn` tells what a policy is.
 */
import Type, { type Static } from 'typebox';
import { DomainError } from '../domain-error.ts';
import type { Randomness } from '../randomness.ts';
import { enumeration } from '../text/enumeration.ts';
import { halfCharacter } from '../text/odd-character.ts';
import { quoted, shownValue } from '../text/shown-value.ts';
import { day, instant } from '../time/clock.ts';
import { coverageCode, defaultCoverage, lastDay } from './coverage-option.ts';
import { isInForce, type PolicyStatus, policyStatuses, statusesInForce } from './policy-status.ts';
import { regNumber } from './registration-number.ts';

declare module '../domain-error.ts' {
  interface DomainErrorCodes {
    'policy-immutable': true;
  }
}

// The shapes. Requests are checked by them, answers made by them; their descriptions stand in the published document
// and, where a value breaks a rule, in the problem's detail. `example-values.ts` has what examples show on a day.

const examplePolicyId = 'pol-01938c5e-7d2a-7c31-9b1e-5f0c2a4d6e8f';

const holderRule = 'Name of the policy holder: 1 to 100 characters after trimming, no control characters.';

const holder = {
  minLength: 1,
  maxLength: 100,
  // Without classes that need Unicode mode: many generators don't know it. `holderFaults` refuses the rest.
  pattern: '^[^\\x00-\\x1f\\x7f-\\x9f]*$',
  description: holderRule,
  examples: ['Ada Example'],
};

export const policyStatus = enumeration('PolicyStatus', policyStatuses, 'The states of a policy.');

const date = (description: string, day: string) => Type.String({ format: 'date', description, examples: [day] });
const moment = (description: string) =>
  Type.String({ format: 'date-time', description, examples: ['2026-03-02T10:15:30.000Z'] });

export const PolicyDraft = Type.Object(
  {
    regNumber,
    holder: Type.Optional(Type.String(holder)),
    coverageOption: Type.Optional(
      coverageCode('Code of a coverage option, as GET /coverage-options lists them.', defaultCoverage, {
        default: defaultCoverage,
      }),
    ),
    startDate: Type.Optional(
      Type.String({
        format: 'date',
        description: 'First day of cover, YYYY-MM-DD: today (UTC, the default) to a year ahead.',
        examples: ['2026-04-01'],
      }),
    ),
  },
  { $id: 'PolicyDraft', description: 'The data of a new policy.' },
);

export const ErasureDraft = Type.Object(
  { holder: Type.String(holder) },
  { $id: 'ErasureDraft', description: 'The holder who is to be forgotten.' },
);

export const PolicyChange = Type.Object(
  {
    holder: Type.Unsafe<string | null>({
      ...holder,
      type: ['string', 'null'],
      description: `${holderRule} It can be null while the policy has none.`,
    }),
  },
  { $id: 'PolicyChange', description: 'The new data of a policy.' },
);

/**
 * As the interface shows it. Dates are `YYYY-MM-DD`, instants ISO 8601 in UTC with milliseconds. The last day of cover
 * is inclusive.
 */
export const Policy = Type.Object(
  {
    id: Type.String({
      pattern: '^pol-',
      description: 'Identifies the policy; begins with pol-.',
      examples: [examplePolicyId],
    }),
    status: policyStatus('active and updated are in force; cancelled and expired are final.', 'active'),
    regNumber: Type.String({ description: 'Registration number, as it was sent.', examples: ['AB-1234'] }),
    holder: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'Name of the policy holder; null when none was given.',
      examples: ['Ada Example'],
    }),
    coverageOption: coverageCode('Code of the coverage option.', defaultCoverage),
    startDate: date('First day of cover.', '2026-04-01'),
    endDate: date(
      'Last day of cover, inclusive: the day before the one that has the number of the first day. Where the end month has no such day, its last.',
      '2027-03-31',
    ),
    createdAt: moment('When the policy was created.'),
    updatedAt: moment('When the policy was last changed by its client.'),
  },
  { $id: 'Policy', description: 'A motor third-party liability policy of one vehicle.' },
);

export const fleetPolicyStatus = enumeration('FleetPolicyStatus', policyStatuses, 'The states of a policy.');

/** A policy that a client has made for itself, to practise with: it may have begun long ago, and be over. */
export const FleetDraft = Type.Object(
  {
    ...PolicyDraft.properties,
    startDate: Type.Optional(
      Type.String({
        format: 'date',
        description: 'First day of cover, YYYY-MM-DD: ten years ago to a year ahead. Default: today (UTC).',
        examples: ['2026-03-02'],
      }),
    ),
    status: Type.Optional(
      fleetPolicyStatus('What it is. Default: active, or expired once its last day of cover has passed.', 'active'),
    ),
  },
  { $id: 'FleetDraft', description: 'A policy as it is to be.' },
);

export type FleetDraft = Static<typeof FleetDraft>;
export type PolicyDraft = Static<typeof PolicyDraft>;
export type PolicyChange = Static<typeof PolicyChange>;
export type Policy = Static<typeof Policy>;

/** Tells whether an id has the form of ours. No other exists, and PostgreSQL would not take every text as a value. */
export function isPolicyId(id: string): boolean {
  return /^pol-[0-9a-f-]{36}$/.test(id);
}

/**
 * A policy as it is when it is created at `now`.
 *
 * @throws {DomainError} `validation-error` for a holder with half of a character, or a start before today or more than a
 *   year ahead
 */
export function newPolicy(request: PolicyDraft, now: number, randomness: Randomness): Policy {
  const { regNumber, holder = null, coverageOption = defaultCoverage } = request;
  const today = day(now);
  const { startDate = today } = request;
  for (const { member, detail } of draftFaults(request, today))
    throw new DomainError('validation-error', detail, member);
  const at = instant(now);
  return {
    id: `pol-${randomness.uuidV7('policy', now)}`,
    status: 'active',
    regNumber,
    holder,
    coverageOption,
    startDate,
    endDate: lastDay(startDate, coverageOption),
    createdAt: at,
    updatedAt: at,
  };
}

/** What is wrong with a member of a body. */
export interface MemberFault {
  readonly member: string;
  readonly detail: string;
}

/** What the schema of a new policy can't tell, on a day: half of a character in the holder, a start out of range. */
export function draftFaults(sent: object, today: string): MemberFault[] {
  const faults = holderFaults(sent);
  const { startDate } = sent as Record<string, unknown>;
  if (typeof startDate !== 'string' || startDate === today) return faults;
  const latest = Temporal.PlainDate.from(today).add({ years: 1 }).toString();
  if (startDate < today || startDate > latest) {
    const detail = `must be from ${today} (today, UTC) to ${latest}, not ${quoted(startDate)}.`;
    faults.push({ member: 'startDate', detail });
  }
  return faults;
}

/** The same for one of a fleet, whose status has to fit its days. */
export function fleetDraftFaults(sent: object, today: string): MemberFault[] {
  const faults = holderFaults(sent);
  const { startDate = today, coverageOption = defaultCoverage, status } = sent as Partial<FleetDraft>;
  const now = Temporal.PlainDate.from(today);
  const [first, last] = [now.subtract({ years: 10 }), now.add({ years: 1 })].map(String) as [string, string];
  if (startDate < first || startDate > last) {
    const detail = `must be from ${first} to ${last}, not ${quoted(startDate)}.`;
    return [...faults, { member: 'startDate', detail }];
  }
  const endDate = lastDay(startDate, coverageOption);
  const isOver = endDate < today;
  if (status !== undefined && status !== 'cancelled' && isOver !== (status === 'expired')) {
    const detail = `can’t be ${status}: its last day of cover is ${endDate}, which ${isOver ? 'has' : 'has not'} passed.`;
    faults.push({ member: 'status', detail });
  }
  return faults;
}

/** A policy of a fleet at `now`, from the first moment of its cover on. Its draft has no faults. */
export function fleetPolicy(draft: FleetDraft, now: number, randomness: Randomness): Policy {
  const { status = 'active', startDate = day(now), ...others } = draft;
  const policy = newPolicy({ ...others, startDate }, Math.min(now, Date.parse(startDate)), randomness);
  const isChanged = status === 'updated' || status === 'cancelled';
  const updatedAt = isChanged ? instant(now) : policy.updatedAt;
  return { ...policy, status: statusOn(day(now), status, policy.endDate), updatedAt };
}

/** Half of a surrogate pair is no character. */
export function holderFaults(sent: object): MemberFault[] {
  const { holder } = sent as Record<string, unknown>;
  const detail = typeof holder === 'string' ? halfCharacter(holder) : undefined;
  return detail === undefined ? [] : [{ member: 'holder', detail }];
}

const stays = 'The cover stays as it was created: cancel this policy and create another.';
const given = 'Leave it out, or send it as GET returns it.';

/** The members of a policy that an update can't set, and what to do instead. */
const fixed: Record<Exclude<keyof Policy, 'holder'>, (policy: Policy) => string> = {
  id: () => given,
  status: ({ id, status }) =>
    statusesInForce.includes(status)
      ? `An update makes it updated. To cancel: POST /policies/${id}/cancel.`
      : 'It is final: create a new policy for the vehicle.',
  regNumber: () => 'A policy keeps its vehicle: create one for the other vehicle.',
  coverageOption: () => stays,
  startDate: () => stays,
  endDate: () => stays,
  createdAt: () => given,
  updatedAt: () => given,
};

/** Members of a policy that an update can have besides those that it sets: it takes back what was read. */
export const fixedMembers = Object.keys(fixed) as (keyof typeof fixed)[];

/**
 * Says what an update would have to set and can't: members of the policy that were sent with another value, and a holder
 * that would be taken away. A holder that is null can be put back as it was read.
 */
export function changesOfFixed(sent: object, policy: Policy): MemberFault[] {
  const values = sent as Partial<Record<keyof Policy, unknown>>;
  const faults: MemberFault[] = fixedMembers
    .filter((member) => Object.hasOwn(sent, member) && values[member] !== policy[member])
    .map((member) => {
      const detail = `can’t be set here. It is ${shownValue(policy[member])}, and you sent ${shownValue(values[member])}.`;
      return { member, detail: `${detail} ${fixed[member](policy)}` };
    });
  if (values.holder !== null || policy.holder === null) return faults;
  const detail = `can’t be taken away. It is ${shownValue(policy.holder)}, and you sent null. Send the name of a holder.`;
  return [{ member: 'holder', detail }, ...faults];
}

/**
 * The tag of a policy (RFC 9110, section 8.8.3). `version` changes with all that is shown but the status, which becomes
 * `expired` without a change.
 */
export function policyTag({ version, status }: { version: number; status: PolicyStatus }): string {
  return `"${version}-${status}"`;
}

/** Says what a policy is on a day, whatever is stored. */
export function statusOn(today: string, stored: PolicyStatus, endDate: string): PolicyStatus {
  return statusesInForce.includes(stored) && endDate < today ? 'expired' : stored;
}

/** @throws {DomainError} `policy-immutable` for a policy that can neither be changed nor cancelled any more */
export function checkChangeable(policy: Policy): void {
  if (isInForce(policy)) return;
  const since = policy.status === 'expired' ? `expired after ${policy.endDate}` : 'was cancelled';
  throw new DomainError(
    'policy-immutable',
    `The policy ${policy.id} ${since} and can’t be changed. Create a new policy for the vehicle.`,
  );
}
