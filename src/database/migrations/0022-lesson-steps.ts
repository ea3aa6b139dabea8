import type { Migration } from '../migration.ts';

/** Keeps the steps of a lesson that a client did, the exchange of its last miss, and that it takes a lesson again. */
export const migration: Migration = {
  number: 22,
  name: 'lesson steps',

  async up(sql) {
    await sql.run`alter table lesson_progress add column steps text`;
    await sql.run`alter table lesson_progress add column miss_proof text`;
    await sql.run`alter table lesson_progress add column begun_at text`;
    await sql.run`alter table learners add column lessons_begun integer not null default 0`;
  },
};
