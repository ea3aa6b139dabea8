import type { Logger } from 'pino';
import type { Database, Sql } from '../../database/database.ts';
import { reason } from '../../time/periodic-job.ts';
import type { Composed } from '../exchanges/exchange.ts';
import type { LogHead } from '../exchanges/learners.ts';
import type { Judge, Judged, JudgeInTransaction } from '../exchanges/recorder.ts';
import type { Entry } from './entry.ts';
import { type Histories, type Known, merged } from './histories.ts';
import { History } from './history.ts';
import { addOwnership, type JudgedExchange } from './judged-exchange.ts';
import type { Catalogue, LessonInTopic } from './lesson.ts';
import type { Progress } from './progress.ts';

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
    const came = await addOwnership(database.sql, logged);
    const known = histories.inMemory(clientId) ?? (await histories.upTo(database.sql, clientId));
    const prepared = this.#judge(known, came);
    return (sql, head) => this.#note(sql, clientId, { exchanges, prepared }, head);
  }

  /** Notes verdicts: those that were `prepared`, unless another node has changed the log since. */
  async #note(
    sql: Sql,
    clientId: string,
    { exchanges, prepared }: { exchanges: readonly Composed[]; prepared: Judgement },
    { kept, cleared }: LogHead,
  ): Promise<Judged> {
    const { database, histories, progress, solved } = this.#options;
    const head = { kept: kept - exchanges.length, cleared };
    const isCurrent = prepared.before.kept === head.kept && prepared.before.cleared === cleared;
    const judgement = isCurrent ? prepared : this.#judge(await histories.upTo(sql, clientId, head), prepared.came);
    const newlySolved: string[] = [];
    for (const { lesson, entry, miss, told } of judgement.verdicts) {
      if (told) continue;
      if (miss !== undefined) await progress.miss(sql, clientId, lesson.id, miss);
      else if (await progress.solve(sql, clientId, lesson.id, entry)) newlySolved.push(lesson.id);
    }
    const { before, entries, verdicts } = judgement;
    const known: Known = { entries, kept, cleared, solved: new Set([...before.solved, ...solvedOf(verdicts)]) };
    return {
      exchanges: exchanges.map((each) => withMisses(each, verdicts)),
      done: () => {
        histories.keep(clientId, known);
        for (const id of newlySolved) solved(id);
        if (verdicts.length > 0) database.signal(lessonsChanged);
      },
    };
  }

  forget(whose: (clientId: string) => boolean): void {
    this.#options.histories.forget(whose);
  }

  #judge(before: Known, came: readonly JudgedExchange[]): Judgement {
    const entries = merged(before.entries, came);
    return { before, came, entries, verdicts: this.#verdicts(before, entries, new Set(came.map(({ id }) => id))) };
  }

  /** Each lesson is solved once. What is nearly so counts only for an exchange that came now. */
  #verdicts(before: Known, entries: readonly Entry[], came: ReadonlySet<string>): JudgedEntry[] {
    const verdicts: JudgedEntry[] = [];
    const first = entries.findIndex(({ id }) => came.has(id));
    if (first < 0) return [];
    for (const lesson of this.#options.catalogue.lessons) {
      if (!lesson.judge || before.solved.has(lesson.id)) continue;
      for (let at = first; at < entries.length; at += 1) {
        const entry = entries[at] as Entry;
        const history = new History(entries, at);
        const verdict = this.#verdict(lesson, entry, history);
        if (verdict === true) {
          verdicts.push({ lesson, entry });
          break;
        }
        if (typeof verdict === 'string' && came.has(entry.id)) {
          const opened = before.entries.find(({ id }) => id === entry.id);
          const told = opened !== undefined && typeof this.#verdict(lesson, opened, history) === 'string';
          verdicts.push({ lesson, entry, miss: verdict, told });
        }
      }
    }
    return verdicts;
  }

  #verdict(lesson: LessonInTopic, entry: Entry, history: History) {
    try {
      return lesson.judge?.(entry, history) ?? false;
    } catch (error) {
      // The exchange is kept whatever a lesson makes of it.
      if (!this.#failed.has(lesson.id)) {
        this.#failed.add(lesson.id);
        this.#options.log.error({ lesson: lesson.id, reason: reason(error) }, 'a lesson could not be judged');
      }
      return false;
    }
  }
}

/** The verdicts on exchanges that came, by what was known before. */
interface Judgement {
  readonly before: Known;
  readonly came: readonly JudgedExchange[];
  readonly entries: readonly Entry[];
  readonly verdicts: readonly JudgedEntry[];
}

interface JudgedEntry {
  readonly lesson: LessonInTopic;
  readonly entry: Entry;
  /** The sentence that says what was missing; absent if it is solved. */
  readonly miss?: string;
  /** Tells whether it was missing when the entry was judged before: a stream comes when it opens, and at its end. */
  readonly told?: boolean;
}

function solvedOf(verdicts: readonly JudgedEntry[]): string[] {
  return verdicts.filter(({ miss }) => miss === undefined).map(({ lesson }) => lesson.id);
}

function withMisses(exchange: Composed, verdicts: readonly JudgedEntry[]): Composed {
  const { summary } = exchange;
  const misses = verdicts.filter(({ entry, miss }) => miss !== undefined && entry.id === summary.id);
  if (misses.length === 0) return exchange;
  const remarks = misses.map(({ lesson, miss }) => `Lesson “${lesson.title}”: ${miss}`);
  return { ...exchange, summary: { ...summary, remarks: [...summary.remarks, ...remarks] } };
}
