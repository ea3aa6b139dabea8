import { counted } from '../text/counted.ts';
import { problemType } from './compare.ts';
import type { Difference, Exchange } from './difference.ts';
import { type Answer, parsed } from './side.ts';

/*
 * Calls that are made at once. Which of them comes first is left open: what came of all is compared.
 */

type Call = Exchange['reference'];

export interface Race {
  readonly reference: readonly Call[];
  readonly yours: readonly Exchange['yours'][];
}

export interface Raced {
  /** Each call of yours with one of the reference that came to the same: what was carried out first. */
  readonly exchanges: readonly Exchange[];
  /** That they came to something else; the one exchange shows it. */
  readonly found?: Difference;
}

const replayedHeader = 'idempotency-replayed';
const replayed = (outcome: string) => `${outcome} replayed`;

/** What came of a call: its status, the type of a problem, and whether it was carried out before. */
function outcomeOf({ answer }: { answer: Answer }): string {
  const type = answer.status >= 400 ? problemType(parsed(answer.body)) : undefined;
  const outcome = type === undefined ? String(answer.status) : `${answer.status} ${type}`;
  return replayedHeader in answer.headers ? replayed(outcome) : outcome;
}

/** @param open outcomes that any number of calls may have, in place of the others */
export function raced({ reference, yours }: Race, open: readonly string[] = []): Raced {
  const none = yours.find(({ answer }) => 'failure' in answer);
  if (none) return { exchanges: [{ reference: reference[0] as Call, yours: none }] };
  const answered = yours as readonly Call[];
  const rest = [...reference];
  const exchanges: Exchange[] = [];
  const tooMany: Call[] = [];
  for (const call of answered) {
    const outcome = outcomeOf(call);
    const at = rest.findIndex((each) => outcomeOf(each) === outcome);
    const twin = at < 0 ? open.includes(outcome) && twinOf(reference, outcome) : rest.splice(at, 1)[0];
    if (twin) exchanges.push({ reference: twin, yours: call });
    else if (!open.includes(outcome)) tooMany.push(call);
  }
  const missing = rest.filter((each) => !open.includes(outcomeOf(each)));
  if (tooMany.length + missing.length > 0) {
    const shown = { reference: (missing[0] ?? reference[0]) as Call, yours: (tooMany[0] ?? answered[0]) as Call };
    const right = [tally(reference.filter((each) => !open.includes(outcomeOf(each)))), ...open].join(', or else ');
    const says = `Of ${counted(yours.length, 'call')} at once your service answered ${tally(answered)}; ${right} is right.`;
    return { exchanges: [shown], found: { place: 'outcomes', says } };
  }
  exchanges.sort((one, other) => one.reference.answer.status - other.reference.answer.status);
  return { exchanges };
}

/** A call of the reference that came to this; one that it carried out stands for its repetition. */
function twinOf(reference: readonly Call[], outcome: string): Call | undefined {
  const same = reference.find((each) => outcomeOf(each) === outcome);
  const first = reference.find((each) => replayed(outcomeOf(each)) === outcome);
  if (same || !first) return same;
  return { ...first, answer: { ...first.answer, headers: { ...first.answer.headers, [replayedHeader]: 'true' } } };
}

/** `1 with 201 and 4 with 409 duplicate-policy`: by status, since which call was first is left open. */
function tally(calls: readonly Call[]): string {
  const outcomes = [...Map.groupBy(calls, outcomeOf)].sort(([one], [other]) => (one < other ? -1 : 1));
  return outcomes.map(([outcome, those]) => `${those.length} with ${outcome}`).join(' and ');
}
