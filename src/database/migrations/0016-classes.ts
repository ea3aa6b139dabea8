import type { Migration } from '../migration.ts';

/** What a trainer needs to see who is stuck, when a learner was reset, and until when an announcement is shown. */
export const migration: Migration = {
  number: 16,
  name: 'classes',

  async up(sql) {
    await sql.run`alter table learners add column active_since text not null default ''`;
    await sql.run`update learners set active_since = first_seen_at`;
    await sql.run`alter table learners add column reset_at text`;
    await sql.run`alter table learners add column refusals_in_a_row bigint not null default 0`;
    await sql.run`alter table learners add column last_refusal text`;
    await sql.run`alter table learners add column refused_as text`;
    await sql.run`alter table announcements add column ends_at text`;
  },
};
