import type { Migration } from '../migration.ts';

/** Marks the subscriptions that the fan-out looks at without an event that is new, so that it need not look at all. */
export const migration: Migration = {
  number: 19,
  name: 'marked subscriptions',

  async up(sql) {
    await sql.run`alter table subscriptions add column may_be_behind integer not null default 0`;
    await sql.run`create index subscriptions_marked on subscriptions (id) where may_be_behind = 1 and status = 'active'`;
  },
};
