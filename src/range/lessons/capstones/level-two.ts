import { maxPerClient } from '../../exchanges/log.ts';
import { newToken } from '../calls.ts';
import type { Entry } from '../entry.ts';
import { type Capstone, drill, type Evidence, type Fault, idsOf, type ScheduledStep } from './capstone.ts';
import type { Level } from './runs.ts';

/*
 * On level 2 two workers do the work of a capstone, and the program crashes in the middle. The service can't stop a
 * program of somebody else. It does what a crash shows at its side: all tokens end, and the streams with them. It knows
 * workers by their tokens, each has its own. What a program that starts anew does twice, or leaves out, is a fault of the
 * capstone as on level 1. This file is all that is different, for every capstone.
 */

/** Seconds from the crash to the first second at which a run can be reported. */
const restart = 2;

/** What one works under on level 2, besides the conditions of the capstone. */
export function conditionsOfLevelTwo({ crash: { at, calls } }: Pick<Capstone, 'crash'>): string[] {
  return [
    'Two workers do the work at once, each with a token of its own.',
    `At second ${at} your program crashes: all tokens from before are refused, and streams are cut. Kill both workers then, and start anew with nothing but what is on disk.`,
    ...(calls === undefined ? [] : [`Until then there are ${calls} calls for both, so that neither is done before.`]),
  ];
}

/** A capstone as it is on a level. */
export function atLevel(capstone: Capstone, level: Level): Capstone {
  if (level === 1) return capstone;
  const crashedAt = ({ startedAt }: Evidence) => startedAt + capstone.crash.at * 1000;
  return {
    ...capstone,
    reportFrom: reportFromOfLevelTwo(capstone),
    schedule: [...capstone.schedule, ...crashOf(capstone)].toSorted((a, b) => a.at - b.at),
    faults(report, run, evidence) {
      const tell = (fault: Fault) => withCalls(fault, evidence.entries, crashedAt(evidence));
      return [...capstone.faults(report, run, evidence).map(tell), ...workerFaults(evidence, crashedAt(evidence))];
    },
    // The workers are one more.
    parts: (run, evidence) => capstone.parts(run, evidence) + 1,
  };
}

export function reportFromOfLevelTwo({ crash, reportFrom }: Capstone): number {
  return Math.max(reportFrom, crash.at + restart);
}

function crashOf({ crash: { at, calls }, seconds }: Capstone): ScheduledStep[] {
  const few = `There are ${calls} calls for both workers until the crash.`;
  const crash = 'Your program crashes: all tokens from before are refused, and streams are cut.';
  return [
    ...(calls === undefined ? [] : [drill([0, at], 'small-rate-limit', { limit: calls }, few)]),
    drill([at, seconds], 'revoke-tokens', {}, crash),
  ];
}

/** Says in a fault when its calls were, and by how many workers. */
function withCalls(fault: Fault, entries: readonly Entry[], crashedAt: number): Fault {
  const calls = entries.filter(({ id }) => fault.exchanges.includes(id));
  if (calls.length === 0) return fault;
  const [before, after] = bySide(calls, crashedAt);
  const times = [...(before.length > 0 ? ['before the crash'] : []), ...(after.length > 0 ? ['after it'] : [])];
  const workers = Math.max(...[before, after].map((side) => new Set(side.map(({ token }) => token?.jti)).size));
  const isLeft = after.length === 0 && (fault.kind === 'lost' || fault.kind === 'missing');
  const detail = `${fault.detail} Calls for it came ${times.join(' and ')}${workers > 1 ? ', from both workers' : ''}${isLeft ? ', and nobody took it over' : ''}.`;
  return { ...fault, detail };
}

/** Where no two tokens were in use at once before the crash. After it, there may be work left for one worker alone. */
function workerFaults({ startedAt, entries }: Evidence, crashedAt: number): Fault[] {
  // Of a log that is full the beginning may be gone.
  if (entries.length >= maxPerClient) return [];
  const calls = entries.filter(
    ({ at, status, call }) => at >= startedAt && at < crashedAt && status !== 401 && call !== newToken,
  );
  if (areTwoAtOnce(calls)) return [];
  const detail =
    'No two tokens were in use at once before the crash. Each worker gets a token of its own, and makes calls with it.';
  return [{ kind: 'one-worker', subject: 'workers', detail, exchanges: idsOf(calls, () => true) }];
}

/** Whether two tokens were valid at the same time: one that follows another that has expired is no second worker. */
function areTwoAtOnce(calls: readonly Entry[]): boolean {
  const tokens = [...new Map(calls.flatMap(({ token }) => (token ? [[token.jti, token] as const] : []))).values()];
  return tokens.some(({ iat = 0, exp = 0 }, at) =>
    tokens.slice(at + 1).some((other) => iat < (other.exp ?? 0) && (other.iat ?? 0) < exp),
  );
}

function bySide(entries: readonly Entry[], crashedAt: number): [before: Entry[], after: Entry[]] {
  return [entries.filter(({ at }) => at < crashedAt), entries.filter(({ at }) => at >= crashedAt)];
}
