import { table, text } from '../../database/columns.ts';
import type { Database } from '../../database/database.ts';
import { statement } from '../../database/statement.ts';
import { type Clock, instant } from '../../time/clock.ts';

const classEnds = table('class_ends', { endedAt: text });

/** When the trainer ended a class last: what learners whose client is gone want to know. */
export class ClassEnds {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /** Null if none was ended here. */
  async last(): Promise<string | null> {
    return (await find(this.#database.sql))?.endedAt ?? null;
  }

  /** Now. */
  async record(): Promise<void> {
    const endedAt = instant(this.#clock.now());
    await this.#database.write((sql) => put(sql, { endedAt }));
  }
}

const find = statement.get`select ${classEnds} from class_ends where id = 1`;

const put = statement.run`
  insert into class_ends (id, ended_at) values (1, ${'endedAt'})
  on conflict (id) do update set ended_at = excluded.ended_at`;
