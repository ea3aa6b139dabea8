import type { Migration } from '../migration.ts';

/** The drills that are on, or were. */
export const migration: Migration = {
  number: 10,
  name: 'drills',

  async up(sql) {
    // Those of all clients have an empty client_id.
    await sql.run`create table drills (
      client_id text not null,
      name text not null,
      id text not null,
      parameters text not null,
      started_by text not null,
      started_at text not null,
      ends_at text not null,
      primary key (client_id, name)
    )`;
    await sql.run`create index drills_by_end on drills (ends_at)`;
  },
};
