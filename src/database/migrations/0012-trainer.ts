import type { Migration } from '../migration.ts';

/** What the trainer announces, and which resets are under way. */
export const migration: Migration = {
  number: 12,
  name: 'trainer',

  async up(sql) {
    // There is one, or none.
    await sql.run`create table announcements (
      id integer not null primary key check (id = 1),
      text text not null,
      published_at text not null
    )`;

    // The id of a client, or * for all; of all, the id of the client that was done last.
    await sql.run`create table resets (
      target text not null primary key,
      done_up_to text not null
    )`;
  },
};
