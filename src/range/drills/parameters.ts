import type { FastifyRequest } from 'fastify';
import type { DrillName } from '../../active-drills.ts';
import { nearName } from '../../http/near-name.ts';
import { type FieldError, pointerTo } from '../../http/problem.ts';
import { invalid, schemaFaults } from '../../http/validation.ts';
import { excerpt } from '../../text/excerpt.ts';
import { catalogue, drillNames, sentParameters } from './catalogue.ts';

type Values = Record<string, unknown>;

const none: ReadonlySet<string> = new Set();

const checks = new Map(drillNames.map((name) => [name, schemaFaults(sentParameters(name))]));

/**
 * The parameters of a drill as they were sent, and the defaults of the others.
 *
 * @throws {ProblemError} `validation-error`
 */
export function wholeParameters(name: DrillName, sent: Values, request: FastifyRequest, newSeed: () => number): Values {
  const { properties } = catalogue[name].parameters as { properties: Record<string, { default?: unknown }> };
  const faults: FieldError[] = Object.keys(sent)
    .filter((each) => !Object.hasOwn(properties, each))
    .slice(0, 20)
    .map((each) => ({ pointer: pointerTo('parameters', excerpt(each, 40)), detail: unknown(name, each, properties) }));
  for (const fault of checks.get(name)?.(withoutUnknown(sent, properties), request, none) ?? []) {
    faults.push('pointer' in fault ? { ...fault, pointer: `/parameters${fault.pointer}` } : fault);
  }
  if (faults.length > 0) throw invalid(faults);
  const defaults = Object.entries(properties).map(([each, { default: usual }]) => [each, usual]);
  const whole: Values = { ...Object.fromEntries(defaults), ...sent };
  if ('seed' in properties) whole.seed ??= newSeed();
  if (name === 'delay') checkSpread(whole);
  return whole;
}

/** Members of the body that belong in `parameters`: the drill would start without them. */
export function misplacedParameters(body: unknown): FieldError[] {
  const { name, ...others } = (body ?? {}) as { name?: DrillName };
  const kind = name !== undefined && Object.hasOwn(catalogue, name) ? catalogue[name] : undefined;
  const { properties = {} } = (kind?.parameters ?? {}) as { properties?: object };
  return Object.keys(others)
    .filter((each) => Object.hasOwn(properties, each))
    .map((each) => ({
      pointer: pointerTo(each),
      detail: `is a parameter of the drill ${name}: send it within parameters, such as {"name":"${name}","parameters":{"${each}":…}}.`,
    }));
}

function withoutUnknown(sent: Values, properties: object): Values {
  return Object.fromEntries(Object.entries(sent).filter(([name]) => Object.hasOwn(properties, name)));
}

function unknown(drill: DrillName, name: string, properties: object): string {
  const known = Object.keys(properties);
  if (known.length === 0) return `is not a parameter of the drill ${drill}, which has none.`;
  const near = nearName(name, known);
  const meant = near === undefined ? `It has ${known.join(', ')}.` : `Did you mean ${near}?`;
  return `is not a parameter of the drill ${drill}. ${meant}`;
}

function checkSpread(delay: Values): void {
  delay.toMs ??= delay.fromMs;
  if (Number(delay.toMs) >= Number(delay.fromMs)) return;
  const detail = `must not be less than fromMs, which is ${delay.fromMs}. Send both, such as {"fromMs":500,"toMs":3000}.`;
  throw invalid([{ pointer: '/parameters/toMs', detail }]);
}
