import type { Entry } from './entry.ts';
import type { History } from './history.ts';

/** How far one can be with a lesson. */
export const states = ['open', 'started', 'solved'] as const;

export const levels = [1, 2, 3] as const;

/** 1: single calls. 2: several that belong together. 3: what goes wrong, and how a program gets over it. */
export type Level = (typeof levels)[number];

/**
 * What an entry means for a step: `true` does it, a sentence says what was missing to do so, `false` is neither. The
 * sentence goes to the learner as a remark on the exchange.
 */
export type Verdict = boolean | string | EndedAttempt;

/** The attempt can't succeed any more. */
export interface EndedAttempt {
  /** Says why, and how to begin again. */
  readonly beginAgain: string;
}

/** Something to do on the way through a lesson. */
export interface Step {
  /** What to do, as a short sentence without its full stop: `Read the policy again`. */
  readonly title: string;
  /** Judges one exchange, in the light of those before it. Pure: the same exchanges give the same verdict. */
  readonly judge: (entry: Entry, history: History) => Verdict;
}

/** What is sent as an answer. */
export const answerTypes = ['text', 'number', 'json'] as const;

/** An answer that a lesson asks for. */
export interface Question {
  /** The title of the step that it is, the last of its lesson. */
  readonly step: string;
  /** What is to be sent as `answer`. */
  readonly question: string;
  /** A text by default. */
  readonly answerType?: (typeof answerTypes)[number];
  /**
   * Looks at an answer. `entry` is the exchange where the answer can be seen; a lesson that can be answered from a document
   * alone has none. A sentence says what to look at where it is wrong, and never contains the answer.
   */
  check(answer: unknown, history: History): { readonly entry?: Entry | undefined } | string;
}

/** A text without what a terminal adds: white space around it, and quotes. */
export function plainAnswer(answer: unknown): unknown {
  return typeof answer === 'string' ? answer.trim().replace(/^(["'])(.*)\1$/s, '$2') : answer;
}

/** An answer as a text, whatever it is: an object may have a `toString` that can't be called. */
export function textOf(answer: unknown): string {
  return typeof answer === 'object' ? JSON.stringify(answer) : String(answer);
}

/** Something to learn, and how it is seen in the exchanges of a client that it has been done. */
export interface Lesson {
  /** Lower case letters, digits and dashes. It never changes: what was solved is kept under it. */
  readonly id: string;
  readonly title: string;
  readonly level: Level;
  /** What to do, in two or three sentences. */
  readonly goal: string;
  /** Why it matters at work, in one sentence. */
  readonly why: string;
  /** Up to three, from a nudge to nearly the answer. */
  readonly hints: readonly string[];
  /** Sections of the specification that it practises, such as `Authentication, 1`. */
  readonly sections: readonly string[];
  /** The ids of lessons that come before. */
  readonly buildsOn: readonly string[];
  /**
   * What is to be done, in this order. The verdict of the last one solves the lesson, so it looks whether those before it were
   * done; where the lesson asks a question, the right answer does.
   */
  readonly steps: readonly Step[];
  readonly asks?: Question;
  /** It is about calls that are repeated: the kept answer of an earlier call does its steps, too. */
  readonly countsReplays?: true;
  /** Its calls are made without one, so nothing is said of a token that a call lacks. */
  readonly needsNoToken?: true;
  /** It is there only where the service asks for client certificates. */
  readonly needsCertificate?: true;
}

/** What a lesson of the path has besides, and one of a class's own has not. */
interface OfPath {
  /** What to remember once it is solved: two short sentences. */
  readonly remember: string;
  /** What goes wrong at work without it, in one or two sentences. */
  readonly without: string;
  /** How many calls the shortest way takes, with a token at hand. */
  readonly shortestWay: number;
  /** The calls on the way, with the status or the problem if one is to be refused. Those that make a client or get a token are on every way. */
  readonly way?: readonly string[];
  /** What is said of calls that the log does not have. */
  readonly unlogged?: Readonly<Record<string, string>>;
}

/** Lessons of one subject. */
export interface LessonTopic {
  readonly id: string;
  readonly title: string;
  readonly lessons: readonly (Lesson & OfPath)[];
}

/** A lesson, and the topic that it belongs to. */
export type LessonInTopic = Lesson &
  Partial<OfPath> & {
    readonly topic: Pick<LessonTopic, 'id' | 'title'>;
    /** Of one that the file of a class adds. */
    readonly own?: true;
  };

/** The titles of all steps, that of the question included. */
export function stepTitles({ steps, asks }: Lesson): string[] {
  return [...steps.map(({ title }) => title), ...(asks ? [asks.step] : [])];
}

export function lessonsOf(topics: readonly LessonTopic[]): LessonInTopic[] {
  return topics.flatMap(({ lessons, id, title }) => lessons.map((lesson) => ({ ...lesson, topic: { id, title } })));
}

/** The lessons that there are, in the order of the path. */
export class Catalogue {
  readonly lessons: readonly LessonInTopic[];
  readonly #byId: ReadonlyMap<string, LessonInTopic>;

  constructor(lessons: readonly LessonInTopic[]) {
    const ids = new Set(lessons.map(({ id }) => id));
    // What is not in this path can't come before.
    this.lessons = lessons.map((each) => ({ ...each, buildsOn: each.buildsOn.filter((id) => ids.has(id)) }));
    this.#byId = new Map(this.lessons.map((lesson) => [lesson.id, lesson]));
  }

  find(id: string): LessonInTopic | undefined {
    return this.#byId.get(id);
  }
}
