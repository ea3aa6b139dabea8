import { nullable, type RowOf, table, text } from '../../database/columns.ts';
import type { Database } from '../../database/database.ts';
import { statement } from '../../database/statement.ts';
import { ProblemError } from '../../http/problems/problem.ts';
import { type Clock, instant } from '../../time/clock.ts';
import { minute } from '../../time/units.ts';
import type { Announcement } from './learner-schemas.ts';

const announcements = table('announcements', { text, publishedAt: text, endsAt: nullable(text) });

type Row = RowOf<typeof announcements>;

/** The announcement of the trainer. There is one at the most, for all clients and on all nodes. */
export class Announcements {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  async current(): Promise<Announcement | undefined> {
    const row = await find(this.#database.sql);
    return row && (row.endsAt === null || row.endsAt > instant(this.#clock.now())) ? shown(row) : undefined;
  }

  /** @throws {ProblemError} `announcement-not-found` */
  async read(): Promise<Announcement> {
    const found = await this.current();
    if (found) return found;
    const detail = 'There is no announcement. PUT /trainer/announcement makes one: {"text":"Lunch is at 12:30."}.';
    throw new ProblemError('announcement-not-found', detail);
  }

  /** Replaces the one that there may be. It ends after so many minutes; without them, when it is removed. */
  async publish(sent: string, minutes?: number): Promise<Announcement> {
    const now = this.#clock.now();
    const endsAt = minutes === undefined ? null : instant(now + minutes * minute);
    const row = { text: sent, publishedAt: instant(now), endsAt };
    await this.#database.write((sql) => put(sql, row));
    return shown(row);
  }

  /** Does nothing if there is none. */
  async remove(): Promise<void> {
    await this.#database.write((sql) => remove(sql));
  }
}

function shown({ text, publishedAt, endsAt }: Row): Announcement {
  return { text, publishedAt, ...(endsAt !== null && { endsAt }) };
}

const find = statement.get`select ${announcements} from announcements where id = 1`;

const put = statement.run`
  insert into announcements (id, text, published_at, ends_at) values (1, ${'text'}, ${'publishedAt'}, ${'endsAt'})
  on conflict (id) do update set text = excluded.text, published_at = excluded.published_at,
    ends_at = excluded.ends_at`;

const remove = statement.run`delete from announcements where id = 1`;
