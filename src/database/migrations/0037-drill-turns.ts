import type { Migration } from '../migration.ts';

/** How far each client is in the sequence of a drill. */
export const migration: Migration = {
  number: 37,
  name: 'drill-turns',

  async up(sql) {
    await sql.run`create table drill_turns (
      client_id text not null,
      drill_of text not null,
      name text not null,
      drill_id text not null,
      taken integer not null,
      ends_at text not null,
      primary key (client_id, drill_of, name)
    )`;
    await sql.run`create index drill_turns_by_end on drill_turns (ends_at)`;
  },
};
