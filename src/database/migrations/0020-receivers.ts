import type { Migration } from '../migration.ts';

/** What a receiver asked for: not to be called for a while, or no more. */
export const migration: Migration = {
  number: 20,
  name: 'receivers',

  async up(sql) {
    await sql.run`alter table subscriptions add column paused_until text`;
    await sql.run`alter table subscriptions add column gone integer not null default 0 check (gone in (0, 1))`;
  },
};
