import type { Migration } from '../migration.ts';

/** The level of each run of a capstone, and what was achieved on the second one. */
export const migration: Migration = {
  number: 36,
  name: 'capstone-levels',

  async up(sql) {
    await sql.run`alter table capstone_runs add column level integer not null default 1`;
    await sql.run`alter table capstone_records add column level_two_best_score integer`;
    await sql.run`alter table capstone_records add column level_two_completed_at text`;
  },
};
