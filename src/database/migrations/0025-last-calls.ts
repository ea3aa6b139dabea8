import type { Migration } from '../migration.ts';

/** Keeps what each client called last, also when its log is gone. */
export const migration: Migration = {
  number: 25,
  name: 'last calls',

  async up(sql) {
    await sql.run`alter table learners add column last_call text`;
  },
};
