import type { Migration } from '../migration.ts';

/** Up to where resets have removed the log of each client. */
export const migration: Migration = {
  number: 15,
  name: 'cleared logs',

  async up(sql) {
    await sql.run`alter table learners add column cleared bigint not null default 0`;
  },
};
