import type { FastifyRequest } from 'fastify';
import type { DrillName } from '../../active-drills.ts';
import type { FieldError } from '../../http/problems/problem.ts';
import { nearName, plainName } from '../../http/requests/near-name.ts';
import { invalid, schemaFaults } from '../../http/requests/validation.ts';
import { excerpt } from '../../text/excerpt.ts';
import { pointerTo } from '../../text/json-pointer.ts';
import { unknownCalls } from './calls.ts';
import { catalogue, drillNames, sentParameters } from './catalogue.ts';

type Values = Record<string, unknown>;

const none: ReadonlySet<string> = new Set();

const checks = new Map(drillNames.map((name) => [name, schemaFaults(sentParameters(name))]));

/**
 * The parameters of a drill as they were sent, and the defaults of the others.
 *
 * @throws {ProblemError} `validation-error`
 */
export function wholeParameters(
  name: DrillName,
  sent: Values,
  request: FastifyRequest,
  { newSeed, systems }: { newSeed: () => number; systems: readonly string[] },
): Values {
  const { properties } = catalogue[name].parameters as { properties: Record<string, { default?: unknown }> };
  const faults: FieldError[] = Object.keys(sent)
    .filter((each) => !Object.hasOwn(properties, each))
    .slice(0, 20)
    .map((each) => ({ pointer: pointerTo('parameters', excerpt(each, 40)), detail: unknown(name, each, properties) }));
  for (const fault of checks.get(name)?.(withoutUnknown(sent, properties), request, none) ?? []) {
    faults.push('pointer' in fault ? { ...fault, pointer: `/parameters${fault.pointer}` } : fault);
  }
  if (faults.length === 0)
    faults.push(
      ...sequenceFaults(sent),
      ...unknownCalls((sent.calls ?? []) as string[], request.server.servedPaths, systems),
    );
  if (faults.length > 0) throw invalid(faults);
  const usual = Object.entries(properties).flatMap(([each, { default: value }]) =>
    value === undefined ? [] : [[each, value]],
  );
  const whole: Values = { ...Object.fromEntries(usual), ...sent };
  if (sent.sequence) delete whole.share;
  if ('seed' in properties) whole.seed ??= newSeed();
  if (name === 'delay') checkSpread(whole);
  return whole;
}

/** What people call `minutes`, in small letters. `seconds` is a parameter of some drills. */
export const durationNames = [
  'duration',
  'durationseconds',
  'durationminutes',
  'length',
  'time',
  'ttl',
  'timeout',
  'for',
];

const atItsPlace = 'How long a drill lasts is told by minutes, beside name in the body: {"name":"delay","minutes":5}.';

/** Parameters of the URL that belong in the body: the drill would start without them. */
export function misplacedInQuery(query: unknown): FieldError[] {
  return Object.keys((query ?? {}) as object)
    .slice(0, 20)
    .flatMap((sent) => {
      const parameter = excerpt(sent, 40);
      if (isDuration(sent)) return [{ parameter, detail: `is not read from the URL. ${atItsPlace}` }];
      if (nearName(sent, ['parameters', ...parameterNames]) === undefined) return [];
      const detail =
        'is not read from the URL. Send it in the body, within parameters: {"name":"delay","parameters":{"fromMs":500}}.';
      return [{ parameter, detail }];
    });
}

const parameterNames = new Set(drillNames.flatMap((name) => Object.keys(catalogue[name].parameters.properties)));

const isDuration = (name: string) => ['minutes', 'seconds', ...durationNames].includes(plainName(name));

/** Members of the body that belong in `parameters`: the drill would start without them. */
export function misplacedParameters(body: unknown): FieldError[] {
  const { name, ...others } = (body ?? {}) as { name?: DrillName };
  const kind = name !== undefined && Object.hasOwn(catalogue, name) ? catalogue[name] : undefined;
  const { properties = {} } = (kind?.parameters ?? {}) as { properties?: object };
  const misplaced = Object.keys(others)
    .filter((each) => Object.hasOwn(properties, each))
    .map((each) => ({
      pointer: pointerTo(each),
      detail: `is a parameter of the drill ${name}: send it within parameters, such as {"name":"${name}","parameters":{"${each}":…}}.`,
    }));
  if (!Object.hasOwn(others, 'seconds') || Object.hasOwn(properties, 'seconds')) return misplaced;
  return [...misplaced, { pointer: '/seconds', detail: `is not a member of this request. ${atItsPlace}` }];
}

function withoutUnknown(sent: Values, properties: object): Values {
  return Object.fromEntries(Object.entries(sent).filter(([name]) => Object.hasOwn(properties, name)));
}

function unknown(drill: DrillName, name: string, properties: object): string {
  const known = Object.keys(properties);
  if (isDuration(name)) return `is not a parameter of the drill ${drill}. ${atItsPlace}`;
  if (known.length === 0) return `is not a parameter of the drill ${drill}, which has none.`;
  const near = nearName(name, known);
  const meant = near === undefined ? `It has ${known.join(', ')}.` : `Did you mean ${near}?`;
  return `is not a parameter of the drill ${drill}. ${meant}`;
}

function sequenceFaults({ sequence, share, sequenceThen }: Values): FieldError[] {
  if (sequence !== undefined && share !== undefined)
    return [{ pointer: '/parameters/sequence', detail: 'takes the place of share. Send one of the two.' }];
  if (sequence !== undefined || sequenceThen === undefined) return [];
  const detail = 'says what comes after a sequence, and there is none. Send one, such as {"sequence":["hit","pass"]}.';
  return [{ pointer: '/parameters/sequenceThen', detail }];
}

function checkSpread(delay: Values): void {
  delay.toMs ??= delay.fromMs;
  if (Number(delay.toMs) >= Number(delay.fromMs)) return;
  const detail = `must not be less than fromMs, which is ${delay.fromMs}. Send both, such as {"fromMs":500,"toMs":3000}.`;
  throw invalid([{ pointer: '/parameters/toMs', detail }]);
}
