import Type from 'typebox';

/* The shapes of single values that the schemas of several rooms have. */

/** In examples. */
const usual = '2026-03-02T10:15:30.000Z';

export const moment = (description: string, at = usual) =>
  Type.String({ format: 'date-time', description, examples: [at] });

export const momentOrNull = (description: string, at: string | null = usual) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time', description, examples: [at] });

export const textOrNull = (description: string, example: string | null) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], description, examples: [example] });

export const whole = (description: string, example: number) => Type.Integer({ description, examples: [example] });

export const wholeOrNull = (description: string, example: number | null) =>
  Type.Unsafe<number | null>({ type: ['integer', 'null'], description, examples: [example] });

/** An object whose members are not described. */
export const anyMembers = (description: string, example: object) =>
  Type.Unsafe<Record<string, unknown>>({ type: 'object', description, additionalProperties: {}, examples: [example] });
