import type { Migration } from '../migration.ts';

/** What each client called and was answered. */
export const migration: Migration = {
  number: 8,
  name: 'range',

  async up(sql) {
    // Those of nobody have an empty client_id.
    await sql.run`create table exchanges (
      id text not null primary key,
      client_id text not null,
      started_at text not null,
      number bigint not null,
      status integer not null,
      path text not null,
      problem text,
      summary text not null,
      details text not null
    )`;
    await sql.run`create index exchanges_of_client on exchanges (client_id, started_at, number)`;
    // For the removal of those that are a day old.
    await sql.run`create index exchanges_by_age on exchanges (started_at)`;

    await sql.run`create table learners (
      client_id text not null primary key,
      nickname text,
      first_seen_at text not null,
      last_seen_at text not null,
      calls bigint not null,
      refusals bigint not null,
      last_problem text
    )`;
    await sql.run`create index learners_by_last_seen on learners (last_seen_at, client_id)`;
  },
};
