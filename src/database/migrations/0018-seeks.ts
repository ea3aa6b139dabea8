import type { Migration } from '../migration.ts';

/** Indexes without which the cost of an event, and of the list of learners, grew with all that were there before. */
export const migration: Migration = {
  number: 18,
  name: 'seeks',

  async up(sql) {
    // The first and the last event of a client, of whatever topic.
    await sql.run`create index events_of_owner on events (client_id, seq)`;
    // In the order of the list.
    await sql.run`drop index learners_by_last_seen`;
    await sql.run`create index learners_by_last_seen on learners (last_seen_at desc, client_id)`;
  },
};
