/*
 * The life of a policy. It is created `active`; an update makes it `updated` and leaves it so however often it is
 * updated again. Both are in force: they can be changed and cancelled, and they keep the vehicle from being insured
 * twice. Cancelling makes it `cancelled`; once its last day of cover has passed it is `expired`. These two are final.
 *
 * Expiry needs nobody to carry it out: it follows from the last day of cover and the day it is. What is stored may
 * still say `active`; `statusOn` tells what a policy is.
 */
import { randomUUIDv7 } from 'node:crypto';
import { day, instant } from '../clock.ts';
import { DomainError } from '../domain-error.ts';
import { type CoverageCode, defaultCoverage, lastDay } from './coverage-option.ts';

export type PolicyStatus = 'active' | 'updated' | 'cancelled' | 'expired';

/** As the interface shows it. Dates are `YYYY-MM-DD`, instants ISO 8601 in UTC with milliseconds. */
export interface Policy {
  /** `pol-` and a time-ordered random part. */
  id: string;
  status: PolicyStatus;
  /** As it was sent. */
  regNumber: string;
  holder: string | null;
  coverageOption: CoverageCode;
  /** First day of cover. */
  startDate: string;
  /** Last day of cover, inclusive. */
  endDate: string;
  createdAt: string;
  updatedAt: string;
}

export interface NewPolicy {
  regNumber: string;
  holder?: string | undefined;
  coverageOption?: CoverageCode | undefined;
  startDate?: string | undefined;
}

/** Whether an id has the form of ours. No other exists, and PostgreSQL would not take every text as a value. */
export function isPolicyId(id: string): boolean {
  return /^pol-[0-9a-f-]{36}$/.test(id);
}

/** How the register compares vehicles: without case and dashes, so that `ab1234` and `AB-1234` are one. */
export function vehicleKey(regNumber: string): string {
  return regNumber.replaceAll('-', '').toUpperCase();
}

/**
 * A policy as it is when it is created at `now`.
 *
 * @throws {DomainError} `validation-error` for a start before today or more than a year ahead
 */
export function newPolicy(request: NewPolicy, now: number): Policy {
  const { regNumber, holder = null, coverageOption = defaultCoverage } = request;
  const today = day(now);
  const { startDate = today } = request;
  if (startDate !== today) checkStart(startDate, today);
  const at = instant(now);
  return {
    id: `pol-${randomUUIDv7()}`,
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

function checkStart(startDate: string, today: string): void {
  const latest = Temporal.PlainDate.from(today).add({ years: 1 }).toString();
  if (startDate > today && startDate <= latest) return;
  throw new DomainError('validation-error', `must be from ${today} (today, UTC) to ${latest}.`, 'startDate');
}

/** What a policy is on a day, whatever is stored. */
export function statusOn(today: string, stored: PolicyStatus, endDate: string): PolicyStatus {
  return (stored === 'active' || stored === 'updated') && endDate < today ? 'expired' : stored;
}

export function immutable(policy: Policy): DomainError {
  const since = policy.status === 'expired' ? `expired after ${policy.endDate}` : 'was cancelled';
  return new DomainError(
    'policy-immutable',
    `The policy ${policy.id} ${since} and can’t be changed. Create a new policy for the vehicle.`,
  );
}
