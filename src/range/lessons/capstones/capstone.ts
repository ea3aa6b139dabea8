import type { DrillName, DrillParameters } from '../../../active-drills.ts';
import type { Claim, ClaimStatus, GivenClaims, PublishedChange } from '../../../claims/index.ts';
import type { Consent } from '../../../clients/consents.ts';
import type { Person } from '../../../clients/people.ts';
import type { HeldPolicy, Policy, StatementSums } from '../../../insurer/index.ts';
import type { Randomness } from '../../../randomness.ts';
import type { Entry } from '../entry.ts';
import type { CapstoneRunView } from './schemas.ts';

/*
 * A capstone takes several lessons at once: a run begins with things that are made for it, goes on under conditions that
 * a schedule brings, and ends with a report, which is scored by what there is then and by the log.
 */

/** A change that comes at a second of a run. Everything is given from its start, so that what comes late comes as it was meant. */
export type ScheduledStep = {
  readonly at: number;
  /** Its description for the learner. */
  readonly what: string;
} & (
  | { readonly drill: DrillName; readonly parameters: object; readonly seconds: number }
  /** The clock of the client is moved to so many minutes after the start. */
  | { readonly clockMinutes: number }
  /** Somebody else changes the holder of the policy at this place of `Plan.colleague`. */
  | { readonly colleague: number }
  /** Others change the policies at this place of `Plan.changes`. */
  | { readonly changes: number }
  /** A person of the run withdraws what they allowed, or a thief uses a refresh token of theirs. By their user name. */
  | { readonly withdraws: string }
  | { readonly robbed: string }
);

/** Bytes of a report at the most: the rows of some thousand policies. */
export const maxReport = 512 * 1024;

/** Something that went wrong in a run. */
export type Fault = CapstoneRunView['faults'][number];

/** The things that a capstone makes at the start of a run. */
export interface Prepared<Given = object> {
  /** The part that the learner is told. */
  readonly given: Given;
  readonly plan: Plan;
}

/** The part of a run that the learner is not told. */
export interface Plan {
  /** The number of the client's last policy, and of the last event, before the run. */
  readonly policiesBefore: number;
  readonly eventsBefore: number;
  /** When the run began on the clock of the client, in milliseconds since 1970. */
  readonly clockAtStart: number;
  /** Policies that are to be changed, or to stay as they are. */
  readonly due?: readonly string[];
  /** Policies that somebody else changes meanwhile, from one holder to another; those where it came to that. */
  readonly colleague?: { readonly ids: readonly string[]; readonly from: string; readonly to: string };
  readonly changed?: readonly string[];
  /** Policies that others change, by their ids; each change bears an instant so many milliseconds before it is made. */
  readonly changes?: readonly { readonly ids: readonly string[]; readonly heldUp: number }[];
  /** The ids of the people of the run, by their user names. */
  readonly people?: Readonly<Record<string, string>>;
  /** The consent of which a thief used a refresh token. */
  readonly stolen?: string;
}

/** The means to prepare a run, within its transaction. */
interface RunSetup {
  /** The number of the run. */
  readonly number: number;
  /** Milliseconds since 1970, on the clock of the client. */
  readonly now: number;
  readonly randomness: Randomness;
  givePolicies(policies: readonly Omit<Policy, 'regNumber'>[]): Promise<Policy[]>;
  /** Registration numbers of vehicles that nobody has insured and the vehicle registry knows. */
  freeNumbers(count: number): Promise<string[]>;
  registerClaim(draft: Parameters<GivenClaims['register']>[2]): Promise<Claim>;
  /** Makes people who are there until the run ends. Their user names are their first names. */
  makePeople(names: readonly string[]): Promise<Person[]>;
}

/** The facts by which a report is judged. */
export interface Evidence {
  /** When the run began, in real time: milliseconds since 1970. */
  readonly startedAt: number;
  /** The client's policies that were made for the run or since. */
  readonly policies: readonly HeldPolicy[];
  /** The changes of its claims that were published since the start, oldest first. */
  readonly changes: readonly PublishedChange[];
  /** The status of those of its claims that are asked for. */
  readonly claims: ReadonlyMap<string, ClaimStatus | undefined>;
  /** The day that it has on its clock, `YYYY-MM-DD`. */
  readonly today: string;
  /** The statement that a report names; undefined if it has none by this id that is completed. */
  readonly statement: StatementSums | undefined;
  /** When it last got a new secret, on its clock; undefined if it has only one. */
  readonly secretRenewedAt: number | undefined;
  /** What people let it do, oldest first. */
  readonly consents: readonly Consent[];
  /** Its exchanges, as far as the log has them, oldest first. */
  readonly entries: readonly Entry[];
}

export interface Capstone<Given extends object = object, Report = unknown> {
  /** As that of a lesson; no lesson has the same. */
  readonly id: string;
  readonly title: string;
  readonly goal: string;
  readonly why: string;
  /** The conditions of a run, in words for the learner. */
  readonly conditions: readonly string[];
  /** What is to be sent as `answer`. */
  readonly report: string;
  /** What a run gives, shortened, and a report in the right form, so that a program can be ready before it. */
  readonly example: { readonly given: Given; readonly report: Report };
  readonly sections: readonly string[];
  /** The ids of lessons that come before. */
  readonly buildsOn: readonly string[];
  /** How long a run lasts at the most, and from when on it can be reported; in seconds. */
  readonly seconds: number;
  readonly reportFrom: number;
  /** In the order of time. */
  readonly schedule: readonly ScheduledStep[];
  /**
   * On level 2: the second of the crash, in the middle of the work; and how many calls there are before it, where the work
   * would be done by then.
   */
  readonly crash: { readonly at: number; readonly calls?: number };
  /** Makes what a run begins with. */
  prepare(
    setup: RunSetup,
  ): Promise<{ given: Given; plan?: Omit<Plan, 'policiesBefore' | 'eventsBefore' | 'clockAtStart'> }>;
  /** The ids of claims whose status is to be seen. */
  claimsOf?(given: Given): readonly string[];
  /** The id of the statement that a report names. */
  statementOf?(report: Report): string;
  /** Describes the fault in the shape of a report; undefined if there is none. */
  shapeFault(report: unknown): string | undefined;
  /** Pure: what is wrong with a run that is reported so. */
  faults(report: Report, run: Prepared<Given>, evidence: Evidence): Fault[];
  /** Of how many subjects a run consists that each can be right or wrong. */
  parts(run: Prepared<Given>, evidence: Evidence): number;
}

/** A step of a schedule that starts a drill, with all its parameters. */
export function drill<Name extends DrillName>(
  [at, until]: readonly [number, number],
  name: Name,
  parameters: DrillParameters[Name],
  what: string,
): ScheduledStep {
  return { at, what, drill: name, parameters, seconds: until - at };
}

/** Tells whether something is an object with texts as values, at most so many. */
export function isTextMap(value: unknown, most: number): value is Record<string, string> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const values = Object.values(value);
  return values.length <= most && values.every((each) => typeof each === 'string');
}

export function isTextList(value: unknown, most: number): value is string[] {
  return Array.isArray(value) && value.length <= most && value.every((each) => typeof each === 'string');
}

/** Exchanges that a fault names at the most. */
const maxNamed = 5;

/** The ids of the first exchanges that fit. */
export function idsOf(entries: readonly Entry[], fits: (entry: Entry) => boolean): string[] {
  return entries
    .filter(fits)
    .slice(0, maxNamed)
    .map(({ id }) => id);
}
