import { type Enumeration, enumerated } from '../../text/enumeration.ts';

/** A schema of a route, as far as descriptions look into it. */
export interface Schema {
  [keyword: string]: unknown;
  $id?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: readonly Schema[];
  required?: readonly string[];
  description?: string;
  examples?: readonly unknown[];
  [enumerated]?: Enumeration;
}

/** `least` are the members of a request that this media type requires, if they are more than its schema says. */
type Content = Record<string, { schema: Schema; least?: readonly string[] }>;

/** A body or response is a schema, or has one for each media type. */
export const contentOf = (schema: Schema): Content =>
  (schema.content as Content | undefined) ?? { 'application/json': { schema } };
