import Type, { type Static } from 'typebox';
import type { Entry } from './entry.ts';
import type { History } from './history.ts';
import { type Lesson, type Level, levels } from './lesson.ts';

/*
 * A lesson that is told by data: calls that have to come in an order, each so many times. What comes in between does not
 * matter.
 */

const Wanted = Type.Object(
  {
    title: Type.Optional(
      Type.String({ minLength: 1, maxLength: 100, description: 'What to do, for the list of steps: `Read it again`.' }),
    ),
    method: Type.Optional(Type.String({ pattern: '^[A-Z]+$', description: 'The method, such as `POST`.' })),
    path: Type.Optional(
      Type.String({
        pattern: '^(?:/[^/*?#]*(?:\\*[^/*?#]*)?)+$',
        maxLength: 200,
        description:
          'The path without its query, such as `/insurer/v1/policies/*`: `*` stands for one segment, or for the rest of one. A segment has one at the most.',
      }),
    ),
    status: Type.Optional(
      Type.Union([Type.Integer({ minimum: 100, maximum: 599 }), Type.String({ pattern: '^[1-5]xx$' })], {
        description: 'The status of the answer, such as `409` or `4xx`.',
      }),
    ),
    problem: Type.Optional(Type.String({ maxLength: 100, description: 'The identifier of the problem.' })),
    count: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100, default: 1, description: 'How many such calls there have to be.' }),
    ),
  },
  { additionalProperties: false, minProperties: 1, description: 'A call. What is left out can be anything.' },
);

const line = (description: string, maxLength = 500) => Type.String({ minLength: 1, maxLength, description });

export const OwnLesson = Type.Object(
  {
    id: Type.String({
      pattern: '^[a-z0-9]+(?:-[a-z0-9]+)*$',
      maxLength: 60,
      description: 'Lower case letters, digits and dashes. No other lesson has it.',
    }),
    title: line('The title.', 100),
    topic: Type.Optional(line('The title of the topic; `Lessons of this class` by default.', 100)),
    level: Type.Optional(Type.Unsafe<Level>({ type: 'integer', enum: [...levels], description: '1 by default.' })),
    goal: line('What to do.'),
    why: line('Why it matters at work.'),
    hints: Type.Optional(
      Type.Array(line('A hint. What is code in it stands between backticks.'), {
        maxItems: 3,
        description: 'From a nudge to nearly the answer.',
      }),
    ),
    sections: Type.Optional(Type.Array(line('A section.', 100), { description: 'Of the specification.' })),
    buildsOn: Type.Optional(Type.Array(line('An id.', 60), { description: 'The lessons that come before.' })),
    calls: Type.Array(Wanted, {
      minItems: 1,
      maxItems: 20,
      description: 'The calls that solve it, in this order. Others may come in between.',
    }),
  },
  { additionalProperties: false, description: 'A lesson of your own.' },
);

export type OwnLessonData = Static<typeof OwnLesson>;
type WantedCall = Static<typeof Wanted>;

export function ownLesson({
  calls,
  level = 1,
  hints = [],
  sections = [],
  buildsOn = [],
  ...rest
}: OwnLessonData): Lesson {
  const wanted = calls.flatMap((call) => Array.from({ length: call.count ?? 1 }, () => fits(call)));
  /** Tells whether the first `count` of those wanted have come by then. */
  const came = (history: History, count: number) => {
    let next = 0;
    for (const each of history.all(() => true)) if (wanted[next]?.(each)) next += 1;
    return next >= count;
  };
  let before = 0;
  const steps = calls.map((call) => {
    before += call.count ?? 1;
    const last = before - 1;
    const judge = (entry: Entry, history: History) => (wanted[last]?.(entry) ?? false) && came(history, last);
    return { title: call.title ?? stepTitle(call), judge };
  });
  return {
    ...rest,
    level,
    hints,
    sections,
    buildsOn,
    steps,
  };
}

function stepTitle({ method = 'Any call', path, status, problem, count = 1 }: WantedCall): string {
  const answer = problem ?? status;
  return `${method}${path ? ` ${path}` : ''}${answer ? `, answered with ${answer}` : ''}${count > 1 ? `, ${count} times` : ''}`;
}

function fits({ method, path, status, problem }: WantedCall): (entry: Entry) => boolean {
  const begin = String(status ?? '').replace('xx', '');
  return (entry) =>
    entry.kind !== 'delivery' &&
    (method === undefined || entry.call.startsWith(`${method} `)) &&
    (path === undefined || isOfPattern(entry.path, path)) &&
    String(entry.status).startsWith(begin) &&
    (problem === undefined || entry.problem === problem);
}

/** Compares segment by segment: an expression made of the pattern of a file could take time without end. */
function isOfPattern(path: string, pattern: string): boolean {
  const [segments, wanted] = [path.split('/'), pattern.split('/')];
  return segments.length === wanted.length && wanted.every((each, at) => isOfSegment(segments[at] as string, each));
}

function isOfSegment(segment: string, wanted: string): boolean {
  const [begin = '', end] = wanted.split('*');
  if (end === undefined) return segment === wanted;
  return segment.length > begin.length + end.length && segment.startsWith(begin) && segment.endsWith(end);
}
