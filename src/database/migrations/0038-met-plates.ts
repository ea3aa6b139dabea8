import type { Migration } from '../migration.ts';

/** Who has met the outcome of a magic plate in this minute: a client, or the hash of an address. */
export const migration: Migration = {
  number: 38,
  name: 'met-plates',

  async up(sql) {
    await sql.run`create table met_plates (
      owner text not null,
      plate text not null,
      met_at text not null,
      primary key (owner, plate)
    )`;
    await sql.run`create index met_plates_old on met_plates (met_at)`;
  },
};
