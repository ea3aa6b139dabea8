import { isDeepStrictEqual } from 'node:util';
import { kindOf, shownValue } from '../text/shown-value.ts';
import { type Descriptions, membersOf, type Named, partOf, within } from './descriptions.ts';
import type { Difference, Exchange } from './difference.ts';
import { inOrderOf } from './events.ts';
import { headerDifference, words } from './headers.ts';
import type { Calls, Known } from './known.ts';
import { type Manner, manners } from './members.ts';
import { xmlDifference } from './messages.ts';
import { type Answer, parsed, type Sent } from './side.ts';
import { memberDifference } from './vehicles.ts';

/** The first difference between two answers, in the order in which people look: status, type, body, headers. */
export function difference(
  { reference, yours }: Exchange,
  known: Known,
  descriptions: Descriptions,
  later: readonly string[] = [],
): Difference | undefined {
  const { answer } = yours;
  if ('failure' in answer) return { place: 'answer', says: `Your service ${answer.failure}.` };
  const expected = reference.answer;
  if (answer.status !== expected.status) {
    const type = problemType(parsed(expected.body));
    const why = type === undefined ? '' : `, with the problem ${type}`;
    return { place: 'status', says: `Your service answered ${answer.status}; ${expected.status} is right${why}.` };
  }
  const [right, given] = [mediaType(expected), mediaType(answer)];
  // What is told in plain text is no part of an interface.
  if (right !== given && right !== 'text/plain' && reference.sent.method !== 'HEAD' && expected.body !== '') {
    const says = given === '' ? 'has no Content-Type' : `is ${given}`;
    return { place: 'header:Content-Type', says: `The answer of your service ${says}; ${right} is right.` };
  }
  const body = bodyDifference(expected, answer, { known, descriptions, sent: reference.sent });
  return body ?? headerDifference(reference, { sent: yours.sent, answer }, known, later);
}

function bodyDifference(
  expected: Answer,
  answer: Answer,
  { known, descriptions, sent }: { known: Known; descriptions: Descriptions; sent: Sent },
): Difference | undefined {
  const type = mediaType(expected);
  if (expected.body === '')
    return answer.body === '' ? undefined : { place: 'body', says: 'Your service sent a body; there is none.' };
  if (type.endsWith('xml')) return xmlDifference(expected, answer, known);
  if (!type.endsWith('json')) return undefined;
  const right = parsed(expected.body);
  const given = parsed(answer.body);
  if (given === undefined) return { place: 'body', says: 'The body that your service sent is not JSON.' };
  const schema = descriptions.schemaOf(sent.method, sent.url.pathname, expected.status, type);
  return new Comparison(known, expected, answer).of(right, given, schema, '');
}

/** The first difference between two values that did not come as the body of an answer, but at these times. */
export function valueDifference(
  [right, given]: readonly [unknown, unknown],
  calls: Calls,
  { known, schema, place }: { known: Known; schema: Named | undefined; place: string },
): Difference | undefined {
  return new Comparison(known, calls.expected, calls.answer).of(right, given, schema, place);
}

class Comparison {
  readonly known: Known;
  readonly expected: Calls['expected'];
  readonly answer: Calls['answer'];

  constructor(known: Known, expected: Calls['expected'], answer: Calls['answer']) {
    this.known = known;
    this.expected = expected;
    this.answer = answer;
  }

  /** Compares what is made of parts: objects by the members of their schema, lists in their order. */
  of(right: unknown, given: unknown, schema: Named | undefined, place: string): Difference | undefined {
    if (Array.isArray(right)) return this.#list(right, given, schema, place);
    if (!isObject(right) || !schema) return isDeepStrictEqual(right, given) ? undefined : unequal(place, right, given);
    if (!isObject(given)) return { place, says: `${named(place)} is ${kindOf(given)}; an object is right.` };
    for (const [member, { of: owner, required }] of membersOf(schema)) {
      const manner = manners[owner.name]?.[member] ?? 'open';
      if (!Object.hasOwn(right, member) || manner === 'own') continue;
      const at = within(place, member);
      if (!Object.hasOwn(given, member)) {
        if (manner === 'open' || (!required && ['text', 'faults'].includes(manner))) continue;
        return { place: at, says: `${named(at)} is missing in the answer of your service.` };
      }
      const found = this.#member(manner, right[member], given[member], partOf(owner, member), at);
      if (found) return found;
    }
    if (schema.name !== 'Vehicle') return undefined;
    return memberDifference(String(right.reg_number), given, place, this.known);
  }

  #list(right: unknown[], sent: unknown, schema: Named | undefined, place: string): Difference | undefined {
    if (!Array.isArray(sent)) return { place, says: `${named(place)} is ${kindOf(sent)}; a list is right.` };
    const given = schema?.name === 'EventBatch.events' ? inOrderOf(right, sent, this.known) : sent;
    if (given.length !== right.length) {
      const says = `${named(place)} has a length of ${given.length}; ${right.length} is right.`;
      const foreign = given.length > right.length && given.map(idOf).find((id) => id && !this.known.isNamed(id));
      const whose = foreign ? ` ${foreign} is of another client, or of a call that was refused.` : '';
      return { place, says: says + whose };
    }
    for (const [at, each] of right.entries()) {
      const found = this.of(each, given[at], schema && partOf(schema), within(place, at));
      if (found) return found;
    }
    return undefined;
  }

  #member(
    manner: Manner,
    right: unknown,
    given: unknown,
    schema: Named | undefined,
    place: string,
  ): Difference | undefined {
    if (manner === 'open') return undefined;
    if (manner === 'parts') return this.of(right, given, schema, place);
    if (manner === 'faults') return this.#faults(right, given, place);
    // What is null, a number or a text is the same in every manner.
    if (manner === 'equal' || right === null || typeof right !== typeof given)
      return isDeepStrictEqual(right, given) ? undefined : unequal(place, right, given);
    if (manner === 'words')
      return words(right as string) === words(given as string) ? undefined : unequal(place, right, given);
    if (manner === 'type') {
      const [of, to] = [right, given].map(lastPart);
      return of === to ? undefined : { place, says: `The type of the problem ends with ${to}; ${of} is right.` };
    }
    if (manner === 'instant' || manner === 'moment') {
      const isApart = manner === 'moment';
      const says = this.known.instantFault(right as string | number, given as string | number, this, isApart);
      return says === undefined ? undefined : { place, says: `${named(place)} ${says}.` };
    }
    if (manner === 'token') return this.#token(right as string, given as string, place);
    if (given === '') return { place, says: `${named(place)} is empty in the answer of your service.` };
    const pattern = schema?.schema.pattern;
    if (manner !== 'id') return undefined;
    if (pattern !== undefined && !new RegExp(pattern).test(given as string))
      return { place, says: `${named(place)} is ${shownValue(given)}; it has to match ${pattern}.` };
    const says = this.known.idFault(right as string, given as string);
    return says === undefined ? undefined : { place, says: `${named(place)} ${says}.` };
  }

  /** The claims that the specification names. Whether its signature holds is for the service that takes it. */
  #token(right: string, given: string, place: string): Difference | undefined {
    const [of, to] = [right, given].map(claimsOf);
    if (!of || !to)
      return {
        place,
        says: `${named(place)} is no JWT: three parts with dots between them, of which the second is JSON in base64url.`,
      };
    if (words(String(of.scope)) !== words(String(to.scope)))
      return {
        place,
        says: `The claim scope of ${place} is ${shownValue(to.scope)}; ${shownValue(of.scope)} is right.`,
      };
    const says = typeof to.sub !== 'string' ? 'is missing' : this.known.idFault(String(of.sub), to.sub);
    if (says !== undefined) return { place, says: `The claim sub of ${place} ${says}.` };
    if (typeof to.exp !== 'number') return { place, says: `The claim exp of ${place} is no number.` };
    const late = this.known.instantFault(Number(of.exp), to.exp, this);
    return late === undefined ? undefined : { place, says: `The claim exp of ${place} ${late}.` };
  }

  /** Which places are named is for the reader of a problem: a service may find one fault at a time, but no other. */
  #faults(right: unknown, given: unknown, place: string): Difference | undefined {
    if (!Array.isArray(given)) return { place, says: `${named(place)} is ${kindOf(given)}; a list is right.` };
    const placeOf = (fault: unknown) => {
      const { pointer, parameter, header } = isObject(fault) ? fault : {};
      return JSON.stringify([pointer, parameter, typeof header === 'string' ? header.toLowerCase() : header]);
    };
    const places = (right as unknown[]).map(placeOf);
    const wrong = given.findIndex((fault) => !places.includes(placeOf(fault)));
    if (wrong < 0) return undefined;
    const at = within(place, wrong);
    const says = `${named(at)} names ${placeOf(given[wrong])}, which has no fault; ${places.join(' or ')} is right.`;
    return { place: at, says };
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The id of an item of a list. */
function idOf(item: unknown): string | undefined {
  const { id, claimId } = isObject(item) ? item : {};
  return [id, claimId].find((each) => typeof each === 'string');
}

/** What a JWT says, unless it is none. */
export function claimsOf(token: string): Record<string, unknown> | undefined {
  const parts = token.split('.');
  const claims = parts.length === 3 ? parsed(Buffer.from(parts[1] ?? '', 'base64url').toString()) : undefined;
  return isObject(claims) ? claims : undefined;
}

const lastPart = (type: unknown) => String(type).split('/').at(-1);

/** The end of a problem's type. */
export function problemType(body: unknown): string | undefined {
  return isObject(body) && typeof body.type === 'string' ? lastPart(body.type) : undefined;
}

function mediaType({ headers }: Answer): string {
  return (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}

const named = (place: string) => (place === '' ? 'The body' : `The member ${place}`);

function unequal(place: string, right: unknown, given: unknown): Difference {
  return { place, says: `${named(place)} is ${shownValue(given)}; ${shownValue(right)} is right.` };
}
