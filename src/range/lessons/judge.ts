import type { Logger } from 'pino';
import { type ActiveDrills, everybody } from '../../active-drills.ts';
import type { Database, Sql } from '../../database/database.ts';
import { storable } from '../../text/storable.ts';
import { reason } from '../../time/periodic-job.ts';
import type { Composed } from '../exchanges/exchange.ts';
import type { LogHead } from '../exchanges/learners.ts';
import type { Judge, Judged, JudgeInTransaction } from '../exchanges/recorder.ts';
import type { Entry } from './entry.ts';
import { type Histories, type Known, type KnownLesson, sinceBegun } from './histories.ts';
import { History } from './history.ts';
import { addOwnership, type JudgedExchange } from './judged-exchange.ts';
import { type Catalogue, type LessonInTopic, type Step, stepTitles, type Verdict } from './lesson.ts';
import { type Attempt, type Miss, type Progress, proofOf, type Ticks } from './progress.ts';

/*
 * Judges exchanges when they are written, and notes in the same transaction what they solved: both are durable together.
 * The row of the client is locked then, and tells whether another node has written since, or reset the client: what has
 * come before is then read from the log, and judged again. An exchange that is written late may come before others in
 * time, so all from the earliest new one on are judged again.
 */

/** The channel on which those who watch lessons hear that some were solved or nearly so. */
export const lessonsChanged = 'lessons';

export interface LessonJudgeOptions {
  readonly database: Database;
  readonly catalogue: Catalogue;
  readonly histories: Histories;
  readonly progress: Progress;
  readonly log: Logger;
  /** Counts a lesson that was solved. */
  readonly solved: (lessonId: string) => void;
  /** Tells whether lessons are for this client: not where several people share it. */
  readonly isLearner: (clientId: string) => boolean;
  readonly drills: ActiveDrills;
}

export class LessonJudge implements Judge {
  readonly #options: LessonJudgeOptions;
  readonly #failed = new Set<string>();

  constructor(options: LessonJudgeOptions) {
    this.#options = options;
  }

  /** Judges before the transaction, by what is known then, so that the transaction is short. */
  async prepare(clientId: string, exchanges: readonly Composed[]): Promise<JudgeInTransaction | undefined> {
    const { database, histories, isLearner } = this.#options;
    if (exchanges.length === 0 || !isLearner(clientId)) return undefined;
    const logged = exchanges.map(({ summary, details }) => ({ ...summary, ...details }));
    const came = await addOwnership(database.sql, logged);
    const known = histories.inMemory(clientId) ?? (await histories.upTo(database.sql, clientId));
    const prepared = this.#judge(clientId, known, came);
    return (sql, head) => this.#note(sql, clientId, { exchanges, prepared }, head);
  }

  /** Notes the outcomes: those that were `prepared`, unless another node has changed the log since. */
  async #note(
    sql: Sql,
    clientId: string,
    { exchanges, prepared }: { exchanges: readonly Composed[]; prepared: Judgement },
    head: LogHead,
  ): Promise<Judged> {
    const { database, histories, progress, solved } = this.#options;
    const before = { ...head, kept: head.kept - exchanges.length };
    const isCurrent = isSameHead(prepared.before, before);
    const judgement = isCurrent
      ? prepared
      : this.#judge(clientId, await histories.upTo(sql, clientId, before), prepared.came);
    const newlySolved: string[] = [];
    for (const { lesson, ticks, misses, last, isChanged, solvedBy } of judgement.outcomes) {
      const untold = misses.filter(({ told }) => !told);
      if (!solvedBy && (isChanged || untold.length > 0)) {
        await progress.note(sql, clientId, lesson.id, { ticks, misses: untold.length, last });
      } else if (solvedBy && (await progress.solve(sql, clientId, lesson.id, proofOf(solvedBy), ticks))) {
        newlySolved.push(lesson.id);
      }
    }
    const { entries, outcomes } = judgement;
    const lessons = new Map(judgement.before.lessons);
    for (const { lesson, ticks, misses, solvedBy } of outcomes) {
      const known = lessons.get(lesson.id) ?? notBegun;
      const isTold = known.isTold || misses.length > 0;
      lessons.set(lesson.id, { ...known, ticks, solved: solvedBy !== undefined, isTold });
    }
    return {
      exchanges: exchanges.map((each) => withMisses(each, outcomes)),
      done: () => {
        histories.keep(clientId, { ...head, entries, lessons });
        for (const id of newlySolved) solved(id);
        if (outcomes.length > 0) database.signal(lessonsChanged);
      },
    };
  }

  forget(whose: (clientId: string) => boolean): void {
    this.#options.histories.forget(whose);
  }

  #judge(clientId: string, before: Known, came: readonly JudgedExchange[]): Judgement {
    const { histories, drills } = this.#options;
    const entries = histories.merge(before.entries, came);
    const ids = new Set(came.map(({ id }) => id));
    const outcomes = this.#outcomes(before, entries, ids, (entry) =>
      entry.drills.some((name) => drills.of(clientId, name)?.clientId === everybody),
    );
    return { before, came, entries, outcomes };
  }

  #outcomes(
    before: Known,
    entries: readonly Entry[],
    came: ReadonlySet<string>,
    isOfClass: Entries['isOfClass'],
  ): Outcome[] {
    const first = entries.findIndex(({ id }) => came.has(id));
    if (first < 0) return [];
    // Nearly all lessons look at the same.
    const histories = entries.map((_, at) => (at < first ? undefined : new History(entries, at)));
    return this.#options.catalogue.lessons.flatMap((lesson) => {
      const known = before.lessons.get(lesson.id) ?? notBegun;
      if (known.solved || lesson.steps.length === 0) return [];
      const all = { before: before.entries, entries, histories, first, came, isOfClass };
      const outcome = this.#outcome(lesson, known, all);
      return outcome ? [outcome] : [];
    });
  }

  /** Follows one lesson through the entries. A lesson is solved once; a miss counts only of an entry that came now. */
  #outcome(
    lesson: LessonInTopic,
    { ticks: kept, begunAt, isMeant, isTold }: KnownLesson,
    { before, entries, histories, first, came, isOfClass }: Entries,
  ): Outcome | undefined {
    const count = lesson.steps.length;
    let ticks = kept;
    const misses: Outcome['misses'][number][] = [];
    let last: Outcome['last'];
    let isChanged = false;
    const begun = sinceBegun(entries, begunAt);
    for (let at = Math.max(0, first - (entries.length - begun.length)); at < begun.length; at += 1) {
      const entry = begun[at] as Entry;
      const history =
        (begun === entries && !isMeant && histories[at]) ||
        new History(begun, at, { isMeant, isTold: isTold || misses.length > 0 });
      const seen = this.#see(lesson, ticks, entry, history);
      if (seen.done.length > 0) {
        isChanged = true;
        last = undefined;
        ticks = stepTitles(lesson).map((_, step) =>
          seen.done.includes(step) ? proofOf(entry) : (ticks[step] ?? null),
        );
      }
      if (lesson.asks === undefined && seen.done.includes(count - 1)) {
        return { lesson, ticks: this.#completed(lesson, ticks, history), misses, last, isChanged, solvedBy: entry };
      }
      if (seen.miss === undefined || !came.has(entry.id)) continue;
      // Who has not begun a lesson on it did not ask for a drill of the whole class.
      if (isOfClass(entry) && !isMeant && !isTold && ticks.every((tick) => tick === null)) continue;
      const opened = before.find(({ id }) => id === entry.id);
      const told = opened !== undefined && this.#see(lesson, ticks, opened, history).miss !== undefined;
      // It may repeat what was sent.
      last = { sentence: storable(seen.miss), proof: proofOf(entry) };
      misses.push({ ...last, told });
      if (seen.isEnd) ticks = ticks.map(() => null);
    }
    return isChanged || misses.length > 0 ? { lesson, ticks, misses, last, isChanged } : undefined;
  }

  /** The steps that an entry does, or else what is missing to do one: of the last step that says so. */
  #see(lesson: LessonInTopic, ticks: Ticks, entry: Entry, history: History): Seen {
    const { id, steps } = lesson;
    const done: number[] = [];
    let miss: string | undefined;
    let isEnd = false;
    for (const [at, step] of steps.entries()) {
      if (ticks[at]) continue;
      const verdict = this.#verdict(id, step, entry, history);
      if (verdict === true) done.push(at);
      else if (verdict !== false) {
        isEnd = typeof verdict !== 'string';
        miss = typeof verdict === 'string' ? verdict : verdict.beginAgain;
      }
    }
    if (done.length > 0) return { done };
    return { done, miss: miss ?? this.#unheard(lesson, ticks, entry, history), isEnd };
  }

  /**
   * A call that was refused before anybody looked at what it says: one that a lesson has just looked at, made again, or the
   * first of a lesson that is meant.
   */
  #unheard(
    { id, steps, needsNoToken }: LessonInTopic,
    ticks: Ticks,
    entry: Entry,
    history: History,
  ): string | undefined {
    const why = entry.problem === null ? undefined : unheard[entry.problem];
    if (why === undefined) return undefined;
    // Of several in a row one is told.
    if (history.last(({ call }) => call === entry.call)?.problem === entry.problem) return undefined;
    const isElsewhere = needsNoToken && entry.problem !== 'rate-limit-exceeded';
    if (history.awaitsWord && !isElsewhere) return why;
    const wasTried = history
      .latest(attemptsApart)
      .some(
        (before) =>
          before.call === entry.call &&
          (ticks.some((tick) => tick?.exchangeId === before.id) ||
            steps.some((step) => typeof this.#verdict(id, step, before, history.before(before)) !== 'boolean')),
      );
    return wasTried ? why : undefined;
  }

  /** Finds what did the steps before the last one, should one have been seen too late to be noted. */
  #completed({ id, steps }: LessonInTopic, ticks: Ticks, history: History): Ticks {
    return ticks.map((tick, at) => {
      const step = steps[at];
      if (tick || !step) return tick;
      const entry = history.last((each) => this.#verdict(id, step, each, history.before(each)) === true);
      return entry ? proofOf(entry) : null;
    });
  }

  #verdict(lessonId: string, step: Step, entry: Entry, history: History): Verdict {
    try {
      return step.judge(entry, history);
    } catch (error) {
      // The exchange is kept whatever a lesson makes of it.
      if (!this.#failed.has(lessonId)) {
        this.#failed.add(lessonId);
        this.#options.log.error({ lesson: lessonId, reason: reason(error) }, 'a lesson could not be judged');
      }
      return false;
    }
  }
}

/** What to say of a call that a lesson would have looked at, by the problem. */
const unheard: Readonly<Record<string, string>> = {
  'missing-token': 'Nobody looked at this call: it had no token. Send yours in the header Authorization.',
  'invalid-token': 'Nobody looked at this call: its token was refused. The answer says why.',
  'insufficient-scope': 'Nobody looked at this call: its token lacks a scope. The answer names it.',
  'rate-limit-exceeded': 'The limit was reached before anybody looked at this call. Wait, and make it again.',
};

/** Calls that may lie between two attempts. */
const attemptsApart = 10;

const notBegun: KnownLesson = { solved: false, ticks: [], begunAt: 0, isMeant: false, isTold: false };

const isSameHead = (a: LogHead, b: LogHead) =>
  a.kept === b.kept && a.cleared === b.cleared && a.lessonsBegun === b.lessonsBegun;

/** The entries of a client, and which of them are new. */
interface Entries {
  /** As they were known before. */
  readonly before: readonly Entry[];
  readonly entries: readonly Entry[];
  /** What comes before each new one, and each behind it. */
  readonly histories: readonly (History | undefined)[];
  /** The index of the first new one. */
  readonly first: number;
  readonly came: ReadonlySet<string>;
  /** Tells whether a drill of all clients hit it. */
  readonly isOfClass: (entry: Entry) => boolean;
}

/** What became of all exchanges that came, by what was known before. */
interface Judgement {
  readonly before: Known;
  readonly came: readonly JudgedExchange[];
  readonly entries: readonly Entry[];
  readonly outcomes: readonly Outcome[];
}

/** What became of one lesson. */
interface Outcome extends Omit<Attempt, 'misses'> {
  readonly lesson: LessonInTopic;
  /** Whether a step was done that was not before. */
  readonly isChanged: boolean;
  /** `told`: it was missing when the entry was judged before. A stream comes when it opens, and again at its end. */
  readonly misses: readonly (Miss & { readonly told: boolean })[];
  /** Absent if it is not solved. */
  readonly solvedBy?: Entry;
}

/** What one entry means for a lesson. */
interface Seen {
  /** The indices of the steps that it does. */
  readonly done: readonly number[];
  readonly miss?: string | undefined;
  /** Tells whether the attempt has ended with this miss. */
  readonly isEnd?: boolean;
}

function withMisses(exchange: Composed, outcomes: readonly Outcome[]): Composed {
  const { summary } = exchange;
  const remarks = outcomes.flatMap(({ lesson, misses }) =>
    misses
      .filter(({ proof }) => proof.exchangeId === summary.id)
      .map(({ sentence }) => `Lesson “${lesson.title}”: ${sentence}`),
  );
  return remarks.length === 0
    ? exchange
    : { ...exchange, summary: { ...summary, remarks: [...summary.remarks, ...remarks] } };
}
