import { isDeepStrictEqual } from 'node:util';
import { type AsyncCommand, asyncModelRun, asyncProperty, check, commands } from 'fast-check';
import { type Budget, type Failure, Row, type Sides } from './row.ts';
import { NameMissing } from './side.ts';
import type { Random, Step } from './stage.ts';

/** How often a row with calls at the same time is run until it shows something. */
const racesTried = 3;

/** The rows of a stage: each run is one, with a number of its own. */
export class Rows {
  readonly #sides: Sides;
  readonly #budget: Budget;
  #number: number;

  /** @param first the number of its first row; plates are made of it */
  constructor(sides: Sides, budget: Budget, first: number) {
    this.#sides = sides;
    this.#budget = budget;
    this.#number = first;
  }

  /**
   * Runs a row; once more, if what it showed may be due to the time that it took.
   *
   * @param waits called when it begins to wait for what comes by itself
   */
  async run(steps: readonly Step[], waits = () => {}): Promise<Failure | undefined> {
    for (let again = 0; ; again += 1) {
      const row = this.next();
      let failure: Failure | undefined;
      for (const step of steps) {
        if (step.wait) waits();
        failure = await row.take(step);
        if (failure) break;
      }
      if (!failure || !row.isDoubtful || again === 2 || isNoAnswer(failure)) return failure;
    }
  }

  /**
   * Runs rows side by side: each begins when the one before it waits or ends. Where one of several fails, it is run once
   * more by itself: what it showed may be due to the others.
   * Returns the first of them that fails.
   */
  async runTogether(rows: readonly (readonly Step[])[]): Promise<{ at: number; failure: Failure } | undefined> {
    if (rows.length === 1) {
      const failure = await this.run(rows[0] as readonly Step[]);
      return failure && { at: 0, failure };
    }
    const runs: Promise<Failure | 'stalled' | undefined>[] = [];
    for (const steps of rows) {
      const { promise: waiting, resolve } = Promise.withResolvers<undefined>();
      const run = this.run(steps, () => resolve(undefined)).catch(stalled);
      runs.push(run);
      const end = await Promise.race([waiting, run]);
      // The others would have no answer either.
      if (end && end !== 'stalled' && isNoAnswer(end)) break;
    }
    for (const [at, first] of (await Promise.all(runs)).entries()) {
      if (!first || (first !== 'stalled' && isUnsent(first))) continue;
      const isEnd = first !== 'stalled' && isNoAnswer(first);
      const failure = isEnd ? first : await this.run(rows[at] as readonly Step[]);
      if (failure) return { at, failure };
    }
    return undefined;
  }

  next(): Row {
    this.#number += 1;
    return new Row(this.#sides, this.#budget, this.#number);
  }

  /** The fewest steps of a row that still show the same difference, as far as the budget allows. */
  async shrink(steps: readonly Step[], failure: Failure): Promise<{ steps: readonly Step[]; failure: Failure }> {
    // Those after the one that showed it were not sent.
    let shortest = { steps: steps.slice(0, failure.taken), failure };
    // Each try would wait as long as the first.
    if (isNoAnswer(failure) || steps.some(({ firstOfMinute, hook }) => firstOfMinute || hook === 'limits'))
      return shortest;
    for (let at = shortest.steps.length - 2; at >= 0; at -= 1) {
      const fewer = shortest.steps.toSpliced(at, 1);
      // A call, and two for each of its clients.
      if (this.#budget.left < fewer.length * 3) break;
      const found = await this.#tried(fewer);
      if (found && isSame(found, shortest.failure)) shortest = { steps: fewer, failure: found };
    }
    for (const [at, { besides = [], ...step }] of shortest.steps.entries()) {
      if (besides.length < 2 || this.#budget.left < (shortest.steps.length + 1) * racesTried * 3) continue;
      const two = shortest.steps.with(at, { ...step, besides: besides.slice(0, 1) });
      const found = await this.#tried(two);
      if (found && isSame(found, shortest.failure)) shortest = { steps: two, failure: found };
    }
    return shortest;
  }

  /** A row that lacks what a step names shows nothing. */
  async #tried(steps: readonly Step[]): Promise<Failure | undefined> {
    const most = steps.some(({ besides }) => besides) ? racesTried : 1;
    try {
      let found: Failure | undefined;
      for (let tries = 0; tries < most && !found; tries += 1) found = await this.run(steps);
      return found;
    } catch (error) {
      if (error instanceof NameMissing) return undefined;
      throw error;
    }
  }

  /** Rows that follow from the seed. fast-check makes them, and shortens the first that shows a difference. */
  async random(
    { model, actions, rows, most }: Random,
    seed: number,
  ): Promise<{ steps: readonly Step[]; failure: Failure } | undefined> {
    let shortest: { steps: readonly Step[]; failure: Failure } | undefined;
    const kinds = actions.map((action) => action.given.map((given) => commandOf(action, given)));
    const property = asyncProperty(commands(kinds, { maxCommands: most, size: 'max' }), async (row) => {
      // What is left is for the end: rows that can't be sent any more show nothing.
      if (this.#budget.left < 3 * most) return;
      const steps: Step[] = [];
      const real: Real = { row: this.next(), steps };
      try {
        await asyncModelRun(() => ({ model: model() as object, real }), row);
      } catch (error) {
        if (!(error instanceof Differs)) throw error;
        if (real.row.isDoubtful && !(await this.run(steps))) return;
        shortest = { steps, failure: error.failure };
        throw error;
      }
    });
    const { errorInstance } = await check(property, { seed, numRuns: rows });
    if (errorInstance && !(errorInstance instanceof Differs)) throw errorInstance;
    return shortest && this.shrink(shortest.steps, shortest.failure);
  }
}

interface Real {
  readonly row: Row;
  readonly steps: Step[];
}

class Differs extends Error {
  readonly failure: Failure;
  constructor(failure: Failure) {
    super(failure.difference.says);
    this.failure = failure;
  }
}

function commandOf<Given>(action: Random['actions'][number], given: Given): AsyncCommand<object, Real> {
  return {
    check: (model) => action.possible(model, given),
    async run(model, { row, steps }) {
      const step = action.take(model, given);
      steps.push(step);
      const failure = await row.take(step);
      if (failure) throw new Differs(failure);
    },
    toString: () => JSON.stringify(given),
  };
}

/** A reference that did not get there beside other rows may do so by itself. */
function stalled(error: unknown): 'stalled' {
  if (error instanceof NameMissing) return 'stalled';
  throw error;
}

/** Whether its last call waited for one of another row that had no answer. */
function isUnsent({ exchanges }: Failure): boolean {
  const answer = exchanges.at(-1)?.yours.answer;
  return answer !== undefined && 'isUnsent' in answer;
}

const isNoAnswer = ({ difference }: Failure) => difference.place === 'answer';

/** The same place in the answer to the same step: names and plates are others in each run. */
function isSame(one: Failure, other: Failure): boolean {
  const [last, otherLast] = [one, other].map(({ steps }) => ({ ...steps.at(-1), besides: undefined }));
  return one.difference.place === other.difference.place && isDeepStrictEqual(last, otherLast);
}
