import type { Migration } from '../migration.ts';

/** How the calls of a webhook go out: by this service, by a program on the learner's machine, or to nobody. */
export const migration: Migration = {
  number: 35,
  name: 'relays',

  async up(sql) {
    await sql.run`alter table subscriptions add column via text not null default 'direct'`;
    // What an inbox answers next, as JSON.
    await sql.run`alter table subscriptions add column answers text`;
    // Calls that wait for the program of their client.
    await sql.run`create table relay_calls (
      id text not null primary key,
      client_id text not null,
      created_at text not null,
      request text not null,
      taken_by text,
      answer text
    )`;
    await sql.run`create index relay_calls_by_client on relay_calls (client_id, id)`;
    await sql.run`create index relay_calls_answered on relay_calls (id) where answer is not null`;
    // The stream of each client that serves: its newest one.
    await sql.run`create table relays (
      client_id text not null primary key,
      stream text not null,
      connected_at text not null,
      seen_at text not null
    )`;
  },
};
