import type { Database } from '../../database/database.ts';
import { statement } from '../../database/statement.ts';
import { type Clock, instant } from '../../time/clock.ts';
import type { Help, Note } from '../exchanges/learner-schemas.ts';
import { newRow } from '../exchanges/learners.ts';
import { learners } from '../exchanges/tables.ts';

/** What a client is called in its class, and what it and the trainer say to each other. */
export class Sayings {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /**
   * Null takes the nickname away. False where the trainer has locked it: only the trainer changes it then. That is looked
   * at with the row locked.
   */
  async rename(clientId: string, nickname: string | null, byTrainer: boolean): Promise<boolean> {
    const row = { ...this.#row(clientId), nickname, mayChange: byTrainer ? 1 : 0 };
    return (await this.#database.write((sql) => name(sql, row))) > 0;
  }

  /** Lets only the trainer change the nickname, or the client again. */
  async lockNickname(clientId: string, locked: boolean): Promise<void> {
    await this.#database.write((sql) => lockName(sql, { ...this.#row(clientId), nicknameLocked: locked ? 1 : 0 }));
  }

  async askForHelp(clientId: string, message: string): Promise<Help> {
    const at = instant(this.#clock.now());
    await this.#database.write((sql) => askHelp(sql, { ...this.#row(clientId), help: message, helpAt: at }));
    return { message, at };
  }

  async endHelp(clientId: string): Promise<void> {
    await this.#database.write((sql) => askHelp(sql, this.#row(clientId)));
  }

  /** What the trainer says to this client alone. */
  async tell(clientId: string, text: string): Promise<Note> {
    const at = instant(this.#clock.now());
    await this.#database.write((sql) => putNote(sql, { ...this.#row(clientId), note: text, noteAt: at }));
    return { text, at };
  }

  async removeNote(clientId: string): Promise<void> {
    await this.#database.write((sql) => putNote(sql, this.#row(clientId)));
  }

  #row(clientId: string) {
    return newRow(clientId, this.#clock.now());
  }
}

const name = statement.run`
  insert into learners ${learners.values}
  on conflict (client_id) do update set nickname = excluded.nickname
  where learners.nickname_locked = 0 or cast(${'mayChange'} as integer) = 1`;

const lockName = statement.run`
  insert into learners ${learners.values}
  on conflict (client_id) do update set nickname_locked = excluded.nickname_locked`;

const askHelp = statement.run`
  insert into learners ${learners.values}
  on conflict (client_id) do update set help = excluded.help, help_at = excluded.help_at`;

const putNote = statement.run`
  insert into learners ${learners.values}
  on conflict (client_id) do update set note = excluded.note, note_at = excluded.note_at`;
