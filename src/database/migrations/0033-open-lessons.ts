import type { Migration } from '../migration.ts';

/** The lesson that a client has open, since when, and what was said last of its calls. */
export const migration: Migration = {
  number: 33,
  name: 'open-lessons',

  async up(sql) {
    await sql.run`alter table learners add column open_lesson text`;
    await sql.run`alter table learners add column open_lesson_at text`;
    await sql.run`alter table lesson_progress add column last_word text`;
  },
};
