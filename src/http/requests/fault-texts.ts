import type { ErrorObject } from 'ajv';
import { oddCharacter } from '../../text/odd-character.ts';
import { kindOf, mayBeSecret, quoted, shownValue } from '../../text/shown-value.ts';
import { nearName } from './near-name.ts';

interface Rule {
  readonly description?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly properties?: Record<string, Rule>;
}

/** What examples are in place of what stands in the schema. */
export interface ShownExamples {
  /** The day that an example of a date has. */
  readonly today: string;
  /** By the member of the body. */
  readonly own: Readonly<Record<string, unknown>>;
}

/** Where a fault is, as a pointer, and what to do about it: what was sent, what is allowed, and a value that is. */
export function describeFault(
  fault: ErrorObject,
  part: 'body' | 'querystring',
  shown: ShownExamples,
): [place: string, detail: string] {
  const { instancePath: place, params, keyword, data } = fault;
  const rule = (fault.parentSchema ?? {}) as Rule;
  if (keyword === 'required') {
    const member = params.missingProperty as string;
    const wanted = rule.properties?.[member] ?? {};
    return [
      `${place}/${member}`,
      join('is missing.', wanted.description, exampleOf(wanted, `${place}/${member}`, shown)),
    ];
  }
  if (place === '') return ['', wrongWhole(data)];
  if (keyword === 'enum') return [place, wrongChoice(params.allowedValues as unknown[], data)];
  const wrong =
    keyword === 'type'
      ? wrongType([params.type].flat().join(' or '), data, part)
      : (wrongValue(fault) ?? 'has a value that is not allowed:');
  const sent = keyword === 'type' ? '' : ` ${shownValue(data)}.`;
  return [place, join(`${wrong}${sent}`, oddIn(fault), rule.description, exampleOf(rule, place, shown))];
}

function wrongWhole(sent: unknown): string {
  const detail = `The body must be a JSON object, not ${kindOf(sent)}.`;
  if (typeof sent === 'string' && /^\s*\{/.test(sent)) return `${detail} It was made into JSON twice: do it once.`;
  if (Array.isArray(sent)) return `${detail} Send one object, in {}, without [] around it.`;
  return detail;
}

function wrongChoice(allowed: readonly unknown[], sent: unknown): string {
  const near = typeof sent === 'string' ? nearName(sent, allowed.map(String)) : undefined;
  const meant = near === undefined ? '' : ` Did you mean ${quoted(near)}?`;
  return `must be one of ${allowed.join(', ')}, not ${shownValue(sent)}.${meant}`;
}

function wrongType(wanted: string, sent: unknown, part: 'body' | 'querystring'): string {
  if (part === 'querystring' && Array.isArray(sent)) return `was sent ${sent.length} times. Send it once.`;
  const shown = sent === null ? 'null' : `${kindOf(sent)}: ${shownValue(sent)}`;
  if (wanted === 'integer' && part === 'querystring') {
    if (/^0\d+$/.test(String(sent))) return `must be written without a 0 in front, not ${shownValue(sent)}.`;
    if (/^\d+$/.test(String(sent))) return `is too large: ${shownValue(sent)}.`;
    return `must be one whole number in decimal digits, not ${shownValue(sent)}.`;
  }
  if (wanted === 'integer')
    return `must be a whole number${typeof sent === 'string' ? ' without quotes' : ''}, not ${shown}.`;
  return `must be ${/^[ao]/.test(wanted) ? 'an' : 'a'} ${wanted}, not ${shown}.`;
}

/** The beginning of a sentence that ends with the value. */
function wrongValue({ keyword, params, data, schema }: ErrorObject): string | undefined {
  const { limit } = params as { limit: number };
  if (keyword === 'minimum') return `must be at least ${limit}, not`;
  if (keyword === 'maximum') return `must be at most ${limit}, not`;
  if (keyword === 'minLength') return data === '' ? 'is empty:' : `is shorter than ${limit} characters:`;
  if (keyword === 'maxLength') return `has ${[...(data as string)].length} characters, and ${limit} are allowed:`;
  if (keyword === 'minItems') return 'has too few entries:';
  if (keyword === 'maxItems') return `has ${(data as unknown[]).length} entries, and ${limit} are allowed:`;
  if (keyword === 'uniqueItems') return 'has an entry twice:';
  if (keyword === 'format' && schema === 'date' && /^\d{4}-\d\d-\d\d[T\s_]/i.test(data as string)) {
    return 'must be a date only, YYYY-MM-DD, without a time:';
  }
  if (keyword === 'format' && schema === 'date') return 'is not a date that exists, written YYYY-MM-DD:';
  return undefined;
}

/** The first character that a pattern has nowhere. That can be told if a letter alone fits it. */
function oddIn({ keyword, params, data }: ErrorObject): string | undefined {
  if (keyword !== 'pattern' || typeof data !== 'string' || mayBeSecret(data)) return undefined;
  const pattern = new RegExp(params.pattern as string, 'u');
  return pattern.test('A') ? oddCharacter(data, (character) => pattern.test(`A${character}`)) : undefined;
}

/** A value that is allowed, or all where they are few; undefined where the schema has none. */
function exampleOf(
  { enum: choice, format, examples, default: usual }: Rule,
  place: string,
  { today, own }: ShownExamples,
): string | undefined {
  if (choice) return `Allowed: ${choice.join(', ')}.`;
  const example = own[place.slice(1)] ?? (format === 'date' ? today : (usual ?? examples?.[0]));
  return example === undefined ? undefined : `Example: ${JSON.stringify(example)}.`;
}

const join = (...sentences: (string | undefined)[]) => sentences.filter((each) => each).join(' ');
