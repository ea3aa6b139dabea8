import type { Migration } from '../migration.ts';

/** How many calls a lesson took, and when it was solved before it was taken again as one of “A month later”. */
export const migration: Migration = {
  number: 34,
  name: 'lesson-calls',

  async up(sql) {
    await sql.run`alter table lesson_progress add column calls integer`;
    await sql.run`alter table lesson_progress add column solved_before text`;
  },
};
