import Type, { type TUnsafe } from 'typebox';

/** Where a schema keeps the enumeration that it is of. A symbol, so that neither validators nor serializers see it. */
export const enumerated = Symbol('enumerated');

/** A list of values that descriptions show once, as the component `name`. */
export interface Enumeration {
  readonly name: string;
  readonly schema: object;
}

/**
 * Makes the schemas of an enumeration: each place has a text and an example of its own. In descriptions they become
 * references to one component; where values are checked they are ordinary schemas, which needs no shared names.
 */
export function enumeration<T extends string>(name: string, values: readonly T[], about: string) {
  const named: Enumeration = {
    name,
    schema: { type: 'string', enum: values, description: about, examples: values.slice(0, 1) },
  };
  return (description: string, example: T, keywords: object = {}): TUnsafe<T> =>
    Type.Unsafe<T>({
      type: 'string',
      enum: [...values],
      description,
      examples: [example],
      ...keywords,
      [enumerated]: named,
    });
}
