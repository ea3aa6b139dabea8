import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { asyncApiDocument } from '../../src/claims/asyncapi.ts';

/** Made when an event is first checked: most processes of tests check none. */
let validate: ValidateFunction | undefined;

function compiled(): ValidateFunction {
  // biome-ignore lint/suspicious/noExplicitAny: a document is taken as it comes
  const { components }: any = asyncApiDocument('http://localhost:8080');
  const ajv = addFormats.default(new Ajv2020({ strict: true, allErrors: true, allowUnionTypes: true }));
  ajv.addKeyword('components');
  return ajv.compile(closed({ ...components.schemas.ClaimStatusChanged, components }));
}

/**
 * What of a payload differs from its schema in the AsyncAPI document; nothing when it fits. A consumer is told to put up
 * with members it doesn't know, but here none may come that is not described.
 */
export function eventFaults(payload: unknown): string[] {
  validate ??= compiled();
  if (validate(payload)) return [];
  return (validate.errors ?? []).map(({ instancePath, message, params }) =>
    [`event${instancePath}`, message, ...('additionalProperty' in params ? [params.additionalProperty] : [])].join(' '),
  );
}

/** The same schema, which takes no member that it does not describe. */
// biome-ignore lint/suspicious/noExplicitAny: a schema is taken as it comes
function closed(schema: any): any {
  if (Array.isArray(schema)) return schema.map(closed);
  if (schema === null || typeof schema !== 'object') return schema;
  const copy = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, closed(value)]));
  return copy.type === 'object' ? { ...copy, additionalProperties: false } : copy;
}
