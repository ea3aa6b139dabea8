import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import type { FastifyRequest, FastifySchemaCompiler } from 'fastify';
import { day } from '../../time/clock.ts';
import { type FieldError, ProblemError, type ProblemExtras } from '../problems/problem.ts';
import { exampleBody, ownExamples } from './example-body.ts';
import { describeFault } from './fault-texts.ts';

// Bodies are taken as they are: a number is no string. Every fault is reported at once. Schemas made anew for each server
// have the same names.
const ajv = new Ajv({ allErrors: true, verbose: true, strict: false, coerceTypes: false, addUsedSchema: false });
addFormats.default(ajv);

interface ObjectSchema {
  properties?: Record<string, { type?: string }>;
}

/** Makes the check of values by a schema. It is compiled when there is a first value: most are needed by few runs. */
export function validatorOf(schema: object): { (value: unknown): boolean; errors: ErrorObject[] } {
  let compiled: ValidateFunction | undefined;
  const validate = (value: unknown) => {
    compiled ??= ajv.compile(schema);
    const fits = compiled(value);
    validate.errors = compiled.errors ?? [];
    return fits;
  };
  validate.errors = [] as ErrorObject[];
  return validate;
}

/** A part of a request that has a schema. */
export type Part = 'body' | 'querystring';

const noNames: ReadonlySet<string> = new Set();

/**
 * Compiles the schema of a body or of query parameters. Query parameters come as text: one that the schema calls an
 * integer must be plain decimal digits (no sign, point, exponent or 0x) and becomes a number.
 */
export const compileValidator: FastifySchemaCompiler<ObjectSchema> = ({ schema, httpPart }) => {
  // Whoever reads a header checks it.
  if (httpPart === 'headers') return () => true;
  const validate = validatorOf(schema);
  const check = (value: unknown) => (validate(value) ? { value } : { error: validate.errors });
  if (httpPart !== 'querystring') return check;
  const integers = Object.entries(schema.properties ?? {}).filter(([, { type }]) => type === 'integer');
  return (query: Record<string, unknown>) => {
    const converted: Record<string, unknown> = { ...query };
    for (const [name] of integers) {
      const text = converted[name];
      if (typeof text === 'string' && /^(0|[1-9]\d{0,15})$/.test(text)) converted[name] = Number(text);
    }
    return check(converted);
  };
};

/**
 * What in a part of a request does not fit its schema, before Fastify compares the two. Members that are missing in
 * `meant` are passed over: they were sent under a name that is nearly theirs.
 */
export function partFaults(request: FastifyRequest, part: Part, meant: ReadonlySet<string>): FieldError[] {
  if (part === 'body' && request.body === undefined) return [noBody(request)];
  const check = request.getValidationFunction(part) as unknown as
    | ((value: unknown) => { error?: ErrorObject[] })
    | undefined;
  return faultsOf(check?.(part === 'body' ? request.body : request.query).error ?? [], part, request, meant);
}

/** The same for a body that a handler parsed itself. */
export function schemaFaults(
  schema: object,
): (body: unknown, request: FastifyRequest, meant: ReadonlySet<string>) => FieldError[] {
  const validate = validatorOf(schema);
  return (body, request, meant) => (validate(body) ? [] : faultsOf(validate.errors, 'body', request, meant));
}

/** Turns what the validator found into a problem that names each fault. */
export function validationProblem(error: unknown, request: FastifyRequest): ProblemError {
  const { validation, validationContext } = error as { validation: ErrorObject[]; validationContext: string };
  if (validationContext === 'body' && request.body === undefined) return invalid([noBody(request)]);
  return invalid(faultsOf(validation, validationContext === 'body' ? 'body' : 'querystring', request, noNames));
}

/** The refusal of a request without a body, with one that would do. */
function noBody(request: FastifyRequest): FieldError {
  const detail = `The request has no body. Send a JSON object with Content-Type: application/json, such as ${exampleBody(request)}.`;
  return { pointer: '', detail };
}

function faultsOf(
  errors: readonly ErrorObject[],
  part: Part,
  request: FastifyRequest,
  meant: ReadonlySet<string>,
): FieldError[] {
  const shown = {
    today: day(request.server.clocks.now(request.clientId)),
    own: part === 'body' ? ownExamples(request) : {},
  };
  const { many } = request.routeOptions.config;
  const faults = new Map<string, string>();
  for (const error of errors) {
    if (error.keyword === 'required' && meant.has(error.params.missingProperty as string)) continue;
    const [place, detail] = describeFault(error, part, shown);
    const whole = place === '' ? ` Send one such as ${exampleBody(request)}.` : '';
    const more = place === '' && many !== undefined && Array.isArray(error.data) ? ` ${many}` : '';
    if (!faults.has(place)) faults.set(place, `${detail}${whole}${more}`);
  }
  return [...faults].map(([place, detail]) =>
    part === 'body' ? { pointer: place, detail } : { parameter: place.slice(1), detail },
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
