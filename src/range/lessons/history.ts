import type { Step } from './step.ts';

/** The exchanges of a client before a certain one, as far as the log has them. */
export class History {
  /** Oldest first. */
  readonly steps: readonly Step[];
  readonly #end: number;

  /** Those of `steps` before the index `end`. */
  constructor(steps: readonly Step[], end = steps.length) {
    this.steps = steps;
    this.#end = end;
  }

  /** The latest that fits. */
  last(fits: (step: Step) => boolean): Step | undefined {
    for (let at = this.#end - 1; at >= 0; at -= 1) {
      const step = this.steps[at] as Step;
      if (fits(step)) return step;
    }
    return undefined;
  }

  has(fits: (step: Step) => boolean): boolean {
    return this.last(fits) !== undefined;
  }

  /** All that fit, oldest first. */
  all(fits: (step: Step) => boolean): Step[] {
    return this.steps.slice(0, this.#end).filter(fits);
  }

  /** Those after `step`, oldest first. */
  since(step: Step): Step[] {
    return this.steps.slice(this.steps.indexOf(step) + 1, this.#end);
  }

  /** The history before `step`. */
  before(step: Step): History {
    return new History(this.steps, Math.max(0, this.steps.indexOf(step)));
  }
}
