import { type Clock, instant } from '../clock.ts';
import { type RowOf, table, text } from '../database/columns.ts';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { ProblemError } from '../http/problem.ts';
import { invalid } from '../http/validation.ts';

const announcements = table('announcements', { text, publishedAt: text });

export type Announcement = RowOf<typeof announcements>;

/** The announcement of the trainer. There is one at the most, for all clients and on all nodes. */
export class Announcements {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  current(): Promise<Announcement | undefined> {
    return find(this.#database.sql);
  }

  /** @throws {ProblemError} `announcement-not-found` */
  async read(): Promise<Announcement> {
    const found = await this.current();
    if (found) return found;
    const detail = 'There is no announcement. PUT /trainer/announcement makes one: {"text":"Lunch is at 12:30."}.';
    throw new ProblemError('announcement-not-found', detail);
  }

  /**
   * Replaces the one that there may be.
   *
   * @throws {ProblemError} `validation-error` for a text with half of a character, which can't be stored
   */
  async publish(sent: string): Promise<Announcement> {
    if (!sent.isWellFormed()) {
      const detail = 'must not contain half of a surrogate pair, such as \\ud800 alone. Send whole characters.';
      throw invalid([{ pointer: '/text', detail }]);
    }
    const announcement = { text: sent, publishedAt: instant(this.#clock.now()) };
    await this.#database.write((sql) => put(sql, announcement));
    return announcement;
  }

  /** Does nothing if there is none. */
  async remove(): Promise<void> {
    await this.#database.write((sql) => remove(sql));
  }
}

const find = statement.get`select ${announcements} from announcements where id = 1`;

const put = statement.run`
  insert into announcements (id, text, published_at) values (1, ${'text'}, ${'publishedAt'})
  on conflict (id) do update set text = excluded.text, published_at = excluded.published_at`;

const remove = statement.run`delete from announcements where id = 1`;
