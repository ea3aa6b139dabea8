import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { csvLine } from './csv.ts';
import type { Summary } from './exchange.ts';
import { type Learner, shown } from './learners.ts';
import { exchanges } from './tables.ts';

/*
 * The clients that called, and their calls if asked for, as text. It is made a part at a time, when the one before has
 * gone: so it takes the same memory however many there are. A client that calls meanwhile may be in it or not.
 */

/** Rows of one part. */
const learnersAtOnce = 200;
const exchangesAtOnce = 50;

const learnerColumns = [
  'clientId',
  'nickname',
  'firstSeenAt',
  'lastSeenAt',
  'calls',
  'refusals',
  'lastProblem',
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

export type ExportForm = 'json' | 'csv';

export class Exporter {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The parts of the text. */
  parts(form: ExportForm, withExchanges: boolean): AsyncGenerator<string> {
    if (form === 'json') return this.#json(withExchanges);
    return withExchanges ? this.#csvOfExchanges() : this.#csvOfLearners();
  }

  async *#json(withExchanges: boolean): AsyncGenerator<string> {
    yield '{"learners":[';
    let separator = '';
    for await (const page of this.#learners()) {
      if (withExchanges) {
        for (const learner of page) {
          yield* this.#jsonWithExchanges(separator, learner);
          separator = ',';
        }
      } else {
        yield separator + page.map((learner) => JSON.stringify(learner)).join();
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

const findExchanges = statement.all`
  select ${exchanges.pick('startedAt', 'number', 'id', 'summary')} from exchanges
  where client_id = ${'clientId'} and (started_at, number, id) > (${'startedAt'}, ${'number'}, ${'id'})
  order by started_at, number, id limit ${'limit'}`;
