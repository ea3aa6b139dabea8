import type { Migration } from '../migration.ts';

/** Any number of topics in one log; subscriptions are to one of them. */
export const migration: Migration = {
  number: 6,
  name: 'topics',

  async up(sql) {
    await sql.run`alter table events rename column claim_id to ordering_key`;
    await sql.run`alter table events add column topic text not null default 'claims.status-changed'`;
    await sql.run`drop index events_of_client`;
    await sql.run`create index events_of_client on events (client_id, topic, seq)`;
    await sql.run`alter table subscriptions add column topic text not null default 'claims.status-changed'`;
    await sql.run`alter table deliveries rename column claim_id to ordering_key`;
  },
};
