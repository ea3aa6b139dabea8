import type { Logger } from 'pino';
import type { Database, Sql } from '../../database/database.ts';
import { storable } from '../../text/storable.ts';
import { reason } from '../../time/periodic-job.ts';
import type { Composed } from '../exchanges/exchange.ts';
import { closeLesson, holdOpenLesson, type LogHead } from '../exchanges/learners.ts';
import type { Judge, Judged, JudgeInTransaction, UnloggedCall } from '../exchanges/recorder.ts';
import { callsTaken } from './calls-taken.ts';
import { type Entry, isReplayed, methodOf } from './entry.ts';
import { type Histories, type Known, type KnownLesson, sinceBegun } from './histories.ts';
import { History } from './history.ts';
import { addOwnership, type JudgedExchange } from './judged-exchange.ts';
import { type Catalogue, type LessonInTopic, type Step, stepTitles, type Verdict } from './lesson.ts';
import { isCallOf, missOf, wordOf, wordOfUnlogged } from './open-lesson.ts';
import type { Miss, Progress, Ticks } from './progress.ts';
import { proofOf } from './proof.ts';
import type { Word } from './word.ts';

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
    const came = await addOwnership(database.sql, clientId, logged);
    const known = histories.inMemory(clientId) ?? (await histories.upTo(database.sql, clientId));
    const prepared = this.#judge(known, came);
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
    const judgement = isCurrent ? prepared : this.#judge(await histories.upTo(sql, clientId, before), prepared.came);
    const newlySolved: string[] = [];
    for (const { lesson, ticks, misses, isChanged, solvedBy, word } of judgement.outcomes) {
      const last = lastOf(misses);
      const untold = misses.filter(({ told }) => !told);
      if (!solvedBy && (isChanged || misses.length > 0)) {
        await progress.note(sql, clientId, lesson.id, { ticks, misses: untold.length, last });
      } else if (solvedBy) {
        const calls = callsTaken(lesson.id, judgement, solvedBy);
        const isNew = await progress.solve(sql, clientId, lesson.id, { proof: proofOf(solvedBy), ticks, calls });
        if (isNew) newlySolved.push(lesson.id);
      }
      if (word) await progress.say(sql, clientId, lesson.id, word);
    }
    const isOver = newlySolved.some((id) => id === head.openLesson);
    if (isOver) await closeLesson(sql, clientId);
    const openLesson = isOver ? null : head.openLesson;
    const { entries, outcomes } = judgement;
    const lessons = new Map(judgement.before.lessons);
    for (const { lesson, ticks, misses, isChanged, solvedBy } of outcomes) {
      const known = lessons.get(lesson.id) ?? notBegun;
      const lastMiss = lastOf(misses)?.sentence ?? (isChanged ? null : known.lastMiss);
      lessons.set(lesson.id, { ...known, ticks, solved: solvedBy !== undefined, lastMiss });
    }
    return {
      exchanges: exchanges.map((each) => withMisses(each, outcomes)),
      done: () => {
        histories.keep(clientId, { ...head, openLesson, entries, lessons });
        for (const id of newlySolved) solved(id);
        if (outcomes.length > 0) database.signal(lessonsChanged);
      },
    };
  }

  async sayOf(clientId: string, call: UnloggedCall): Promise<void> {
    const { database, catalogue, histories, progress, isLearner } = this.#options;
    if (!isLearner(clientId)) return;
    const { openLesson, lessons } = await histories.upTo(database.sql, clientId);
    const lesson = openLesson === null ? undefined : catalogue.find(openLesson);
    const word = lesson && wordOfUnlogged(lesson, lessons.get(lesson.id)?.ticks ?? [], call);
    if (!word) return;
    await database.write(async (sql) => {
      if (await holdOpenLesson(sql, clientId, lesson.id)) await progress.say(sql, clientId, lesson.id, word);
    });
    database.signal(lessonsChanged);
  }

  forget(whose: (clientId: string) => boolean): void {
    this.#options.histories.forget(whose);
  }

  #judge(before: Known, came: readonly JudgedExchange[]): Judgement {
    const entries = this.#options.histories.merge(before.entries, came);
    const outcomes = this.#outcomes(before, entries, new Set(came.map(({ id }) => id)));
    return { before, came, entries, outcomes: before.openLesson === null ? onlyClear(outcomes) : outcomes };
  }

  #outcomes(before: Known, entries: readonly Entry[], came: ReadonlySet<string>): Outcome[] {
    const first = entries.findIndex(({ id }) => came.has(id));
    if (first < 0) return [];
    const { openLesson } = before;
    // Nearly all lessons look at the same.
    const histories = entries.map((_, at) => (at < first ? undefined : new History(entries, at)));
    return this.#options.catalogue.lessons.flatMap((lesson) => {
      const known = before.lessons.get(lesson.id) ?? notBegun;
      if (known.solved || (lesson.steps.length === 0 && openLesson !== lesson.id)) return [];
      const all = { before: before.entries, entries, histories, first, came, openLesson };
      const outcome = this.#outcome(lesson, known, all);
      return outcome ? [outcome] : [];
    });
  }

  /**
   * Follows one lesson through the entries. A lesson is solved once; a miss counts only of an entry that came now. While
   * another lesson is open, nothing is said for this one.
   */
  #outcome(
    lesson: LessonInTopic,
    { ticks: kept, begunAt, lastMiss }: KnownLesson,
    { before, entries, histories, first, came, openLesson }: Entries,
  ): Outcome | undefined {
    const count = lesson.steps.length;
    const titles = stepTitles(lesson);
    const isOpen = openLesson === lesson.id;
    let ticks = kept;
    let misses: Outcome['misses'] = [];
    let said = lastMiss;
    let word: Outcome['word'];
    let isChanged = false;
    const begun = sinceBegun(entries, begunAt);
    for (let at = Math.max(0, first - (entries.length - begun.length)); at < begun.length; at += 1) {
      const entry = begun[at] as Entry;
      const history = (begun === entries && histories[at]) || new History(begun, at);
      const { done, miss, isEnd } = this.#see(lesson, ticks, entry, history, isOpen);
      // It may repeat what was sent.
      const sentence = miss && storable(miss);
      const isNew = came.has(entry.id);
      if (done.length > 0) {
        isChanged = true;
        misses = misses.map((each) => ({ ...each, isOver: true }));
        said = null;
        ticks = titles.map((_, step) => (done.includes(step) ? proofOf(entry) : (ticks[step] ?? null)));
      }
      if (isOpen && isNew)
        word =
          wordOf(lesson, ticks, entry, { done: done.map((step) => titles[step] as string), miss: sentence }) ?? word;
      if (lesson.asks === undefined && done.includes(count - 1))
        return { lesson, ticks: this.#completed(lesson, ticks, history), misses, isChanged, solvedBy: entry, word };
      if (sentence === undefined || !isNew) continue;
      const opened = before.find(({ id }) => id === entry.id);
      const isAgain = opened === undefined && isAskedAgain(entry, history);
      const isLoop = isAgain && sentence === said;
      const isSaid =
        isAgain &&
        isOpen &&
        entry.status !== 429 &&
        said !== null &&
        this.#isSaid(miss as string, lesson, ticks, entry, history);
      said = sentence;
      if ((isOpen || openLesson === null) && !isLoop) {
        const wasMiss = opened !== undefined && this.#see(lesson, ticks, opened, history, isOpen).miss !== undefined;
        const told = isSaid || wasMiss;
        const isClear = isRefusal(entry) && (lesson.own === true || isCallOf(lesson, entry));
        misses = [...misses, { sentence, proof: proofOf(entry), told, isOver: false, isClear }];
      }
      if (isEnd) [ticks, isChanged] = [ticks.map(() => null), true];
    }
    return isChanged || misses.length > 0 || word ? { lesson, ticks, misses, isChanged, word } : undefined;
  }

  /** The steps that an entry does, or else what is missing to do one: of the last step that says so. */
  #see(lesson: LessonInTopic, ticks: Ticks, entry: Entry, history: History, isOpen: boolean): Seen {
    const done: number[] = [];
    let miss: string | undefined;
    let isEnd = false;
    for (const [at, step] of lesson.steps.entries()) {
      if (ticks[at]) continue;
      const verdict = this.#verdict(lesson, step, entry, history);
      if (verdict === true) done.push(at);
      else if (verdict !== false) {
        isEnd = typeof verdict !== 'string';
        miss = typeof verdict === 'string' ? verdict : verdict.beginAgain;
      }
    }
    if (done.length > 0) return { done };
    return { done, miss: miss ?? (isOpen ? missOf(lesson, ticks, entry) : undefined), isEnd };
  }

  /** Tells whether the same was missing in one of the last calls for the same. */
  #isSaid(miss: string, lesson: LessonInTopic, ticks: Ticks, entry: Entry, history: History): boolean {
    const saysSo = (each: Entry) => this.#see(lesson, ticks, each, history.before(each), true).miss === miss;
    return history.latest(looksBack).some((each) => each.call === entry.call && saysSo(each));
  }

  /** Finds what did the steps before the last one, should one have been seen too late to be noted. */
  #completed(lesson: LessonInTopic, ticks: Ticks, history: History): Ticks {
    return ticks.map((tick, at) => {
      const step = lesson.steps[at];
      if (tick || !step) return tick;
      const entry = history.last((each) => this.#verdict(lesson, step, each, history.before(each)) === true);
      return entry ? proofOf(entry) : null;
    });
  }

  #verdict({ id, own, countsReplays }: LessonInTopic, step: Step, entry: Entry, history: History): Verdict {
    try {
      const verdict = step.judge(entry, history);
      return verdict === true && isReplayed(entry) && !own && !countsReplays ? false : verdict;
    } catch (error) {
      // The exchange is kept whatever a lesson makes of it.
      if (!this.#failed.has(id)) {
        this.#failed.add(id);
        this.#options.log.error({ lesson: id, reason: reason(error) }, 'a lesson could not be judged');
      }
      return false;
    }
  }
}

/** Calls before, among which it is looked for one of which the same was said. */
const looksBack = 20;

const notBegun: KnownLesson = {
  solved: false,
  ticks: [],
  begunAt: 0,
  lastMiss: null,
};

const isSameHead = (a: LogHead, b: LogHead) =>
  a.kept === b.kept && a.cleared === b.cleared && a.lessonsBegun === b.lessonsBegun && a.openLesson === b.openLesson;

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
  readonly openLesson: string | null;
}

/** What became of all exchanges that came, by what was known before. */
interface Judgement {
  readonly before: Known;
  readonly came: readonly JudgedExchange[];
  readonly entries: readonly Entry[];
  readonly outcomes: readonly Outcome[];
}

/** What became of one lesson. */
interface Outcome {
  readonly lesson: LessonInTopic;
  readonly ticks: Ticks;
  /** Whether a step was done that was not before, or the attempt has ended. */
  readonly isChanged: boolean;
  readonly misses: readonly FoundMiss[];
  /** What is said of the latest call, if the lesson is open. */
  readonly word?: Word | undefined;
  /** Absent if it is not solved. */
  readonly solvedBy?: Entry;
}

interface FoundMiss extends Miss {
  /** It counts already: it was missing in one of the last calls, or when a stream that ends now was opened. */
  readonly told: boolean;
  /** A step was done after it. */
  readonly isOver: boolean;
  /** The call was refused for what it says, and is one that the lesson needs. */
  readonly isClear: boolean;
}

const lastOf = (misses: readonly FoundMiss[]) => misses.findLast(({ isOver }) => !isOver);

/** Tells whether a call was refused for what it says: not before anybody looked, nor by a drill. */
const isRefusal = ({ status, drills }: Entry) =>
  status >= 400 && ![401, 403, 429].includes(status) && drills.length === 0;

/** Tells whether a call only asks again, or comes again by itself. */
function isAskedAgain(entry: Entry, history: History): boolean {
  const isRepeat = methodOf(entry) === 'GET' || entry.kind === 'delivery' || entry.status === 429;
  return isRepeat && history.has(({ call }) => call === entry.call);
}

/** What is said where no lesson is open: only of a clear call that solved nothing, and was meant for one lesson alone. */
function onlyClear(outcomes: readonly Outcome[]): Outcome[] {
  const aims = Map.groupBy(
    outcomes.flatMap(({ misses }) => misses),
    ({ proof }) => proof.exchangeId,
  );
  const solving = new Set(outcomes.map(({ solvedBy }) => solvedBy?.id));
  const isMeant = ({ isClear, proof: { exchangeId } }: FoundMiss) =>
    isClear && !solving.has(exchangeId) && aims.get(exchangeId)?.length === 1;
  return outcomes
    .map((outcome) => ({ ...outcome, misses: outcome.misses.filter(isMeant) }))
    .filter(({ isChanged, misses }) => isChanged || misses.length > 0);
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
  const missed = outcomes.flatMap(({ lesson, misses }) =>
    misses
      .filter(({ proof }) => proof.exchangeId === summary.id)
      .map(({ sentence }) => ({
        code: 'lesson' as const,
        text: `Lesson “${lesson.title}”: ${sentence}`,
        lesson: lesson.id,
      })),
  );
  if (missed.length === 0) return exchange;
  const notes = [...(summary.notes ?? []), ...missed];
  return { ...exchange, summary: { ...summary, remarks: notes.map(({ text }) => text), notes } };
}
