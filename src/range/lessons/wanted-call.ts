import Type, { type Static } from 'typebox';
import { wayOf } from '../../text/json-pointer.ts';
import { type Entry, jsonOf, type Message, methodOf } from './entry.ts';

/*
 * A call that a lesson of a class's own asks for, told by data, and what an exchange lacks to be one.
 */

const pattern = 'A value: a `*` in a text, at most one, stands for any text, and alone for any value at all.';

const Pattern = Type.String({ pattern: '^[^*]*\\*?[^*]*$', minLength: 1, maxLength: 200, description: pattern });

const named = <Value extends Type.TSchema>(names: string, value: Value, description: string) =>
  Type.Optional(
    Type.Record(Type.String({ pattern: names }), value, {
      additionalProperties: false,
      minProperties: 1,
      maxProperties: 10,
      description,
    }),
  );

const asked = {
  method: Type.Optional(Type.String({ pattern: '^[A-Z]+$', description: 'The method, such as `POST`.' })),
  path: Type.Optional(
    Type.String({
      pattern: '^(?:/[^/*?#]*(?:\\*[^/*?#]*)?)+$',
      maxLength: 200,
      description:
        'The path without its query, such as `/insurer/v1/policies/*`: `*` stands for one segment, or for the rest of one. A segment has one at the most.',
    }),
  ),
  query: named('^[^=&#]+$', Pattern, 'Parameters of the query by their names, such as `{ "pageSize": "2" }`.'),
  headers: named(
    "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$",
    Pattern,
    'Headers of the request by their names, such as `{ "If-Match": "*" }`.',
  ),
  body: named(
    '^/',
    Type.Union([Pattern, Type.Number(), Type.Boolean(), Type.Null()], { description: pattern }),
    'Members of the body, JSON or a form, by their JSON pointers, such as `{ "/holder": "Ada*" }`.',
  ),
  status: Type.Optional(
    Type.Union([Type.Integer({ minimum: 100, maximum: 599 }), Type.String({ pattern: '^[1-5]xx$' })], {
      description: 'The status of the answer, such as `409` or `4xx`.',
    }),
  ),
  problem: Type.Optional(Type.String({ maxLength: 100, description: 'The identifier of the problem.' })),
};

const Asked = Type.Object(asked);

/** What is asked of a call. What is left out can be anything. */
export type AskedOfCall = Static<typeof Asked>;

export const WantedCall = Type.Object(
  {
    title: Type.Optional(
      Type.String({ minLength: 1, maxLength: 100, description: 'What to do, for the list of steps: `Read it again`.' }),
    ),
    ...asked,
    count: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100, default: 1, description: 'How many such calls there have to be.' }),
    ),
    misses: Type.Optional(
      Type.Array(
        Type.Object(
          {
            ...asked,
            says: Type.String({ minLength: 1, maxLength: 300, description: 'What is missing in it, for the learner.' }),
          },
          { additionalProperties: false, minProperties: 2, description: 'A call that is made in place of this one.' },
        ),
        { maxItems: 10, description: 'Calls that nearly do it. For a call that lacks one thing there are sentences.' },
      ),
    ),
  },
  { additionalProperties: false, minProperties: 1, description: 'A call. What is left out can be anything.' },
);

export type WantedCallData = Static<typeof WantedCall>;

/** One thing that is asked of a call. */
interface Condition {
  readonly isMet: (entry: Entry) => boolean;
  /** Says what an exchange lacks that does not meet it, without what would meet it. */
  readonly lack: (entry: Entry) => string;
}

/** Judges exchanges by what is asked of a call. */
export class CallMatcher {
  readonly #method: string | undefined;
  readonly #path: string | undefined;
  /** By what else is sent, and what is answered. */
  readonly #sent: readonly Condition[];
  readonly #answer: readonly Condition[];

  constructor({ method, path, query = {}, headers = {}, body = {}, status, problem }: AskedOfCall) {
    this.#method = method;
    this.#path = path;
    this.#sent = [
      ...Object.entries(query).map(([name, value]) => queryHas(name, value)),
      ...Object.entries(headers).map(([name, value]) => headerIs(name, value)),
      ...Object.entries(body).map(([pointer, value]) => bodyHas(pointer, value)),
    ];
    this.#answer = status === undefined && problem === undefined ? [] : [answerIs(status, problem)];
  }

  fits(entry: Entry): boolean {
    return (
      (this.#method === undefined || methodOf(entry) === this.#method) &&
      (this.#path === undefined || isOfPath(entry.path, this.#path)) &&
      [this.#sent, this.#answer].every((each) => each.every(({ isMet }) => isMet(entry)))
    );
  }

  /**
   * Says what is missing in a call that was meant to be this one: it goes to the same path, and one thing is missing in what it
   * sends, or in how it was answered if nothing is. Undefined for any other: by another method it is, where that is taken.
   */
  lackOf(entry: Entry): string | undefined {
    if (this.#path === undefined || !isOfPath(entry.path, this.#path)) return undefined;
    if (this.#method !== undefined && methodOf(entry) !== this.#method) {
      return entry.status === 405
        ? `The address is right, but you sent ${methodOf(entry)}. Use another method.`
        : undefined;
    }
    const unmet = this.#sent.filter(({ isMet }) => !isMet(entry));
    const [first, second] = unmet.length > 0 ? unmet : this.#answer.filter(({ isMet }) => !isMet(entry));
    return second ? undefined : first?.lack(entry);
  }
}

const queryHas = (name: string, wanted: string): Condition => ({
  isMet: ({ query }) => query.getAll(name).some((value) => isOf(value, wanted)),
  lack: ({ query }) =>
    query.has(name)
      ? `The parameter ${name} in the query of your call has another value than the one to send.`
      : `Your call had no parameter ${name} in its query.`,
});

const headerIs = (name: string, wanted: string): Condition => ({
  isMet: ({ sent }) => isOf(sent.headers[name.toLowerCase()], wanted),
  lack: ({ sent }) =>
    sent.headers[name.toLowerCase()] === undefined
      ? `Your call had no header ${name}.`
      : `The header ${name} of your call has another value than the one to send.`,
});

const bodyHas = (pointer: string, wanted: Wanted): Condition => ({
  isMet: ({ sent }) => isOf(memberOf(sent, pointer), wanted),
  lack({ sent }) {
    if (sent.bytes === 0) return 'Your call had no body.';
    if (sent.text === '') return 'The body of your call was too long to look into it. Send less.';
    if (contentOf(sent) === undefined) return 'The body of your call was neither JSON nor a form.';
    return memberOf(sent, pointer) === undefined
      ? `Your call had no member ${pointer} in its body.`
      : `The member ${pointer} in the body of your call has another value than the one to send.`;
  },
});

function answerIs(status: AskedOfCall['status'], problem: string | undefined): Condition {
  const begin = String(status ?? '').replace('xx', '');
  return {
    isMet: (entry) => String(entry.status).startsWith(begin) && (problem === undefined || entry.problem === problem),
    lack: (entry) =>
      `You sent what is asked for, but the answer was ${entry.status}${entry.problem ? ` ${entry.problem}` : ''}. Another answer is asked for.`,
  };
}

type Wanted = string | number | boolean | null;

/** Tells whether a value is the wanted one. A text is a pattern. */
export function isOf(value: unknown, wanted: Wanted): boolean {
  if (typeof wanted !== 'string') return value === wanted;
  if (wanted === '*') return value !== undefined;
  return typeof value === 'string' && isOfPattern(value, wanted);
}

/** Compares segment by segment: an expression made of the pattern of a file could take time without end. */
function isOfPath(path: string, pattern: string): boolean {
  const [segments, wanted] = [path.split('/'), pattern.split('/')];
  return segments.length === wanted.length && wanted.every((each, at) => isOfPattern(segments[at] as string, each));
}

/** A star, at most one, stands for one character or more. */
export function isOfPattern(text: string, wanted: string): boolean {
  const star = wanted.indexOf('*');
  if (star < 0) return text === wanted;
  const [begin, end] = [wanted.slice(0, star), wanted.slice(star + 1)];
  return text.length > begin.length + end.length && text.startsWith(begin) && text.endsWith(end);
}

/** The body as JSON or as a form; undefined if it is neither. */
function contentOf(sent: Message): unknown {
  const isForm = sent.headers['content-type']?.startsWith('application/x-www-form-urlencoded');
  return isForm ? Object.fromEntries(new URLSearchParams(sent.text)) : jsonOf(sent);
}

/** The member that a JSON pointer names (RFC 6901); undefined if there is none. */
function memberOf(sent: Message, pointer: string): unknown {
  let value = contentOf(sent);
  for (const name of wayOf(pointer)) {
    value =
      value !== null && typeof value === 'object' && Object.hasOwn(value, name)
        ? (value as Record<string, unknown>)[name]
        : undefined;
  }
  return value;
}
