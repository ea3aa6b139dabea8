import type { Migration } from '../migration.ts';

/** Secrets that hold beside those that took their place, and for how long. */
export const migration: Migration = {
  number: 26,
  name: 'rotation',

  async up(sql) {
    await sql.run`alter table clients add column previous_secret_hash text`;
    await sql.run`alter table clients add column previous_until text`;
    // Until when a token is valid that was signed with the second key.
    await sql.run`alter table clients add column second_key_until text`;
    await sql.run`alter table subscriptions add column previous_secret text`;
    await sql.run`alter table subscriptions add column previous_until text`;
  },
};
