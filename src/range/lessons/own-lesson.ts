import Type, { type Static } from 'typebox';
import type { Entry } from './entry.ts';
import type { History } from './history.ts';
import { type Lesson, type Level, levels, plainAnswer, type Question, textOf, type Verdict } from './lesson.ts';
import { type AskedOfCall, CallMatcher, WantedCall, type WantedCallData } from './wanted-call.ts';

/*
 * A lesson that is told by data: calls that have to come in an order, each so many times, and then perhaps a question. What
 * comes in between does not matter.
 */

const line = (description: string, maxLength = 500) => Type.String({ minLength: 1, maxLength, description });

const Asks = Type.Object(
  {
    question: line('What is to be found out.'),
    answers: Type.Array(
      Type.Union([Type.String({ minLength: 1, maxLength: 200 }), Type.Number()], {
        description: 'A right answer. Capital letters and white space around it make no difference.',
      }),
      {
        minItems: 1,
        maxItems: 20,
        description: 'The right answers. No learner is shown them: keep the file to yourself.',
      },
    ),
    title: Type.Optional(line('What to do, for the list of steps; `Send what you found out` by default.', 100)),
    advice: Type.Optional(line('What to look at, for whoever sends a wrong answer.', 300)),
  },
  {
    additionalProperties: false,
    description: 'A question, once the calls were made. The right answer solves the lesson.',
  },
);

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
    calls: Type.Optional(
      Type.Array(WantedCall, {
        minItems: 1,
        maxItems: 20,
        description:
          'The calls that solve it, in this order. Others may come in between. A lesson has them, or it asks.',
      }),
    ),
    asks: Type.Optional(Asks),
  },
  { additionalProperties: false, description: 'A lesson of your own.' },
);

export type OwnLessonData = Static<typeof OwnLesson>;
type Answers = readonly (string | number)[];

/** Where a sentence of ours would have the answer of the lesson's question. */
const nearly = 'This call is nearly the one to make. One thing in it is missing.';

const defaultAdvice = 'That is not it. Look at your calls and their answers once more.';

export function ownLesson({
  calls = [],
  asks,
  level = 1,
  hints = [],
  sections = [],
  buildsOn = [],
  ...rest
}: OwnLessonData): Lesson {
  const way = new Way(calls, asks?.answers ?? []);
  const steps = way.stages.map((stage) => ({
    title: stage.title,
    judge: (entry: Entry, history: History) => way.judge(stage, entry, history),
  }));
  return { ...rest, level, hints, sections, buildsOn, steps, ...(asks && { asks: questionOf(asks, way) }) };
}

function questionOf(
  { question, answers, title = 'Send what you found out', advice = defaultAdvice }: Static<typeof Asks>,
  way: Way,
): Question {
  const accepted = new Set(answers.map(comparable));
  return {
    step: title,
    question,
    answerType: answers.every((answer) => typeof answer === 'number') ? 'number' : 'text',
    check(answer, history) {
      const next = way.nextIn(history);
      if (next) return `Make the calls first. The next one: “${next.title}”.`;
      return accepted.has(comparable(answer)) ? { entry: way.lastIn(history) } : advice;
    },
  };
}

/** One of the calls of a lesson. */
interface Stage {
  readonly title: string;
  readonly matcher: CallMatcher;
  readonly misses: readonly { readonly matcher: CallMatcher; readonly says: string }[];
  /** How many calls have come by its end, in all. */
  readonly until: number;
}

/** The calls of a lesson, one after the other. */
class Way {
  readonly stages: readonly Stage[];
  readonly #answers: Answers;

  constructor(calls: readonly WantedCallData[], answers: Answers) {
    let until = 0;
    this.#answers = answers;
    this.stages = calls.map(({ title, misses = [], ...call }, at) => {
      until += call.count ?? 1;
      return {
        title: title ?? defaultTitle(call, at, answers),
        matcher: new CallMatcher(call),
        misses: misses.map(({ says, ...asked }) => ({ matcher: new CallMatcher(asked), says })),
        until,
      };
    });
  }

  judge(stage: Stage, entry: Entry, history: History): Verdict {
    if (entry.kind === 'delivery') return false;
    if (stage.matcher.fits(entry)) return this.#came(history) >= stage.until - 1;
    const miss = this.#missOf(stage, entry);
    return miss !== undefined && this.nextIn(history) === stage && miss;
  }

  /** The call that has not come; undefined once all have. */
  nextIn(history: History): Stage | undefined {
    const came = this.#came(history);
    return this.stages.find(({ until }) => until > came);
  }

  /** The exchange that was the last of the calls. */
  lastIn(history: History): Entry | undefined {
    const last = this.stages.at(-1);
    return last && history.last((entry) => last.matcher.fits(entry));
  }

  /** How many of the calls have come, in their order. */
  #came(history: History): number {
    let came = 0;
    let next = 0;
    for (const entry of history.all(({ kind }) => kind !== 'delivery')) {
      const stage = this.stages[next];
      if (!stage?.matcher.fits(entry)) continue;
      came += 1;
      if (came === stage.until) next += 1;
    }
    return came;
  }

  /** What is missing in a call that came while this one was the next. */
  #missOf(stage: Stage, entry: Entry): string | undefined {
    const own = stage.misses.find(({ matcher }) => matcher.fits(entry));
    if (own) return own.says;
    const other = this.stages.find(({ matcher }) => matcher.fits(entry));
    // What was done already can be done again, and whoever has not begun may be at something else.
    if (other && (other.until < stage.until || stage === this.stages[0])) return undefined;
    const says = other ? `This call comes too early. First: “${stage.title}”.` : stage.matcher.lackOf(entry);
    return says && (tells(says, this.#answers) ? nearly : says);
  }
}

/** The headers that these lessons look at, in lower case. */
export function headersIn(lessons: readonly Pick<OwnLessonData, 'calls'>[]): string[] {
  const asked: AskedOfCall[] = lessons.flatMap(({ calls = [] }) =>
    calls.flatMap(({ misses = [], ...call }) => [call, ...misses]),
  );
  return asked.flatMap(({ headers = {} }) => Object.keys(headers).map((name) => name.toLowerCase()));
}

function defaultTitle(call: WantedCallData, at: number, answers: Answers): string {
  const { method = 'Any call', path, query, headers, body, status, problem, count = 1 } = call;
  const sent = [...Object.keys({ ...query, ...headers }), ...Object.keys(body ?? {})].join(', ');
  const answer = problem ?? status;
  const parts = [sent && ` with ${sent}`, answer && `, answered with ${answer}`, count > 1 && `, ${count} times`];
  const title = `${method}${path ? ` ${path}` : ''}${parts.filter(Boolean).join('')}`;
  return tells(title, answers) ? `Call ${at + 1}` : title;
}

const comparable = (answer: unknown) => textOf(plainAnswer(answer)).trim().toLowerCase();

/** Tells whether a text has one of the answers in it, as words. */
export function tells(text: string, answers: Answers): boolean {
  const words = ` ${wordsOf(text)} `;
  return answers.some((answer) => words.includes(` ${wordsOf(comparable(answer))} `));
}

const wordsOf = (text: string) =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
    .join(' ');
