import Type, { type TUnsafe } from 'typebox';

/** Where a schema keeps the enumeration that it is of. A symbol, so that neither validators nor serializers see it. */
export const enumerated = Symbol('enumerated');

/** A list of values that descriptions show once, as the component `name`. */
export interface Enumeration {
  readonly name: string;
  readonly schema: object;
}

/** What each enumeration that was made is about, by its name. */
const made = new Map<string, string>();

/**
 * Makes the schemas of an enumeration: each place has a text and an example of its own. In descriptions they become
 * references to one component; where values are checked they are ordinary schemas, which needs no shared names.
 *
 * @throws {Error} if there is one of this name: in a description it would take the place of the other
 */
export function enumeration<T extends string>(name: string, values: readonly T[], about: string) {
  const other = made.get(name);
  if (other !== undefined) throw new Error(`Two enumerations have the name ${name}: “${other}” and “${about}”`);
  made.set(name, about);
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
