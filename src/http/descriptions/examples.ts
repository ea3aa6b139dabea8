import type { Schema } from './schema.ts';

/**
 * What stands in examples, and what comes in its place on the day on which a description is served: days, and what can
 * be used only once. Undefined where no value would do; then there is no example.
 */
export type Replacements = Readonly<Record<string, string | undefined>>;

/** Takes examples from schemas. */
export class Examples {
  readonly #replacements: Replacements;
  readonly #pattern: RegExp | undefined;

  constructor(replacements: Replacements) {
    this.#replacements = replacements;
    const texts = Object.keys(replacements).map(RegExp.escape);
    // At once, so that what came in place of one is not taken for another.
    this.#pattern = texts.length > 0 ? new RegExp(texts.join('|'), 'g') : undefined;
  }

  /** An example with everything in it as it is on this day. */
  today(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((each) => this.today(each));
    if (value !== null && typeof value === 'object') {
      const members = Object.entries(value).map(([name, each]) => [name, this.today(each)] as const);
      // Without one of its members it is no example.
      const lacks = members.some(
        ([name, each]) => each === undefined && value[name as keyof typeof value] !== undefined,
      );
      return lacks ? undefined : Object.fromEntries(members);
    }
    if (typeof value !== 'string' || !this.#pattern) return value;
    if (value in this.#replacements) return this.#replacements[value];
    return value.replace(this.#pattern, (text) => this.#replacements[text] ?? text);
  }

  /** The examples of a schema itself. */
  all(examples: readonly unknown[]): unknown[] {
    return examples.map((each) => this.today(each)).filter((each) => each !== undefined);
  }

  /**
   * A value of the schema: its own example, else one put together from those of its parts. `which` of them, as far as
   * there are more. Of alternatives the first is shown.
   */
  of({ examples = [], enum: values, const: only, properties, items, anyOf = [] }: Schema, which = 0): unknown {
    const own = examples[which] ?? examples[0];
    if (own !== undefined) return this.today(own);
    if (properties) {
      const members = Object.entries(properties).map(([name, each]) => [name, this.of(each, which)]);
      return Object.fromEntries(members);
    }
    if (items) return [this.of(items, which)];
    if (anyOf[0]) return this.of(anyOf[0], which);
    return this.today([values, only].flat().find((value) => value !== undefined));
  }

  /**
   * Bodies of requests: what is required, and all. They share nothing that can be used only once, so that both can be
   * sent. None if there is no value for what is required.
   *
   * @param least the names of what is required, if it is more than the schema says
   */
  ofRequest(schema: Schema, least = schema.required ?? []): Record<string, { summary: string; value: object }> {
    const whole = this.of(schema) as Record<string, unknown> | undefined;
    if (whole === undefined) return {};
    const isAll = least.length === Object.keys(whole).length;
    const other = this.of(schema, isAll ? 0 : 1) as Record<string, unknown>;
    const value = Object.fromEntries(least.map((name) => [name, other[name]]));
    if (Object.values(value).includes(undefined)) return {};
    const minimal = { summary: 'What is required', value };
    const complete = { summary: 'Every member', value: whole };
    if (least.length === 0) return { complete };
    return isAll ? { minimal } : { minimal, complete };
  }
}
