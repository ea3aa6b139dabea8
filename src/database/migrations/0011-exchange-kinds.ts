import type { Migration } from '../migration.ts';

/** What kind of exchange each is, and in which order those of a client were kept. */
export const migration: Migration = {
  number: 11,
  name: 'exchange kinds',

  async up(sql) {
    await sql.run`alter table exchanges add column kind text not null default 'call'`;
    await sql.run`alter table exchanges add column kept bigint not null default 0`;
    // How many exchanges of the client were kept so far.
    await sql.run`alter table learners add column kept bigint not null default 0`;
  },
};
