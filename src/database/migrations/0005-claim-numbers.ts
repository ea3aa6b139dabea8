import type { Migration } from '../migration.ts';

/** The counter of a year's claims may pass what an integer of PostgreSQL holds. Made anew, as SQLite alters no types. */
export const migration: Migration = {
  number: 5,
  name: 'claim-numbers',

  async up(sql) {
    await sql.run`create table claim_numbers_wide (
      year integer not null primary key,
      last bigint not null
    )`;
    await sql.run`insert into claim_numbers_wide (year, last) select year, last from claim_numbers`;
    await sql.run`drop table claim_numbers`;
    await sql.run`alter table claim_numbers_wide rename to claim_numbers`;
  },
};
