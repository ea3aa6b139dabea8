import type { Migration } from '../migration.ts';

/** Which calls carried no token of the client whose they are taken for: anybody can make them. They count apart. */
export const migration: Migration = {
  number: 24,
  name: 'calls without token',

  async up(sql) {
    await sql.run`alter table exchanges add column without_token integer not null default 0 check (without_token in (0, 1))`;
    await sql.run`alter table learners add column calls_without_token bigint not null default 0`;
    await sql.run`alter table learners add column refusals_without_token bigint not null default 0`;
  },
};
