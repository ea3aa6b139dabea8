import { shownValue } from '../text/shown-value.ts';
import type { Side } from './side.ts';

/** When a call was made, on both sides. */
export interface Calls {
  readonly expected: { readonly from: number; readonly to: number };
  readonly answer: { readonly from: number; readonly to: number };
}

/** Milliseconds that an instant may be off: services count in seconds, and clocks differ. */
const leeway = 2000;

/** Milliseconds between two looks at the clock for one change, such as that of a claim and of its event. */
const sameMoment = 10;

/** What both sides gave in a row, and what of one corresponds to what of the other. */
export class Known {
  readonly reference: Side;
  readonly yours: Side;
  readonly #begun: number;
  readonly #toYours = new Map<string, string>();
  readonly #toReference = new Map<string, string>();
  readonly #facts = new Map<string, string | undefined>();
  readonly #instants = new Map<string | number, Set<string | number>>();
  /** By what your side gave: the first that the reference had for it. */
  readonly #first = new Map<string | number, number>();

  constructor(reference: Side, yours: Side) {
    this.reference = reference;
    this.yours = yours;
    this.#begun = yours.clock.now();
  }

  /** What your side calls what the reference calls so, as far as it was seen. */
  yoursOf(ofReference: string): string | undefined {
    return this.#toYours.get(ofReference);
  }

  /** Whether your side gave this id before. */
  isOfYours(given: string): boolean {
    return this.#toReference.has(given);
  }

  /** Whether your side has named something so in this row. */
  isNamed(ofYours: string): boolean {
    return this.#toReference.has(ofYours);
  }

  /** What is wrong with an id of your side; the end of a sentence. */
  idFault(right: string, given: string): string | undefined {
    const before = this.#toYours.get(right);
    if (before !== undefined && before !== given)
      return `is ${given}; ${before} is right, as your service named it before`;
    if (before === undefined && this.#toReference.has(given))
      return `is ${given}, which your service gave for something else before`;
    this.#toYours.set(right, given);
    this.#toReference.set(given, right);
    return undefined;
  }

  /** What is wrong with a fact that your side makes up, and tells each time in the same way; the end of a sentence. */
  factFault(name: string, given: string | undefined): string | undefined {
    const before = this.#facts.has(name) ? this.#facts.get(name) : given;
    this.#facts.set(name, before);
    if (before === given) return undefined;
    const [is, was] = [given, before].map((fact) => (fact === undefined ? 'missing' : shownValue(fact)));
    return `is ${is}; it was ${was} before`;
  }

  /** What is wrong with an instant of your side: a text, or seconds since 1970. */
  instantFault(
    right: string | number,
    given: string | number,
    { expected, answer }: Calls,
    isApart = false,
  ): string | undefined {
    // What was sent is the same on both sides.
    if (right === given) return undefined;
    const [wanted, found] = [millisecondsOf(right), millisecondsOf(given)];
    if (Number.isNaN(found)) return `is ${given}; an instant such as ${right} is right`;
    const seen = (isApart ? undefined : this.#instants.get(right)) ?? new Set();
    if (!isApart) this.#instants.set(right, seen);
    if (seen.has(given) || [...seen].some((each) => Math.abs(millisecondsOf(each) - found) <= sameMoment))
      return undefined;
    // What is counted in seconds was cut down to them.
    const cut = typeof right === 'number' ? 999 : 0;
    const isNow = wanted + cut >= expected.from && wanted <= expected.to;
    // Two that are the same on one side may differ on the other, if both are of this call, or reckoned from it.
    if (seen.size > 0 && !isNow && wanted <= expected.to) return `is ${given}; it was ${[...seen].at(-1)} before`;
    const fits =
      wanted > expected.to
        ? Math.abs(found - answer.to - (wanted - expected.to)) <=
          leeway + (answer.to - answer.from) + (expected.to - expected.from)
        : found >= (isNow ? answer.from : this.#begun) - leeway && found <= answer.to + leeway;
    if (!fits) {
      const when = isNow ? 'of this call' : wanted > expected.to ? `such as ${right}` : 'of a call before';
      return `is ${given}; an instant ${when} is right (the clock says ${new Date(answer.to).toISOString()})`;
    }
    // To the millisecond nothing happens twice: between two calls there are more of them. Seconds have none.
    if (isNow && found % 1000 !== 0 && (this.#first.get(given) ?? wanted) < expected.from)
      return `is ${given}, that of a call before; an instant of this call is right`;
    if (!isApart && !this.#first.has(given)) this.#first.set(given, wanted);
    seen.add(given);
    return undefined;
  }
}

/** RFC 3339: with seconds, and an offset. */
function millisecondsOf(value: string | number): number {
  if (typeof value === 'number') return value * 1000;
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i.test(value) ? Date.parse(value) : Number.NaN;
}
