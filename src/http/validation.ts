import { Ajv, type ErrorObject } from 'ajv';
import addFormats from 'ajv-formats';
import type { FastifyRequest, FastifySchemaCompiler } from 'fastify';
import { type FieldError, ProblemError, type ProblemExtras } from './problem.ts';

// Bodies are taken as they are: a number is no string. Every fault is reported at once.
const ajv = new Ajv({ allErrors: true, verbose: true, strict: false, coerceTypes: false });
addFormats.default(ajv);

interface ObjectSchema {
  properties?: Record<string, { type?: string }>;
}

/**
 * Compiles the schema of a body or of query parameters. Query parameters come as text: one that the schema calls an
 * integer must be plain decimal digits (no sign, point, exponent or 0x) and becomes a number.
 */
export const compileValidator: FastifySchemaCompiler<ObjectSchema> = ({ schema, httpPart }) => {
  const validate = ajv.compile(schema);
  const check = (value: unknown) => (validate(value) ? { value } : { error: validate.errors as unknown as Error });
  if (httpPart !== 'querystring') return check as never;
  const integers = Object.entries(schema.properties ?? {}).filter(([, { type }]) => type === 'integer');
  return ((query: Record<string, unknown>) => {
    const converted: Record<string, unknown> = { ...query };
    for (const [name] of integers) {
      const text = converted[name];
      if (typeof text === 'string' && /^(0|[1-9]\d{0,15})$/.test(text)) converted[name] = Number(text);
    }
    return check(converted);
  }) as never;
};

/**
 * The same check for a body that a handler parsed itself.
 *
 * @throws {ProblemError} `validation-error`
 */
export function bodyCheck<Body>(schema: object): (body: unknown) => Body {
  const validate = ajv.compile(schema);
  return (body) => {
    if (validate(body)) return body as Body;
    throw faulty(validate.errors ?? [], true);
  };
}

/** Turns what the validator found into a problem that names each fault. */
export function validationProblem(error: unknown, request: FastifyRequest): ProblemError {
  const { validation, validationContext } = error as { validation: ErrorObject[]; validationContext: string };
  if (validationContext === 'body' && request.body === undefined) {
    const detail = 'The request has no body. Send a JSON object with Content-Type: application/json.';
    return invalid([{ pointer: '', detail }]);
  }
  return faulty(validation, validationContext === 'body');
}

function faulty(errors: ErrorObject[], inBody: boolean): ProblemError {
  const faults = new Map<string, string>();
  for (const error of errors) {
    const [place, detail] = describe(error);
    if (!faults.has(place)) faults.set(place, detail);
  }
  return invalid(
    [...faults].map(([place, detail]) => (inBody ? { pointer: place, detail } : { parameter: place.slice(1), detail })),
  );
}

/** A `validation-error` whose detail sums up its faults. */
export function invalid(errors: FieldError[], extras: Pick<ProblemExtras, 'oauthError'> = {}): ProblemError {
  const sentences = errors.map((error) => {
    if ('pointer' in error) return error.pointer ? `${error.pointer.slice(1)}: ${error.detail}` : error.detail;
    return `${'parameter' in error ? error.parameter : error.header}: ${error.detail}`;
  });
  return new ProblemError('validation-error', sentences.join(' '), { ...extras, errors });
}

function describe(fault: ErrorObject): [place: string, detail: string] {
  const { description } = (fault.parentSchema ?? {}) as { description?: string };
  const rule = description && fault.instancePath ? ` ${description}` : '';
  if (fault.keyword === 'required') {
    const member = fault.params.missingProperty as string;
    const wanted = (fault.parentSchema as { properties?: Record<string, { description?: string }> }).properties?.[
      member
    ];
    return [`${fault.instancePath}/${member}`, `is missing. ${wanted?.description ?? ''}`.trim()];
  }
  if (fault.keyword === 'type') {
    if (!fault.instancePath) return ['', `The body must be a JSON ${fault.params.type}, not ${kind(fault.data)}.`];
    if (fault.params.type === 'integer')
      return [fault.instancePath, `must be one whole number in decimal digits.${rule}`];
    return [fault.instancePath, `must be a ${fault.params.type}, not ${kind(fault.data)}.${rule}`];
  }
  if (fault.keyword === 'enum') {
    return [fault.instancePath, `must be one of ${(fault.params.allowedValues as string[]).join(', ')}.`];
  }
  return [fault.instancePath, `has a value that is not allowed.${rule}`];
}

function kind(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
