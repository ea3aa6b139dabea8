import type { Migration } from '../migration.ts';

/** Keeps what learner and trainer say to each other, and the codes by which a client goes to another browser. */
export const migration: Migration = {
  number: 23,
  name: 'help and transfers',

  async up(sql) {
    await sql.run`alter table learners add column nickname_locked integer not null default 0 check (nickname_locked in (0, 1))`;
    await sql.run`alter table learners add column help text`;
    await sql.run`alter table learners add column help_at text`;
    await sql.run`alter table learners add column note text`;
    await sql.run`alter table learners add column note_at text`;
    // To tell apart those of one name.
    await sql.run`create index learners_of_name on learners (nickname, first_seen_at, client_id)`;

    await sql.run`create table transfers (
      code_hash text not null primary key,
      client_id text not null unique,
      expires_at text not null
    )`;
  },
};
