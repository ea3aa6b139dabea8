import { validatorOf } from '../../http/requests/validation.ts';
import { excerpt } from '../../text/excerpt.ts';

/*
 * Answers that are an object. The question and what is said of a wrong one come from the same schema.
 */

/** A member of an answer. */
export interface AnswerMember {
  /** What the question says of it. */
  readonly is: string;
  /** JSON Schema. */
  readonly schema: object;
  /** What to look at where it has its form, but a wrong value: a sentence without its subject. */
  readonly wrong: string;
  /** Tells whether a value is the right one; without it, whether both are equal. */
  readonly isSame?: (sent: unknown, right: unknown) => boolean;
}

/** Names of members that are repeated in one advice, and characters of each. */
const maxFaults = 12;
const maxName = 40;

export class AnswerShape<Name extends string> {
  readonly #members: Readonly<Record<Name, AnswerMember>>;
  readonly #validate: ReturnType<typeof validatorOf>;

  constructor(members: Readonly<Record<Name, AnswerMember>>) {
    this.#members = members;
    const properties = Object.fromEntries(this.#entries().map(([name, { schema }]) => [name, schema]));
    const required = Object.keys(members);
    this.#validate = validatorOf({ type: 'object', properties, required, additionalProperties: false });
  }

  /** The members, as a question lists them. */
  get told(): string {
    return this.#entries()
      .map(([name, { is }]) => `\`${name}\` (${is})`)
      .join(', ');
  }

  /** What is wrong with an answer, member by member; never what would be right. Undefined if nothing is. */
  fault(answer: unknown, right: Readonly<Record<Name, unknown>>): string | undefined {
    if (!isObject(answer)) return 'Send one object, with the members that the question names.';
    const malformed = this.#malformed(answer);
    const wrong = this.#entries()
      .filter(([name]) => !malformed.has(name))
      .filter(([name, { isSame = Object.is }]) => !isSame(answer[name], right[name]))
      .map(([name, member]) => `${name} ${member.wrong}`);
    const faults = [...malformed.values(), ...wrong];
    return faults.length === 0 ? undefined : faults.slice(0, maxFaults).join(' ');
  }

  /** What is said of each member that is missing, too much or not of its form. */
  #malformed(answer: object): Map<string, string> {
    if (this.#validate(answer)) return new Map();
    return new Map(
      this.#validate.errors.map(({ instancePath, params }) => {
        const { missingProperty: missing, additionalProperty: extra } = params as Readonly<Record<string, string>>;
        if (extra !== undefined) return [extra, `${excerpt(extra, maxName)} is no member of the answer.`];
        const name = missing ?? (instancePath.split('/')[1] as string);
        const { is } = this.#members[name as Name];
        return [name, `${name} ${missing === undefined ? 'has the wrong form' : 'is missing'}: ${is}.`];
      }),
    );
  }

  #entries(): [Name, AnswerMember][] {
    return Object.entries(this.#members) as [Name, AnswerMember][];
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
