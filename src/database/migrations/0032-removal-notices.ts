import type { Migration } from '../migration.ts';

/** When it was told that a client is about to be removed. */
export const migration: Migration = {
  number: 32,
  name: 'removal-notices',

  async up(sql) {
    await sql.run`alter table clients add column noticed_at text`;
  },
};
