import type { Migration } from '../migration.ts';

/** What came of the stages of clients' own insurers, as their machines said it last. */
export const migration: Migration = {
  number: 40,
  name: 'examinations',

  async up(sql) {
    await sql.run`create table examinations (
      client_id text not null,
      stage text not null,
      outcome text not null,
      at text not null,
      seed integer not null,
      primary key (client_id, stage)
    )`;
  },
};
