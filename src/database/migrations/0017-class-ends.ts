import type { Migration } from '../migration.ts';

/** When the trainer ended a class last. */
export const migration: Migration = {
  number: 17,
  name: 'class ends',

  async up(sql) {
    // There is one, or none.
    await sql.run`create table class_ends (
      id integer not null primary key check (id = 1),
      ended_at text not null
    )`;
  },
};
