import type { Database } from '../../database/database.ts';
import { statement } from '../../database/statement.ts';
import { outcomesOf, passedOf } from '../examinations/examinations.ts';
import { type CountedLearner as Learner, shown } from '../exchanges/learners.ts';
import type { Summary } from '../exchanges/schemas.ts';
import { exchanges } from '../exchanges/tables.ts';
import { doneOf } from '../lessons/board.ts';
import type { Catalogue } from '../lessons/lesson.ts';
import { progress } from '../lessons/progress.ts';
import type { ExportContent, ExportedLearner } from './trainer-schemas.ts';

/*
 * The clients that called, and their calls if asked for, as text. It is made a part at a time, when the one before has
 * gone: so it takes the same memory however many there are. A client that calls meanwhile may be in it or not.
 */

/** Rows of one part. */
const learnersAtOnce = 50;
const exchangesAtOnce = 50;

const learnerColumns = [
  'clientId',
  'nickname',
  'firstSeenAt',
  'lastSeenAt',
  'calls',
  'refusals',
  'lastProblem',
  'callsWithoutToken',
  'refusalsWithoutToken',
  'activeSince',
  'resetAt',
  'refusalsInARow',
  'lastRefusal',
] as const satisfies (keyof Learner)[];

const summaryColumns = [
  'id',
  'startedAt',
  'method',
  'url',
  'route',
  'status',
  'durationMs',
  'end',
  'problem',
] as const satisfies (keyof Summary)[];

const lessonColumns = [
  'clientId',
  'nickname',
  'firstSeenAt',
  'lastSeenAt',
  'solved',
  'of',
  'hintsTaken',
  'stagesPassed',
] as const satisfies (keyof LearnerWithLessons)[];

type LearnerWithLessons = Learner &
  Required<Pick<ExportedLearner, 'solved' | 'of' | 'hintsTaken' | 'stagesPassed' | 'lessons' | 'examinations'>>;

export type ExportForm = 'json' | 'csv';

export class Exporter {
  readonly #database: Database;
  readonly #catalogue: Catalogue;

  constructor(database: Database, catalogue: Catalogue) {
    this.#database = database;
    this.#catalogue = catalogue;
  }

  /** The parts of the text. */
  parts(form: ExportForm, content: ExportContent): AsyncGenerator<string> {
    if (form === 'json') return this.#json(content);
    if (content === 'lessons') return this.#csvOfLessons();
    return content === 'exchanges' ? this.#csvOfExchanges() : this.#csvOfLearners();
  }

  async *#json(content: ExportContent): AsyncGenerator<string> {
    yield '{"learners":[';
    let separator = '';
    for await (const page of this.#learners()) {
      if (content === 'exchanges') {
        for (const learner of page) {
          yield* this.#jsonWithExchanges(separator, learner);
          separator = ',';
        }
      } else {
        const shown = content === 'lessons' ? await this.#withLessons(page) : page;
        yield separator + shown.map((learner) => JSON.stringify(learner)).join();
        separator = ',';
      }
    }
    yield ']}';
  }

  async *#jsonWithExchanges(separator: string, learner: Learner): AsyncGenerator<string> {
    yield `${separator}${JSON.stringify(learner).slice(0, -1)},"exchanges":[`;
    let between = '';
    for await (const summaries of this.#exchangesOf(learner.clientId)) {
      yield between + summaries.map((each) => JSON.stringify(each)).join();
      between = ',';
    }
    yield ']}';
  }

  async *#csvOfLearners(): AsyncGenerator<string> {
    yield csvLine(learnerColumns);
    for await (const page of this.#learners()) {
      yield page.map((learner) => csvLine(learnerColumns.map((name) => learner[name]))).join('');
    }
  }

  async *#csvOfLessons(): AsyncGenerator<string> {
    const ids = this.#catalogue.lessons.map(({ id }) => id);
    yield csvLine([...lessonColumns, ...ids]);
    for await (const page of this.#learners()) {
      const lines = (await this.#withLessons(page)).map((learner) => {
        const solvedAt = new Map(learner.lessons.map((each) => [each.id, each.solvedAt]));
        return csvLine([...lessonColumns.map((name) => learner[name]), ...ids.map((id) => solvedAt.get(id) ?? null)]);
      });
      yield lines.join('');
    }
  }

  /** Learners that follow each other by their ids, with what they did of the lessons. */
  async #withLessons(page: readonly Learner[]): Promise<LearnerWithLessons[]> {
    const [first = '', last = ''] = [page[0]?.clientId, page.at(-1)?.clientId];
    const rows = await findProgress(this.#database.sql, { first, last });
    const byClient = Map.groupBy(rows, ({ clientId }) => clientId);
    const reported = await outcomesOf(this.#database.sql, first, last);
    return page.map((learner) => {
      const done = byClient.get(learner.clientId) ?? [];
      const lessons = doneOf(this.#catalogue, new Map(done.map((row) => [row.lessonId, row])));
      const examinations = (reported.get(learner.clientId) ?? []).map(({ clientId: _, ...each }) => each);
      return {
        ...learner,
        solved: lessons.filter(({ state }) => state === 'solved').length,
        of: this.#catalogue.lessons.length,
        hintsTaken: lessons.reduce((sum, { hints }) => sum + hints, 0),
        stagesPassed: passedOf(examinations),
        lessons,
        examinations,
      };
    });
  }

  async *#csvOfExchanges(): AsyncGenerator<string> {
    yield csvLine(['clientId', 'nickname', ...summaryColumns, 'remarks']);
    for await (const page of this.#learners()) {
      for (const { clientId, nickname } of page) {
        for await (const summaries of this.#exchangesOf(clientId)) {
          const line = (each: Summary) =>
            csvLine([clientId, nickname, ...summaryColumns.map((name) => each[name]), each.remarks.join(' ')]);
          yield summaries.map(line).join('');
        }
      }
    }
  }

  /** By id, a page at a time. */
  async *#learners(): AsyncGenerator<Learner[]> {
    for (let after = ''; ; ) {
      const page = await findLearners(this.#database.sql, { after, limit: learnersAtOnce });
      const last = page.at(-1);
      if (!last) return;
      yield page;
      after = last.clientId;
    }
  }

  /** Oldest first, a page at a time. */
  async *#exchangesOf(clientId: string): AsyncGenerator<Summary[]> {
    for (let after = { startedAt: '', number: 0, id: '' }; ; ) {
      const page = await findExchanges(this.#database.sql, { clientId, ...after, limit: exchangesAtOnce });
      const last = page.at(-1);
      if (!last) return;
      yield page.map(({ summary }) => JSON.parse(summary) as Summary);
      after = { startedAt: last.startedAt, number: last.number, id: last.id };
    }
  }
}

const findLearners = statement.all`
  select ${shown} from learners where client_id > ${'after'} order by client_id limit ${'limit'}`;

const findProgress = statement.all`
  select ${progress.pick('clientId', 'lessonId', 'hints', 'misses', 'lastMiss', 'changedAt', 'solvedAt', 'steps')}
  from lesson_progress where client_id >= ${'first'} and client_id <= ${'last'}`;

const findExchanges = statement.all`
  select ${exchanges.pick('startedAt', 'number', 'id', 'summary')} from exchanges
  where client_id = ${'clientId'} and (started_at, number, id) > (${'startedAt'}, ${'number'}, ${'id'})
  order by started_at, number, id limit ${'limit'}`;

/*
 * Comma-separated values after RFC 4180. Texts are in quotes, and those that a spreadsheet would take for a formula get an
 * apostrophe before them, which it does not show.
 */

export type Cell = string | number | null;

/** Matches the beginning of a formula, also in full width and behind white space. */
const formula = /^[\s\0]*[=+\-@\t\r＝＋－＠]/;

/** One line, with its end. */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const text = formula.test(cell) ? `'${cell}` : cell;
  return `"${text.replaceAll('"', '""')}"`;
}
